"""What every store of files promises: in a folder, in a bucket, and both together."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from moto.s3.models import s3_backends

from cloche.errors import MemoryUnavailableError
from cloche.logs import OncePerCause
from cloche.testing.clock import FakeClock
from cloche.testing.pdfs import pdf_of
from cloche.workspace.folder import FolderFiles
from cloche.workspace.mirror import Mirrored
from cloche.workspace.s3 import S3Files
from cloche.workspace.store import FileStore

OFFICE = "application/vnd.openxmlformats-officedocument"
ANA, LUIS = "console_-ana", "console_-luis"


@pytest.fixture(params=["folder", "s3", "mirror of s3", "mirror of a folder"])
async def store(
    request: pytest.FixtureRequest, tmp_path: Path, notices: OncePerCause
) -> AsyncIterator[FileStore]:
    if request.param == "folder":
        yield FolderFiles(tmp_path / "files")
        return
    remote: FileStore = FolderFiles(tmp_path / "share")
    if "s3" in request.param:
        remote = request.getfixturevalue("in_bucket")
    if request.param == "s3":
        yield remote
    else:
        yield Mirrored(tmp_path / "here", remote, FakeClock(), notices)


async def text_of(store: FileStore, actor: str, key: str) -> str | None:
    found = await store.get(actor, key)
    return found.data.decode() if found and found.data is not None else None


async def test_what_is_kept_is_given_back_and_listed(store: FileStore) -> None:
    await store.put(ANA, "sent/plan.txt", b"two lutes")
    await store.put(ANA, "made/计划 ñ (1).csv", b"")
    assert await text_of(store, ANA, "sent/plan.txt") == "two lutes"
    assert await text_of(store, ANA, "made/计划 ñ (1).csv") == ""
    assert [(one.key, one.size) for one in await store.list(ANA)] == [
        ("made/计划 ñ (1).csv", 0),
        ("sent/plan.txt", 9),
    ]
    assert all(one.at.tzinfo for one in await store.list(ANA))


async def test_a_second_write_takes_the_first_ones_place(store: FileStore) -> None:
    first = await store.put(ANA, "made/a", b"one")
    second = await store.put(ANA, "made/a", b"two")
    assert first != second
    assert await text_of(store, ANA, "made/a") == "two"
    assert len(await store.list(ANA)) == 1


async def test_what_is_not_there_is_none(store: FileStore) -> None:
    assert await store.get(ANA, "sent/nothing") is None
    assert list(await store.list(ANA)) == []
    await store.delete(ANA, "sent/nothing")
    await store.forget(ANA)


async def test_two_people_never_see_each_others(store: FileStore) -> None:
    await store.put(ANA, "sent/plan.txt", b"ana's")
    await store.put(LUIS, "sent/plan.txt", b"luis's")
    await store.put(ANA.upper(), "sent/plan.txt", b"another's")
    assert await text_of(store, ANA, "sent/plan.txt") == "ana's"
    await store.forget(ANA)
    assert list(await store.list(ANA)) == []
    assert await text_of(store, LUIS, "sent/plan.txt") == "luis's"
    assert await text_of(store, ANA.upper(), "sent/plan.txt") == "another's"


async def test_what_is_removed_is_gone(store: FileStore) -> None:
    await store.put(ANA, "sent/plan.txt", b"x")
    await store.put(ANA, "sent/plan.txt.old", b"y")
    await store.delete(ANA, "sent/plan.txt")
    assert await store.get(ANA, "sent/plan.txt") is None
    assert [one.key for one in await store.list(ANA)] == ["sent/plan.txt.old"]


@pytest.mark.parametrize("key", ["../x", "sent/../../x", "/etc/passwd", "sent/a/b", "", "sent/\0"])
async def test_no_key_leads_anywhere_else(store: FileStore, key: str, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    for ask in (store.put(ANA, key, b"x"), store.get(ANA, key), store.delete(ANA, key)):
        with pytest.raises(ValueError, match="no area and name"):
            await ask
    assert sorted(tmp_path.rglob("*")) == before


async def test_nobody_is_acted_for_without_an_actor(store: FileStore) -> None:
    for ask in (
        store.put("", "sent/a", b"x"),
        store.get("", "sent/a"),
        store.delete("", "sent/a"),
        store.list(""),
        store.forget(""),
    ):
        with pytest.raises(ValueError, match="actor is empty"):
            await ask


async def test_many_at_once_are_all_kept(store: FileStore) -> None:
    await asyncio.gather(*(store.put(ANA, f"made/{n}", str(n).encode()) for n in range(12)))
    assert len(await store.list(ANA)) == 12


async def test_only_the_owner_of_a_folder_can_read_in_it(tmp_path: Path) -> None:
    store = FolderFiles(tmp_path / "files")
    await store.put(ANA, "sent/plan.txt", b"x")
    for path in (tmp_path / "files").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
async def test_links_are_neither_followed_nor_listed(tmp_path: Path) -> None:
    store = FolderFiles(tmp_path / "files")
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.txt").write_text("secret")
    await store.put(ANA, "sent/plan.txt", b"x")
    area = next((tmp_path / "files").glob("*/sent"))
    (area / "link.txt").symlink_to(secret / "key.txt")
    os.mkfifo(area / "pipe.txt")
    (area.parent / "made").symlink_to(secret)
    assert [one.key for one in await store.list(ANA)] == ["sent/plan.txt"]
    assert await store.get(ANA, "sent/link.txt") is None
    assert await store.get(ANA, "sent/pipe.txt") is None
    assert await store.get(ANA, "made/key.txt") is None
    with pytest.raises(MemoryUnavailableError):
        await store.put(ANA, "made/new.txt", b"x")
    await store.delete(ANA, "sent/link.txt")
    await store.put(ANA, "sent/link.txt", b"mine")
    await store.forget(ANA)
    assert [path.name for path in secret.iterdir()] == ["key.txt"]
    assert (secret / "key.txt").read_text() == "secret"


async def test_a_write_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FolderFiles(tmp_path / "files")
    await store.put(ANA, "made/a", b"whole")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MemoryUnavailableError) as failed:
        await store.put(ANA, "made/a", b"other")
    assert failed.value.cause == "disk_full"
    assert await text_of(store, ANA, "made/a") == "whole"
    assert [one.key for one in await store.list(ANA)] == ["made/a"]


async def test_a_bucket_gives_what_is_known_no_second_time(in_bucket: S3Files) -> None:
    version = await in_bucket.put(ANA, "made/a", b"one")
    known = await in_bucket.get(ANA, "made/a", known=version)
    assert known is not None
    assert known.data is None
    await in_bucket.put(ANA, "made/a", b"two")
    changed = await in_bucket.get(ANA, "made/a", known=version)
    assert changed is not None
    assert changed.data == b"two"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"<script>alert(1)</script>", "text/plain"),
        (pdf_of("Words."), "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\0", "image/png"),
        (b"OggS\0\2", "audio/ogg"),
        (b"PK\x03\x04....word/document.xml", f"{OFFICE}.wordprocessingml.document"),
        (b"\0\1\2", "application/octet-stream"),
    ],
)
async def test_a_bucket_is_told_what_a_file_is_whatever_it_is_called(
    in_bucket: S3Files, client, bucket, data: bytes, kind: str
) -> None:
    await in_bucket.put(ANA, "sent/picture.html", data)
    (item,) = client.list_objects_v2(Bucket=bucket)["Contents"]
    assert client.head_object(Bucket=bucket, Key=item["Key"])["ContentType"] == kind


async def test_a_list_of_a_bucket_goes_on_over_pages(in_bucket: S3Files, client, bucket) -> None:
    folder = in_bucket._folder(ANA)
    behind = s3_backends["123456789012"]["aws"]  # a thousand requests would take too long
    for number in range(1005):
        behind.put_object(bucket, f"{folder}made/{number:04}", b"x")
    client.put_object(Bucket=bucket, Key=f"{folder}not/one of ours/at all", Body=b"x")
    assert len(await in_bucket.list(ANA)) == 1005
    await in_bucket.forget(ANA)
    assert "Contents" not in client.list_objects_v2(Bucket=bucket)


async def test_forgetting_takes_older_versions_too(in_bucket: S3Files, client, bucket) -> None:
    client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    for text in (b"first", b"second"):
        await in_bucket.put(ANA, "made/a", text)
    await in_bucket.put(ANA, "made/ab", b"another")
    await in_bucket.put(LUIS, "made/a", b"luis's")
    await in_bucket.delete(ANA, "made/a")
    left = client.list_object_versions(Bucket=bucket)
    assert len(left["Versions"]) == 2
    assert "DeleteMarkers" not in left
    await in_bucket.forget(ANA)
    left = client.list_object_versions(Bucket=bucket)["Versions"]
    assert [one["Key"] for one in left] == [in_bucket._key(LUIS, "made/a")]


async def test_a_key_of_ones_own_encrypts(client, bucket) -> None:
    store = S3Files(lambda: client, bucket, kms_key="alias/mine")
    await store.put(ANA, "made/a", b"one")
    found = client.head_object(Bucket=bucket, Key=store._key(ANA, "made/a"))
    assert (found["ServerSideEncryption"], found["SSEKMSKeyId"]) == ("aws:kms", "alias/mine")


async def test_keys_in_a_bucket_name_nobody(in_bucket: S3Files, client, bucket) -> None:
    await in_bucket.put(ANA, "made/a", b"one")
    key = client.list_objects_v2(Bucket=bucket)["Contents"][0]["Key"]
    assert key.startswith("cloche/luthier/")
    assert "ana" not in key
