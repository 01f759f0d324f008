"""From the files of a message to what a model reads: pictures, spoken words, texts, PDFs.

The content decides what a file is; its claimed type only where content alone does not tell.
"""

from __future__ import annotations

import asyncio
import logging
import mimetypes
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cloche.attachments.brought import Brought, Sent
from cloche.attachments.kinds import read_kind
from cloche.attachments.pdf.reading import PdfError, PdfReading, is_pdf
from cloche.attachments.sounds import SoundKind, sound_kind
from cloche.attachments.text_files import MAX_BYTES as MAX_TEXT_BYTES
from cloche.attachments.transcription import MAX_BYTES as MAX_SOUND_BYTES
from cloche.attachments.transcription import Transcriber
from cloche.errors import FileTooLargeError, ModelError, RequestError, TurnError
from cloche.in_time import in_time
from cloche.llm.images import is_picture, prepare_image, short_name
from cloche.llm.ledger import Ledger
from cloche.logs import OncePerCause
from cloche.messages import Attachment, Message, without_surrogates
from cloche.patience import WORK, Patience
from cloche.prompt import Image, TextFile
from cloche.texts import say

logger = logging.getLogger(__name__)

MAX_FILES: Final = 10
"""Per turn: a platform's album, and few enough to answer in time."""
MAX_PICTURE_BYTES: Final = 20_000_000
"""Of all pictures of a turn: with base64 around them they stay inside Anthropic's 32 MB."""
MAX_KEPT_BYTES: Final = 10_000_000
"""Of a file that is kept, where the operator set nothing else."""
MAX_MESSAGE_CHARS: Final = 100_000
"""AgentCore's CreateEvent takes at most so many characters of one message."""

Fetch = Callable[[str, Attachment], Awaitable[bytes]]
"""Gives the bytes of a file that came through the channel of that name."""


class _UnknownKindError(TurnError):
    """A file is of a kind that nobody here can read."""


@dataclass(slots=True)
class _Read:
    """What was read of a message so far, why the rest could not be, and how long one waits."""

    language: str
    actor: str
    patience: Patience
    images: list[Image] = field(default_factory=list)
    files: list[TextFile] = field(default_factory=list)
    spoken: list[str] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    refused: list[tuple[Attachment, TurnError]] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text_room(self) -> int:
        """Bytes of text that still fit into the turn."""
        return MAX_TEXT_BYTES - sum(len(file.text.encode()) for file in self.files)


