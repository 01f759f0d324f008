"""Files in Amazon S3, or in what speaks its protocol (``AWS_ENDPOINT_URL_S3``)."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cloche.attachments.kinds import kind_of
from cloche.errors import MemoryUnavailableError, StoreCause
from cloche.workspace.names import checked_key, folder_of, is_key
from cloche.workspace.store import Content, StoredFile

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

logger = logging.getLogger(__name__)

CONNECT_SECONDS: Final = 2
READ_SECONDS: Final = 5
"""Of silence, not of the whole transfer."""
ATTEMPTS: Final = 2
DELETED_AT_ONCE: Final = 1000
"""The most that DeleteObjects takes."""
_THROTTLED: Final = ("SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded")


def s3_client(region: str = "") -> Any:
    """boto3's ``s3`` client, which has no static type; asks nobody.

    Args:
        region: AWS region; "" = the one AWS's own settings name.
    """
    import boto3
    from botocore.config import Config

    return boto3.Session().client(
        "s3",
        region_name=region or None,
        config=Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
            tcp_keepalive=True,
        ),
    )


class S3Files:
    """Keeps files below a prefix of a bucket (``FileStore``). Made without asking anybody."""

    def __init__(
        self, client: Callable[[], Any], bucket: str, prefix: str = "", *, kms_key: str = ""
    ) -> None:
        """Take where files lie.

        Args:
            client: Makes boto3's ``s3`` client, when it is first needed.
            bucket: The bucket; it must be there.
            prefix: What all keys begin with; ends with ``/`` unless it is empty.
            kms_key: Key to encrypt with (SSE-KMS); "" = as the bucket does by itself.
        """
        self._made = client
        self._client: Any = None
        self._lock = threading.Lock()
        self._bucket, self._prefix = bucket, prefix
        self._encryption = (
            {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": kms_key} if kms_key else {}
        )

    async def put(self, actor: str, key: str, data: bytes) -> str:
        """Keep a file; see ``FileStore``."""
        where = self._key(actor, key)
        return await asyncio.to_thread(self._told, "PutObject", self._put, where, data)

    async def get(
        self, actor: str, key: str, *, known: str = "", strict: bool = False
    ) -> Content | None:
        """A file's content, or None; what is known is not sent again."""
        where = self._key(actor, key)
        return await asyncio.to_thread(self._told, "GetObject", self._get, where, known)

    async def list(self, actor: str, *, strict: bool = False) -> Sequence[StoredFile]:
        """All of an actor's files, by key."""
        folder = self._folder(actor)
        return await asyncio.to_thread(self._told, "ListObjectsV2", self._list, folder)

    def path(self, actor: str, key: str) -> Path | None:
        """Nowhere on this machine."""
        return None

    async def delete(self, actor: str, key: str) -> None:
        """Remove a file, and its older versions where the bucket keeps them."""
        where = self._key(actor, key)
        await asyncio.to_thread(self._told, "DeleteObjects", self._erase, where, True)

    def alone(self, actor: str) -> AbstractAsyncContextManager[None]:
        """Nobody is kept out: a bucket knows no locks, and is changed after turns by a mirror."""
        return nullcontext()

    async def forget(self, actor: str) -> None:
        """Remove all of an actor's files, and their older versions where the bucket keeps them."""
        folder = self._folder(actor)
        await asyncio.to_thread(self._told, "DeleteObjects", self._erase, folder, False)

    async def check(self) -> None:
        """Ask whether files can be listed; changes nothing.

        Raises:
            MemoryUnavailableError: they cannot.
        """
        await self.list("nobody")

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()

    def _put(self, client: Any, where: str, data: bytes) -> str:
        answer = client.put_object(
            Bucket=self._bucket,
            Key=where,
            Body=data,
            ContentType=kind_of(data).media_type,
            **self._encryption,
        )
        return str(answer["ETag"])

    def _get(self, client: Any, where: str, known: str) -> Content | None:
        from botocore.exceptions import ClientError

        try:
            answer = client.get_object(
                Bucket=self._bucket, Key=where, **({"IfNoneMatch": known} if known else {})
            )
        except ClientError as error:
            if _status(error) == HTTPStatus.NOT_MODIFIED:
                return Content(known, None)
            if _code(error) == "NoSuchKey":
                return None
            raise
        body = answer["Body"]
        try:  # as a context manager it would hand out what knows no checksums
            return Content(str(answer["ETag"]), body.read())
        finally:
            body.close()

    def _list(self, client: Any, folder: str) -> Sequence[StoredFile]:
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=folder)
        found = [
            StoredFile(key, item["Size"], item["LastModified"], item["ETag"])
            for page in pages
            for item in page.get("Contents", ())
            if is_key(key := item["Key"].removeprefix(folder))
        ]
        return sorted(found, key=lambda file: file.key)

    def _erase(self, client: Any, where: str, exact: bool) -> None:
        gone = [one for one in self._versions(client, where) if not exact or one["Key"] == where]
        for first in range(0, len(gone), DELETED_AT_ONCE):
            answer = client.delete_objects(
                Bucket=self._bucket,
                Delete={"Objects": gone[first : first + DELETED_AT_ONCE], "Quiet": True},
            )
            if failed := answer.get("Errors"):
                code = failed[0].get("Code", "")
                raise MemoryUnavailableError(
                    f"S3: {len(failed)} files cannot be removed: {code}", cause=_cause(code, 0)
                )

    def _versions(self, client: Any, where: str) -> Iterator[dict[str, str]]:
        """All there ever was, and the marks of what was removed."""
        for page in client.get_paginator("list_object_versions").paginate(
            Bucket=self._bucket, Prefix=where
        ):
            for kind in ("Versions", "DeleteMarkers"):
                for item in page.get(kind, ()):
                    yield {"Key": item["Key"], "VersionId": item["VersionId"]}

    def _told(self, operation: str, ask: Callable[..., Any], *args: object) -> Any:
        """Ask, and have what goes wrong said in our words.

        Raises:
            MemoryUnavailableError: something did.
        """
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            with self._lock:
                if self._client is None:
                    self._client = self._made()
            return ask(self._client, *args)
        except ClientError as error:
            # What the service says may name accounts and roles.
            code = _code(error)
            raise MemoryUnavailableError(
                f"S3 {operation} in {self._bucket}: {code}", cause=_cause(code, _status(error))
            ) from error
        except BotoCoreError as error:
            raise MemoryUnavailableError(
                f"S3 {operation} in {self._bucket}: {type(error).__name__}", cause=_broken(error)
            ) from error

    def _folder(self, actor: str) -> str:
        return f"{self._prefix}{folder_of(actor)}/"

    def _key(self, actor: str, key: str) -> str:
        folder = self._folder(actor)
        area, name = checked_key(key)
        return f"{folder}{area}/{name}"


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _cause(code: str, status: int) -> StoreCause:
    if code in _THROTTLED or status in (
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.SERVICE_UNAVAILABLE,
    ):
        return "throttled"
    if code == "AccessDenied" or status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return "denied"
    return "io" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "refused"


def _broken(error: Exception) -> StoreCause:
    from botocore.exceptions import (
        ConnectTimeoutError,
        NoCredentialsError,
        PartialCredentialsError,
        ReadTimeoutError,
    )

    if isinstance(error, (NoCredentialsError, PartialCredentialsError)):
        return "denied"
    return "slow" if isinstance(error, (ConnectTimeoutError, ReadTimeoutError)) else "io"
