"""``/pair``, ``/link``, ``/unlink`` and ``/people``: access, asked for in a private chat."""

from __future__ import annotations

from typing import Final

from cloche.access.codes import find_code
from cloche.access.doors import OWNER, PAIR_KEPT, Doors, Visitor
from cloche.access.linking import CODE_KEPT, Asker
from cloche.errors import RequestError
from cloche.ids import actor_id
from cloche.links import Link, LinkError
from cloche.messages import Address
from cloche.people import Person
from cloche.texts import say

MAX_SHOWN: Final = 64
"""Characters of a name or a sender's id."""
YES: Final = ("yes", "y", "sí", "si", "是", "好", "确认", "確認", "对")
NO: Final = ("no", "n", "否", "不", "取消", "不要")
_HERE: Final = ("console", "web")
"""Doors of this machine."""
_REMOVE: Final = ("remove", "quitar", "eliminar", "移除", "删除", "刪除")
_ALLOW: Final = ("allow", "permitir", "允许", "允許")


async def pair(argument: str, person: Person, doors: Doors) -> str:
    """A code for the owner to hand on.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    if not await doors.roles.is_owner(person.address):
        return say("access_owner_only", person.language)
    code = await doors.pairing_code(person.actor)
    minutes = PAIR_KEPT.seconds // 60
    return say("access_pair", person.language, code=code, minutes=minutes)


async def link(argument: str, person: Person, doors: Doors) -> str:
    """Show a code, give one back, or confirm who gave it back.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    word = argument.casefold().strip()
    asker = await doors.linking.asker(person.actor)
    if word in NO:
        done = await doors.linking.withdraw(person.actor)
        return say("access_link_withdrawn" if done else "access_link_nothing", person.language)
    if asker and not asker.shown and (not word or word in YES):
        await doors.linking.show(person.actor, asker)
        return _who_asked(asker, person)
    if word in YES:
        return await _confirmed(person, doors)
    if word:
        return await _asked(argument, person, doors)
    if asker:
        return _who_asked(asker, person)
    code, minutes = await doors.linking.offer(person.actor), CODE_KEPT.seconds // 60
    return say("access_link_code", person.language, code=code, minutes=minutes)


async def unlink(argument: str, person: Person, doors: Doors) -> str:
    """Part this door, or the one that is named, from its person.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    linked, here = await doors.links.doors_of(person.actor), actor_id(person.address)
    wanted = argument.strip()
    if not wanted and here == person.actor:
        return _linked_doors(linked, person)
    chosen = [
        one
        for number, one in enumerate(linked, 1)
        if (wanted == str(number) if wanted else one.door == here)
    ]
    if not chosen:
        return _linked_doors(linked, person)
    try:
        await doors.linking.part(chosen[0].door)
    except LinkError as error:
        return say(f"access_link_{error.reason}", person.language)
    return say("access_unlinked", person.language, door=_spelled(chosen[0].address))


async def people(argument: str, person: Person, doors: Doors) -> str:
    """List people for the owner, show one out, or let one in again.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    if not await doors.roles.is_owner(person.address):
        return say("access_owner_only", person.language)
    action, _, name = argument.strip().partition(" ")
    if not action:
        return _listed(await doors.visitors(), person)
    if action.casefold() not in (*_REMOVE, *_ALLOW) or not name.strip():
        return say("access_people_how", person.language)
    try:
        address = await doors.find(name)
    except RequestError:
        return say("access_people_none", person.language, name=_one_line(name))
    if await doors.links.person_of(address) == person.actor:
        return say("access_people_self", person.language)
    called = _called(address, await doors.name_of(address), person.language)
    if action.casefold() in _ALLOW:
        await doors.allow(address, by=person.actor)
        return say("access_people_allowed", person.language, name=called)
    await doors.remove(address, by=person.actor)
    return say("access_people_removed", person.language, name=called)


async def _confirmed(person: Person, doors: Doors) -> str:
    try:
        joined = await doors.linking.confirm(person.actor)
    except LinkError as error:
        return say(f"access_link_{error.reason}", person.language)
    if joined is None:
        return say("access_link_nothing", person.language)
    where = _spelled(joined.link.address)
    if joined.moved is None:
        return say("access_linked_later", person.language, door=where)
    moved = joined.moved
    return say(
        "access_linked",
        person.language,
        door=where,
        records=moved.records,
        events=moved.events,
    )


async def _asked(code: str, person: Person, doors: Doors) -> str:
    """What became of a code that a known person gave back; a few wrong ones, then no more."""
    door = actor_id(person.address)
    if await doors.offers.try_left(door) < 0:
        return say("access_code_wait", person.language)
    name = await doors.name_of(person.address)
    asked = await doors.linking.ask(find_code(code) or code, person.address, name)
    if asked == "wrong":
        return say("access_code_wrong", person.language)
    await doors.offers.right(door)
    return say(f"access_link_{asked}", person.language)


def _who_asked(asker: Asker, person: Person) -> str:
    return say(
        "access_link_who",
        person.language,
        name=_name(asker.address, asker.name, person.language) or "?",
        door=_spelled(asker.address),
    )


def _linked_doors(linked: tuple[Link, ...], person: Person) -> str:
    if not linked:
        return say("access_unlink_none", person.language)
    lines = [f"{number}. {_spelled(one.address)}" for number, one in enumerate(linked, 1)]
    return "\n".join([say("access_unlink_which", person.language), *lines])


def _listed(visitors: tuple[Visitor, ...], person: Person) -> str:
    if not visitors:
        return say("access_people_empty", person.language)
    lines = [
        "- `{}` {} — {}{} — ${:.2f}".format(
            one.handle,
            _called(one.address, one.name, person.language),
            say(f"access_role_{one.role or 'none'}", person.language),
            ", " + say("access_role_linked", person.language) if one.linked else "",
            one.spent_today,
        )
        for one in visitors
    ]
    head, how = say("access_people", person.language), say("access_people_how", person.language)
    return "\n".join([head, *lines, "", how])


def _called(address: Address, name: str, language: str) -> str:
    called = _name(address, name, language)
    return f"{called} ({_spelled(address)})" if called else _spelled(address)


def _name(address: Address, name: str, language: str) -> str:
    """What somebody is called: by their platform, or as whoever sits at this machine; "" = nothing.

    Doors of this machine have the name that was given at the start, or none at all.
    """
    if name or address.channel not in _HERE:
        return _one_line(name)
    if address.sender != OWNER:
        return _one_line(address.sender)
    return say(f"access_here_{address.channel}", language)


def _spelled(address: Address) -> str:
    sender = " ".join(address.sender.replace("`", "").split())[:MAX_SHOWN]
    return f"`{address.channel}:{sender}`"


def _one_line(text: str) -> str:
    """A name that others chose, as one line without marks that would format it."""
    return "".join(char for char in " ".join(text.split()) if char not in "*_`[]()<>~|#")[
        :MAX_SHOWN
    ]
