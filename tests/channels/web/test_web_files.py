"""Files through the page: their bytes say what they are, and they are held for a while."""

from __future__ import annotations

import asyncio
import io
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from cloche.channels import OwnerOptions
from cloche.errors import RequestError
from cloche.house import opened
from cloche.ids import actor_id
from cloche.messages import Address, Attachment
from cloche.settings import Settings
from cloche.texts import say
from cloche_channels.web import WebChannel
from cloche_channels.web.uploads import Upload, Uploads, media_type_of


def picture(kind: str) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (16, 12), "teal").save(written, kind)
    return written.getvalue()


PNG = picture("PNG")
BINARY = "application/octet-stream"


async def upload(visitor: Any, content: bytes, name: str = "bed.png") -> Any:
    kind = {"Content-Type": BINARY}
    return await visitor.post(f"/api/files?name={name}", content, **kind)


@pytest.mark.parametrize("name", ["bed.png", "花坛.png", "<b>.png", "../../etc/passwd"])
async def test_a_picture_reaches_the_model_and_is_shown_meanwhile(ana: Any, name: str) -> None:
    go_on = asyncio.Event()
    ana.page.scribe.answers["What is it?"] = [go_on, "A bed."]
    held = await (await upload(ana, PNG, name)).json()
    assert (held["name"], held["type"]) == (name, "image/png")
    await ana.say("What is it?", held["id"])
    while not ana.page.scribe.prompts:
        await asyncio.sleep(0)
    assert len(ana.page.scribe.prompts[0].images) == 1
    assert (await ana.shown())[0]["files"] == [held]
    answer = await ana.get(f"/api/files/{held['id']}")
    assert (await answer.read(), answer.content_type) == (PNG, "image/png")
    go_on.set()
    await ana.settled()
    assert (await ana.get(f"/api/files/{held['id']}")).status == 404


async def test_a_picture_without_words_is_a_message(ana: Any) -> None:
    held = await (await upload(ana, PNG)).json()
    assert (await ana.say("", held["id"])).status == 200
    await ana.settled()
    assert len(ana.page.scribe.prompts[0].images) == 1


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PNG, "image/png"),
        (picture("JPEG"), "image/jpeg"),
        (picture("GIF"), "image/gif"),
        (picture("WEBP"), "image/webp"),
        ("Notas del jardín 花".encode(), "text/plain"),
        (b"<script>alert(1)</script>", "text/plain"),
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "text/plain"),
        (b"", ""),
        (b"  \n", ""),
        (b"a\0b", BINARY),
        (b"%PDF-1.7\n\xe2\xe3", "application/pdf"),
        (b"%PDF-1.4\n1 0 obj\nendobj\n", "application/pdf"),
        (b"{\\rtf1 words}", "application/rtf"),
        ("第一行".encode("utf-16"), "text/plain"),
        (" \n".encode("utf-16"), ""),
        (b"MZ\x90\x00", BINARY),
        (b"II*\0rest", BINARY),
        (b"RIFF\0\0\0\0WAVE", "audio/wav"),
    ],
)
async def test_the_bytes_say_what_a_file_is(ana: Any, content: bytes, kind: str) -> None:
    assert media_type_of(content) == kind
    answer = await upload(ana, content)
    if not kind:
        assert (answer.status, await answer.json()) == (422, {"error": "file_empty"})
        return
    held = await (await ana.get(f"/api/files/{(await answer.json())['id']}")).read()
    assert held == content


