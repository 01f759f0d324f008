"""Who may talk to the assistant through its channels, as whom, and how much.

``Access`` is the gate in front of the turns of one channel; ``Doors`` is the assistant's own side:
who is known, which doors are one person's, and the commands that change it.
"""

from __future__ import annotations

from cloche.access.access import Access
from cloche.access.doors import Doors

__all__ = ["Access", "Doors"]
