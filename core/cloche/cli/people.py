"""``cloche people``: who may talk to an assistant, and which doors are one person's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cloche.cli import output
from cloche.cli.choosing import In, Which, one_of
from cloche.cli.memory_subject import Subject, assistant_and, run_for
from cloche.cli.named_first import NamedFirst
from cloche.errors import RequestError

if TYPE_CHECKING:
    from cloche.access.doors import Doors, Visitor
    from cloche.messages import Address

COLUMNS: Final = ("handle", "role", "name", "channel", "sender", "person", "since", "spent_today")

Who = Annotated[
    list[str],
    typer.Argument(metavar="[ASSISTANT] WHO", help="Who is CHANNEL:SENDER, a handle, or a name."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@dataclass(frozen=True, slots=True)
class Row:
    """One door, as a line of the list."""

    handle: str
    role: str
    name: str
    channel: str
    sender: str
    person: str
    linked: bool
    since: str
    spent_today: str


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Show and change who may talk to an assistant.",
        no_args_is_help=True,
        cls=NamedFirst,
    )
    group.command("list")(list_people)
    for command in (allow, remove, pair, link, unlink):
        group.command()(command)
    app.add_typer(group, name="people")


def list_people(assistant: Which = None, named: In = None, as_json: Json = False) -> None:
    """List who was let in, shown out or linked.

    The oldest first.
    """

    async def work(doors: Doors) -> int:
        output.show([_row(one) for one in await doors.visitors()], COLUMNS, as_json=as_json)
        return 0

    _run(one_of(assistant, named), work)


def allow(
    words: Who,
    owner: Annotated[bool, typer.Option("--owner", help="As an owner, not a guest.")] = False,
    assistant: In = None,
    as_json: Json = False,
) -> None:
    """Let somebody in, or in again, without a code."""
    named, (who,) = assistant_and(words, assistant, "WHO")

    async def work(doors: Doors) -> int:
        address = await doors.find(who)
        await doors.allow(address, "owner" if owner else "guest")
        return await _told(doors, address, as_json)

    _run(named, work)


def remove(words: Who, assistant: In = None, as_json: Json = False) -> None:
    """Show somebody out, by all their doors, at once.

    What is remembered of them stays.
    """
    named, (who,) = assistant_and(words, assistant, "WHO")

    async def work(doors: Doors) -> int:
        address = await doors.find(who)
        await doors.remove(address)
        return await _told(doors, address, as_json)

    _run(named, work)


def pair(assistant: Which = None, named: In = None, as_json: Json = False) -> None:
    """Print a code that lets one more person in.

    Once, within the hour.
    """

    async def work(doors: Doors) -> int:
        code = await doors.pairing_code("")
        if as_json:
            output.print_json({"code": code})
        else:
            output.echo(code)
        return 0

    _run(one_of(assistant, named), work)


def link(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[ASSISTANT] DOOR PERSON",
            help="The door to link, and whose it is: each CHANNEL:SENDER or a handle.",
        ),
    ],
    assistant: In = None,
    as_json: Json = False,
) -> None:
    """Make a door another one's person's.

    What is remembered there is moved, for good.
    """
    named, (door, person) = assistant_and(words, assistant, "DOOR", "PERSON")

    async def work(doors: Doors) -> int:
        from cloche.links import LinkError

        address = await doors.find(door)
        theirs = await doors.links.person_of(await doors.find(person))
        try:
            joined = await doors.linking.join(address, theirs)
        except LinkError as error:
            raise RequestError(_REFUSED[error.reason]) from error
        if joined.moved is None:
            output.echo("What is remembered there cannot be moved yet; it follows.", err=True)
        return await _told(doors, address, as_json)

    _run(named, work)


def unlink(words: Who, assistant: In = None, as_json: Json = False) -> None:
    """Undo a link; what was moved stays moved.

    What comes later is the door's own, and so are the reminders that are told there.
    """
    named, (who,) = assistant_and(words, assistant, "WHO")

    async def work(doors: Doors) -> int:
        from cloche.ids import actor_id
        from cloche.links import LinkError

        address = await doors.find(who)
        try:
            parted = await doors.linking.part(actor_id(address))
        except LinkError as error:
            raise RequestError(_REFUSED[error.reason]) from error
        if parted.reminders and not as_json:
            output.echo(f"Reminders that stay with this door: {parted.reminders}.")
        return await _told(doors, address, as_json)

    _run(named, work)


_REFUSED: Final = {
    "self": "these doors are one person's already.",
    "taken": "this door is linked to somebody already; `cloche people unlink` undoes that.",
    "busy": "a link is not finished yet; start the assistant once, then try again.",
    "full": "no more doors can be linked.",
    "none": "this door is not linked.",
}


def _run(named: str | None, work: Callable[[Doors], Awaitable[int]]) -> None:
    async def with_doors(subject: Subject) -> int:
        return await work(subject.assistant.doors)

    run_for(named, None, with_doors)


async def _told(doors: Doors, address: Address, as_json: bool) -> int:
    """Show what a door is now."""
    rows = [_row(one) for one in await doors.visitors() if one.address == address]
    output.show(rows, COLUMNS, as_json=as_json)
    return 0


def _row(visitor: Visitor) -> Row:
    return Row(
        visitor.handle,
        visitor.role or "none",
        visitor.name,
        visitor.address.channel,
        visitor.address.sender,
        visitor.person,
        visitor.linked,
        visitor.since,
        f"{visitor.spent_today:.4f}",
    )
