"""Which entry points there are: read from metadata, without importing anything.

Our own loop over the installed distributions, so that one unreadable distribution is one row
and the same distribution found twice is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import importlib_metadata

from cloche.errors import PluginError

Kind = Literal["assistant", "plugin", "commands"]

GROUPS: Final[dict[str, Kind]] = {
    "cloche.assistants": "assistant",
    "cloche.plugins": "plugin",
    "cloche.commands": "commands",
}
HOST: Final = "cloche"
"""The distribution whose entry points are built in."""
NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")

_TORN: Final = re.compile(rf"^[ \t]*\[(?:{'|'.join(map(re.escape, GROUPS))})[ \t]*$", re.MULTILINE)
"""A header of ours that a cut or a slip left open."""
_READ: Final = importlib_metadata.PathDistribution.read_text
"""The library's own way, also after ``_pass_over_for_others``."""


@dataclass(frozen=True, slots=True)
class Found:
    """One entry point.

    Attributes:
        kind: What its group says it is.
        name: Its name, for an assistant the name that ``cloche chat`` takes.
        module: What it points to.
        distribution: Name of the distribution that declares it.
        version: Version of that distribution.
        fault: Why it cannot be used, before anything was imported.
        warning: What its owner should know although it can be used.
    """

    kind: Kind
    name: str
    module: str
    distribution: str
    version: str
    fault: PluginError | None = None
    warning: PluginError | None = None

    @property
    def group(self) -> str:
        """The entry-point group that declares it."""
        return next(group for group, kind in GROUPS.items() if kind == self.kind)

    @property
    def unreadable(self) -> bool:
        """True when it only stands for metadata that nobody can read."""
        return not self.module

    @property
    def built_in(self) -> bool:
        """True when it came with the host."""
        return normalised(self.distribution) == HOST

    def named_by(self, names: tuple[str, ...]) -> bool:
        """True when one of the names is the entry point's or its distribution's."""
        mine = {normalised(self.name), normalised(self.distribution)}
        return any(normalised(name) in mine for name in names)


def normalised(name: str) -> str:
    """A distribution's name as installers compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


def discover() -> tuple[Found, ...]:
    """Every entry point of the three groups, built-in ones first, then by name."""
    return tuple(
        sorted(_entry_points(), key=lambda f: (not f.built_in, f.kind, f.name, f.distribution))
    )


def _entry_points() -> Iterator[Found]:
    used: dict[str, tuple[str, str]] = {}  # normalised name: (place, version) of the copy used
    copies: dict[str, list[str]] = {}
    found: list[Found] = []
    for distribution in importlib_metadata.distributions():
        try:
            text = _text(distribution)
        except OSError:
            continue  # nobody can tell that it is ours
        except UnicodeError as error:
            _pass_over_for_others()
            yield _unreadable(Path(str(distribution.locate_file(""))), error)
            continue
        if torn := _TORN.search(text):
            fault = ValueError(f"{torn[0].strip()!r} is not closed with ']'")
            yield _unreadable(Path(str(distribution.locate_file(""))), fault)
            continue
        if not any(f"[{group}]" in text for group in GROUPS):
            continue
        try:
            name, version = distribution.name, distribution.version
            place = str(Path(str(distribution.locate_file(""))).resolve())
            key = normalised(name)
            if key in used:
                if used[key] != (place, version):
                    copies.setdefault(key, []).append(f"{version} in {place}")
                continue
            entry_points = [_found(point, name, version) for point in distribution.entry_points]
        except Exception as error:  # metadata of others: anything may be wrong with it
            yield _unreadable(Path(str(distribution.locate_file(""))), error)
            continue
        used[key] = (place, version)
        found += [one for one in entry_points if one is not None]
    for one in found:
        others = copies.get(normalised(one.distribution))
        yield replace(one, warning=_found_twice(one, others)) if others else one


def _text(distribution: importlib_metadata.IDistribution) -> str:
    """The text of a distribution's entry points.

    Raises:
        OSError: it cannot be read.
        UnicodeError: it is no UTF-8.
    """
    if isinstance(distribution, importlib_metadata.PathDistribution):
        return _READ(distribution, "entry_points.txt") or ""
    return distribution.read_text("entry_points.txt") or ""


def _pass_over_for_others() -> None:
    """Let metadata that is no UTF-8 count as absent for the libraries that look at all of it.

    Pydantic and OpenTelemetry read every distribution's entry points when they are imported and
    fail at the first that cannot be read. Only done where there is such a distribution.
    """

    def read_text(self: importlib_metadata.PathDistribution, filename: str) -> str | None:
        try:
            return _READ(self, filename)
        except UnicodeError:
            return None

    importlib_metadata.PathDistribution.read_text = read_text  # type: ignore[method-assign, assignment]


def _found(point: importlib_metadata.EntryPoint, distribution: str, version: str) -> Found | None:
    kind = GROUPS.get(point.group)
    if kind is None:
        return None
    one = Found(kind, point.name, point.value, distribution, version)
    if not NAME.fullmatch(point.name):
        return _refused(
            one,
            f"{point.name!r} is no name: it must match {NAME.pattern}.",
            f"Rename the entry point in {distribution}.",
        )
    if not re.fullmatch(r"[\w.]+", point.value):
        return _refused(
            one,
            f"points to {point.value!r}, which is not a module.",
            f"Let the entry point of {distribution} name a module.",
        )
    return one


def _refused(one: Found, reason: str, remedy: str) -> Found:
    return replace(one, fault=PluginError(one.name, reason, remedy=remedy))


def _found_twice(one: Found, others: list[str]) -> PluginError:
    return PluginError(
        one.name,
        f"{one.distribution} is installed more than once; {one.version} is used, not "
        f"{', '.join(others)}.",
        remedy=f"Run `pip uninstall {one.distribution}` until none is left, then install it.",
    )


def _unreadable(place: Path, error: Exception) -> Found:
    return Found(
        "plugin",
        name="?",
        module="",
        distribution=str(place),
        version="",
        fault=PluginError(
            "?",
            f"the metadata of a distribution in {place} cannot be read "
            f"({type(error).__name__}: {error}).",
            remedy="Install that distribution again.",
        ),
    )
