"""What every channel shares: claim of updates, order, bursts, gate and outbox.

``Delivery`` is loaded when it is first used: what is pure here (rendering) stays light to import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloche.delivery.gate import Admission, Answering, Gate, OpenDoor

if TYPE_CHECKING:
    from cloche.delivery.delivery import Delivery
else:

    def __getattr__(name):
        """``Delivery``, at its first use."""
        if name != "Delivery":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from cloche.delivery.delivery import Delivery

        return Delivery


__all__ = ["Admission", "Answering", "Delivery", "Gate", "OpenDoor"]