class Attachments:
    """Fetches files through their channel and makes of them what a model can read."""

    def __init__(
        self,
        fetch: Fetch | None,
        transcriber: Transcriber | None,
        ledger: Ledger,
        notices: OncePerCause,
        most_kept: int = MAX_KEPT_BYTES,
    ) -> None:
        """Take the way to the bytes, and who writes down speech; without, it is told politely.

        What speech costs goes into the ledger. Films, which are only kept, are not fetched where
        they are said to have more than ``most_kept`` bytes.
        """
        self._fetch, self._transcriber = fetch, transcriber
        self._ledger, self._notices = ledger, notices
        self._most_kept, self._pdfs = most_kept, PdfReading()

    async def of(
        self, message: Message, language: str, actor: str, patience: Patience | None = None
    ) -> Brought:
        """Everything a message brought, for the person who sent it and waits for the answer.

        A file that cannot be read, or not in time, takes nothing else with it.

        Raises:
            TurnError: there are neither words nor files, or the words or files are too many;
                ``user_message`` says which.
        """
        _refuse_nothing_or_too_much(message, language)
        read = _Read(language, actor, patience or Patience())
        for attachment in message.attachments:
            try:
                await self._add(attachment, message, read)
            except TurnError as error:
                logger.info("a file is left out: %s", error)
                read.refused.append((attachment, error))
        notice = " ".join([*self._refusals(read), *read.parts])
        return Brought(
            tuple(read.images),
            tuple(read.files),
            "\n\n".join(read.spoken),
            tuple(read.sent),
            tuple(short_name(a.name) or _called("", language) for a, _ in read.refused),
            notice,
        )

    async def close(self) -> None:
        """Release the connections of whoever writes down speech."""
        if self._transcriber:
            await self._transcriber.close()

    async def _add(self, attachment: Attachment, message: Message, read: _Read) -> None:
        """Read one file; what has bytes is kept, whether it could be read or not.

        Raises:
            TurnError: it cannot be had or read.
        """
        name, language = attachment.name, read.language
        if _is_film(attachment) and (attachment.size or 0) > self._most_kept:
            raise _UnknownKindError("a film", user_message=self._unreadable([name], language))
        data = await self._bytes(message.address.channel, attachment, read)
        claimed = _claimed(attachment)
        told, text = await asyncio.to_thread(read_kind, data, claimed)
        sent = Sent(name, told.suffix, data)
        try:
            if _is_film(attachment):
                raise _UnknownKindError("a film", user_message=self._unreadable([name], language))
            if kind := sound_kind(data, claimed):
                read.spoken.append(await self._words(data, kind, read))
                sent = replace(sent, words=read.spoken[-1])
            elif is_pdf(data):
                sent = replace(sent, words=await self._pdf(data, name, read))
            elif is_picture(data) or claimed.startswith("image/"):
                most = MAX_PICTURE_BYTES // len(message.attachments)
                image = await asyncio.to_thread(prepare_image, data, name, language, most=most)
                read.images.append(image)
                sent = _picture(image, name)
            else:
                file = self._text(text, len(data), name, read)
                read.files.append(file)
                sent = Sent(name, ".txt", file.text.encode())
        finally:
            if len(sent.data) > self._most_kept:
                megabytes = f"{self._most_kept / 1_000_000:g}"
                called = _called(name, language)
                read.parts.append(say("file_not_kept", language, name=called, most=megabytes))
            elif data:
                read.sent.append(sent)

    def _refusals(self, read: _Read) -> Sequence[str]:
        """Why each file could not be read; those of unknown kinds share one sentence."""
        unknown = [a.name for a, error in read.refused if isinstance(error, _UnknownKindError)]
        shared = self._unreadable(unknown, read.language)
        told = (
            shared if isinstance(error, _UnknownKindError) else error.user_message
            for _, error in read.refused
        )
        return list(dict.fromkeys(told))

    async def _bytes(self, channel: str, attachment: Attachment, read: _Read) -> bytes:
        called, language = _called(attachment.name, read.language), read.language
        try:
            if self._fetch is None:
                raise RequestError("this channel cannot fetch files")
            return await in_time(read.patience, self._fetch(channel, attachment), WORK)
        except FileTooLargeError as error:
            told = say("file_too_large", language, name=called, most=error.most // 1_000_000)
            raise TurnError(str(error), user_message=told) from error
        except Exception as error:
            if not isinstance(error, RequestError):  # the network's, and what it says is not ours
                logger.warning("a file cannot be fetched: %s", type(error).__name__)
            told = say("picture_unreadable", language, name=called)
            raise TurnError("a file cannot be fetched", user_message=told) from error

    async def _words(self, sound: bytes, kind: SoundKind, read: _Read) -> str:
        """What was said in a recording."""
        language = read.language
        if self._transcriber is None:
            told = say("voice_unheard", language)
            raise TurnError("no model for transcription is set", user_message=told)
        if len(sound) > MAX_SOUND_BYTES:
            told = say("voice_too_long", language, most=MAX_SOUND_BYTES // 1_000_000)
            raise TurnError(f"a recording of {len(sound)} bytes", user_message=told)
        try:
            heard = await in_time(read.patience, self._transcriber.transcribe(sound, kind), WORK)
        except (ModelError, TimeoutError) as error:
            cause = error.cause if isinstance(error, ModelError) else "timeout"
            self._notices.warn(f"transcription {cause}", "transcription: %s", error)
            raise TurnError(str(error), user_message=say("voice_failed", language)) from error
        self._ledger.add(read.actor, heard.usage)
        if not heard.text.strip():
            raise TurnError("no words in it", user_message=say("voice_empty", language))
        return without_surrogates(heard.text)

    def _unreadable(self, names: Sequence[str], language: str) -> str:
        key = "file_unknown" if self._transcriber is None else "file_unknown_voice"
        called = dict.fromkeys(_called(name, language) for name in names)
        return say(key, language, name=say("names_apart", language).join(called))

    async def _pdf(self, data: bytes, name: str, read: _Read) -> str:
        """All the text of a PDF; as much as a turn has room for goes to the model."""
        called, language = _called(name, read.language), read.language
        try:
            found = await in_time(read.patience, self._pdfs.text(data), WORK)
        except (PdfError, TimeoutError) as error:
            cause = error.cause if isinstance(error, PdfError) else "slow"
            told = say(f"pdf_{cause}", language, name=called)
            raise TurnError(str(error), user_message=told) from error
        text, pages = found.beginning(read.text_room)
        if not pages:
            raise _too_much_text(called, language)
        read.files.append(TextFile(short_name(name), text))
        if pages < found.pages:
            told = say("pdf_part", language, name=called, read=pages, pages=found.pages)
            read.parts.append(told)
        return "\n\n".join(found.texts)

    def _text(self, text: str | None, size: int, name: str, read: _Read) -> TextFile:
        """The text of a file of so many bytes; None = it is no text."""
        called, language = _called(name, read.language), read.language
        if text is None:
            told = self._unreadable([name], language)
            raise _UnknownKindError("an unknown kind", user_message=told)
        if not text.strip():
            told = say("picture_empty", language, name=called)
            raise TurnError("an empty file", user_message=told)
        if size > read.text_room:
            raise _too_much_text(called, language)
        return TextFile(short_name(name), text)


def _too_much_text(called: str, language: str) -> TurnError:
    told = say("text_too_long", language, name=called, most=MAX_TEXT_BYTES // 1000)
    return TurnError("more text than a turn takes", user_message=told)


def _picture(image: Image, name: str) -> Sent:
    """A picture as a file whose name says what it is now."""
    suffix = ".png" if image.media_type == "image/png" else ".jpg"
    stem, dot, _ = name.rpartition(".")
    return Sent(f"{stem if dot else name}{suffix}" if name else "", suffix, image.data)


def _refuse_nothing_or_too_much(message: Message, language: str) -> None:
    if not (message.text.strip() or message.attachments or message.quoted):
        raise TurnError("an empty message", user_message=say("nothing_said", language))
    if len(message.text) > MAX_MESSAGE_CHARS:
        told = say("message_too_long", language, most=MAX_MESSAGE_CHARS)
        raise TurnError(f"{len(message.text)} characters", user_message=told)
    if len(message.attachments) > MAX_FILES:
        told = say("files_too_many", language, most=MAX_FILES)
        raise TurnError(f"{len(message.attachments)} attachments", user_message=told)


def _is_film(attachment: Attachment) -> bool:
    """True where the platform says so: fetched, it could not be looked at either."""
    claimed = attachment.media_type.lower()
    # Programs of TypeScript are called that, too.
    return claimed.startswith("video/") and claimed != "video/mp2t"


def _claimed(attachment: Attachment) -> str:
    """The media type as the platform gives it, else as the name has it; "" = neither does."""
    named, _ = mimetypes.guess_type(attachment.name)
    return (attachment.media_type or named or "").lower()


def _called(name: str, language: str) -> str:
    shown = short_name(name)
    return say("picture_named", language, name=shown) if shown else say("file_unnamed", language)
