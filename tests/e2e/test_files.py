"""What people send, from the message to the file, its keeping and its forgetting."""

from __future__ import annotations

import io
from pathlib import Path

import PIL.Image
import pytest

from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.attachments.sounds import SoundKind
from cloche.attachments.transcription import Transcript
from cloche.documents import shared_resource
from cloche.errors import ManifestError
from cloche.memory.holdings import add_holdings, read_holdings
from cloche.memory.portable import export_text, parse_export
from cloche.messages import Address, Attachment, Message
from cloche.plugins import load_host
from cloche.settings import Settings
from cloche.testing.fake_agent import FakeAgent
from cloche.testing.pdfs import pdf_of

TEXTS = {
    "plan.txt": b"Two lutes by May. My dog is called Icarus.",
    "../../计划.txt": "五月做两把鲁特琴".encode(),
    "año.md": "Dos laúdes".encode("utf-16"),
    "sheet.pdf": b"%PDF-1.7",
    "plan.pdf": pdf_of("Two lutes by May.", "My dog is called Icarus."),
    "voice.ogg": b"OggS\x00\x02" + bytes(20),
    "things.zip": b"PK\x03\x04" + bytes(30),
}


class Hears:
    """Writes down the same of every recording."""

    def __init__(self, words: str) -> None:
        self.words = words

    async def transcribe(self, sound: bytes, kind: SoundKind) -> Transcript:
        return Transcript(self.words)

    async def close(self) -> None:
        pass


async def fetch(channel: str, attachment: Attachment) -> bytes:
    return TEXTS.get(attachment.ref) or photo()


def photo() -> bytes:
    """With words in its metadata, as cameras put places there."""
    exif = PIL.Image.Exif()
    exif[0x010E] = "taken at home"
    buffer = io.BytesIO()
    PIL.Image.new("RGB", (20, 10), "red").save(buffer, "JPEG", exif=exif)
    return buffer.getvalue()


async def keys(assistant: Assistant, sender: str = "ana") -> list[str]:
    return [file.key for file in await assistant.memory.files.list(f"console_-{sender}")]


async def test_what_was_sent_is_there_the_next_day(open_luthier, chat, clock, tmp_path: Path):
    first = await open_luthier(fetch=fetch, agent=FakeAgent())
    await chat(first, "ana").say("My plan.", "plan.txt", "../../计划.txt", "año.md")
    await chat(first, "ana").say("A lute.", "holiday.jpeg", "")
    clock.pass_(days=1)
    second = await open_luthier(fetch=fetch, agent=FakeAgent())
    assert await keys(second) == [
        *("sent/2026-03-02.jpg", "sent/año.md", "sent/holiday.jpg", "sent/plan.txt"),
        "sent/计划.txt",
    ]
    files = second.memory.files
    assert await files.read("console_-ana", "sent/plan.txt") == TEXTS["plan.txt"]
    assert await files.read("console_-ana", "sent/año.md") == "Dos laúdes".encode()
    kept = await files.read("console_-ana", "sent/holiday.jpg")
    assert kept is not None
    assert b"taken at home" not in kept
    assert await keys(second, "luis") == []
    assert [p for p in tmp_path.rglob("*计划*") if "kept" not in p.parts] == []


async def test_a_turn_that_is_run_again_keeps_nothing_twice(open_luthier, chat):
    assistant = await open_luthier(fetch=fetch, agent=FakeAgent())
    for _ in range(2):
        await chat(assistant, "ana").say("My plan.", "plan.txt")
    assert await keys(assistant) == ["sent/plan.txt"]


@pytest.mark.parametrize("words", ["Look.", ""])
async def test_what_could_not_be_read_is_told_and_kept_all_the_same(
    open_luthier, chat, clock, words: str
):
    assistant = await open_luthier(fetch=fetch, agent=FakeAgent())
    turn = await chat(assistant, "ana").say(words, "sheet.pdf", "things.zip")
    assert "sheet.pdf" in turn.reply.text
    assert "things.zip" in turn.reply.text
    assert await keys(assistant) == ["sent/sheet.pdf", "sent/things.zip"]
    kept = await assistant.memory.files.read("console_-ana", "sent/things.zip")
    assert kept == TEXTS["things.zip"]


async def test_a_recording_goes_with_the_memory_that_is_said_in_it(
    open_luthier, chat, monkeypatch: pytest.MonkeyPatch
):
    hears = Hears("Remember that my dog is called Icarus.")
    monkeypatch.setattr("cloche.assembly.choose_transcriber", lambda settings: hears)
    assistant = await open_luthier(fetch=fetch, agent=FakeAgent())
    await chat(assistant, "ana").say("", "voice.ogg", "plan.pdf", "año.md")
    assert await keys(assistant) == ["sent/año.md", "sent/plan.pdf", "sent/voice.ogg"]
    records = await assistant.memory.store.iterate("console_-ana")
    record = next(one for one in records if "Icarus" in one.text)
    assert (await assistant.memory.forgetter.record("console_-ana", record.id)).files == 2
    assert await keys(assistant) == ["sent/año.md"]
    assert await assistant.memory.files.words("console_-ana", "sent/voice.ogg") == ""


