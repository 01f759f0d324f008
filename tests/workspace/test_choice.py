"""The settings choose where files are kept, and the doctor says whether it works."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloche.context import BuildContext
from cloche.diagnosis.files import files_of
from cloche.errors import SettingsError
from cloche.logs import OncePerCause
from cloche.settings import FileSettings, Settings
from cloche.testing.clock import FakeClock
from cloche.workspace.choice import open_workspace, root_of

ANA = "console_-ana"


def context(home: Path, **files: object) -> BuildContext:
    settings = Settings(home=home, files=FileSettings(**files))  # type: ignore[arg-type]
    return BuildContext("luthier", settings, FakeClock(), home / "luthier")


async def told(given: BuildContext) -> list[tuple[str, str]]:
    return [(line.status, line.value) for line in await files_of(given)]


async def test_locally_files_lie_at_home(tmp_path: Path, notices: OncePerCause) -> None:
    given = context(tmp_path)
    workspace = open_workspace(given, notices)
    await workspace.write(ANA, "made/a", b"x")
    assert (await told(given)) == [("ok", str(tmp_path / "luthier" / "files"))]
    assert len(list((tmp_path / "luthier" / "files" / "kept").rglob("a"))) == 1


async def test_session_storage_is_used_where_it_is_mounted(tmp_path: Path) -> None:
    storage = tmp_path / "mnt"
    assert root_of(context(tmp_path, session_storage=str(storage))) == tmp_path / "luthier/files"
    storage.mkdir()
    given = context(tmp_path, session_storage=str(storage))
    assert root_of(given) == storage / "luthier" / "files"


async def test_a_bucket_that_is_set_gets_what_was_written_and_gives_it_to_the_next_machine(
    tmp_path: Path, bucket: str, notices: OncePerCause
) -> None:
    storage = tmp_path / "mnt"
    storage.mkdir()
    first = context(tmp_path / "one", store="s3", bucket=bucket, session_storage=str(storage))
    workspace = open_workspace(first, notices)
    await workspace.write(ANA, "made/计划.txt", "五月".encode())
    assert ("warning", "1 changes wait") in await told(first)
    await workspace.save()
    await workspace.close()
    assert await told(first) == [("ok", f"s3://{bucket}")]
    second = open_workspace(context(tmp_path / "two", store="s3", bucket=bucket), notices)
    assert [file.key for file in await second.list(ANA)] == ["made/计划.txt"]
    assert await second.read(ANA, "made/计划.txt") == "五月".encode()
    assert await second.forget(ANA) == 1
    await second.close()
    third = open_workspace(context(tmp_path / "three", store="s3", bucket=bucket), notices)
    assert list(await third.list(ANA)) == []
    await third.close()


async def test_another_assistant_in_the_same_bucket_has_files_of_its_own(
    tmp_path: Path, bucket: str, notices: OncePerCause
) -> None:
    workspace = open_workspace(context(tmp_path, store="s3", bucket=bucket), notices)
    await workspace.write(ANA, "made/a", b"x")
    await workspace.close()
    settings = Settings(home=tmp_path, files=FileSettings(store="s3", bucket=bucket))
    other = BuildContext("potter", settings, FakeClock(), tmp_path / "potter")
    theirs = open_workspace(other, notices)
    assert list(await theirs.list(ANA)) == []
    await theirs.close()


async def test_a_bucket_that_is_not_there_is_said(tmp_path: Path, aws: None) -> None:
    found = await files_of(context(tmp_path, store="s3", bucket="no-such-bucket"))
    assert [line.status for line in found] == ["failed"]
    assert "NoSuchBucket" in found[0].value
    assert "CLOCHE_FILES__BUCKET" in found[0].remedy


async def test_s3_without_a_bucket_is_refused(tmp_path: Path, notices: OncePerCause) -> None:
    given = context(tmp_path, store="s3")
    with pytest.raises(SettingsError, match="CLOCHE_FILES__STORE=s3 needs CLOCHE_FILES__BUCKET"):
        open_workspace(given, notices)
    assert [status for status, _ in await told(given)] == ["failed"]


@pytest.mark.parametrize("prefix", ["a/", "a//b", "a b", "é", "x" * 201])
def test_a_prefix_that_is_none_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="prefix"):
        FileSettings(prefix=prefix)


def test_asking_nobody_is_what_opening_does(tmp_path: Path, notices: OncePerCause) -> None:
    open_workspace(context(tmp_path, store="s3", bucket="b"), notices)
    assert list(tmp_path.iterdir()) == []
