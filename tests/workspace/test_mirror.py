"""Files at hand here and for good elsewhere: restored when needed, saved later, nothing lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from cloche.channels import PartFile
from cloche.errors import MemoryUnavailableError
from cloche.logs import OncePerCause
from cloche.testing.clock import FakeClock
from cloche.workspace.folder import FolderFiles
from cloche.workspace.mirror import Mirrored
from cloche.workspace.outgoing import to_send
from cloche.workspace.shelf import KeptFile
from cloche.workspace.store import Content, StoredFile
from cloche.workspace.workspace import Workspace

ANA, LUIS = "console_-ana", "console_-luis"


class Elsewhere(FolderFiles):
    """A share that counts what it is asked, and can be away, slow or hold a write up."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.asked: list[str] = []
        self.away = ""
        self.slow = False
        self.gate: asyncio.Event | None = None
        self.reached = asyncio.Event()

    async def _note(self, what: str) -> None:
        self.asked.append(what)
        self.reached.set()
        if self.away:
            raise MemoryUnavailableError("away", cause=self.away)
        if self.slow:
            await asyncio.sleep(60)

    async def put(self, actor: str, key: str, data: bytes) -> str:
        await self._note(f"put {key}")
        if self.gate:
            await self.gate.wait()
        return await super().put(actor, key, data)

    async def get(
        self, actor: str, key: str, *, known: str = "", strict: bool = False
    ) -> Content | None:
        await self._note(f"get {key}{' again' if known else ''}")
        return await super().get(actor, key, known=known)

    async def list(self, actor: str, *, strict: bool = False) -> Sequence[StoredFile]:
        await self._note("list")
        return await super().list(actor)

    async def delete(self, actor: str, key: str) -> None:
        await self._note(f"delete {key}")
        await super().delete(actor, key)

    async def forget(self, actor: str) -> None:
        await self._note("forget")
        await super().forget(actor)


class Place:
    """One machine's copies of a share."""

    def __init__(self, root: Path, share: Elsewhere, notices: OncePerCause) -> None:
        self.clock = FakeClock()
        self.mirror = Mirrored(root, share, self.clock, notices)
        self.root, self.share = root, share

    async def text(self, key: str, actor: str = ANA) -> str | None:
        found = await self.mirror.get(actor, key)
        return found.data.decode() if found and found.data is not None else None

    async def keys(self, actor: str = ANA) -> list[str]:
        return [file.key for file in await self.mirror.list(actor)]

    def here(self) -> list[str]:
        return sorted(path.name for path in (self.root / "kept").rglob("*") if path.is_file())


@pytest.fixture
def share(tmp_path: Path) -> Elsewhere:
    return Elsewhere(tmp_path / "share")


@pytest.fixture
def place(tmp_path: Path, share: Elsewhere, notices: OncePerCause) -> Place:
    return Place(tmp_path / "here", share, notices)


@pytest.fixture
def other(tmp_path: Path, share: Elsewhere, notices: OncePerCause) -> Place:
    return Place(tmp_path / "there", share, notices)


async def test_a_write_asks_nobody_elsewhere(place: Place, share: Elsewhere) -> None:
    await place.mirror.put(ANA, "made/a", b"one")
    assert share.asked == []
    assert await place.mirror.save() == 1
    assert share.asked == ["put made/a"]
    assert await place.mirror.save() == 0
    assert share.asked == ["put made/a"]


async def test_a_fresh_machine_restores_what_is_asked_for_and_no_more(
    place: Place, other: Place, share: Elsewhere
) -> None:
    for name in ("a", "b"):
        await place.mirror.put(ANA, f"made/{name}", name.encode())
    await place.mirror.save()
    assert await other.keys() == ["made/a", "made/b"]
    assert other.here() == []
    assert await other.text("made/a") == "a"
    assert other.here() == ["a"]
    share.asked.clear()
    assert await other.text("made/a") == "a"
    assert share.asked == ["get made/a again"]


async def test_what_changed_elsewhere_is_seen_here(place: Place, other: Place) -> None:
    await place.mirror.put(ANA, "made/a", b"old")
    await place.mirror.save()
    assert await other.text("made/a") == "old"
    await place.mirror.put(ANA, "made/a", b"new")
    assert await other.text("made/a") == "old"
    await place.mirror.save()
    assert await other.text("made/a") == "new"
    await place.mirror.delete(ANA, "made/a")
    await place.mirror.save()
    assert await other.keys() == []
    assert other.here() == []
    assert await other.text("made/a") is None


