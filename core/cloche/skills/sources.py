"""Where a skill's folder is: in the package, among the shared ones, elsewhere, or in git."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from pydantic import BaseModel

from cloche.documents import did_you_mean, parse_json, read_text, shared_resource, validate
from cloche.skills.entries import SHARED, Entry, Listed
from cloche.skills.git import GitSource, parse_git

Origin = Literal["package", "shared", "folder", "git"]
PACKAGE: Final = "package"


class Planned(BaseModel):
    """A shared skill that this version does not have."""

    description: str
    reason: dict[str, str]
    """By language; English is always there."""


class _Catalogue(BaseModel):
    """What is known of shared skills beside their folders."""

    aliases: dict[str, str]
    planned: dict[str, Planned]


@dataclass(frozen=True)
class Place:
    """What an entry stands for.

    Attributes:
        name: What the skill is called at its source, which is its folder's name.
        origin: Whose it is: ``folder`` and ``git`` come from outside.
        written: The source as the lock has it.
        folder: Where it lies; None for what is planned only.
        planned: What is known of a planned one.
        shadows: What has its name, too, and is not used.
        git: The address of one that comes from git; its ``folder`` is where it is kept.
    """

    name: str
    origin: Origin
    written: str
    folder: Path | None
    planned: Planned | None = None
    shadows: tuple[str, ...] = ()
    git: GitSource | None = None

    @property
    def is_outside(self) -> bool:
        """True when neither the package nor the host brings it."""
        return self.origin in ("folder", "git")


def find(entry: Entry, listed: Listed, at: int, cache_folder: Callable[[], Path]) -> Place:
    """The place an entry names; nothing is fetched.

    Args:
        entry: The entry.
        listed: The file it stands in.
        at: Its number there.
        cache_folder: Where what comes from git is kept.

    Raises:
        ManifestError: the source is none, or there is no such skill.
    """
    if entry.source in ("", SHARED):
        return _known(entry, listed, at)
    if entry.source.startswith("git+"):
        return _from_git(entry, listed, at, cache_folder)
    return _from_folder(entry, listed, at)


def _known(entry: Entry, listed: Listed, at: int) -> Place:
    """A skill that is named only: the package's own, else a shared one."""
    own = listed.path.parent / "skills"
    name = entry.skill or entry.name
    shared = _catalogue().aliases.get(name, name)
    folder = shared_folder(shared)
    planned = _catalogue().planned.get(shared)
    if not entry.source and (own / name).is_dir():
        _stays_in(listed.path.parent, own / name, listed, at)
        shadows = tuple(_described(shared, folder, planned))
        return Place(name, "package", f"./skills/{name}", own / name, shadows=shadows)
    if folder is not None or planned is not None:
        hidden = [f"the package's own {own / name}"] if (own / name).is_dir() else []
        return Place(
            shared,
            "shared",
            SHARED,
            folder,
            planned=None if folder else planned,
            shadows=tuple(hidden),
        )
    folders = [] if entry.source else [own]
    known = {each.name for root in folders if root.is_dir() for each in root.iterdir()}
    known |= set(shared_names()) | _catalogue().aliases.keys() | _catalogue().planned.keys()
    otherwise = f"; add the folder skills/{name}, or take it off the list."
    key = "skill" if entry.skill else ""
    told = did_you_mean(name, known, otherwise)
    raise listed.error(at, f"there is no skill {name!r}{told}", key)


def _from_folder(entry: Entry, listed: Listed, at: int) -> Place:
    root, name = listed.path.parent, entry.skill or entry.name
    if entry.source.startswith("./"):
        folder = root / PurePosixPath(entry.source)
        if not folder.resolve().is_relative_to(root.resolve()):
            raise listed.error(at, "a source that starts with './' stays in the package.", "source")
        inside = True
    else:
        folder, inside = Path(entry.source).expanduser(), False
        if not folder.is_absolute():
            raise listed.error(
                at,
                f"{entry.source!r} is no source: write 'shared', './skills/x', a whole path, or "
                "'git+https://host/repository@commit#folder'.",
                "source",
            )
    if not (folder / "SKILL.md").is_file() and (folder / name / "SKILL.md").is_file():
        collection, folder = folder, folder / name  # the skill is one of its folders
        _stays_in(root if inside else collection, folder, listed, at)
    if not folder.is_dir():
        raise listed.error(at, f"there is no folder {folder}: mend the path.", "source")
    place = Place(folder.name, "package" if inside else "folder", entry.source, folder)
    if entry.skill and entry.skill != folder.name:
        raise listed.error(at, f"{folder} is not called {entry.skill!r}.", "skill")
    return _with_shadows(place, entry, root)


def _from_git(entry: Entry, listed: Listed, at: int, cache_folder: Callable[[], Path]) -> Place:
    try:
        git = parse_git(entry.source)
    except ValueError as error:
        raise listed.error(at, f"{error}.", "source") from error
    name = entry.skill or PurePosixPath(git.folder).name or entry.name
    kept = git.kept(cache_folder()) / name
    return _with_shadows(Place(name, "git", entry.source, kept, git=git), entry, listed.path.parent)


def _stays_in(root: Path, folder: Path, listed: Listed, at: int) -> None:
    """Refuse a folder that is a link out of where it is said to be: its code is another's."""
    if not folder.resolve().is_relative_to(root.resolve()):
        raise listed.error(at, f"{folder} is a link that leads out of {root}: copy the folder.")


def _with_shadows(place: Place, entry: Entry, root: Path) -> Place:
    name = entry.name
    own = root / "skills" / name
    hidden = list(_described(name, shared_folder(name), _catalogue().planned.get(name)))
    if own.is_dir() and place.folder is not None and own.resolve() != place.folder.resolve():
        hidden.append(f"the package's own {own}")
    return Place(
        place.name, place.origin, place.written, place.folder, place.planned, tuple(hidden),
        place.git,
    )  # fmt: skip


def _described(name: str, folder: Path | None, planned: Planned | None) -> Iterator[str]:
    if folder is not None:
        yield f"the shared skill {name}"
    elif planned is not None:
        yield f"the shared skill {name}, which is planned only"


def shared_folder(name: str) -> Path | None:
    """The folder of a shared skill, None when there is none."""
    folder = shared_resource("skills", name)
    return folder if isinstance(folder, Path) and folder.is_dir() else None


def shared_names() -> tuple[str, ...]:
    """Names of the shared skills there are, in order."""
    root = shared_resource("skills")
    return tuple(sorted(each.name for each in root.iterdir() if each.is_dir()))


def aliases() -> Mapping[str, str]:
    """Other names for shared skills."""
    return _catalogue().aliases


@cache
def _catalogue() -> _Catalogue:
    path = shared_resource("skills", "catalogue.json")
    document = parse_json(read_text(path), str(path))
    validate(document, "catalogue")
    return _Catalogue.model_validate(document.value)
