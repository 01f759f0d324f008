"""What tools are given, for testing them: in mind, of one person, with a fixed clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from cloche.attachments.text_files import decode
from cloche.clock import Clock
from cloche.errors import ToolError
from cloche.ids import record_id
from cloche.memory.records import Kind, MemoryRecord, MetadataValue, Source, Tag, Validity
from cloche.people import Home, PersonSettings, Units
from cloche.state.store import MAX_KEY_CHARS, Json
from cloche.testing.reminder_fakes import FakeToolReminders
from cloche.tools import ToolContext
from cloche.tools.files import ToolFile
from cloche.tools.settings import checked_home, checked_zone, units_of
from cloche.tools.storage import checked_key
from cloche.vocabulary import Vocabulary
from cloche.workspace.names import is_name

if TYPE_CHECKING:
    import aiohttp

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


class FakeToolMemory:
    """What a tool remembers, a minute after one another; ``records`` are the current ones."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Start empty."""
        self.records: list[MemoryRecord] = []
        self.history: list[MemoryRecord] = []
        self._vocabulary = vocabulary
        self._written = 0

    async def remember(
        self,
        text: str,
        *,
        kind: Kind = "fact",
        subject: str = "",
        metadata: Mapping[str, Sequence[str]] | None = None,
    ) -> MemoryRecord:
        """Store a statement."""
        record = MemoryRecord(
            id=self._next_id(),
            actor="console_-fake",
            scope="long_term",
            kind=kind,
            text=text,
            source=Source(type="tool"),
            validity=Validity(self._now(), self._now()),
            subject=subject,
            metadata=self._metadata(metadata or {}),
        )
        self.records.append(record)
        return record

    async def search(
        self,
        text: str = "",
        *,
        kinds: tuple[Kind, ...] = (),
        metadata: Mapping[str, str] | None = None,
        limit: int = 20,
    ) -> Sequence[MemoryRecord]:
        """Records that have one of the words, newest first."""
        wanted = self._metadata({key: [value] for key, value in (metadata or {}).items()})
        words = text.casefold().split()
        found = [
            record
            for record in reversed(self.records)
            if (not kinds or record.kind in kinds)
            and all(_has(record, key, tags) for key, tags in wanted.items())
            and (not words or any(word in record.text.casefold() for word in words))
        ]
        return found[:limit]

    async def correct(self, record_id: str, text: str) -> MemoryRecord:
        """Replace what a record says."""
        old = next((record for record in self.records if record.id == record_id), None)
        if old is None:
            raise ToolError("There is no such record.")
        validity = replace(old.validity, updated_at=self._now(), supersedes=(old.id,))
        new = replace(old, id=self._next_id(), text=text, validity=validity)
        self.records[self.records.index(old)] = new
        self.history.append(old)
        return new

    async def forget(self, record_id: str) -> bool:
        """Remove a record."""
        kept = [record for record in self.records if record.id != record_id]
        gone = len(kept) < len(self.records)
        self.records = kept
        return gone

    def _next_id(self) -> str:
        self._written += 1
        return record_id("fake", str(self._written))

    def _now(self) -> datetime:
        return START + timedelta(minutes=self._written)

    def _metadata(self, written: Mapping[str, Sequence[str]]) -> dict[str, MetadataValue]:
        return {key: tuple(self._tag(key, v) for v in values) for key, values in written.items()}

    def _tag(self, key: str, value: str) -> Tag:
        tag = self._vocabulary[key].tag(value) if key in self._vocabulary else None
        if tag is None:
            raise ToolError(f"The vocabulary has no {key!r} with {value!r}.")
        return tag


class FakeToolStorage:
    """A skill's documents, and those of ``others`` by the skill's name."""

    def __init__(self, others: Mapping[str, FakeToolStorage] | None = None) -> None:
        """Start empty."""
        self.documents: dict[str, Json] = {}
        self._others = dict(others or {})

    async def get(self, key: str) -> Json:
        """The document, or None."""
        return self.documents.get(checked_key(key, MAX_KEY_CHARS))

    async def put(self, key: str, value: Json) -> None:
        """Write a document."""
        self.documents[checked_key(key, MAX_KEY_CHARS)] = value

    async def items(self, prefix: str = "") -> Mapping[str, Json]:
        """All documents whose key starts with ``prefix``."""
        return {key: value for key, value in self.documents.items() if key.startswith(prefix)}

    async def items_of(self, skill: str, prefix: str = "") -> Mapping[str, Json]:
        """What another skill keeps."""
        return await self._others[skill].items(prefix) if skill in self._others else {}

    async def delete(self, key: str) -> bool:
        """Remove a document."""
        return self.documents.pop(checked_key(key, MAX_KEY_CHARS), None) is not None


