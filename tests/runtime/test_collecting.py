"""No garbage is collected until the first answer, and from then on it is."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from cloche.runtime.collecting import collect_nothing

if TYPE_CHECKING:
    from conftest import Opened, Runtime


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    collect_nothing()
    yield
    gc.enable()
    gc.unfreeze()


async def test_it_is_collected_after_the_first_answer(runtime: Runtime) -> None:
    await runtime.ping()
    await runtime.invoke({"kind": "health"})
    assert not gc.isenabled()
    await runtime.said("hello")
    await runtime.until(gc.isenabled)
    assert gc.get_freeze_count() > 10_000


async def test_a_refused_invocation_changes_nothing(runtime: Runtime) -> None:
    await runtime.post("r", "hello", id_="1", secret="wrong", status=401)
    assert not gc.isenabled()


async def test_whom_nobody_asks_collects_in_the_end(
    running: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.runtime.host.LATEST_SECONDS", 0.05)
    async with running() as runtime:
        await runtime.until(gc.isenabled)