async def test_a_file_that_is_too_large_is_refused(
    ana: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = replace(ana.page.channel.limits, file_bytes=len(PNG))
    monkeypatch.setattr(ana.page.channel, "limits", limits)
    assert (await upload(ana, PNG)).status == 200
    answer = await upload(ana, PNG + b"\0")
    assert (answer.status, await answer.json()) == (413, {"error": "file_large"})


async def test_too_many_files_are_refused(ana: Any) -> None:
    held = [(await (await upload(ana, PNG)).json())["id"] for _ in range(11)]
    answer = await ana.say("Look.", *held)
    assert (answer.status, await answer.json()) == (422, {"error": "files"})


@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_a_file_that_cannot_be_read_leaves_the_answer_to_the_others(
    ana: Any, words_of: Any, language: str
) -> None:
    words = {"en": "What is it?", "es": "¿Qué es esto?", "zh": "这是什么？"}[language]
    ana.page.scribe.answers[words] = ["A bed."]
    held = [(await (await upload(ana, PNG)).json())["id"]]
    pdf = Upload(ana.conversation, "doc <b>.pdf", "text/plain", b"%PDF-1.4\n1 0 obj\n")
    held.append(ana.page.channel.uploads.hold(pdf))
    held.append((await (await upload(ana, b"tea, milk", "list.txt")).json())["id"])
    await ana.say(words, *held)
    await ana.settled()
    (prompt,) = ana.page.scribe.prompts
    assert len(prompt.images) == 1
    assert "| tea, milk" in prompt.turn
    assert "<unread" in prompt.turn
    assert "- doc &lt;b&gt;.pdf\n</unread>" in prompt.turn
    named = say("picture_named", language, name="doc <b>.pdf")
    sentence = say("pdf_broken", language, name=named)
    (answer,) = [one for one in await ana.shown() if not one["own"]]
    assert words_of(answer["body"]) == f"A bed.{sentence}"


async def test_nobody_uses_another_browsers_file(page: Any, ana: Any) -> None:
    other = await type(ana)(page, ana.session).enter()
    id_ = (await (await upload(ana, PNG)).json())["id"]
    assert (await other.get(f"/api/files/{id_}")).status == 404
    answer = await other.say("Mine?", id_)
    assert (answer.status, await answer.json()) == (410, {"error": "file"})


@pytest.mark.parametrize("named", ["../../etc/passwd", "0" * 32, 1, None, {}])
async def test_a_file_that_is_not_here_is_said_to_be_gone(ana: Any, named: object) -> None:
    body = {"id": str(uuid.uuid4()), "text": "x", "files": [named]}
    answer = await ana.post("/api/messages", body)
    assert (answer.status, await answer.json()) == (410, {"error": "file"})
    with pytest.raises(RequestError):
        await ana.page.channel.fetch(Attachment(str(named)))


def test_what_waits_longest_goes_when_too_much_is_held() -> None:
    uploads = Uploads(most=10)
    ids = [uploads.hold(Upload("s", "n", "text/plain", b"1234")) for _ in range(4)]
    assert [uploads.find(id_) is not None for id_ in ids] == [False, False, True, True]
    large = uploads.hold(Upload("s", "n", "text/plain", b"x" * 20))
    assert uploads.find(large)
    assert uploads.find(ids[3]) is None


@pytest.mark.parametrize("name", ["My clinic is in Lugo.txt", "Mi clínica.txt", "我的诊所.txt"])
async def test_a_file_that_was_chosen_and_never_sent_goes_when_all_is_forgotten(
    site: Any, tmp_path: Path, name: str
) -> None:
    """Also by another process, such as the command line."""
    site.assistant("tea")
    settings = Settings(home=tmp_path / "home", time_zone="UTC")
    ana, luis = (actor_id(Address("web", owner)) for owner in ("ana", "luis"))
    owner = OwnerOptions(owner="ana")
    async with opened(site.host(), "tea", settings, [WebChannel], owner) as house:
        uploads = house.deliveries["web"].channel.uploads
        id_ = uploads.hold(Upload("s", name, "text/plain", b"words"))
        async with opened(site.host(), "tea", settings, [], owner) as elsewhere:
            forgetter = elsewhere.assistant.memory.forgetter
            assert (await forgetter.everything(luis)).files == 0
            assert uploads.find(id_) is not None
            assert (await forgetter.everything(ana)).files == 1
        assert uploads.find(id_) is None
        assert not [one for one in (house.assistant.folder / "channels").rglob(id_)]