class FakeToolFiles:
    """A person's files by name, a minute after one another."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        """Take what is there already: ``{"sent/plan.txt": b"..."}``."""
        self.files, self.sent = dict(files or {}), list[str]()

    async def list(self) -> Sequence[ToolFile]:
        """All of them, the newest first."""
        return [
            ToolFile(name, len(data), START + timedelta(minutes=number))
            for number, (name, data) in enumerate(self.files.items())
        ][::-1]

    async def read(self, name: str) -> bytes:
        """A file's bytes."""
        found = [key for key in self.files if name in (key, key.partition("/")[2])]
        if len(found) != 1:
            raise ToolError(f"There is no file {name!r}.")
        return self.files[found[0]]

    async def read_text(self, name: str) -> str:
        """A file's text."""
        text = decode(await self.read(name))
        if text is None:
            raise ToolError(f"{name!r} is no plain text.")
        return text

    async def look(self, name: str, question: str = "") -> str:
        """How many bytes there are to look at, and the question."""
        return f"{len(await self.read(name))} bytes. {question}".strip()

    async def write(self, name: str, content: bytes | str) -> ToolFile:
        """Keep a file under ``made/``."""
        plain = name.removeprefix("made/")
        if not is_name(plain):
            raise ToolError(f"{name!r} cannot be a file's name.")
        data = content.encode() if isinstance(content, str) else content
        self.files[f"made/{plain}"] = data
        return ToolFile(f"made/{plain}", len(data), START)

    async def send(self, name: str) -> ToolFile:
        """Have a file go out: its name is noted in ``sent``."""
        size = len(await self.read(name))
        (key,) = (key for key in self.files if name in (key, key.partition("/")[2]))
        self.sent.append(key)
        return ToolFile(key, size, START)

    async def delete(self, name: str) -> bool:
        """Remove a file."""
        return self.files.pop(name, None) is not None


class FakeToolSettings:
    """What one person chose or told."""

    def __init__(
        self,
        *,
        language: str = "en",
        time_zone: str = "",
        place: Home | None = None,
        units: Units | None = None,
    ) -> None:
        """Take what was chosen before; "" and None = nothing was."""
        self.language, self.place, self._zone, self._units = language, place, time_zone, units
        self.town = ""

    @property
    def time_zone(self) -> str:
        """The zone; UTC where none was chosen."""
        return self._zone or "Etc/UTC"

    @property
    def zone_known(self) -> bool:
        """True when a zone was chosen."""
        return bool(self._zone)

    @property
    def units(self) -> Units:
        """What was chosen, else what is usual where they live."""
        country = self.place.country if self.place else ""
        return self._units or units_of(PersonSettings(country=country))

    async def set_place(self, place: Home | None) -> None:
        """Keep where they live."""
        self.place, self.town = checked_home(place), ""

    async def set_town(self, town: str) -> None:
        """Keep what they said of where they live."""
        self.place, self.town = None, town

    async def set_units(self, units: Units) -> None:
        """Keep what they measure in."""
        self._units = units

    async def set_time_zone(self, zone: str) -> None:
        """Keep their zone."""
        self._zone = checked_zone(zone, self.language)


def tool_context(
    vocabulary: Vocabulary | None = None,
    *,
    memory: FakeToolMemory | None = None,
    storage: FakeToolStorage | None = None,
    files: FakeToolFiles | None = None,
    reminders: FakeToolReminders | None = None,
    http: Callable[[], aiohttp.ClientSession] | None = None,
    settings: FakeToolSettings | None = None,
    language: str = "en",
    config: Mapping[str, Json] | None = None,
    time_zone: str = "Etc/UTC",
    call_id: str = "call-1",
    clock: Clock = lambda: START,
) -> ToolContext:
    """A context to call a tool's function with: ``await add.function(tool_context(), ...)``.

    Without ``http`` a tool that asks for a session fails: nothing leaves a test by mistake.
    Language and zone are those of ``settings`` where these are given.
    """
    vocabulary = vocabulary or Vocabulary()
    settings = settings or FakeToolSettings(language=language, time_zone=time_zone)
    return ToolContext(
        actor="console_-fake",
        call_id=call_id,
        memory=memory or FakeToolMemory(vocabulary),
        storage=storage or FakeToolStorage(),
        files=files or FakeToolFiles(),
        reminders=reminders or FakeToolReminders(settings, clock, call_id=call_id),
        http=http or _nowhere,
        settings=settings,
        config=MappingProxyType(dict(config or {})),
        vocabulary=vocabulary,
        clock=clock,
        language=settings.language,
        time_zone=settings.time_zone,
    )


def _nowhere() -> aiohttp.ClientSession:
    raise AssertionError("this tool asks a server: give tool_context an http of the test's own")


def _has(record: MemoryRecord, key: str, wanted: MetadataValue) -> bool:
    carried = record.metadata.get(key, ())
    if not isinstance(carried, tuple) or not isinstance(wanted, tuple):
        return carried == wanted
    return {tag.id for tag in wanted} <= {tag.id for tag in carried}
