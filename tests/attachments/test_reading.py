"""Files of a message: what they are shows in their content; what cannot be read is told."""

from __future__ import annotations

import logging
import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.attachments import text_files
from cloche.attachments.reading import MAX_FILES, Attachments
from cloche.attachments.sounds import SoundKind, sound_kind
from cloche.attachments.text_files import MAX_BYTES, decode
from cloche.attachments.transcription import Transcript
from cloche.errors import FileTooLargeError, ModelError, RequestError, TurnError
from cloche.llm.ledger import Ledger
from cloche.llm.usage import Usage
from cloche.logs import OncePerCause
from cloche.messages import Address, Attachment, Message
from cloche.testing.pdfs import locked_pdf, pdf_of
from cloche.texts import say

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)
WAV = b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt "
M4A = b"\x00\x00\x00\x1cftypM4A \x00\x00\x00\x00"
MP4 = b"\x00\x00\x00\x1cftypisom\x00\x00\x02\x00"
FILES = {
    "note.ogg": b"OggS\x00\x02" + bytes(20),
    "photo.png": PNG,
    "list.csv": "nombre,año\nana,2020\n".encode(),
    "无题.txt": "第一行\n第二行".encode("utf-16"),
    "film.mp4": MP4,
    "paper.pdf": b"%PDF-1.7\n1 0 obj\nendobj\n",
    "letter.rtf": b"{\\rtf1 words}",
    "plan.pdf": pdf_of("Two lutes by May.", "五月做两把鲁特琴。"),
    "book.pdf": pdf_of(*("word " * 4_000 for _ in range(3))),
    "scan.pdf": pdf_of(""),
    "locked.pdf": locked_pdf(),
    "things.zip": b"PK\x03\x04" + bytes(30),
    "ftyp.txt": "The ftyp box says which film it is. 影片".encode(),
    "empty.txt": b"",
    "long.txt": b"a" * (MAX_BYTES + 1),
}


class Hears:
    """Writes down what it is told to."""

    def __init__(self, words: str = "Spoken words.", cause: str = "") -> None:
        self.words, self.cause, self.kinds = words, cause, list[SoundKind]()

    async def transcribe(self, sound: bytes, kind: SoundKind) -> Transcript:
        self.kinds.append(kind)
        if self.cause:
            raise ModelError("key sk-secret refused", cause=self.cause)
        return Transcript(self.words, Usage("w", calls=1))

    async def close(self) -> None:
        pass


async def fetch(channel: str, attachment: Attachment) -> bytes:
    assert channel == "somewhere"
    if attachment.ref == "gone":
        raise RequestError("no file /srv/secret/gone")
    if attachment.ref == "huge":
        raise FileTooLargeError("huge", most=20_000_000)
    if attachment.ref == "reset":
        raise ConnectionResetError("https://platform.example/token-123/file")
    return FILES[attachment.ref]


def message(*names: str, text: str = "", claimed: str = "") -> Message:
    files = tuple(Attachment(name, name, claimed) for name in names)
    return Message("1", Address("somewhere", "ana"), "c", text, files)


def attachments(hears: Hears | None = None) -> Attachments:
    return Attachments(fetch, hears, Ledger(), OncePerCause(logging.getLogger("cloche.test")))


async def refusal(sent: Message, language: str = "en", hears: Hears | None = None) -> str:
    with pytest.raises(TurnError) as refused:
        (await attachments(hears).of(sent, language, "ana")).refuse_unread(sent)
    said = refused.value.user_message
    assert "\n" not in said
    assert "secret" not in said + str(refused.value).replace("sk-secret", "") or hears
    return said


