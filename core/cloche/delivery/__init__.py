"""What every channel shares: claim of updates, order, bursts, gate and outbox."""

from __future__ import annotations

from cloche.delivery.gate import Admission, Answering, Gate, OpenDoor

__all__ = ["Admission", "Answering", "Gate", "OpenDoor"]
