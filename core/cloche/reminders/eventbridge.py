"""Reminders that EventBridge Scheduler fires: kept in the StateStore, put on a queue when due.

A schedule's message names the reminder and the instant and nobody; who it is for is looked up. The
queue is FIFO with content-based de-duplication, which is what the service's messages need: they
can carry a group and no de-duplication id.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError, StoreCause
from cloche.reminders.local import LocalReminders
from cloche.reminders.reminder import Reminder
from cloche.reminders.service_schedules import Wanted, again, base_name, person_part, wanted
from cloche.state.store import StateStore

logger = logging.getLogger(__name__)

PAGE: Final = 100
"""The most that ListSchedules gives at once."""
TRIES: Final = 4
"""A schedule may remove itself, or be made by another process, between two calls."""
CONNECT_SECONDS: Final = 4
READ_SECONDS: Final = 10
AGE_SECONDS: Final = 86_400
"""How long the service tries to reach the queue; what comes then says when it was due."""


class EventBridgeReminders:
    """Keeps reminders in a StateStore and schedules in the service (``ReminderStore``)."""

    external = True

    def __init__(
        self,
        state: StateStore,
        clock: Clock,
        *,
        client: Callable[[], Any],
        group: str,
        queue: str,
        role: str,
    ) -> None:
        """Take where reminders are kept and how they fire; nothing is asked yet.

        Args:
            state: Keeps the reminders.
            clock: The present instant.
            client: Makes boto3's ``scheduler`` client, when it is first needed.
            group: Name of the assistant's schedule group; made when it is not there.
            queue: ARN of the FIFO queue.
            role: ARN of the role that may send to it.
        """
        self._state, self._clock = state, clock
        self._kept = LocalReminders(state, clock)
        self._made = client
        self._client: Any = None
        self._group, self._queue, self._role = group, queue, role
        self._grouped = False

    async def put(self, reminder: Reminder) -> None:
        """Keep a reminder and schedule it; see ``ReminderStore``."""
        await self._kept.put(reminder)
        await self._state.put(_owner_key(reminder.id), reminder.actor)
        await self._align(reminder)

    async def get(self, actor: str, reminder_id: str) -> Reminder | None:
        """The reminder, or None."""
        return await self._kept.get(actor, reminder_id)

    async def find(self, reminder_id: str) -> Reminder | None:
        """The reminder that a message from the queue names, whoever's it is."""
        item = await self._state.get(_owner_key(reminder_id))
        actor = item.value if item else None
        return await self._kept.get(actor, reminder_id) if isinstance(actor, str) else None

    async def list(self, actor: str) -> Sequence[Reminder]:
        """Those that are to come, the next first."""
        return await self._kept.list(actor)

    async def told(self, actor: str) -> Sequence[Reminder]:
        """Those of which something was due."""
        return await self._kept.told(actor)

    async def cancel(self, actor: str, reminder_id: str) -> bool:
        """Remove one and its schedules; False when there is none."""
        reminder = await self._kept.get(actor, reminder_id)
        if reminder is None:
            return False
        await self._prune(base_name(reminder), keep=())
        await self._state.delete(_owner_key(reminder_id))
        return await self._kept.cancel(actor, reminder_id)

    async def pause(self, actor: str) -> int:
        """Have none of a person's fire until they are resumed; how many."""
        changed = await self._kept.pause(actor)
        await self.refresh(actor)
        return changed

    async def resume(self, actor: str) -> int:
        """Have them fire again, what was missed meanwhile at once; how many."""
        changed = await self._kept.resume(actor)
        await self.refresh(actor)
        return changed

    async def due(
        self, now: datetime, channels: Collection[str], *, after: Reminder | None = None
    ) -> Sequence[Reminder]:
        """What is due by now, whether or not it fired."""
        return await self._kept.due(now, channels, after=after)

    async def next_due(self, channels: Collection[str], *, after: datetime) -> datetime | None:
        """When the next one after an instant is due."""
        return await self._kept.next_due(channels, after=after)

    async def claim(self, actor: str, reminder_id: str, instant: datetime) -> bool:
        """Take care of all that is due up to an instant; what comes next is scheduled before."""
        reminder = await self._kept.get(actor, reminder_id)
        if reminder is None:
            return False
        # A chain that is not gone on with before the claim would end with a process that dies.
        after = replace(reminder, handled=instant)
        chained = wanted(after, self._clock())
        for name, one in chained.items():
            if name != base_name(reminder):  # a rule of its own goes on by itself
                await self._put(name, one)
        if not await self._kept.claim(actor, reminder_id, instant):
            return False
        await self._prune(base_name(reminder), keep=chained)
        return True

    async def wait(self, reminder: Reminder, until: datetime) -> None:
        """Fire once more at an instant to come, because nobody looks by themselves."""
        for name, one in again(reminder, until).items():
            await self._put(name, one)

    async def set_back(self, now: datetime, actor: str = "") -> int:
        """Undo what a clock that ran ahead took care of; schedules go by the service's clock."""
        return await self._kept.set_back(now, actor)

    async def refresh(self, actor: str) -> None:
        """Schedule all of a person's anew."""
        for reminder in await self._kept.list(actor):
            await self._state.put(_owner_key(reminder.id), actor)
            await self._align(reminder)

    async def forget(self, actor: str) -> int:
        """Remove all that is a person's, schedules first; how many reminders."""
        await self._prune(person_part(actor), keep=())
        for reminder in (*await self._kept.list(actor), *await self._kept.told(actor)):
            await self._state.delete(_owner_key(reminder.id))
        return await self._kept.forget(actor)

    def watch(self, changed: Callable[[], None]) -> None:
        """Have something called whenever what may be due sooner is set."""
        self._kept.watch(changed)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await asyncio.to_thread(self._client.close)
            self._client = None

    async def _align(self, reminder: Reminder) -> None:
        """Have the reminder's schedules, and no others of it."""
        schedules = wanted(reminder, self._clock())
        for name, one in schedules.items():
            await self._put(name, one)
        await self._prune(base_name(reminder), keep=schedules)

    async def _put(self, name: str, one: Wanted) -> None:
        """Make a schedule, or have the one of that name be as wanted."""
        if not self._grouped:
            await self._call("create_schedule_group", "ConflictException", Name=self._group)
            self._grouped = True
        asked = self._request(name, one)
        for _ in range(TRIES):
            if await self._call("create_schedule", "ConflictException", **asked) is not None:
                return
            found = await self._call("update_schedule", "ResourceNotFoundException", **asked)
            if found is not None:
                return
        raise MemoryUnavailableError(f"the schedule {name} comes and goes", cause="locked")

    def _request(self, name: str, one: Wanted) -> Mapping[str, object]:
        expression = one.expression
        asked: dict[str, object] = {
            "Name": name,
            "GroupName": self._group,
            "ScheduleExpression": expression.text,
            "ScheduleExpressionTimezone": expression.zone,
            "FlexibleTimeWindow": {"Mode": "OFF"},
            "State": "ENABLED" if one.enabled else "DISABLED",
            "ActionAfterCompletion": "DELETE" if one.once else "NONE",
            "Target": {
                "Arn": self._queue,
                "RoleArn": self._role,
                "Input": one.message,
                "SqsParameters": {"MessageGroupId": one.group},
                "RetryPolicy": {"MaximumEventAgeInSeconds": AGE_SECONDS},
            },
        }
        if expression.start is not None:
            asked["StartDate"] = expression.start
        if expression.end is not None:
            asked["EndDate"] = expression.end
        return asked

    async def _prune(self, prefix: str, *, keep: Collection[str]) -> None:
        """Remove the schedules whose name begins so, but those to be kept."""
        token: str | None = None
        names: list[str] = []
        while True:
            more = {"NextToken": token} if token else {}
            page = await self._call(
                "list_schedules",
                "ResourceNotFoundException",
                GroupName=self._group,
                NamePrefix=prefix,
                MaxResults=PAGE,
                **more,
            )
            names += [one["Name"] for one in (page or {}).get("Schedules", ())]
            token = (page or {}).get("NextToken")
            if not token:
                break
        for name in names:
            if name not in keep:
                await self._call(
                    "delete_schedule",
                    "ResourceNotFoundException",
                    Name=name,
                    GroupName=self._group,
                )

    async def _call(self, method: str, expected: str, **asked: object) -> Any:
        """What the service answers; None where it answers with the error that is expected.

        Raises:
            MemoryUnavailableError: it cannot be asked, or refuses.
        """
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            if self._client is None:
                self._client = await asyncio.to_thread(self._made)
            return await asyncio.to_thread(partial(getattr(self._client, method), **asked))
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            if code == expected:
                return None
            many = code in ("ThrottlingException", "TooManyRequestsException")
            cause: StoreCause = "slow" if many else "io"
            raise MemoryUnavailableError(f"{method}: {code}", cause=cause) from error
        except BotoCoreError as error:
            raise MemoryUnavailableError(f"{method}: {type(error).__name__}", cause="io") from error


def scheduler_client(region: str) -> Any:
    """boto3's ``scheduler`` client, which has no static type; AWS's own settings say how."""
    import boto3
    from botocore.config import Config

    return boto3.client(
        "scheduler",
        region_name=region or None,
        config=Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"mode": "standard", "total_max_attempts": 4},
        ),
    )


def _owner_key(reminder_id: str) -> str:
    """Where it is told whose a reminder is."""
    return f"reminder-of/{reminder_id}"
