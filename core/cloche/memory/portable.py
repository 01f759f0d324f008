"""Everything kept about one person as JSON Lines: written out whole, checked whole, read back.

The first line is a header that says what follows and how much of it; then one line per item of
the StateStore (settings, skills' own data), event and record, archived ones too, each ordered by
key or id. The host's working state is in no export, and passed over in an import. Exporting,
forgetting and importing gives the same lines again, but for the header's date.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from cloche.errors import ManifestError
from cloche.memory.admission import check_characters, check_event, check_record
from cloche.memory.codec import event_from_json, event_to_json, record_from_json, record_to_json
from cloche.memory.holdings import Counts, Holdings, is_working_state, write_private
from cloche.memory.records import Event, MemoryRecord
from cloche.people import person_prefix
from cloche.state.store import MAX_KEY_CHARS, MAX_VALUE_BYTES, Json
from cloche.workspace.names import are_words, is_key
from cloche.workspace.shelf import KeptFile

FORMAT: Final = "cloche-memory"
VERSION: Final = 1

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")

_Item = TypeVar("_Item")


def export_text(assistant: str, holdings: Holdings, at: datetime) -> str:
    """The JSON Lines of one person, each line ended by a line feed."""
    counts = holdings.counts
    numbers: dict[str, Json] = {
        "state": counts.state,
        "events": counts.events,
        "records": counts.records,
    }
    if counts.files:  # else every release can read it
        numbers["files"] = counts.files
    header: dict[str, Json] = {
        "type": "header",
        "format": FORMAT,
        "version": VERSION,
        "assistant": assistant,
        "actor": holdings.actor,
        "exported_at": at.isoformat(),
        "counts": numbers,
    }
    lines = [_dump(header)]
    lines += [_dump({"type": "state", "key": key, "value": value}) for key, value in holdings.state]
    lines += [_dump({"type": "event", "event": event_to_json(e)}) for e in holdings.events]
    lines += [_dump({"type": "record", "record": record_to_json(r)}) for r in holdings.records]
    lines += [_dump(_file_line(file)) for file in holdings.files]
    return "".join(f"{line}\n" for line in lines)


def write_export(folder: Path, assistant: str, holdings: Holdings, at: datetime) -> Path:
    """Write an export to ``<folder>/exports/``, readable by its owner only; where it is.

    Raises:
        OSError: it cannot be written.
    """
    exports = folder / "exports"
    exports.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = exports / f"{holdings.actor}-{at:%Y%m%dT%H%M%SZ}.jsonl"
    write_private(path, export_text(assistant, holdings, at))
    return path


def parse_export(data: bytes, *, file: str, assistant: str, actor: str) -> Holdings:
    """Check a whole export and make it the given person's; nothing is written.

    Args:
        data: The file's bytes.
        file: Its name, for errors.
        assistant: The assistant it is for: another one's memories mean nothing to it.
        actor: Who it shall belong to, whoever it was exported from.

    Raises:
        ValueError: the actor is empty.
        ManifestError: a line is not what it should be; names file and line.
    """
    person_prefix(actor)
    lines = _lines(data, file)
    number, header = next(lines, (1, None))
    if header is None:
        raise ManifestError(file, "is empty: an export begins with a header line.", line=1)
    try:
        exported_from, expected = _parse_header(header, assistant)
    except ValueError as error:
        raise ManifestError(file, f"{error}.", line=number) from error
    parts = _Parts(actor, exported_from)
    for number, line in lines:
        try:
            parts.add(line)
        except (ValueError, RecursionError) as error:
            raise ManifestError(file, f"{error}.", line=number) from error
    holdings = parts.holdings
    if parts.counts != expected:
        raise ManifestError(
            file,
            f"the file holds {_spell(parts.counts)}, but its header says {_spell(expected)}: "
            "it is not whole. Export again.",
            line=number,
        )
    return holdings


class _Parts:
    """The lines read so far, by kind."""

    def __init__(self, actor: str, exported_from: str) -> None:
        self._actor, self._exported_from = actor, exported_from
        self._state: dict[str, Json] = {}
        self._events: dict[str, Event] = {}
        self._records: dict[str, MemoryRecord] = {}
        self._files: dict[str, KeptFile] = {}
        self._left_out = 0

    def add(self, line: dict[str, Json]) -> None:
        """Check one line and keep it; ValueError says what is wrong with it."""
        check_characters(line)
        match line.get("type"):
            case "state":
                key, value = _checked_key(line.get("key"), self._actor), _checked_value(line)
                if is_working_state(key):
                    # Not the person's, but the host's: nobody else may set what it goes by.
                    self._left_out += 1
                else:
                    _add(self._state, key, value)
            case "event":
                event = event_from_json(_object(line.get("event"), "event"))
                self._check_owner(event.actor)
                check_event(event)
                _add(self._events, event.id, replace(event, actor=self._actor))
            case "record":
                record = record_from_json(_object(line.get("record"), "record"))
                self._check_owner(record.actor)
                check_record(record)
                _add(self._records, record.id, replace(record, actor=self._actor))
            case "file":
                file = _checked_file(line)
                _add(self._files, file.key, file)
            case other:
                raise ValueError(f"type is {other!r}, not state, event, record or file")

    @property
    def counts(self) -> Counts:
        """How many lines of each kind there were."""
        kept = self.holdings.counts
        return replace(kept, state=kept.state + self._left_out)

    @property
    def holdings(self) -> Holdings:
        """All lines, in the order an export has them."""
        return Holdings(
            self._actor,
            state=tuple(sorted(self._state.items(), key=lambda item: item[0])),
            events=tuple(self._events[key] for key in sorted(self._events)),
            records=tuple(self._records[key] for key in sorted(self._records)),
            files=tuple(self._files[key] for key in sorted(self._files)),
        )

    def _check_owner(self, actor: str) -> None:
        if actor != self._exported_from:
            raise ValueError(f"actor is {actor!r}, but the header's is {self._exported_from!r}")


def _dump(value: Json) -> str:
    text = json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    # What an older release or a terminal let in must not keep anybody from their export.
    return _LONE_SURROGATE.sub("\ufffd", text)


def _lines(data: bytes, file: str) -> Iterator[tuple[int, dict[str, Json]]]:
    """Line number and object of every line that is not blank."""
    # Only the line feed ends a line: texts may hold other line separators.
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            parsed: Json = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
        except UnicodeDecodeError as error:
            raise ManifestError(file, "the line is not UTF-8.", line=number) from error
        except (ValueError, RecursionError) as error:
            raise ManifestError(file, "the line is not a JSON document.", line=number) from error
        if not isinstance(parsed, dict):
            raise ManifestError(file, "the line is not a JSON object.", line=number)
        yield number, parsed


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def _parse_header(header: dict[str, Json], assistant: str) -> tuple[str, Counts]:
    """Whom the export was made from, and how much it says to hold."""
    if header.get("type") != "header" or header.get("format") != FORMAT:
        raise ValueError(f"the file is no export: it does not begin with a header of {FORMAT!r}")
    if header.get("version") != VERSION:
        raise ValueError(f"the file has version {header.get('version')!r}, only {VERSION} is known")
    if header.get("assistant") != assistant:
        raise ValueError(f"the file is of {header.get('assistant')!r}, not of {assistant!r}")
    actor, counts = header.get("actor"), header.get("counts")
    if not isinstance(actor, str) or not actor:
        raise ValueError("the header names no actor")
    numbers = counts if isinstance(counts, dict) else {}
    state, events, records = (_whole(numbers, key) for key in ("state", "events", "records"))
    files = _whole(numbers, "files") if "files" in numbers else 0
    return actor, Counts(state, events, records, files)


def _whole(numbers: dict[str, Json], key: str) -> int:
    number = numbers.get(key)
    # A bool is an int to Python, but no count.
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError(f"the header has no count of {key}")
    return number


def _object(value: Json, name: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise ValueError(f"{name} is not an object")
    return value


def _add(items: dict[str, _Item], key: str, item: _Item) -> None:
    if key in items:
        raise ValueError(f"{key!r} is there twice")
    items[key] = item


def _checked_key(key: Json, actor: str) -> str:
    if not isinstance(key, str) or not all(key.split("/")) or not key.isprintable():
        raise ValueError(f"key {key!r} is not a path of parts joined by '/'")
    if len(person_prefix(actor) + key) > MAX_KEY_CHARS:
        raise ValueError(f"key {key!r} is too long")
    return key


def _file_line(file: KeptFile) -> dict[str, Json]:
    data = base64.b64encode(file.data).decode("ascii")
    line: dict[str, Json] = {"type": "file", "key": file.key, "data": data}
    return line | {"words": file.words} if file.words else line


def _checked_file(line: dict[str, Json]) -> KeptFile:
    key, data, words = line.get("key"), line.get("data"), line.get("words", "")
    if not isinstance(key, str) or not is_key(key) or are_words(key):
        raise ValueError(f"key {key!r} is no area and name of a file")
    if not isinstance(words, str):
        raise ValueError("words is no text")
    try:
        decoded = base64.b64decode(data if isinstance(data, str) else "?", validate=True)
    except binascii.Error as error:
        raise ValueError("data is not base64") from error
    return KeptFile(key, decoded, words)


def _checked_value(line: dict[str, Json]) -> Json:
    if "value" not in line:
        raise ValueError("value is missing")
    if len(_dump(line["value"]).encode("utf-8")) > MAX_VALUE_BYTES:
        raise ValueError(f"value is larger than {MAX_VALUE_BYTES} bytes")
    return line["value"]


def _spell(counts: Counts) -> str:
    told = f"{counts.state} state items, {counts.events} events, {counts.records} records"
    return f"{told}, {counts.files} files" if counts.files else told
