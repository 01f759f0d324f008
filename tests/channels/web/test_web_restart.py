"""What a person sent is there after a restart, once: words, pictures, and what is sent again."""

from __future__ import annotations

import io
import os
import stat
import uuid
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from cloche.delivery import Delivery, OpenDoor
from cloche.delivery.fence import Fence
from cloche.delivery.inbox import Inbox
from cloche.delivery.leases import Leases
from cloche.delivery.rendering import render
from cloche.messages import Address, Attachment, Message
from cloche.settings import DeliverySettings
from cloche_channels.web.uploads import KEPT_SECONDS, Upload, Uploads

UPLOAD = Upload("s", "flor 花.png", "image/png", b"\x89PNG\r\n\x1a\nrest\nof it")


def picture() -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (16, 12), "teal").save(written, "PNG")
    return written.getvalue()


@pytest.mark.parametrize("words", ["What is it?", "¿Qué es?", "这是什么？", ""])
async def test_a_picture_of_a_message_that_waits_outlives_the_process(
    assistant: Any, scribe: Any, clock: Any, drawer: Any, serve: Any, words: str
) -> None:
    folder = assistant.folder / "channels" / "web"
    id_ = Uploads(folder).hold(Upload("s", "bed.png", "image/png", picture()))
    await _left_behind(assistant, clock, words, id_)
    async with serve(assistant, scribe, clock, drawer) as page:
        await page.delivery.finished("s")
        assert len(scribe.prompts[0].images) == 1
    assert list(folder.iterdir()) == []


async def _left_behind(assistant: Any, clock: Any, words: str, file: str) -> None:
    """A message that a process took in and did not answer."""
    state = assistant.memory.state
    leases = Leases("web", state, is_busy=bool, let_go=_nothing, break_off=_nothing)
    inbox = Inbox("web", state, clock, Fence(state, leases))
    message = Message(
        str(uuid.uuid4()),
        Address("web", "ana"),
        "s",
        words,
        attachments=(Attachment(file, "bed.png", "image/png", len(picture())),),
    )
    assert await inbox.claim(inbox.row(message, starts=True))


async def _nothing(conversation: str) -> None:
    pass


@pytest.mark.parametrize("words", ["Water the figs.", "Riega las higueras.", "给无花果浇水。"])
async def test_a_message_sent_again_after_a_restart_adds_nothing(
    assistant: Any, scribe: Any, clock: Any, drawer: Any, serve: Any, ana: Any, words: str
) -> None:
    id_ = str(uuid.uuid4())
    assert (await ana.say(words, id_=id_)).status == 200
    await ana.settled()
    before = [item["text"] for item in await ana.shown()]
    await ana.page.delivery.close()
    async with serve(assistant, scribe, clock, drawer, str(ana.page.port)) as page:
        ana.page = page
        assert (await ana.say(words, id_=id_)).status == 200
        await ana.settled()
        assert [item["text"] for item in await ana.shown()] == before
        assert {item["state"] for item in await ana.shown()} == {"done"}
    assert len(scribe.prompts) == 1


async def test_a_message_is_known_once_it_was_accepted(page: Any, assistant: Any) -> None:
    door = Delivery(
        page.channel,
        assistant,
        OpenDoor(),
        assistant.memory.state,
        clock=page.clock,
        settings=DeliverySettings(),
        render=render,
    )
    message = Message("1", Address("web", "ana"), "s", "hi")
    assert not await door.knows(message)
    await page.delivery.accept(message)
    await page.delivery.idle()
    assert await door.knows(message)


def test_a_file_is_kept_for_nobody_else_and_for_the_next_process(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    id_ = Uploads(folder).hold(UPLOAD)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()] == [0o600]
    later = Uploads(folder)
    later.tidy()
    assert later.of("other", id_) is None
    assert later.of("s", id_) == UPLOAD
    later.drop([id_])
    assert Uploads(folder).find(id_) is None
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "", ".", "secret", "é" * 32, "A" * 32]
)
def test_no_other_file_is_read_or_removed(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "web"
    folder.mkdir()
    for place in (tmp_path, folder):
        (place / "secret").write_bytes(b'["s", "n", "text/plain"]\nmine')
    uploads = Uploads(folder)
    assert uploads.find(name) is None
    uploads.drop([name])
    assert (tmp_path / "secret").exists()
    assert (folder / "secret").exists()


def test_what_is_damaged_is_not_there(tmp_path: Path) -> None:
    for number, content in enumerate((b"", b"[]\nx", b"{", b"\xff\n", b'["s", "n"]\nx')):
        (tmp_path / f"{number:032x}").write_bytes(content)
        assert Uploads(tmp_path).find(f"{number:032x}") is None


def test_what_is_old_too_much_or_half_written_goes_at_the_next_start(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    ids = [uploads.hold(UPLOAD) for _ in range(4)]
    for age, id_ in zip((0, 1, 2, KEPT_SECONDS + 60), ids, strict=True):
        at = (tmp_path / id_).stat().st_mtime - age
        os.utime(tmp_path / id_, (at, at))
    (tmp_path / f"{ids[0]}.half").write_bytes(b"x")
    size = (tmp_path / ids[0]).stat().st_size
    Uploads(tmp_path, most=3 * size).tidy()
    assert {one.name for one in tmp_path.iterdir()} == set(ids[:3])
    Uploads(tmp_path, most=2 * size).tidy()
    assert {one.name for one in tmp_path.iterdir()} == set(ids[:2])


def test_a_folder_that_cannot_be_written_keeps_nobody_from_sending(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("no folder")
    uploads = Uploads(tmp_path / "web")
    assert uploads.find(uploads.hold(UPLOAD)) == UPLOAD
