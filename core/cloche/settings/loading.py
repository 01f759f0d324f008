"""From what is written down to ``Settings``: the first place that sets a value wins."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from cloche.errors import SettingsError
from cloche.settings.files import (
    NESTED,
    PREFIX,
    Entry,
    read_dotenv,
    read_environment,
    read_toml,
    variable,
)
from cloche.settings.messages import nearest, unknown_name, wrong_value
from cloche.settings.model import CHANNELS, Settings, known_settings


def load_settings(environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> Settings:
    """Read the environment, ``.env`` and ``cloche.toml`` of the working folder.

    Args:
        environ: Variables; None = the process's own.
        cwd: Folder of the two files; None = the working folder.

    Raises:
        SettingsError: something written is unknown or wrong: one sentence, one line for each.
    """
    environ = os.environ if environ is None else environ
    folder = Path.cwd() if cwd is None else cwd
    places = (
        read_environment(environ),
        read_dotenv(folder / ".env"),
        read_toml(folder / "cloche.toml"),
    )
    settings = known_settings()
    keys = {setting.variable: setting.key for setting in settings}
    refused: list[str] = []
    written = [_known(entries, keys, refused) for entries in places]
    secrets = {setting.key for setting in settings if setting.secret}
    return _parsed(written, refused, secrets)


def _known(
    entries: Sequence[Entry], keys: Mapping[str, str], refused: list[str]
) -> dict[str, Entry]:
    """One place's entries by their dotted key; what is no setting goes to ``refused``."""
    known: dict[str, Entry] = {}
    for entry in entries:
        key = _key(entry, keys)
        if key:
            if _is_set(key, entry.value):
                known.setdefault(key, entry)
        elif not _is_empty_table(entry, keys):
            refused.append(_unknown(entry, keys))
    return known


def _key(entry: Entry, keys: Mapping[str, str]) -> str:
    """The dotted key an entry is for, "" when it is no setting."""
    if entry.toml:
        known = entry.name in keys.values() or _is_channel_key(entry.name.split("."))
        return entry.name if known else ""
    if entry.name in keys:
        return keys[entry.name]
    parts = entry.name.removeprefix(PREFIX).split(NESTED)
    if not entry.name.isupper() or not _is_channel_key([part.lower() for part in parts]):
        return ""
    # A channel's name may hold a dash, which a variable's name cannot.
    return f"{CHANNELS}.{parts[1].lower().replace('_', '-')}.{parts[2].lower()}"


def _is_channel_key(parts: Sequence[str]) -> bool:
    return len(parts) == 3 and parts[0] == CHANNELS and all(parts)


def _is_set(key: str, value: object) -> bool:
    return key == "plugins" or not isinstance(value, str) or bool(value.strip())


def _is_empty_table(entry: Entry, keys: Mapping[str, str]) -> bool:
    groups = {key.split(".")[0] for key in keys.values() if "." in key}
    return entry.value == {} and entry.name.split(".")[0] in groups | {CHANNELS}


def _unknown(entry: Entry, keys: Mapping[str, str]) -> str:
    names = [*keys.values(), f"{CHANNELS}.name.key"]
    return unknown_name(entry, names if entry.toml else [variable(name) for name in names])


class WrittenSource(PydanticBaseSettingsSource):
    """What one place says; pydantic-settings merges the places, the first with a value wins."""

    def __init__(self, settings_cls: type[BaseSettings], written: Mapping[str, Entry]) -> None:
        """Take a place's entries by dotted key."""
        super().__init__(settings_cls)
        self._values = _nested(written)

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """The value of one field, parsed already."""
        return self._values.get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        """Every value of the place."""
        return self._values


def _parsed(
    written: Sequence[Mapping[str, Entry]], refused: Sequence[str], secrets: Collection[str]
) -> Settings:
    class Written(Settings):
        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], *_: object, **__: object
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return tuple(WrittenSource(settings_cls, entries) for entries in written)

    chosen = {key: entry for entries in reversed(written) for key, entry in entries.items()}
    wrong: list[str] = []
    settings = None
    try:
        settings = Settings.model_validate(dict(Written()))
    except ValidationError as error:
        for each in error.errors(include_url=False, include_input=False):
            key = next(key for key in chosen if _stands_at(key, each["loc"]))
            secret = (
                key in secrets
                or key.startswith(f"{CHANNELS}.")
                or _has_more(key, chosen[key].value)
            )
            wrong.append(wrong_value(chosen[key], each, secret=secret))
    if settings is None or refused:
        # No cause is chained: pydantic's own text holds the values, secrets too.
        raise SettingsError("\n".join([*refused, *wrong]))
    settings._sources = {key: entry.where for key, entry in chosen.items()}
    return settings


def _has_more(key: str, value: object) -> bool:
    """True for an address with more in it than where something is."""
    return key.endswith("_url") and any(char in str(value) for char in "@?#")


def _stands_at(key: str, place: tuple[int | str, ...]) -> bool:
    """Whether an error's place is a key or inside its value."""
    parts = key.split(".")
    return list(place[: len(parts)]) == parts


def _nested(chosen: Mapping[str, Entry]) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for key, entry in chosen.items():
        *groups, name = key.split(".")
        table = root
        for group in groups:
            table = table.setdefault(group, {})
        table[name] = _value(key, entry.value)
    return root


def _value(key: str, value: object) -> object:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return str(value).lower()  # else pydantic would count true as the number 1
    if key.startswith(f"{CHANNELS}.") and isinstance(value, int | float):
        return str(value)
    return value


def channel_settings_findings(
    settings: Settings, known: Mapping[str, Collection[str]], set_aside: Collection[str]
) -> tuple[list[str], list[str]]:
    """Check what is set for channels, once it is known which there are.

    Args:
        settings: The operator's settings.
        known: The channels that can be used, each with the keys it takes.
        set_aside: Names of channels whose plugin is set aside: theirs are only warned about.

    Returns:
        Errors and warnings, one sentence each.
    """
    errors, warnings = [], []
    for channel, values in sorted(settings.channels.items()):
        name = f"{CHANNELS}.{channel}"
        first = f"{name}.{next(iter(values), '')}"
        where = settings.source_of(first)
        if channel in set_aside:
            warnings.append(f"{where}: {name} is not used: the channel's plugin is set aside.")
        elif channel not in known:
            errors.append(
                f"{where}: {variable(first)}: there is no channel named "
                f"{channel!r}{nearest(channel, known)}."
            )
        else:
            errors += _unknown_keys(settings, name, values, known[channel])
    return errors, warnings


def _unknown_keys(
    settings: Settings, name: str, values: Collection[str], known: Collection[str]
) -> Iterator[str]:
    """One sentence for each key that a channel does not take."""
    names = {variable(f"{name}.{key}"): key for key in known}
    for key in sorted(set(values) - set(known)):
        written = variable(f"{name}.{key}")
        where = settings.source_of(f"{name}.{key}")
        yield f"{where}: {written} is no setting of that channel{_nearest_key(written, names)}."


def _nearest_key(written: str, names: Collection[str]) -> str:
    return nearest(written, names) or (f", which takes {', '.join(names)}" if names else "")
