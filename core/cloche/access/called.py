"""What a door is called where people read it: the name its platform shows, and its address."""

from __future__ import annotations

from typing import Final

from cloche.channels.owner import UNNAMED
from cloche.messages import Address
from cloche.texts import say

MAX_SHOWN: Final = 64
"""Characters of a name or a sender's id."""
_HERE: Final = ("console", "web")
"""Doors of this machine."""


def called(address: Address, name: str, language: str) -> str:
    """A door by the name of whoever uses it, if there is one, and its address."""
    shown = name_shown(address, name, language)
    return f"{shown} ({spelled(address)})" if shown else spelled(address)


def name_shown(address: Address, name: str, language: str) -> str:
    """What somebody is called: by their platform, or as whoever sits at this machine; "" = nothing.

    Doors of this machine have the name that was given at the start, or none at all.
    """
    if name or address.channel not in _HERE:
        return one_line(name)
    if address.sender != UNNAMED:
        return one_line(address.sender)
    return say(f"access_here_{address.channel}", language)


def spelled(address: Address) -> str:
    """An address as Markdown, on one line."""
    sender = " ".join(address.sender.replace("`", "").split())[:MAX_SHOWN]
    return f"`{address.channel}:{sender}`"


def one_line(text: str) -> str:
    """A name that others chose, as one line without marks that would format it."""
    return "".join(char for char in " ".join(text.split()) if char not in "*_`[]()<>~|#")[
        :MAX_SHOWN
    ]