async def test_forgetting_all_takes_the_files_of_that_person_and_of_nobody_else(
    open_luthier, chat, tmp_path: Path
):
    assistant = await open_luthier(fetch=fetch, agent=FakeAgent())
    for name in ("ana", "luis"):
        await chat(assistant, name).say("My plan.", "plan.txt")
    asked = await chat(assistant, "ana").say("/forget all")
    code = asked.reply.text.split("/forget all ")[1].split("`")[0]
    await chat(assistant, "ana").say(f"/forget all {code}")
    assert await keys(assistant) == []
    assert await keys(assistant, "luis") == ["sent/plan.txt"]
    assert len([p for p in tmp_path.rglob("plan.txt") if p.is_file()]) == 1


async def test_nothing_is_kept_of_what_came_before_a_forget(open_luthier, chat, clock):
    assistant = await open_luthier(fetch=fetch, agent=FakeAgent())
    message = Message(
        "m1", Address("console", "ana"), "ana", "Mine.", (Attachment("plan.txt", "plan.txt"),)
    )
    turn = await assistant.handle(message)
    clock.pass_(seconds=1)
    await assistant.memory.forgetter.everything("console_-ana")
    await turn.afterwards()
    assert await keys(assistant) == []


CLINIC = {
    "My clinic is in Lugo.": ("My clinic is in Lugo near the sea.txt", "note.txt"),
    "Mi clínica está en Lugo.": ("Mi clínica está en Lugo cerca del mar.txt", "nota.txt"),
    "我的诊所在卢戈。": ("我的诊所在卢戈，靠海.txt", "笔记.txt"),
}


@pytest.mark.parametrize("said", CLINIC)
async def test_what_comes_while_it_is_forgotten_is_kept_neither_by_words_nor_by_name(
    open_luthier, chat, clock, said: str
):
    contents = {CLINIC[said][0]: b"1;2", CLINIC[said][1]: f"Ja: {said}".encode(), "b.txt": b"Else"}

    async def fetch_clinic(channel: str, attachment: Attachment) -> bytes:
        return contents[attachment.ref]

    assistant = await open_luthier(fetch=fetch_clinic, agent=FakeAgent())
    await chat(assistant, "ana").say(said)
    (record,) = await assistant.memory.store.iterate("console_-ana")
    clock.pass_(seconds=1)
    ana = Address("console", "ana")
    files = tuple(Attachment(name, name) for name in contents)
    turn = await assistant.handle(Message("m1", ana, "ana", "Look.", files))
    clock.pass_(seconds=1)
    await assistant.memory.forgetter.record("console_-ana", record.id)
    await turn.afterwards()
    assert await keys(assistant) == ["sent/b.txt"]
    assert await assistant.memory.store.iterate_events("console_-ana") == ()


@pytest.mark.parametrize("said", CLINIC)
async def test_a_turn_whose_file_is_called_what_is_forgotten_goes_with_it(
    open_luthier, chat, said: str
):
    async def fetch_any(channel: str, attachment: Attachment) -> bytes:
        return b"1;2"

    assistant = await open_luthier(fetch=fetch_any, agent=FakeAgent())
    await chat(assistant, "ana").say("Look.", CLINIC[said][0])
    await chat(assistant, "ana").say(said)
    (record,) = await assistant.memory.store.iterate("console_-ana")
    erased = await assistant.memory.forgetter.record("console_-ana", record.id)
    assert (erased.events, erased.files) == (2, 1)
    memory = assistant.memory
    kept = await read_holdings("console_-ana", memory.store, memory.state, memory.files)
    exported = export_text("luthier", kept, memory.clock())
    assert "Lugo" not in exported
    assert "卢戈" not in exported


async def test_forgetting_a_memory_takes_the_texts_that_say_it(open_luthier, chat):
    assistant = await open_luthier(fetch=fetch, agent=FakeAgent())
    ana = chat(assistant, "ana")
    await ana.say("Remember that my dog is called Icarus.", "plan.txt", "año.md")
    records = await assistant.memory.store.iterate("console_-ana")
    record = next(one for one in records if "Icarus" in one.text)
    erased = await assistant.memory.forgetter.record("console_-ana", record.id)
    assert erased.files == 1, record.text
    assert await keys(assistant) == ["sent/año.md"]


async def test_what_a_linked_door_had_becomes_its_persons(open_luthier, chat):
    assistant = await open_luthier(fetch=fetch, agent=FakeAgent())
    await chat(assistant, "ana").say("Mine.", "año.md")
    await chat(assistant, "luis", channel="telegram").say("Mine, too.", "plan.txt", "plan.pdf")
    await assistant.doors.linking.join(Address("telegram", "luis"), "console_-ana")
    assert await keys(assistant) == ["sent/año.md", "sent/plan.pdf", "sent/plan.txt"]
    assert "Icarus" in await assistant.memory.files.words("console_-ana", "sent/plan.pdf")
    assert await assistant.memory.files.words("telegram_-luis", "sent/plan.pdf") == ""
    assert list(await assistant.memory.files.list("telegram_-luis")) == []


