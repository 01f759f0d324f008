"""What a skill keeps about a person: its own, and what it may read of another skill's."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloche.memory.for_tools import PersonStorage
from cloche.state.sqlite import SqliteStateStore
from cloche.state.store import StateStore
from cloche.testing import FakeClock, FakeToolStorage


@pytest.fixture
def state(tmp_path: Path) -> StateStore:
    return SqliteStateStore(tmp_path / "state.db", clock=FakeClock())


async def test_a_skill_reads_what_another_keeps_of_the_same_person_and_of_nobody_else(
    state: StateStore,
) -> None:
    diary = PersonStorage(state, "console_-ana", "diary")
    await diary.put("day/1", {"pages": 3})
    await diary.put("cover", "red")
    await PersonStorage(state, "console_-ana-maria", "diary").put("day/2", "hers")
    await PersonStorage(state, "console_-ana", "diary-index").put("day/3", "another skill's")
    reader = PersonStorage(state, "console_-ana", "reader")
    assert await reader.items_of("diary", "day/") == {"day/1": {"pages": 3}}
    assert await reader.items_of("diary") == {"day/1": {"pages": 3}, "cover": "red"}
    assert await reader.items_of("none") == {}
    assert await reader.items() == {}
    await state.close()


async def test_in_a_group_lies_what_was_kept_there_and_nothing_private(state: StateStore) -> None:
    private = PersonStorage(state, "console_-ana", "diary")
    here = PersonStorage(state, "console_-ana", "diary", group="telegram_-100")
    there = PersonStorage(state, "console_-ana", "diary", group="telegram_-200")
    await private.put("plan", "mine")
    assert await here.get("plan") is None
    assert await here.items() == await here.items_of("diary") == {}
    assert not await here.delete("plan")
    await here.put("plan", "of the group")
    assert await private.get("plan") == "mine"
    assert await private.items() == await private.items_of("diary") == {"plan": "mine"}
    assert await there.items() == {}
    reader = PersonStorage(state, "console_-ana", "reader", group="telegram_-100")
    assert await reader.items_of("diary") == {"plan": "of the group"}
    await state.close()


@pytest.mark.parametrize("key", ["", "list/", "/list", "a//b", "x" * 5_000])
async def test_a_key_that_is_none_is_told_as_the_skill_wrote_it(
    state: StateStore, key: str
) -> None:
    for storage in (PersonStorage(state, "console_-ana", "diary"), FakeToolStorage()):
        for attempt in (storage.get(key), storage.put(key, 1), storage.delete(key)):
            with pytest.raises(ValueError, match="storage key") as caught:
                await attempt
            assert "ana" not in str(caught.value)
    await state.close()
