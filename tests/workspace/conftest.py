"""A bucket of a server that speaks S3, on loopback, and a server that fails in S3's ways."""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cloche.logs import OncePerCause
from cloche.testing.clock import FakeClock
from cloche.workspace.s3 import S3Files, s3_client

BUCKETS = itertools.count(1)


@pytest.fixture
def client(aws: None) -> Iterator[Any]:
    made = s3_client("eu-west-1")
    yield made
    made.close()


@pytest.fixture
def bucket(client: Any) -> str:
    name = f"files-{next(BUCKETS)}"
    client.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    return name


@pytest.fixture
def in_bucket(client: Any, bucket: str) -> S3Files:
    return S3Files(lambda: client, bucket, "cloche/luthier/")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def notices() -> OncePerCause:
    return OncePerCause(logging.getLogger("cloche.test"))


@pytest.fixture
def set_time() -> Callable[[Path, int], None]:
    """Has a file be written in the nth second of 2026."""
    start = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())
    return lambda path, second: os.utime(path, (start + second, start + second))
