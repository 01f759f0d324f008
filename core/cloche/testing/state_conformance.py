"""What every state store must do: inherited by the tests of a store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche.state.store import MAX_KEY_CHARS, MAX_VALUE_BYTES, Json, StateItem, StateStore
from cloche.testing.clock import FakeClock
from cloche.testing.inherited import KeepsInheritedTests

HOUR: Final = timedelta(hours=1)
VALUES: Final[tuple[Json, ...]] = (
    None, True, False, 0, -7, 10**30, 0.1, -2.5e-300, "", "¿qué? 阳台 \U0001f9ed\n\x00", [], {},
    [1, [2, {"three": None}]], {"ключ": {"a": ["b", 1.5, False]}, "": "empty"},
)  # fmt: skip
NO_NUMBERS: Final[tuple[Json, ...]] = ("1", True, None, 1.5, [1])
LARGEST: Final = "x" * (MAX_VALUE_BYTES - 2)
BAD_VALUES: Final[tuple[Json, ...]] = (
    LARGEST + "x",
    "阳" * (MAX_VALUE_BYTES // 3),
    float("nan"),
    [float("inf")],
)
BAD_KEYS: Final = ("", "/", "/a", "a/", "a//b", "a" * (MAX_KEY_CHARS + 1))
SIBLINGS: Final = (
    "a", "a/b", "a/b/c", "a/bc", "a/B", "a/%", "a/b_", "ab/c", "a-b", "á/b", "阳台/1", "阳台/2",
    "a/\U0010ffff", "a/\U0010ffff\U0010ffff", "z",
)  # fmt: skip

Call = Callable[[StateStore, str], Awaitable[object]]
CALLS: Final[dict[str, Call]] = {
    "claim": lambda store, key: store.claim(key, ttl=HOUR),
    "get": lambda store, key: store.get(key),
    "put": lambda store, key: store.put(key, 1),
    "compare_and_set": lambda store, key: store.compare_and_set(key, 1, version=0),
    "increment": lambda store, key: store.increment(key),
    "delete": lambda store, key: store.delete(key),
}
"""Every method that names a key."""


class StateConformance(KeepsInheritedTests):
    """Every sentence of ``StateStore``'s documentation as a test.

    A store's author inherits it and gives one method; with ``asyncio_mode = "auto"`` in pytest's
    settings that is all::

        class TestMyState(StateConformance):
            async def open_store(self, tmp_path, clock):
                return MyState(tmp_path / "state.db", clock)

    Opening a store twice at one ``tmp_path`` must give the same data, also while both are open.
    """

    async def open_store(self, tmp_path: Path, clock: Clock) -> StateStore:
        """A store whose data lies at ``tmp_path``."""
        raise NotImplementedError("give open_store: it makes the store under test")

    @asynccontextmanager
    async def opened(self, tmp_path: Path, clock: Clock) -> AsyncIterator[StateStore]:
        """The store, closed at the end."""
        store = await self.open_store(tmp_path, clock)
        try:
            yield store
        finally:
            await store.close()

    async def test_a_claim_is_won_once(self, tmp_path: Path) -> None:
        """Among many tasks of two stores on the same data; another key is another claim."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as one, self.opened(tmp_path, clock) as other:
            asked = [store.claim("update/7", ttl=HOUR) for store in (one, other) * 20]
            assert sum(await asyncio.gather(*asked)) == 1
            assert await other.claim("update/8", ttl=HOUR)

    async def test_a_claim_can_be_won_again_when_its_time_is_over(self, tmp_path: Path) -> None:
        """Not a moment sooner, and once again."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            assert await store.claim("update/7", ttl=HOUR)
            clock.pass_(minutes=59, seconds=59)
            assert not await store.claim("update/7", ttl=HOUR)
            clock.pass_(seconds=1)
            claims = [store.claim("update/7", ttl=HOUR) for _ in range(10)]
            assert sum(await asyncio.gather(*claims)) == 1

    async def test_a_claim_given_up_can_be_won_again(self, tmp_path: Path) -> None:
        """It is an item like others."""
        async with self.opened(tmp_path, FakeClock()) as store:
            assert await store.claim("update/7", ttl=HOUR)
            assert await store.get("update/7") is not None
            assert await store.delete("update/7")
            assert await store.claim("update/7", ttl=HOUR)

    @pytest.mark.parametrize("value", VALUES)
    async def test_a_value_comes_back_as_it_was_put(self, tmp_path: Path, value: Json) -> None:
        """Any JSON document, after closing and opening too."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            assert await store.get("some/key") is None
            put = await store.put("some/key", value)
            assert put == StateItem("some/key", value, 1)
            assert repr(put.value) == repr(value)
        async with self.opened(tmp_path, clock) as store:
            assert await store.get("some/key") == put

    async def test_a_put_counts_versions_and_sets_the_lifetime_anew(self, tmp_path: Path) -> None:
        """None = for good, whatever there was before."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            first = await store.put("k", 1, ttl=HOUR)
            assert (first.version, first.expires_at) == (1, clock() + HOUR)
            assert (await store.put("k", 2, ttl=2 * HOUR)).expires_at == clock() + 2 * HOUR
            third = await store.put("k", 3)
            assert (third.version, third.expires_at) == (3, None)
            clock.pass_(days=4000)
            assert await store.get("k") == third

    async def test_what_is_put_is_a_copy(self, tmp_path: Path) -> None:
        """Changing the value in hand changes nothing that is stored."""
        value: list[Json] = [1]
        async with self.opened(tmp_path, FakeClock()) as store:
            await store.put("k", value)
            value.append(2)
            assert await _value(store, "k") == [1]

    async def test_a_compare_and_set_needs_the_version_that_is_there(self, tmp_path: Path) -> None:
        """0 = there is none; a refusal changes nothing."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            assert await store.compare_and_set("k", "no", version=1) is None
            assert await store.get("k") is None
            first = await store.compare_and_set("k", "a", version=0, ttl=HOUR)
            assert first == StateItem("k", "a", 1, clock() + HOUR)
            for version in (0, 2, -1):
                assert await store.compare_and_set("k", "no", version=version) is None
            assert await store.get("k") == first
            second = await store.compare_and_set("k", "b", version=1)
            assert second == StateItem("k", "b", 2)
            assert await store.get("k") == second

    async def test_of_many_that_compare_and_set_one_wins(self, tmp_path: Path) -> None:
        """So that reading, changing and trying again loses no change."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as one, self.opened(tmp_path, clock) as other:
            races = [s.compare_and_set("k", n, version=0) for n, s in enumerate((one, other) * 5)]
            assert sum(item is not None for item in await asyncio.gather(*races)) == 1

            async def add(store: StateStore, name: str) -> None:
                while True:
                    item = await store.get("names")
                    names = item.value if item and isinstance(item.value, list) else []
                    version = item.version if item else 0
                    if await store.compare_and_set("names", [*names, name], version=version):
                        return

            await asyncio.gather(*(add(s, str(n)) for n, s in enumerate((one, other) * 5)))
            names = await _value(one, "names")
            assert isinstance(names, list)
            assert sorted(map(str, names)) == [str(n) for n in range(10)]

    async def test_counters_lose_no_count(self, tmp_path: Path) -> None:
        """An absent one is 0; any whole step; what others add at the same time adds up."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as one, self.opened(tmp_path, clock) as other:
            assert await one.increment("n", 5) == 5
            assert await one.increment("n", -7) == -2
            assert await one.increment("n", 0) == -2
            steps = await asyncio.gather(*(s.increment("n") for s in (one, other) * 15))
            assert sorted(steps) == list(range(-1, 29))
            assert await other.get("n") == StateItem("n", 28, 33)

    async def test_a_counter_lives_from_its_first_count(self, tmp_path: Path) -> None:
        """Later counts do not prolong it; afterwards it begins at 0 again."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            assert await store.increment("n", ttl=HOUR) == 1
            clock.pass_(minutes=50)
            assert await store.increment("n", ttl=HOUR) == 2
            clock.pass_(minutes=10)
            assert await store.get("n") is None
            assert await store.increment("n") == 1
            clock.pass_(days=4000)
            assert await store.increment("n") == 2

    async def test_what_is_no_number_cannot_be_counted(self, tmp_path: Path) -> None:
        """The value stays as it is."""
        async with self.opened(tmp_path, FakeClock()) as store:
            for value in NO_NUMBERS:
                await store.put("k", value)
                with pytest.raises(ValueError, match="k"):
                    await store.increment("k")
                assert await _value(store, "k") == value

    async def test_items_are_listed_by_prefix_in_the_order_of_keys(self, tmp_path: Path) -> None:
        """Whatever the size of a page; signs of patterns are plain signs."""
        async with self.opened(tmp_path, FakeClock()) as store:
            for key in reversed(SIBLINGS):
                await store.put(key, key.upper())
            prefixes = ("", "a", "a/", "a/b", "a/b/", "a/%", "a/\U0010ffff", "阳", "阳台/", "q")
            for prefix in prefixes:
                wanted = sorted(key for key in SIBLINGS if key.startswith(prefix))
                for limit in (1, 2, 100):
                    read: list[str] = []
                    while page := await store.list_items(
                        prefix, after=read[-1] if read else "", limit=limit
                    ):
                        assert len(page) <= limit
                        read += [item.key for item in page]
                    assert read == wanted, prefix
            assert await store.list_items("a/b/") == [StateItem("a/b/c", "A/B/C", 1)]

    async def test_items_are_removed_one_by_one_or_by_prefix(self, tmp_path: Path) -> None:
        """It is told how much was there."""
        async with self.opened(tmp_path, FakeClock()) as store:
            for key in SIBLINGS:
                await store.put(key, 1)
            assert await store.delete("a")
            assert not await store.delete("a")
            assert await store.delete_prefix("a/b") == 4
            assert await store.delete_prefix("a/b") == 0
            left = [item.key for item in await store.list_items("a")]
            assert left == sorted({"a/B", "a/%", "ab/c", "a-b", "a/\U0010ffff", SIBLINGS[-2]})
            assert (await store.put("a/b", 2)).version == 1

    async def test_an_item_whose_time_is_over_is_as_good_as_gone(self, tmp_path: Path) -> None:
        """For every method, to the moment."""
        clock = FakeClock()
        async with self.opened(tmp_path, clock) as store:
            for n in range(6):
                await store.put(f"gone/{n}", n, ttl=HOUR)
            await store.put("gone/later", 1, ttl=2 * HOUR)
            clock.pass_(minutes=59, seconds=59)
            assert len(await store.list_items("gone/")) == 7
            clock.pass_(seconds=1)
            assert await store.get("gone/0") is None
            assert [item.key for item in await store.list_items("gone/")] == ["gone/later"]
            assert not await store.delete("gone/1")
            assert await store.compare_and_set("gone/2", 1, version=1) is None
            assert await store.compare_and_set("gone/2", 1, version=0)
            assert (await store.put("gone/3", 1)).version == 1
            assert await store.claim("gone/4", ttl=HOUR)
            assert await store.increment("gone/5") == 1
            assert await store.delete_prefix("gone/") == 5

    @pytest.mark.parametrize("method", CALLS)
    async def test_a_bad_key_is_refused(self, tmp_path: Path, method: str) -> None:
        """Empty, with an empty part, or longer than 512 characters; 512 are allowed."""
        async with self.opened(tmp_path, FakeClock()) as store:
            for key in BAD_KEYS:
                with pytest.raises(ValueError, match="key"):
                    await CALLS[method](store, key)
            await CALLS[method](store, "阳" * MAX_KEY_CHARS)

    async def test_everything_cannot_be_removed_at_once(self, tmp_path: Path) -> None:
        """An empty prefix is a mistake of the caller's, not a wish."""
        async with self.opened(tmp_path, FakeClock()) as store:
            await store.put("k", 1)
            with pytest.raises(ValueError, match="prefix"):
                await store.delete_prefix("")
            assert await store.get("k") is not None

    async def test_a_value_that_is_too_large_or_no_json_is_refused(self, tmp_path: Path) -> None:
        """300 kB encoded are allowed; what was there stays."""
        async with self.opened(tmp_path, FakeClock()) as store:
            await store.put("k", LARGEST)
            for value in BAD_VALUES:
                with pytest.raises(ValueError, match=r"value|JSON"):
                    await store.put("k", value)
            assert await _value(store, "k") == LARGEST

    @pytest.mark.parametrize("method", [*CALLS, "list_items", "delete_prefix"])
    async def test_a_closed_store_says_so(self, tmp_path: Path, method: str) -> None:
        """Every later call raises the error that turns expect; closing twice is harmless."""
        store = await self.open_store(tmp_path, FakeClock())
        await store.put("k", 1)
        await store.close()
        await store.close()
        others: dict[str, Call] = {
            "list_items": lambda store, key: store.list_items(key),
            "delete_prefix": lambda store, key: store.delete_prefix(key),
        }
        with pytest.raises(MemoryUnavailableError) as caught:
            await {**CALLS, **others}[method](store, "k")
        assert caught.value.cause == "closed"


async def _value(store: StateStore, key: str) -> Json:
    item = await store.get(key)
    assert item is not None, key
    return item.value
