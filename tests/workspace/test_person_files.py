"""Files as the tools of a turn see them, and what people send: limits, names, groups."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from cloche.channels import PartFile
from cloche.channels.failures import SendRefusedError
from cloche.errors import ToolError
from cloche.links import Links
from cloche.logs import OncePerCause
from cloche.memory.forgotten import Forgotten
from cloche.messages import Address
from cloche.people import Person, PersonSettings
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock
from cloche.tools.results import told_to_a_person
from cloche.workspace.folder import FolderFiles
from cloche.workspace.looking import StandIn
from cloche.workspace.names import area_of
from cloche.workspace.outgoing import MOST, Outgoing, to_send
from cloche.workspace.person_files import PersonFiles
from cloche.workspace.shelf import KeptFile
from cloche.workspace.workspace import FileLimits, NoRoomError, Workspace

ANA, LUIS = "console_-ana", "console_-luis"
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def person(actor: str = ANA, group: str = "", *, anywhere: bool = False) -> Person:
    return Person(
        actor=actor,
        address=Address("console", actor),
        conversation=group or actor,
        group=bool(group),
        session="s",
        settings=PersonSettings(private_in_groups=anywhere),
        language="en",
        zone=ZoneInfo("UTC"),
        now=NOW,
    )


class Shelf:
    """A workspace with small limits."""

    def __init__(self, folder: Path, notices: OncePerCause) -> None:
        clock = FakeClock(NOW)
        self.state = SqliteStateStore(folder / "state.db", clock)
        self.forgotten = Forgotten(self.state, clock)
        self.clock = clock
        limits = FileLimits(file_bytes=100, files=4, total_bytes=250)
        self.workspace = Workspace(FolderFiles(folder / "files"), notices, clock, limits)

    def of(self, whose: Person, outgoing: Outgoing | None = None) -> PersonFiles:
        out = outgoing or Outgoing()
        return PersonFiles(self.workspace, whose, self.forgotten, StandIn(), out, "t1")

    async def keys(self, actor: str = ANA) -> list[str]:
        return [file.key for file in await self.workspace.list(actor)]


@pytest.fixture
def shelf(tmp_path: Path, notices: OncePerCause) -> Shelf:
    return Shelf(tmp_path, notices)


async def test_a_tool_writes_reads_lists_and_removes(shelf: Shelf) -> None:
    files = shelf.of(person())
    written = await files.write("计划.csv", "a;b")
    assert (written.name, written.size, written.at) == ("made/计划.csv", 3, NOW)
    assert await files.read("made/计划.csv") == b"a;b"
    assert await files.read_text("计划.csv") == "a;b"
    assert [one.name for one in await files.list()] == ["made/计划.csv"]
    assert await files.delete("made/计划.csv")
    assert not await files.delete("made/计划.csv")
    with pytest.raises(ToolError, match="no file"):
        await files.read("计划.csv")


async def test_another_spelling_of_a_name_is_the_same_file(shelf: Shelf) -> None:
    files = shelf.of(person())
    await files.write("Plan.txt", "one")
    assert (await files.write("plan.TXT", "two")).name == "made/Plan.txt"
    assert await files.read_text("PLAN.txt") == "two"
    assert await shelf.keys() == ["made/Plan.txt"]


@pytest.mark.parametrize(
    "name", ["", "../x", "a/b", "sent/x", "/etc/passwd", "nul", ".x", "a\0", "x" * 81, "made/../x"]
)
async def test_what_is_no_name_is_refused_in_a_sentence(shelf: Shelf, name: str) -> None:
    with pytest.raises(ToolError, match="cannot be a file's name"):
        await shelf.of(person()).write(name, "x")
    assert await shelf.keys() == []


@pytest.mark.parametrize("name", ["../x", f"../../{ANA}/made/a", "made/../../x", "\0", "made/"])
async def test_no_name_reads_or_removes_what_is_anothers(shelf: Shelf, name: str) -> None:
    await shelf.of(person(LUIS)).write("a", "luis's")
    files = shelf.of(person())
    with pytest.raises(ToolError, match="no file"):
        await files.read(name)
    assert not await files.delete(name)
    assert await shelf.keys(LUIS) == ["made/a"]


async def test_two_people_never_cross(shelf: Shelf) -> None:
    ana, luis = shelf.of(person()), shelf.of(person(LUIS))
    await ana.write("plan.txt", "ana's")
    await luis.write("plan.txt", "luis's")
    assert await ana.read_text("plan.txt") == "ana's"
    assert await luis.read_text("plan.txt") == "luis's"
    await ana.delete("plan.txt")
    assert [one.name for one in await luis.list()] == ["made/plan.txt"]


async def test_a_tool_is_told_when_there_is_no_room(shelf: Shelf) -> None:
    files = shelf.of(person())
    with pytest.raises(ToolError, match="make it smaller"):
        await files.write("large", b"x" * 101)
    await files.write("a", b"x" * 100)
    await files.write("b", b"x" * 100)
    with pytest.raises(ToolError, match=r"no room .* remove one first, such as the oldest, 'made/"):
        await files.write("c", b"x" * 51)
    await files.write("a", b"y" * 100)
    await files.write("c", b"x" * 25)
    await files.write("d", b"x")
    with pytest.raises(ToolError, match="no room"):
        await files.write("e", b"x")
    await shelf.of(person(LUIS)).write("e", b"x")


async def test_of_what_was_sent_the_oldest_makes_way_and_of_what_was_made_nothing(
    shelf: Shelf, set_time: Callable[[Path, int], None], tmp_path: Path
) -> None:
    await shelf.of(person()).write("made first", b"x" * 90)
    for number, name in enumerate(("one.txt", "two.txt")):
        await shelf.workspace.receive(ANA, "sent", [KeptFile(name, name.encode() * 10)])
        set_time(next((tmp_path / "files").rglob(name)), number)
    await shelf.workspace.receive(ANA, "sent", [KeptFile("three.txt", b"3" * 80)])
    assert await shelf.keys() == ["made/made first", "sent/three.txt", "sent/two.txt"]
    await shelf.workspace.receive(ANA, "sent", [KeptFile("huge.txt", b"4" * 101)])
    assert len(await shelf.keys()) == 3


async def test_words_take_room_as_their_file_does(shelf: Shelf) -> None:
    await shelf.workspace.receive(ANA, "sent", [KeptFile("a.ogg", b"a" * 10, "w" * 200)])
    with pytest.raises(ToolError, match="no room"):
        await shelf.of(person()).write("b.txt", "x" * 41)
    await shelf.workspace.receive(ANA, "sent", [KeptFile("c.ogg", b"c" * 10, "我" * 70)])
    assert await shelf.keys() == ["sent/c.ogg"]
    await shelf.workspace.receive(ANA, "sent", [KeptFile("d.ogg", b"d", "w" * 251)])
    assert await shelf.keys() == ["sent/c.ogg"]


async def test_two_processes_lose_no_file_of_one_name_and_keep_to_the_room_there_is(
    shelf: Shelf, notices: OncePerCause, tmp_path: Path
) -> None:
    """Each with a workspace of its own: nothing but the disk tells one of the other."""
    other = Workspace(FolderFiles(tmp_path / "files"), notices, shelf.clock, shelf.workspace.limits)
    both = (shelf.workspace, other)
    await asyncio.gather(
        *(
            one.receive(ANA, "sent", [KeptFile("计划.pdf", f"{number} {turn}".encode())])
            for number, one in enumerate(both)
            for turn in range(2)
        )
    )
    held = {await other.read(ANA, file.key) for file in await other.list(ANA)}
    assert held == {b"0 0", b"0 1", b"1 0", b"1 1"}
    written = await asyncio.gather(
        *(one.write(LUIS, f"made/{number}", b"x" * 90) for number, one in enumerate(both * 3)),
        return_exceptions=True,
    )
    assert sum(isinstance(one, NoRoomError) for one in written) == 4
    assert len(await shelf.keys(LUIS)) == 2


async def test_words_go_wherever_their_file_goes_and_are_no_file(
    shelf: Shelf, tmp_path: Path
) -> None:
    files = shelf.of(person())
    voices = [KeptFile("v.ogg", b"\0one", "One."), KeptFile("v.ogg", b"\0two", "Two.")]
    await shelf.workspace.receive(ANA, "sent", voices)
    assert await shelf.keys() == ["sent/v (2).ogg", "sent/v.ogg"]
    assert await files.read_text("v (2).ogg") == "Two."
    assert await files.read("v (2).ogg") == b"\0two"
    for name in ("sent.words/v.ogg", "../sent.words/v.ogg"):
        with pytest.raises(ToolError, match="no file"):
            await files.read(name)
    assert await files.delete("v.ogg")
    await shelf.workspace.move(ANA, LUIS)
    assert await shelf.of(person(LUIS)).read_text("v (2).ogg") == "Two."
    await files.delete("v (2).ogg")
    kept = [
        p.relative_to(tmp_path / "files").parts[1:] for p in (tmp_path / "files").rglob("*.ogg")
    ]
    assert sorted(kept) == [("sent", "v (2).ogg"), ("sent.words", "v (2).ogg")]


async def test_what_is_sent_again_is_kept_once_and_another_of_its_name_beside_it(
    shelf: Shelf,
) -> None:
    sent = [
        *(KeptFile("Plan.txt", b"one"), KeptFile("Plan.txt", b"one")),
        *(KeptFile("plan.txt", b"two"), KeptFile("../Plan.txt", b"3")),
    ]
    await shelf.workspace.receive(ANA, "sent", sent)
    await shelf.workspace.receive(ANA, "sent", sent[:3])
    assert await shelf.keys() == ["sent/Plan (3).txt", "sent/Plan.txt", "sent/plan (2).txt"]


async def test_several_of_one_name_are_told_apart(shelf: Shelf) -> None:
    await shelf.workspace.receive(ANA, "sent", [KeptFile("plan.txt", b"sent")])
    files = shelf.of(person())
    await files.write("plan.txt", "made")
    with pytest.raises(ToolError, match=r"made/plan.txt, sent/plan.txt"):
        await files.read("plan.txt")
    assert await files.read("sent/plan.txt") == b"sent"


async def test_in_a_group_only_that_groups_files_are_seen(shelf: Shelf) -> None:
    await shelf.of(person()).write("private", "mine")
    band, choir = shelf.of(person(group="band")), shelf.of(person(group="choir"))
    made = await band.write("songs", "a")
    await shelf.workspace.receive(ANA, area_of("sent", "band"), [KeptFile("notes.txt", b"b")])
    assert {one.name for one in await band.list()} == {
        made.name,
        f"{area_of('sent', 'band')}/notes.txt",
    }
    assert list(await choir.list()) == []
    for name in ("private", "made/private"):
        with pytest.raises(ToolError, match="no file"):
            await band.read(name)
    assert await band.read_text("songs") == "a"
    assert len(await shelf.of(person()).list()) == 3
    assert len(await shelf.of(person(group="choir", anywhere=True)).list()) == 3


async def test_what_is_no_plain_text_is_not_read_as_one(shelf: Shelf) -> None:
    files = shelf.of(person())
    await files.write("picture.png", b"\x89PNG\r\n\x1a\n\0\0")
    with pytest.raises(ToolError, match="is no text"):
        await files.read_text("picture.png")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (
            b"OggS\x00\x02" + bytes(20),
            ("Nobody wrote", "Nadie ha transcrito", "没有被记"),
        ),
        (b"%PDF-1.7 broken", ("it is broken, locked", "está dañado", "已损坏")),
        (b"\x00\x01\xff\xfe\xfd", ("is no text", "no es un texto", "不是文本")),
        (b"soil " * 200_001, ("more than 1000 kB", "más de 1000 kB", "超过 1000 kB")),
    ],
)
async def test_it_is_said_why_a_file_cannot_be_read(
    shelf: Shelf, data: bytes, why: tuple[str, ...]
) -> None:
    shelf.workspace.limits = FileLimits()
    files = shelf.of(person())
    await files.write("it", data)
    with pytest.raises(ToolError) as refused:
        await files.read_text("it")
    for language, part in zip(("en", "es", "zh"), why, strict=True):
        assert part in told_to_a_person(refused.value, language)


async def test_a_file_goes_out_once_and_of_many_no_more_than_a_reply_has(shelf: Shelf) -> None:
    out = Outgoing()
    files = shelf.of(person(), out)
    shelf.workspace.limits = FileLimits()
    for number in range(MOST + 1):
        await files.write(f"{number}.txt", str(number))
    for number in (1, 0, *range(MOST)):
        assert (await files.send(f"{number}.txt")).name == f"made/{number}.txt"
    with pytest.raises(ToolError, match="files"):
        await files.send(f"{MOST}.txt")
    assert [file.name for file in out.files] == ["1.txt", "0.txt", "2.txt", "3.txt", "4.txt"]
    assert {file.owner for file in out.files} == {ANA}
    found = await to_send(shelf.workspace, PartFile(ANA, "made/0.txt", "0.txt"))
    assert found is not None
    assert (found.content, found.media_type, found.name) == (b"0", "text/plain", "0.txt")
    assert found.path is not None
    assert found.path.read_bytes() == b"0"
    assert await to_send(shelf.workspace, PartFile(LUIS, "made/0.txt", "0.txt")) is None


async def test_what_waits_to_go_out_is_found_where_a_link_moved_it(shelf: Shelf) -> None:
    links = Links(shelf.state, shelf.clock)
    for name in ("计划.txt", "plan.txt"):
        await shelf.of(person(LUIS)).write(name, f"the door's {name}")
    await shelf.of(person()).write("plan.txt", "another")
    await links.join(Address("console", "luis"), ANA)
    await shelf.workspace.move(LUIS, ANA)
    await shelf.workspace.forget(LUIS)
    moved = PartFile(LUIS, "made/计划.txt", "计划.txt")
    found = await to_send(shelf.workspace, moved, links)
    assert found is not None
    assert found.content.decode() == "the door's 计划.txt"
    with pytest.raises(SendRefusedError):  # the person is told that it cannot go out as a file
        await to_send(shelf.workspace, replace(moved, key="made/plan.txt"), links)
    await shelf.workspace.forget(ANA)
    assert await to_send(shelf.workspace, moved, links) is None


async def test_only_what_is_seen_goes_out(shelf: Shelf) -> None:
    await shelf.of(person(LUIS)).write("a.txt", "luis's")
    await shelf.of(person()).write("private.txt", "mine")
    for whose in (person(), person(group="band")):
        for name in ("a.txt", "private.txt", "../a.txt") if whose.group else ("a.txt", "../a.txt"):
            with pytest.raises(ToolError, match="no file"):
                await shelf.of(whose).send(name)


async def test_what_is_no_picture_is_not_looked_at(shelf: Shelf) -> None:
    await shelf.of(person()).write("a.png", "words")
    with pytest.raises(ToolError, match=r"a\.png"):
        await shelf.of(person()).look("a.png")
    with pytest.raises(ToolError, match="no file"):
        await shelf.of(person(LUIS)).look("a.png")


async def test_a_turn_from_before_a_forget_writes_nothing(shelf: Shelf) -> None:
    files = shelf.of(replace(person(), now=NOW))
    shelf.clock.pass_(seconds=1)
    await shelf.forgotten.mark(ANA)
    with pytest.raises(ToolError, match="forgotten"):
        await files.write("a", "x")


@pytest.mark.parametrize(
    ("said", "name", "content"),
    [
        ("my clinic is in lugo", "notes.txt", "Well: my clinic is in Lu-\n  go."),
        ("mi clinica esta en lugo", "Mi clínica está en Lugo.csv", "1;2"),
        ("我的诊所在卢戈", "表.txt", "我的诊所在卢戈，靠海。"),
    ],
)
async def test_a_turn_from_before_something_was_forgotten_writes_no_file_that_tells_it(
    shelf: Shelf, said: str, name: str, content: str
) -> None:
    files = shelf.of(replace(person(), now=NOW))
    shelf.clock.pass_(seconds=1)
    await shelf.forgotten.note(ANA, [said], turn="another")
    with pytest.raises(ToolError, match="forgotten"):
        await files.write(name, content)
    await files.write("other.txt", "Other words.")
    await shelf.forgotten.note(ANA, ["other words"], turn="t1")
    await files.write("own.txt", "Other words.")  # it was forgotten in this very turn
    assert await shelf.keys() == ["made/other.txt", "made/own.txt"]


@pytest.mark.parametrize("name", ["plan.pdf", "voice.ogg"])
async def test_words_that_are_found_when_a_file_comes_again_are_kept_and_forgotten_by(
    shelf: Shelf, name: str
) -> None:
    """It took too long, or nobody could hear it, the first time."""
    told = "Mi clínica está en Lugo. 我的诊所"
    for actor, again in ((ANA, "receive"), (LUIS, "add")):
        await shelf.workspace.receive(actor, "sent", [KeptFile(name, b"bytes")])
        if again == "receive":
            await shelf.workspace.receive(actor, "sent", [KeptFile(name, b"bytes", told)])
        else:
            assert not await shelf.workspace.add(actor, KeptFile(f"sent/{name}", b"bytes", told))
        assert await shelf.workspace.words(actor, f"sent/{name}") == told
        await shelf.workspace.receive(actor, "sent", [KeptFile(name, b"bytes", "Heard anew.")])
        await shelf.workspace.receive(actor, "sent", [KeptFile(name, b"bytes")])
        assert await shelf.workspace.words(actor, f"sent/{name}") == f"{told}\n\nHeard anew."
        assert await shelf.keys(actor) == [f"sent/{name}"]
        assert await shelf.workspace.forget_telling(actor, lambda text: "Lugo" in text) == 1
        assert await shelf.keys(actor) == []


async def test_what_tells_of_something_is_forgotten_with_it(shelf: Shelf, tmp_path: Path) -> None:
    limits = FileLimits()
    shelf.workspace.limits = limits
    await shelf.workspace.receive(
        ANA,
        "sent",
        [
            KeptFile("a.txt", "Mi perro se llama Ícaro".encode()),
            KeptFile("b.txt", "别的".encode()),
            KeptFile("Ícaro.png", b"\0"),
            KeptFile("Ícaro.ogg", b"\0", "Se llama Ícaro."),
            KeptFile("voice.ogg", b"\0\1", "Mi perro se llama Ícaro."),
            KeptFile("other.ogg", b"\0\2", "Otra cosa."),
            KeptFile("long.txt", b"words " * 15 + "Ícaro".encode()),
        ],
    )
    assert await shelf.workspace.forget_telling(ANA, lambda text: "Ícaro" in text) == 5
    assert await shelf.keys() == ["sent/b.txt", "sent/other.ogg"]
    assert sorted(path.name for path in (tmp_path / "files").rglob("*.ogg")) == ["other.ogg"] * 2


async def test_what_a_linked_door_had_comes_beside_what_is_there(shelf: Shelf) -> None:
    await shelf.of(person()).write("a", "ana's")
    await shelf.of(person(LUIS)).write("a", "the door's")
    await shelf.of(person(LUIS)).write("b", "b")
    assert await shelf.workspace.move(LUIS, ANA) == 2
    assert await shelf.workspace.move(LUIS, ANA) == 0
    assert await shelf.keys() == ["made/a", "made/a (2)", "made/b"]


async def test_a_store_that_is_away_loses_no_turn(
    shelf: Shelf, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "files").write_text("in the way")
    with caplog.at_level(logging.WARNING):
        await shelf.workspace.receive(ANA, "sent", [KeptFile("a.txt", b"a")])
    assert "a sent file is not kept" in caplog.text
