"""``/pair``, ``/link``, ``/unlink`` and ``/people``: access, asked for in a private chat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cloche.access.called import called, name_shown, one_line, spelled
from cloche.access.codes import find_code
from cloche.access.doors import PAIR_KEPT, Doors, Visitor
from cloche.access.linking import CODE_KEPT, Asker
from cloche.access.offers import Room
from cloche.access.roles import Role
from cloche.errors import RequestError
from cloche.ids import actor_id
from cloche.links import Link, LinkError
from cloche.messages import Address, of_place
from cloche.people import Person
from cloche.reminders.reminder import Place
from cloche.texts import say

YES: Final = ("yes", "y", "sí", "si", "是", "好", "确认", "確認", "对")
NO: Final = ("no", "n", "否", "不", "取消", "不要")
_REMOVE: Final = ("remove", "quitar", "eliminar", "移除", "删除", "刪除")
_ALLOW: Final = ("allow", "permitir", "允许", "允許")


async def pair(argument: str, person: Person, doors: Doors) -> str:
    """A code for the owner to hand on.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    if not await doors.roles.is_owner(person.address):
        return await _owner_only(person, doors)
    code = await doors.pairing_code(person.actor, Room(person.address, person.place))
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
        return await _linked_doors(linked, person, doors)
    chosen = [
        one
        for number, one in enumerate(linked, 1)
        if (wanted == str(number) if wanted else one.door == here)
    ]
    if not chosen:
        return await _linked_doors(linked, person, doors)
    name = await doors.name_of(chosen[0].address)
    leaving = chosen[0].door == here
    place = Place(person.address.channel, of_place(person.place)[0], person.address.sender)
    try:
        parted = await doors.linking.part(chosen[0].door, None if leaving else place)
    except LinkError as error:
        return say(f"access_link_{error.reason}", person.language)
    told = say(
        "access_unlinked", person.language, door=called(chosen[0].address, name, person.language)
    )
    if not parted.reminders:
        return told
    key = "access_unlinked_stay" if leaving else "access_unlinked_come"
    return f"{told}\n\n{say(key, person.language, count=parted.reminders)}"


async def people(argument: str, person: Person, doors: Doors) -> str:
    """List people for the owner, show one out, or let one in again.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    if not await doors.roles.is_owner(person.address):
        return await _owner_only(person, doors)
    action, _, name = argument.strip().partition(" ")
    if not action:
        return _listed(await doors.visitors(), person)
    if action.casefold() not in (*_REMOVE, *_ALLOW) or not name.strip():
        return say("access_people_how", person.language)
    try:
        address = await doors.find(name)
    except RequestError:
        return say("access_people_none", person.language, name=one_line(name))
    letting_in = action.casefold() in _ALLOW
    if await doors.links.person_of(address) == person.actor:
        key = "access_people_self_in" if letting_in else "access_people_self"
        return say(key, person.language)
    door = await _door(address, person, doors)
    if letting_in:
        await doors.allow(address, by=person.actor)
        return say("access_people_allowed", person.language, name=door)
    await doors.remove(address, by=person.actor)
    return say("access_people_removed", person.language, name=door)


async def _confirmed(person: Person, doors: Doors) -> str:
    try:
        joined = await doors.linking.confirm(person.actor)
    except LinkError as error:
        return say(f"access_link_{error.reason}", person.language)
    if joined is None:
        return say("access_link_nothing", person.language)
    address, name = joined.link.address, joined.name or await doors.name_of(joined.link.address)
    door = called(address, name, person.language)
    if joined.moved is None:
        told = say("access_linked_later", person.language, door=door)
    else:
        await doors.name(address, name)
        counts = {"records": joined.moved.records, "events": joined.moved.events}
        told = say("access_linked", person.language, door=door, **counts)
    there, here = await doors.roles.of(address), await doors.roles.of(person.address)
    if there == here:
        return told
    roles = {"there": _role(there, person), "here": _role(here, person)}
    return f"{told}\n\n{say('access_linked_roles', person.language, door=door, **roles)}"


async def _owner_only(person: Person, doors: Doors) -> str:
    """Why it is refused; where another chat of theirs may do it, which."""
    theirs = [one for one in await doors.doors_of(person.actor) if one.role == "owner"]
    if not theirs:
        return say("access_owner_only", person.language)
    door = called(theirs[0].address, theirs[0].name, person.language)
    return say("access_owner_only_there", person.language, door=door)


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
        name=name_shown(asker.address, asker.name, person.language) or "?",
        door=spelled(asker.address),
    )


async def _linked_doors(linked: tuple[Link, ...], person: Person, doors: Doors) -> str:
    if not linked:
        return say("access_unlink_none", person.language)
    shown = [await _door(one.address, person, doors) for one in linked]
    lines = [f"{number}. {door}" for number, door in enumerate(shown, 1)]
    return "\n".join([say("access_unlink_which", person.language), *lines])


def _listed(visitors: tuple[Visitor, ...], person: Person) -> str:
    if not visitors:
        return say("access_people_empty", person.language)
    lines = [
        f"- `{one.handle}` {called(one.address, one.name, person.language)} — "
        f"{_role(one.role, person)}{_joined(one, visitors, person)} — ${one.spent_today:.2f}"
        for one in visitors
    ]
    head, how = say("access_people", person.language), say("access_people_how", person.language)
    return "\n".join([head, *lines, "", how])


def _joined(visitor: Visitor, visitors: Sequence[Visitor], person: Person) -> str:
    """Which other doors are the same person's."""
    others = [one for one in visitors if one.person == visitor.person and one != visitor]
    if not others:
        return f", {say('access_role_linked', person.language)}" if visitor.linked else ""
    names = ", ".join(
        f"{name_shown(one.address, one.name, person.language)} `{one.handle}`".strip()
        for one in others
    )
    return f", {say('access_role_joined', person.language, doors=names)}"


def _role(role: Role | None, person: Person) -> str:
    return say(f"access_role_{role or 'none'}", person.language)


async def _door(address: Address, person: Person, doors: Doors) -> str:
    return called(address, await doors.name_of(address), person.language)