async def test_a_failed_save_is_done_later_also_by_the_next_process(
    place: Place, share: Elsewhere, tmp_path: Path, notices: OncePerCause
) -> None:
    share.away = "throttled"
    await place.mirror.put(ANA, "made/a", b"one")
    await place.mirror.put(ANA, "made/b", b"two")
    await place.mirror.delete(ANA, "made/b")
    assert await place.mirror.save() == 0
    assert await place.mirror.pending() == 3
    assert await place.text("made/a") == "one"
    assert await place.keys() == ["made/a"]
    share.away = ""
    again = Place(tmp_path / "here", share, notices)
    assert await again.mirror.save() == 3
    assert [file.key for file in await share.list(ANA)] == ["made/a"]
    assert await again.mirror.pending() == 0


async def test_what_was_written_last_is_what_is_saved(place: Place, share: Elsewhere) -> None:
    share.away = "io"
    await place.mirror.put(ANA, "made/a", b"one")
    await place.mirror.save()
    await place.mirror.put(ANA, "made/a", b"two")
    await place.mirror.delete(ANA, "made/a")
    await place.mirror.put(ANA, "made/a", b"three")
    share.away = ""
    await place.mirror.save()
    found = await share.get(ANA, "made/a")
    assert found is not None
    assert found.data == b"three"


async def test_a_write_during_a_save_is_saved_next(place: Place, share: Elsewhere) -> None:
    share.gate = asyncio.Event()
    await place.mirror.put(ANA, "made/a", b"one")
    saving = asyncio.create_task(place.mirror.save())
    await share.reached.wait()
    await place.mirror.put(ANA, "made/a", b"two")
    share.gate.set()
    await saving
    await place.mirror.save()
    assert await place.text("made/a") == "two"
    found = await share.get(ANA, "made/a")
    assert found is not None
    assert found.data == b"two"


async def test_while_the_other_place_is_away_what_is_at_hand_is_used_and_it_is_said_once(
    place: Place, share: Elsewhere, caplog: pytest.LogCaptureFixture
) -> None:
    await place.mirror.put(ANA, "made/a", b"one")
    await place.mirror.save()
    share.away = "denied"
    with caplog.at_level(logging.WARNING):
        assert await place.keys() == ["made/a"]
        assert await place.text("made/a") == "one"
    assert len(caplog.records) == 1
    with pytest.raises(MemoryUnavailableError):
        await place.mirror.list(ANA, strict=True)
    with pytest.raises(MemoryUnavailableError):
        await place.mirror.get(ANA, "made/a", strict=True)


async def test_whoever_waits_for_an_answer_does_not_wait_for_long_nor_twice(
    place: Place, share: Elsewhere
) -> None:
    await place.mirror.put(ANA, "made/a", b"one")
    await place.mirror.save()
    share.slow, place.mirror._patience = True, 0.01
    share.asked.clear()
    for _ in range(3):
        assert await place.keys() == ["made/a"]
        assert await place.text("made/a") == "one"
    assert share.asked == ["list"]
    share.slow, place.mirror._patience = False, 1
    place.clock.pass_(seconds=31)
    assert await place.text("made/a") == "one"
    assert share.asked == ["list", "get made/a again"]


async def test_files_from_before_there_was_another_place_go_there_and_are_never_dropped(
    tmp_path: Path, place: Place, share: Elsewhere
) -> None:
    await FolderFiles(tmp_path / "here" / "kept").put(ANA, "sent/old", b"old")
    assert await place.text("sent/old") == "old"
    assert await place.keys() == ["sent/old"]
    assert place.here() == ["old"]
    await place.mirror.save()
    assert [file.key for file in await share.list(ANA)] == ["sent/old"]


async def test_a_list_that_failed_removes_nothing(place: Place, share: Elsewhere) -> None:
    await place.mirror.put(ANA, "made/a", b"one")
    await place.mirror.save()
    share.away = "io"
    await place.keys()
    assert place.here() == ["a"]


async def test_forgetting_reaches_here_there_and_what_waits(
    place: Place, other: Place, share: Elsewhere
) -> None:
    for actor in (ANA, LUIS):
        await place.mirror.put(actor, "made/a", actor.encode())
    await place.mirror.save()
    assert await other.text("made/a") == ANA
    await place.mirror.put(ANA, "made/b", b"waits")
    await place.mirror.forget(ANA)
    await place.mirror.save()
    assert await place.keys() == []
    assert list(await share.list(ANA)) == []
    assert await place.text("made/a", LUIS) == LUIS
    assert await other.keys() == []
    assert other.here() == []


async def test_forgetting_fails_aloud_while_the_other_place_is_away(
    place: Place, share: Elsewhere
) -> None:
    await place.mirror.put(ANA, "made/a", b"one")
    await place.mirror.save()
    share.away = "slow"
    with pytest.raises(MemoryUnavailableError):
        await place.mirror.forget(ANA)
    share.away = ""
    await place.mirror.forget(ANA)
    assert list(await share.list(ANA)) == []