async def test_what_was_sent_in_a_group_is_that_groups(open_luthier, chat):
    assistant = await open_luthier(fetch=fetch, agent=FakeAgent())
    await chat(assistant, "ana", group=True, conversation="band").say("Look.", "plan.txt")
    assert [key.partition("/")[2] for key in await keys(assistant)] == ["plan.txt"]
    assert not (await keys(assistant))[0].startswith("sent/")


async def test_a_folder_that_cannot_be_written_costs_no_turn(open_luthier, chat, tmp_path: Path):
    assistant = await open_luthier(fetch=fetch, agent=FakeAgent())
    (tmp_path / "home" / "luthier" / "files").write_text("in the way")
    turn = await chat(assistant, "ana").say("My plan.", "plan.txt")
    assert turn.reply.text == "You said: My plan."
    assert turn.report.failure == ""


SKILL = Path(str(shared_resource("skills", "files")))


@pytest.mark.parametrize(
    ("read", "told", "mine"),
    [
        ("Read my file plan.txt", "Two lutes by May", "There are no files yet."),
        ("Lee mi archivo plan.txt", "Two lutes by May", "Todavía no hay archivos."),
        ("读一下文件计划.txt", "五月做两把鲁特琴", "还没有文件。"),
    ],
)
async def test_the_next_day_it_is_read_in_talk_and_by_nobody_else(
    open_luthier, chat, clock, tmp_path: Path, read: str, told: str, mine: str
):
    list_them = {"R": "List my files", "L": "Lista mis archivos", "读": "列出我的文件"}[read[0]]
    settings = Settings(home=tmp_path / "home", time_zone="UTC", agent="embedded")
    assistant = await open_assistant(
        load_host(settings),
        "luthier",
        settings,
        clock=clock,
        fetch=fetch,
        extra_skills=(SKILL,),
    )
    ana, luis = chat(assistant, "ana"), chat(assistant, "luis")
    await ana.say("My plan.", "plan.txt", "../../计划.txt")
    clock.pass_(days=1)
    assert told in (await ana.say(read)).reply.text
    assert mine in (await luis.say(list_them)).reply.text
    assert told not in (await luis.say(read)).reply.text
    assert "sent/plan.txt" in (await ana.say(list_them)).reply.text
    await assistant.close()


async def test_an_export_has_the_files_and_gives_them_back_to_whoever_it_is_for(open_luthier, chat):
    assistant = await open_luthier(fetch=fetch, agent=FakeAgent())
    await chat(assistant, "ana").say("My plan.", "plan.txt", "../../计划.txt", "plan.pdf")
    memory = assistant.memory
    ana = await read_holdings("console_-ana", memory.store, memory.state, memory.files)
    text = export_text("luthier", ana, memory.clock())
    read = parse_export(text.encode(), file="f", assistant="luthier", actor="console_-luis")
    for added in (3, 0):
        counts = await add_holdings(read, memory.store, memory.state, memory.files)
        assert counts.files == added
    assert await keys(assistant, "luis") == ["sent/plan.pdf", "sent/plan.txt", "sent/计划.txt"]
    assert "Icarus" in await memory.files.words("console_-luis", "sent/plan.pdf")
    kept = await memory.files.read("console_-luis", "sent/plan.txt")
    assert kept == TEXTS["plan.txt"]


@pytest.mark.parametrize(
    ("was", "instead", "reason"),
    [
        ('"key":"sent/plan.txt"', '"key":"../plan.txt"', "no area and name"),
        ('"key":"sent/plan.txt"', '"key":7', "no area and name"),
        ('"key":"sent/plan.txt"', '"key":"sent.words/plan.txt"', "no area and name"),
        ('"key":"sent/plan.txt"', '"words":7,"key":"sent/plan.txt"', "words is no text"),
        ('"data":"', '"data":"*', "not base64"),
        ('"data":', '"dato":', "not base64"),
        ('"files":1', '"files":2', "is not whole"),
        ('"files":1', '"files":"1"', "no count of files"),
    ],
)
async def test_an_export_whose_files_are_wrong_is_refused_whole(
    open_luthier, chat, was: str, instead: str, reason: str
):
    assistant = await open_luthier(fetch=fetch, agent=FakeAgent())
    await chat(assistant, "ana").say("My plan.", "plan.txt")
    memory = assistant.memory
    ana = await read_holdings("console_-ana", memory.store, memory.state, memory.files)
    text = export_text("luthier", ana, memory.clock())
    assert was in text
    with pytest.raises(ManifestError, match=reason):
        parse_export(text.replace(was, instead).encode(), file="f", assistant="luthier", actor="a")
