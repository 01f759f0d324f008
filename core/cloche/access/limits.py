"""How much one person may use: messages a minute, and money a day."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypeAlias
from zoneinfo import ZoneInfo

from cloche.access.purses import Purses
from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche.llm.usage import Usage
from cloche.logs import OncePerCause
from cloche.settings import AccessSettings
from cloche.state.store import Json, StateStore

logger = logging.getLogger(__name__)

WINDOW: Final = timedelta(minutes=1)
MICROS: Final = 1_000_000
"""Money is counted in millionths of a dollar, rounded up: counters are whole numbers."""
SPEND_KEPT: Final = timedelta(days=3)

Verdict: TypeAlias = Literal["go", "notice", "silence"]


@dataclass(frozen=True, slots=True)
class Ruling:
    """Whether a person may go on: if not, ``until`` is when they may again."""

    verdict: Verdict
    until: datetime


class Limits:
    """Counts what people use, in the StateStore: the same for every process.

    A message is counted once, however often it is asked about: after a process died its messages
    are asked about again. Money is counted after a turn, so a person's turns that run at the same
    moment may go beyond the budget by what they take.
    """

    def __init__(
        self,
        state: StateStore,
        clock: Clock,
        settings: AccessSettings,
        zone: ZoneInfo,
        notices: OncePerCause,
    ) -> None:
        """Take the limits, and the host's zone.

        A day of money is a day there: by a person's own zone, changing it would begin a new day.
        """
        self._state, self._clock, self._settings, self._zone = state, clock, settings, zone
        self._notices, self._purses = notices, Purses(state)
        self._owed: dict[str, int] = {}

    async def message(self, actor: str, message: str) -> Ruling:
        """Count a message against the minute; the first one too many gets the notice.

        Args:
            actor: Whose.
            message: What tells it from others.

        Raises:
            MemoryUnavailableError: it cannot be counted; nobody goes on uncounted.
        """
        now, most = self._clock(), self._settings.messages_per_minute
        number = _window(now)
        until = datetime.fromtimestamp((number + 1) * WINDOW.total_seconds(), UTC)
        key = _rate_key(await self._purses.of(actor, self._day()[0]), number)
        while True:
            item = await self._state.get(key)
            stored = item.value if item else []
            seen: list[Json] = stored if isinstance(stored, list) else []
            if message in seen:
                return Ruling("go" if seen.index(message) < most else "notice", until)
            if len(seen) > most:
                return Ruling("silence", until)
            version = item.version if item else 0
            if await self._state.compare_and_set(
                key, [*seen, message], version=version, ttl=2 * WINDOW
            ):
                return Ruling("go" if len(seen) < most else "notice", until)

    async def money(self, actor: str, message: str) -> Ruling:
        """Whether something of the day's budget is left; the first message after it is noticed.

        Raises:
            MemoryUnavailableError: it cannot be told; nobody spends uncounted.
        """
        day, until = self._day()
        if await self.may_spend(actor):
            return Ruling("go", until)
        first = await only_first(self._state, f"access/over/{actor}/{day}", message, ttl=SPEND_KEPT)
        return Ruling("notice" if first else "silence", until)

    async def may_spend(self, actor: str) -> bool:
        """Whether something of the day's budget is left, told to nobody.

        Raises:
            MemoryUnavailableError: it cannot be told.
        """
        if not self._settings.daily_usd:
            return True
        await self._pay(actor)
        return await self._spent(actor) < round(self._settings.daily_usd * MICROS)

    async def spent(self, actor: str, usage: Usage) -> None:
        """Count what a turn took; never fails: what cannot be counted now is with the next."""
        if not usage.calls:
            return
        self._owed[actor] = self._owed.get(actor, 0) + self._micros(usage)
        try:
            await self._pay(actor)
        except MemoryUnavailableError as error:
            self._notices.warn(f"spend {error.cause}", "what was spent waits: %s", error)

    async def spent_today(self, actor: str) -> float:
        """US dollars a person's turns took since the day began.

        With those of whoever was one person with them today.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        return await self._spent(actor) / MICROS

    async def merge(self, door: str, actor: str) -> None:
        """Have what a door used today be its person's, so that a link is no new budget.

        Cut off in the middle it may count twice, never less.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        await self._pay(door)
        day, _ = self._day()
        purse = await self._purses.share(door, actor, day)
        if purse == door:
            return
        await self._merge_minute(door, purse)
        item = await self._state.get(_spend_key(door, day))
        if item and isinstance(item.value, int):
            await self._state.increment(_spend_key(purse, day), item.value, ttl=SPEND_KEPT)
            await self._state.delete(item.key)

    async def part(self, door: str, actor: str) -> None:
        """Go on counting a door with its person until the day ends: parting is no new budget.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        await self._purses.share(door, actor, self._day()[0])

    async def _merge_minute(self, door: str, purse: str) -> None:
        number = _window(self._clock())
        theirs = await self._state.get(_rate_key(door, number))
        more: list[Json] = theirs.value if theirs and isinstance(theirs.value, list) else []
        key = _rate_key(purse, number)
        while more:
            item = await self._state.get(key)
            seen: list[Json] = item.value if item and isinstance(item.value, list) else []
            both = [*seen, *(one for one in more if one not in seen)]
            version = item.version if item else 0
            if await self._state.compare_and_set(key, both, version=version, ttl=2 * WINDOW):
                return

    async def _spent(self, actor: str) -> int:
        day, _ = self._day()
        item = await self._state.get(_spend_key(await self._purses.of(actor, day), day))
        return item.value if item and isinstance(item.value, int) else 0

    async def _pay(self, actor: str) -> None:
        """Count what this process still owes for a person."""
        owed = self._owed.pop(actor, 0)
        if not owed:
            return
        try:
            day, _ = self._day()
            key = _spend_key(await self._purses.of(actor, day), day)
            await self._state.increment(key, owed, ttl=SPEND_KEPT)
        except BaseException:
            self._owed[actor] = self._owed.get(actor, 0) + owed
            raise

    def _micros(self, usage: Usage) -> int:
        if usage.cost_usd is not None:
            return math.ceil(usage.cost_usd * MICROS)
        price = self._settings.unpriced_usd_per_million
        if price:
            self._notices.warn(
                f"unpriced {usage.model}",
                "no price is known of %s: its tokens count as %s US dollars a million against "
                "people's budgets; CLOCHE_ACCESS__UNPRICED_USD_PER_MILLION changes that, 0 = "
                "it costs nothing",
                usage.model or "a model",
                price,
            )
        # Dollars a million tokens are millionths of a dollar a token.
        return math.ceil((usage.input_tokens + usage.output_tokens) * price)

    def _day(self) -> tuple[str, datetime]:
        """The host's day, and when the next one begins."""
        today = self._clock().astimezone(self._zone)
        midnight = today.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
        return f"{today:%Y-%m-%d}", (midnight + timedelta(days=1)).astimezone(UTC)


async def only_first(state: StateStore, key: str, message: str, *, ttl: timedelta) -> bool:
    """True for the one message that was first within ``ttl``, whenever it is asked about again.

    Raises:
        MemoryUnavailableError: the store is away.
    """
    if await state.compare_and_set(key, message, version=0, ttl=ttl):
        return True
    item = await state.get(key)
    return item is not None and item.value == message


def _spend_key(actor: str, day: str) -> str:
    return f"access/spend/{actor}/{day}"


def _rate_key(actor: str, number: int) -> str:
    return f"access/rate/{actor}/{number}"


def _window(now: datetime) -> int:
    """The minute's number."""
    return int(now.timestamp() // WINDOW.total_seconds())