async def test_a_save_under_way_does_not_bring_back_what_is_forgotten(
    place: Place, share: Elsewhere
) -> None:
    share.gate = asyncio.Event()
    await place.mirror.put(ANA, "made/a", b"one")
    saving = asyncio.create_task(place.mirror.save())
    await share.reached.wait()
    forgetting = asyncio.create_task(place.mirror.forget(ANA))
    await asyncio.sleep(0.05)
    assert not forgetting.done()
    share.gate.set()
    await asyncio.gather(saving, forgetting)
    assert list(await share.list(ANA)) == []
    assert await place.keys() == []


async def test_a_line_that_means_nothing_holds_nothing_up(place: Place, share: Elsewhere) -> None:
    waiting = place.mirror._waiting
    for line in (
        {"actor": ANA, "do": "save", "key": "../../etc/passwd"},
        {"actor": ANA, "do": "dance", "key": "made/a"},
        {"actor": ANA, "do": "save"},
        {"actor": ANA, "do": "save", "key": "made/was-lost"},
    ):
        await waiting.add(line)
    await place.mirror.put(ANA, "made/a", b"one")
    assert await place.mirror.save() == 2
    assert [file.key for file in await share.list(ANA)] == ["made/a"]
    assert await place.mirror.pending() == 0


async def test_a_mark_cut_by_a_crash_only_costs_a_download(place: Place, share: Elsewhere) -> None:
    await place.mirror.put(ANA, "made/a", b"one")
    await place.mirror.save()
    mark = next((place.root / "saved").rglob("a"))
    mark.write_bytes(mark.read_bytes()[:9])
    share.asked.clear()
    assert await place.text("made/a") == "one"
    assert share.asked == ["get made/a"]


async def test_a_copy_somebody_changed_here_is_replaced_by_what_was_saved(
    place: Place, share: Elsewhere
) -> None:
    await place.mirror.put(ANA, "made/a", b"one")
    await place.mirror.save()
    next((place.root / "kept").rglob("a")).write_bytes(b"half")
    assert await place.text("made/a") == "one"


async def test_what_follows_a_turn_waits_for_a_save_but_not_for_ever(
    place: Place, share: Elsewhere, notices: OncePerCause, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.workspace.workspace.SAVE_SECONDS", 0.02)
    workspace = Workspace(place.mirror, notices, place.clock, mirror=place.mirror)
    share.gate = asyncio.Event()
    await workspace.write(ANA, "made/a", b"one")
    await workspace.save()
    async with asyncio.timeout(60):
        while "put made/a" not in share.asked:
            await asyncio.sleep(0.001)
    await workspace.save()
    assert share.asked.count("put made/a") == 1
    share.gate.set()
    await workspace.close()
    assert await place.mirror.pending() == 0


async def test_words_of_a_recording_are_saved_with_it_and_forgotten_with_it(
    place: Place, other: Place, share: Elsewhere, notices: OncePerCause
) -> None:
    here = Workspace(place.mirror, notices, place.clock, mirror=place.mirror)
    voice = KeptFile("voice.ogg", b"OggS", "The key is under the pot.")
    await here.receive(ANA, "sent", [voice])
    await here.save()
    assert share.asked.index("put sent.words/voice.ogg") < share.asked.index("put sent/voice.ogg")
    there = Workspace(other.mirror, notices, other.clock, mirror=other.mirror)
    assert [file.key for file in await there.list(ANA)] == ["sent/voice.ogg"]
    assert await there.words(ANA, "sent/voice.ogg") == voice.words
    assert await there.forget_telling(ANA, lambda text: "under the pot" in text) == 1
    await there.save()
    assert list(await share.list(ANA)) == []
    assert list(await here.list(ANA)) == []
    assert place.here() == []


async def test_a_file_that_is_out_of_reach_is_not_taken_for_gone(
    place: Place, other: Place, share: Elsewhere, notices: OncePerCause
) -> None:
    here = Workspace(place.mirror, notices, place.clock, mirror=place.mirror)
    await here.write(ANA, "made/plan.txt", b"plan")
    await here.save()
    there = Workspace(other.mirror, notices, other.clock, mirror=other.mirror)
    file = PartFile(ANA, "made/plan.txt", "plan.txt")
    share.away = "throttled"
    with pytest.raises(MemoryUnavailableError):
        await to_send(there, file)
    share.away = ""
    other.clock.pass_(seconds=31)
    found = await to_send(there, file)
    assert found is not None
    assert found.content == b"plan"
    await there.delete(ANA, "made/plan.txt")
    share.away = "throttled"
    assert await to_send(there, file) is None
