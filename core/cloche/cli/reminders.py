"""``cloche reminders``: what a person is reminded of, seen and changed by the operator."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cloche.cli import output
from cloche.cli.choosing import In, Which, one_of
from cloche.cli.memory_subject import As, Subject, assistant_and, run_for
from cloche.cli.named_first import NamedFirst
from cloche.errors import RequestError

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from cloche.reminders.reminder import Reminder

COLUMNS: Final = ("id", "text", "next", "zone", "again", "kind", "paused", "channel")
TOLD: Final = ("at", "text", "told", "id")
SHORT: Final = 8
SHORTEST: Final = 4
MOST_TOLD: Final = 200
"""Occurrences of one reminder that ``run`` shows."""

Person = Annotated[
    str | None,
    typer.Option("--person", help="CHANNEL:SENDER, a handle, or a name of `cloche people`."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@dataclass(frozen=True, slots=True)
class Row:
    """One reminder, as a line of the list."""

    id: str
    text: str
    next: str
    zone: str
    again: str
    kind: str
    paused: bool
    channel: str


@dataclass(frozen=True, slots=True)
class Told:
    """One time at which something would be told."""

    at: str
    text: str
    told: str
    id: str


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Show, cancel and try what people are reminded of.",
        no_args_is_help=True,
        cls=NamedFirst,
    )
    group.command("list")(list_reminders)
    group.command()(cancel)
    group.command()(run)
    app.add_typer(group, name="reminders")


def list_reminders(
    assistant: Which = None,
    named: In = None,
    as_name: As = None,
    person: Person = None,
    as_json: Json = False,
) -> None:
    """List a person's reminders that are to come, the next first."""

    async def work(subject: Subject, actor: str) -> int:
        there = await subject.assistant.memory.reminders.list(actor)
        output.show([_row(one) for one in there], COLUMNS, as_json=as_json)
        return 0

    _run(one_of(assistant, named), as_name, person, work)


def cancel(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[ASSISTANT] ID", help="Its id, or the beginning of it."),
    ],
    assistant: In = None,
    as_name: As = None,
    person: Person = None,
    as_json: Json = False,
) -> None:
    """Cancel one reminder of a person."""
    named, (reminder,) = assistant_and(words, assistant, "ID")

    async def work(subject: Subject, actor: str) -> int:
        store, wanted = subject.assistant.memory.reminders, reminder.strip().lower()
        if len(wanted) < SHORTEST or not wanted.isalnum():
            raise RequestError(
                f"{reminder!r} is no id of a reminder: `cloche reminders list` shows them, and "
                f"their first {SHORTEST} characters or more name one."
            )
        found = [one for one in await store.list(actor) if one.id.startswith(wanted)]
        if len(found) != 1:
            raise RequestError(
                f"{len(found)} reminders of this person begin with {reminder!r}: nothing was "
                "cancelled. `cloche reminders list` shows them."
            )
        await store.cancel(actor, found[0].id)
        output.show([_row(found[0])], COLUMNS, as_json=as_json)
        return 0

    _run(named, as_name, person, work)


def run(
    at: Annotated[str, typer.Option("--at", help="Local time, such as 2026-03-04T09:00.")],
    assistant: Which = None,
    named: In = None,
    as_name: As = None,
    person: Person = None,
    as_json: Json = False,
) -> None:
    """Show what would be told from now up to a time.

    Nothing is sent or marked as told.
    """

    async def work(subject: Subject, actor: str) -> int:
        from cloche.reminders.telling import due_text
        from cloche.zones import find_zone

        people = subject.assistant.people
        zone = find_zone((await people.settings(actor)).time_zone) or people.default_zone
        until = _time(at, zone)
        if until <= subject.assistant.memory.clock():
            raise RequestError(f"--at {at!r} is over ({zone}): give a time to come.")
        told = [
            (due, one)
            for one in await subject.assistant.memory.reminders.list(actor)
            if not one.paused
            for due in one.coming(MOST_TOLD)
            if due <= until
        ]
        rows = [
            Told(
                f"{due.astimezone(zone):%Y-%m-%d %H:%M}",
                _text(one),
                due_text(one, one.language) if one.kind == "asked" else "",
                one.id[:SHORT],
            )
            for due, one in sorted(told, key=lambda each: (each[0], each[1].id))
        ]
        output.show(rows, TOLD, as_json=as_json)
        return 0

    _run(one_of(assistant, named), as_name, person, work)


def _time(written: str, zone: ZoneInfo) -> datetime:
    """A time in the zone, or of its own zone, as an instant.

    Raises:
        RequestError: it is none.
    """
    try:
        until = datetime.fromisoformat(written.strip())
        return (until if until.tzinfo else until.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise RequestError(f"--at {written!r} is no time such as 2026-03-04T09:00.") from error


def _run(
    named: str | None,
    as_name: str | None,
    person: str | None,
    work: Callable[[Subject, str], Awaitable[int]],
) -> None:
    if as_name is not None and person is not None:
        raise RequestError("--as and --person both say whose reminders: give one of them.")

    async def for_person(subject: Subject) -> int:
        if person is None:
            return await work(subject, subject.actor)
        doors = subject.assistant.doors
        return await work(subject, await doors.links.person_of(await doors.find(person)))

    run_for(named, as_name, for_person)


def _text(reminder: Reminder) -> str:
    """Its words; of a look whether anything is due, which has none, what it is."""
    from cloche.texts import say

    return reminder.text or say("reminder_look", reminder.language)


def _row(reminder: Reminder) -> Row:
    from zoneinfo import ZoneInfo

    zone = reminder.schedule.zone
    coming = [f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}" for at in reminder.coming(2)]
    return Row(
        id=reminder.id[:SHORT],
        text=_text(reminder),
        next=coming[0] if coming else "",
        zone=zone,
        again=coming[1] if len(coming) > 1 else "",
        kind=reminder.kind,
        paused=reminder.paused,
        channel=reminder.place.channel,
    )
