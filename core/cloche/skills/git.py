"""Skills from a git repository: one pinned commit, read without checking anything out.

Nothing of a repository is run here: no hook, no filter, no submodule, no link. Blobs are read one
by one after their names, kinds and sizes have been looked at.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import urlsplit

from cloche.errors import ManifestError
from cloche.skills.fingerprint import MAX_FILE_BYTES, MAX_FILES, MAX_FOLDER_BYTES

FETCH_SECONDS: Final = 120
READ_SECONDS: Final = 60
_SOURCE: Final = re.compile(
    r"git\+(?P<url>(?P<scheme>https|http|file)://[^\s@#]+)"
    r"(?:@(?P<commit>[^\s@#]*))?(?:#(?P<folder>[^\s#]*))?"
)
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_KEPT: Final = ("GIT_SSL_", "GIT_PROXY_", "GIT_CONFIG_", "GIT_ASKPASS", "GIT_HTTP_")
_BLOB, _LINK, _MODULE = "100", "120000", "160000"


@dataclass(frozen=True, slots=True)
class GitSource:
    """An address: repository, commit and folder ("" = the repository's own)."""

    url: str
    commit: str
    folder: str

    def __str__(self) -> str:
        """As ``skills.json`` has it."""
        return f"git+{self.url}@{self.commit}" + (f"#{self.folder}" if self.folder else "")

    def kept(self, cache: Path) -> Path:
        """Where its folder is kept: a place of its own for each address."""
        return cache / "skills" / sha256(str(self).encode()).hexdigest()[:32]


def parse_git(written: str, *, needs_commit: bool = True) -> GitSource:
    """Read ``git+https://host/repository@commit#folder``.

    Raises:
        ValueError: it is none; the message says what to write.
    """
    found = _SOURCE.fullmatch(written)
    if found is None:
        raise ValueError(
            f"{written!r} is no git address: write 'git+https://host/repository@commit#folder', "
            "without user, password or spaces"
        )
    folder = (found["folder"] or "").strip("/")
    if any(part in ("", ".", "..") for part in folder.split("/")) and folder:
        raise ValueError(f"{folder!r} is no folder inside the repository")
    if found["scheme"] == "http" and urlsplit(found["url"]).hostname not in _LOOPBACK:
        raise ValueError("http is read by anybody on the way: write git+https://")
    commit = found["commit"] or ""
    if not _COMMIT.fullmatch(commit) and (commit or needs_commit):
        raise ValueError(
            "a branch or tag can change: write the whole commit (40 characters) after '@'; "
            "`cloche skills add` finds it"
        )
    return GitSource(found["url"], commit, folder)


def newest_commit(source: GitSource) -> str:
    """The commit that the repository's HEAD is at now; asks the network.

    Raises:
        ManifestError: the repository cannot be asked.
    """
    told = _git(["ls-remote", "--", source.url, "HEAD"], str(source), FETCH_SECONDS)
    commit = told.decode("utf-8", "replace").split("\t")[0].strip()
    if not _COMMIT.fullmatch(commit):
        raise ManifestError(str(source), "the repository has no HEAD: name a commit.")
    return commit


def fetch(source: GitSource, folder: Path) -> None:
    """Fetch the commit and write the source's files to ``folder``; asks the network.

    The folder appears whole or not at all, also when two processes do this at once.

    Raises:
        ManifestError: git or the commit is not there, or the folder holds what a skill may not.
    """
    where = str(source)
    if shutil.which("git") is None:
        raise ManifestError(where, "git is not installed: install it, or use a folder.")
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetching-") as made:
        repository = Path(made) / "repository"
        _git(["init", "--quiet", "--bare", str(repository)], where, READ_SECONDS)
        _fetch_commit(source, repository, where)
        fresh = Path(made) / folder.name
        fresh.mkdir(mode=0o700)
        for name, oid in _files(source, repository, where):
            target = fresh / PurePosixPath(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            blob = ["cat-file", "blob", oid]
            target.write_bytes(_git(blob, where, READ_SECONDS, repository))
        try:
            fresh.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process was first
                raise


def _fetch_commit(source: GitSource, repository: Path, where: str) -> None:
    quiet = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"]
    try:
        shallow = [*quiet, "--depth=1", "--", source.url, source.commit]
        _git(shallow, where, FETCH_SECONDS, repository)
    except ManifestError:  # a server that gives no single commits
        everything = [*quiet, "--", source.url, "+refs/*:refs/kept/*"]
        _git(everything, where, FETCH_SECONDS, repository)
    _git(["cat-file", "-e", f"{source.commit}^{{commit}}"], where, READ_SECONDS, repository)


def _files(source: GitSource, repository: Path, where: str) -> Iterator[tuple[str, str]]:
    """Name and object of each file of the folder.

    Raises:
        ManifestError: there is no such folder, or it holds what a skill may not.
    """
    tree = f"{source.commit}:{source.folder}" if source.folder else source.commit
    listed = _git(["ls-tree", "-r", "-z", "--long", tree], where, READ_SECONDS, repository)
    entries = [line for line in listed.decode("utf-8", "surrogateescape").split("\0") if line]
    total = 0
    for line in entries:
        head, _, name = line.partition("\t")
        mode, _, oid, size = head.split()
        if mode in (_LINK, _MODULE) or not mode.startswith(_BLOB):
            raise ManifestError(where, f"{name} is a link or a submodule: skills have neither.")
        if any(part in ("", ".", "..", ".git") or "\\" in part for part in name.split("/")):
            raise ManifestError(where, f"{name!r} is no name of a file.")
        total += int(size)
        if int(size) > MAX_FILE_BYTES or total > MAX_FOLDER_BYTES or len(entries) > MAX_FILES:
            raise ManifestError(where, f"with {name} it is too large for a skill.")
        yield name, oid


def _git(
    arguments: Sequence[str], where: str, seconds: float, repository: Path | None = None
) -> bytes:
    """What git prints.

    Raises:
        ManifestError: it failed; the last line of what it said.
    """
    guarded = [
        *("-c", "protocol.allow=never", "-c", "protocol.https.allow=always"),
        *("-c", "protocol.http.allow=always", "-c", "protocol.file.allow=always"),
        *("-c", f"core.hooksPath={os.devnull}", "-c", "http.followRedirects=false"),
        *("-c", "fetch.fsckObjects=true", "-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    ]
    environ = {
        **{name: value for name, value in os.environ.items() if _is_kept(name)},
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    if repository is not None:
        environ["GIT_DIR"] = str(repository)
    try:
        done = subprocess.run(  # noqa: S603 -- a list of arguments, no shell; the address is checked
            ["git", *guarded, *arguments],  # noqa: S607 -- whichever git the person uses
            check=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            env=environ,
        )
    except subprocess.TimeoutExpired as error:
        raise ManifestError(where, f"git took longer than {seconds:g} seconds.") from error
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode("utf-8", "replace").strip().splitlines()
        told = lines[-1].strip() if lines else f"it ended with {error.returncode}"
        raise ManifestError(where, f"git failed: {told}.") from error
    except OSError as error:
        raise ManifestError(where, f"git cannot be run: {error.strerror}.") from error
    return done.stdout


def _is_kept(name: str) -> bool:
    """Whether git gets a variable: what names another repository would lead it there."""
    return not name.startswith("GIT_") or name.startswith(_KEPT)