async def test_pictures_texts_and_voices_of_one_message_are_all_read() -> None:
    hears = Hears()
    brought = await attachments(hears).of(
        message("photo.png", "list.csv", "note.ogg", "无题.txt", text="Look."), "en", "ana"
    )
    assert [image.media_type for image in brought.images] == ["image/png"]
    assert [(file.name, file.text) for file in brought.files] == [
        ("list.csv", "nombre,año\nana,2020\n"),
        ("无题.txt", "第一行\n第二行"),
    ]
    assert brought.spoken == "Spoken words."
    assert hears.kinds == ["ogg"]
    assert brought.heard_with(message(text="Look.")).text == "Look.\n\nSpoken words."
    assert brought.heard_with(message()).text == "Spoken words."
    heard = brought.heard_with(replace(message(text="Look."), formatted="_Look._"))
    assert (heard.text, heard.formatted) == (
        "Look.\n\nSpoken words.",
        "_Look._\n\nSpoken words.",
    )


@pytest.mark.parametrize(
    ("name", "times"),
    [("list.csv", 1), ("无题.txt", 1), ("long.txt", 1), ("ftyp.txt", 1), ("photo.png", 0)],
)
async def test_a_text_is_decoded_once_to_know_and_to_read_it(
    name: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded = []

    class Counted:
        def search(self, text: str) -> None:
            decoded.append(text)

    monkeypatch.setattr(text_files, "_ODD", Counted())
    brought = await attachments().of(message(name, text="Look."), "en", "ana")
    assert len(decoded) == times
    assert [file.text for file in brought.files] == (decoded if name != "long.txt" else [])


@pytest.mark.parametrize("language", ["en", "es", "zh"])
@pytest.mark.parametrize("name", ["film.mp4", "letter.rtf", "things.zip"])
async def test_another_kind_gets_one_sentence_that_says_what_can_be_read(
    name: str, language: str
) -> None:
    said = await refusal(message(name), language)
    assert name in said
    assert "csv" in said
    assert "PNG" in said
    heard = await refusal(message(name), language, Hears())
    assert heard == say(
        "file_unknown_voice", language, name=say("picture_named", language, name=name)
    )


async def test_a_voice_that_nobody_can_write_down_asks_for_text() -> None:
    for language in ("en", "es", "zh"):
        assert await refusal(message("note.ogg"), language) == say("voice_unheard", language)


@pytest.mark.parametrize("cause", ["auth", "throttled", "timeout", "server"])
async def test_a_voice_that_fails_is_one_sentence_and_told_the_operator_once(
    cause: str, caplog: pytest.LogCaptureFixture
) -> None:
    hearing = attachments(Hears(cause=cause))
    for _ in range(2):
        with pytest.raises(TurnError) as failed:
            (await hearing.of(message("note.ogg"), "es", "ana")).refuse_unread(message())
        assert failed.value.user_message == say("voice_failed", "es")
    assert len([r for r in caplog.records if r.levelno == logging.WARNING]) == 1


async def test_a_voice_without_words_says_so() -> None:
    assert await refusal(message("note.ogg"), "zh", Hears(" ")) == say("voice_empty", "zh")


async def test_what_cannot_be_fetched_is_one_sentence_without_the_platforms_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert "gone" in await refusal(message("gone"))
    assert "20 MB" in await refusal(message("huge"))
    assert await refusal(message("reset")) == say("picture_unreadable", "en", name="reset")
    assert "token-123" not in caplog.text
    assert "ConnectionResetError" in caplog.text


async def test_texts_that_are_empty_or_too_long_are_told() -> None:
    assert "empty.txt" in await refusal(message("empty.txt"))
    assert f"{MAX_BYTES // 1000} kB" in await refusal(message("long.txt"))
    brought = await attachments().of(message("list.csv", "long.txt", "photo.png"), "en", "ana")
    assert [file.name for file in brought.files] == ["list.csv"]
    assert len(brought.images) == 1
    assert "long.txt" in brought.notice
    assert "kB" in brought.notice


@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_what_cannot_be_read_takes_nothing_else_with_it(language: str) -> None:
    names = ["photo.png", "paper.pdf", "list.csv", "things.zip", "gone", "note.ogg"]
    brought = await attachments().of(message(*names, text="What is it?"), language, "ana")
    assert len(brought.images) == 1
    assert [file.name for file in brought.files] == ["list.csv"]
    assert brought.unread == ("paper.pdf", "things.zip", "gone", "note.ogg")
    assert brought.notice == " ".join(
        [
            *(
                say(key, language, name=say("picture_named", language, name=name))
                for key, name in (("pdf_broken", "paper.pdf"), ("file_unknown", "things.zip"))
            ),
            say("picture_unreadable", language, name=say("picture_named", language, name="gone")),
            say("voice_unheard", language),
        ]
    )


async def test_words_are_answered_though_no_file_could_be_read() -> None:
    brought = await attachments().of(message("paper.pdf", text="What now?"), "en", "ana")
    assert brought.unread == ("paper.pdf",)
    assert "paper.pdf" in brought.notice
    heard = await attachments(Hears()).of(message("note.ogg", "paper.pdf"), "en", "ana")
    assert heard.spoken == "Spoken words."
    assert "paper.pdf" in heard.notice


async def test_files_alone_of_which_none_can_be_read_are_told_together() -> None:
    said = await refusal(message("paper.pdf", "empty.txt"))
    assert "paper.pdf" in said
    assert "empty.txt" in said


@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_several_of_unknown_kinds_share_a_sentence(language: str) -> None:
    names = ["letter.rtf", "things.zip"]
    brought = await attachments().of(message(*names, text="Look."), language, "ana")
    both = (say("picture_named", language, name=name) for name in names)
    assert brought.notice == say(
        "file_unknown", language, name=say("names_apart", language).join(both)
    )


async def test_a_pdf_is_read_page_by_page_and_kept_as_it_came() -> None:
    brought = await attachments().of(message("plan.pdf"), "en", "ana")
    (file,) = brought.files
    assert file.name == "plan.pdf"
    assert file.text == "[page 1]\nTwo lutes by May.\n\n[page 2]\n五月做两把鲁特琴。\n"
    assert (brought.notice, brought.unread) == ("", ())
    (kept,) = brought.sent
    assert (kept.data, kept.suffix) == (FILES["plan.pdf"], ".pdf")
    assert kept.words == "Two lutes by May.\n\n五月做两把鲁特琴。"


@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_of_a_long_pdf_the_beginning_is_read_and_all_of_it_kept(language: str) -> None:
    brought = await attachments().of(message("book.pdf"), language, "ana")
    assert len(brought.files[0].text.encode()) <= MAX_BYTES
    assert "[page 2]" in brought.files[0].text
    called = say("picture_named", language, name="book.pdf")
    assert brought.notice == say("pdf_part", language, name=called, read=2, pages=3)
    assert brought.sent[0].words.count("word") == 12_000


async def test_what_follows_a_long_pdf_has_room_left() -> None:
    both = await attachments().of(message("book.pdf", "plan.pdf"), "en", "ana")
    assert sum(len(file.text.encode()) for file in both.files) <= MAX_BYTES
    assert [file.name for file in both.files] == ["book.pdf", "plan.pdf"]


@pytest.mark.parametrize("language", ["en", "es", "zh"])
@pytest.mark.parametrize(
    ("name", "key"),
    [("paper.pdf", "pdf_broken"), ("locked.pdf", "pdf_locked"), ("scan.pdf", "pdf_wordless")],
)
async def test_a_pdf_without_text_to_be_had_says_why(name: str, key: str, language: str) -> None:
    called = say("picture_named", language, name=name)
    assert await refusal(message(name), language) == say(key, language, name=called)


async def test_every_file_is_kept_whether_it_could_be_read_or_not() -> None:
    names = [
        "photo.png",
        "film.mp4",
        "locked.pdf",
        "things.zip",
        "long.txt",
        "note.ogg",
        "empty.txt",
    ]
    brought = await attachments().of(message(*names, "empty.txt"), "en", "ana")
    assert [(one.name, one.suffix) for one in brought.sent] == [
        ("photo.png", ".png"),
        ("film.mp4", ".mp4"),
        ("locked.pdf", ".pdf"),
        ("things.zip", ".zip"),
        ("long.txt", ".txt"),
        ("note.ogg", ".ogg"),
    ]
    assert all(one.data == FILES[one.name] for one in brought.sent[1:])
    assert {one.words for one in brought.sent} == {""}


async def test_a_recording_is_kept_with_its_words() -> None:
    brought = await attachments(Hears()).of(message("note.ogg"), "en", "ana")
    (kept,) = brought.sent
    assert (kept.data, kept.words) == (FILES["note.ogg"], "Spoken words.")


async def test_a_film_too_large_to_be_kept_is_not_fetched() -> None:
    film = Attachment("nowhere", "film.mp4", "video/mp4", size=10_000_001)
    brought = await attachments().of(replace(message(text="Look."), attachments=(film,)), "en", "a")
    assert brought.sent == ()
    assert brought.unread == ("film.mp4",)


@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_a_file_too_large_to_be_kept_is_read_and_said_to_be_gone_later(language: str) -> None:
    small = Attachments(fetch, None, Ledger(), OncePerCause(logging.getLogger("cloche.test")), 20)
    brought = await small.of(message("list.csv"), language, "ana")
    assert [file.name for file in brought.files] == ["list.csv"]
    assert brought.sent == ()
    called = say("picture_named", language, name="list.csv")
    assert brought.notice == say("file_not_kept", language, name=called, most="2e-05")


async def test_too_many_files_or_nothing_at_all_are_told() -> None:
    assert str(MAX_FILES) in await refusal(message(*["photo.png"] * (MAX_FILES + 1)))
    assert (await refusal(message(text="  "))).endswith("?")


async def test_an_album_as_large_as_platforms_allow_is_read() -> None:
    brought = await attachments().of(message(*["photo.png"] * MAX_FILES), "en", "ana")
    assert len(brought.images) == MAX_FILES


@pytest.mark.parametrize(
    ("data", "claimed", "kind"),
    [
        (FILES["note.ogg"], "", "ogg"),
        (b"ID3\x04", "", "mp3"),
        (b"\xff\xfb\x90\x00", "", "mp3"),
        (WAV, "", "wav"),
        (M4A, "", "m4a"),
        (MP4, "audio/mp4", "m4a"),
        (MP4, "video/mp4", None),
        (b"fLaC", "", "flac"),
        (b"\x1aE\xdf\xa3", "audio/webm", "webm"),
        (b"\x1aE\xdf\xa3", "video/webm", None),
        (b"RIFF\x00\x00\x00\x00WEBP", "audio/wav", None),
        (b"\xff\xd8\xff\xe0", "audio/mpeg", None),
        (b"\xff\xfea\x00", "", None),
        (b"plain words", "audio/ogg", None),
        (b"", "audio/ogg", None),
    ],
)
def test_a_sound_is_known_by_its_content(data: bytes, claimed: str, kind: str | None) -> None:
    assert sound_kind(data, claimed) == kind


@given(st.binary(max_size=64), st.text(max_size=12))
def test_any_bytes_are_a_sound_or_not(data: bytes, claimed: str) -> None:
    sound_kind(data, claimed)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1))
def test_any_text_reads_as_it_was_written(text: str) -> None:
    if not text.startswith(("%PDF-", "{\\rtf", "%!PS")) and text.strip():
        written = text.lstrip("\ufeff")
        assert decode(written.encode()) == written
        assert decode(written.encode("utf-8-sig")) == written
        assert decode(b"\xff\xfe" + written.encode("utf-16-le")) == written


@given(st.binary(max_size=64))
def test_any_bytes_are_a_text_without_controls_or_none(data: bytes) -> None:
    text = decode(data)
    assert text is None or not any(char < " " and char not in "\t\n\r\f" for char in text)
