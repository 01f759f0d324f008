"""EventBridge Scheduler on loopback, as far as reminders need it: limits, refusals, and its time.

boto3 reaches it with ``endpoint_url=server.url``. What boto3 does not check itself is checked here
as the service does: names, expressions, zones, starts, targets, quotas. Nothing fires by itself:
``pass_to`` fires what is due and says what came out of the queue, as FIFO with content-based
de-duplication gives it.

Sources: boto3's model of ``scheduler`` (1.44) and the EventBridge Scheduler User Guide (schedule
types, quotas, managing SQS targets), read 2026-11.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import unquote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from aiohttp import web

from cloche.clock import Clock
from cloche.reminders.cron import Cron
from cloche.reminders.expressions import Expression, from_expression
from cloche.reminders.schedule import Every, Once, occurrences
from cloche.state.store import Json
from cloche.testing.loopback import LoopbackServer

NAME: Final = re.compile(r"[0-9a-zA-Z\-_.]{1,64}")
ROLE: Final = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]+")
FIFO: Final = re.compile(r"arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[\w-]+\.fifo")
EARLIEST_START: Final = timedelta(minutes=5)
SAME_MESSAGE: Final = timedelta(minutes=5)
"""A FIFO queue drops a message that has the content of another of the last five minutes."""
LARGEST_INPUT: Final = 256 * 1024
PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class Delivered:
    """What came out of the queue: when, in which message group, and the message."""

    at: datetime
    group: str
    message: str


class Refusal(Exception):  # noqa: N818 (an answer)
    """An answer of the service that is an error."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        """Take the error's code, text and status."""
        self.code, self.message, self.status = code, message, status
        super().__init__(message)


class SchedulerServer(LoopbackServer):
    """Start it with ``with`` or ``async with``.

    Attributes:
        schedules: What there is, by group and name, as it was asked for.
        calls: Every call so far: method and path.
        refuse: Errors the next calls get, in order: (code, status).
    """

    def __init__(self, clock: Clock, *, most: int = 1_000_000) -> None:
        """Take the service's clock and how many schedules an account may have."""
        super().__init__()
        self.schedules: dict[str, dict[str, dict[str, Json]]] = {}
        self.calls: list[str] = []
        self.refuse: list[tuple[str, int]] = []
        self._clock, self._most, self._since = clock, most, clock()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one call."""
        self.calls.append(f"{request.method} {request.path}")
        try:
            if self.refuse:
                code, status = self.refuse.pop(0)
                raise Refusal(code, "as the test says", status)
            document = await request.json() if request.can_read_body else {}
            return web.json_response(self._answer(request, document))
        except Refusal as error:
            headers = {"x-amzn-ErrorType": error.code}
            return web.json_response(
                {"Message": error.message}, status=error.status, headers=headers
            )

    def pass_to(self, instant: datetime) -> list[Delivered]:
        """Fire all that is due up to an instant; what comes out of the queue, in order."""
        fired = [
            (at, name, group, one)
            for group, there in self.schedules.items()
            for name, one in there.items()
            if one["State"] == "ENABLED"
            for at in _due(one, self._since, instant)
        ]
        self._since = instant
        for group, there in self.schedules.items():
            over = [n for n, one in there.items() if _is_over(one, instant)]
            for name in over:
                del self.schedules[group][name]
        delivered: list[Delivered] = []
        for at, _, _, one in sorted(fired, key=lambda each: each[:3]):
            message = _delivered(one, at)
            if all(
                (message.group, message.message) != (other.group, other.message)
                or message.at - other.at > SAME_MESSAGE
                for other in delivered
            ):
                delivered.append(message)
        return delivered

    def _answer(self, request: web.Request, document: Mapping[str, Json]) -> Json:
        parts = [unquote(part) for part in request.path.strip("/").split("/")]
        query = request.query
        match request.method, parts:
            case "POST", ["schedule-groups", name]:
                return self._make_group(name)
            case "POST", ["schedules", name]:
                return self._make(name, document)
            case "PUT", ["schedules", name]:
                return self._update(name, document)
            case "GET", ["schedules", name]:
                return dict(self._one(query.get("groupName", "default"), name))
            case "DELETE", ["schedules", name]:
                group = query.get("groupName", "default")
                self._one(group, name)
                del self.schedules[group][name]
                return {}
            case "GET", ["schedules"]:
                return self._list(query)
        raise Refusal("ValidationException", f"there is no {request.method} {request.path}")

    def _make_group(self, name: str) -> Json:
        _check(NAME.fullmatch(name), f"the group's name {name!r}")
        if name in self.schedules:
            raise Refusal("ConflictException", f"there is a group {name}", 409)
        self.schedules[name] = {}
        return {"ScheduleGroupArn": f"arn:aws:scheduler:eu-west-1:1:schedule-group/{name}"}

    def _make(self, name: str, document: Mapping[str, Json]) -> Json:
        there = self._group(document)
        if name in there:
            raise Refusal("ConflictException", f"there is a schedule {name}", 409)
        if sum(map(len, self.schedules.values())) >= self._most:
            raise Refusal("ServiceQuotaExceededException", "no more schedules", 402)
        there[name] = self._checked(name, document)
        return {"ScheduleArn": f"arn:aws:scheduler:eu-west-1:1:schedule/{name}"}

    def _update(self, name: str, document: Mapping[str, Json]) -> Json:
        there = self._group(document)
        if name not in there:
            raise Refusal("ResourceNotFoundException", f"there is no schedule {name}", 404)
        there[name] = self._checked(name, document)
        return {"ScheduleArn": f"arn:aws:scheduler:eu-west-1:1:schedule/{name}"}

    def _list(self, query: Mapping[str, str]) -> Json:
        group = query.get("ScheduleGroup", "")
        if group and group not in self.schedules:
            raise Refusal("ResourceNotFoundException", f"there is no group {group}", 404)
        names = sorted(
            (each, name)
            for each in ([group] if group else self.schedules)
            for name in self.schedules[each]
            if name.startswith(query.get("NamePrefix", ""))
        )
        start, most = int(query.get("NextToken", "0")), int(query.get("MaxResults", PAGE))
        _check(1 <= most <= 100, "MaxResults")
        page: list[Json] = [
            {"Name": name, "GroupName": each} for each, name in names[start : start + most]
        ]
        more = {"NextToken": str(start + most)} if start + most < len(names) else {}
        return {"Schedules": page, **more}

    def _group(self, document: Mapping[str, Json]) -> dict[str, dict[str, Json]]:
        group = str(document.get("GroupName", "default"))
        if group not in self.schedules:
            raise Refusal("ResourceNotFoundException", f"there is no group {group}", 404)
        return self.schedules[group]

    def _one(self, group: str, name: str) -> dict[str, Json]:
        if name not in self.schedules.get(group, {}):
            raise Refusal("ResourceNotFoundException", f"there is no schedule {name}", 404)
        return self.schedules[group][name]

    def _checked(self, name: str, document: Mapping[str, Json]) -> dict[str, Json]:
        """The schedule as the service takes it."""
        one = {"State": "ENABLED", "ActionAfterCompletion": "NONE", **document, "Name": name}
        one.setdefault("Made", self._clock().isoformat())
        _check(NAME.fullmatch(name), f"the name {name!r}")
        _check(one["State"] in ("ENABLED", "DISABLED"), "State")
        _check(one["ActionAfterCompletion"] in ("NONE", "DELETE"), "ActionAfterCompletion")
        _check(one.get("FlexibleTimeWindow") == {"Mode": "OFF"}, "FlexibleTimeWindow")
        self._check_time(one)
        target = one.get("Target")
        if not isinstance(target, dict):
            raise Refusal("ValidationException", "Target is missing")
        _check(ROLE.fullmatch(str(target.get("RoleArn"))), "Target.RoleArn")
        _check(FIFO.fullmatch(str(target.get("Arn"))), "Target.Arn is no FIFO queue")
        _check(1 <= len(str(target.get("Input", ""))) <= LARGEST_INPUT, "Target.Input")
        parameters = target.get("SqsParameters")
        group = parameters.get("MessageGroupId") if isinstance(parameters, dict) else None
        _check(isinstance(group, str) and 1 <= len(group) <= 128, "MessageGroupId")
        return one

    def _check_time(self, one: Mapping[str, Json]) -> None:
        text, zone = str(one.get("ScheduleExpression", "")), str(_zone_of(one))
        _check(1 <= len(text) <= 256 and 1 <= len(zone) <= 50, "ScheduleExpression")
        try:
            ZoneInfo(zone)
            from_expression(Expression(text, zone, start=self._clock()))
        except (ValueError, ZoneInfoNotFoundError, OSError) as error:
            raise Refusal("ValidationException", f"Invalid Schedule Expression {text}.") from error
        start, end = _instant(one.get("StartDate")), _instant(one.get("EndDate"))
        _check(start is None or start >= self._clock() - EARLIEST_START, "StartDate is over")
        _check(end is None or end > self._clock(), "EndDate is over")
        _check(not (start and end) or start < end, "StartDate is after EndDate")


def _due(one: Mapping[str, Json], since: datetime, until: datetime) -> list[datetime]:
    """When a schedule fires after an instant and up to another."""
    text, zone = str(one["ScheduleExpression"]), _zone_of(one)
    made = datetime.fromisoformat(str(one["Made"]))
    start = _instant(one.get("StartDate")) or made
    end = _instant(one.get("EndDate")) or until
    schedule = from_expression(Expression(text, zone, start=start))
    after = max(since, made - timedelta(seconds=1))
    if isinstance(schedule, Cron):
        # Days on which clocks skip the time are left out.
        instants = list[datetime]()
        for at in schedule.instants(max(after, start - timedelta(seconds=1)), skip_gaps=True):
            if at > min(until, end):
                break
            instants.append(at)
        return instants
    found = occurrences(schedule, after=after, limit=10_000 if isinstance(schedule, Every) else 1)
    return [at for at in found if at <= min(until, end)]


def _is_over(one: Mapping[str, Json], now: datetime) -> bool:
    if one["ActionAfterCompletion"] != "DELETE" or one["State"] != "ENABLED":
        return False
    end = _instant(one.get("EndDate"))
    text, zone = str(one["ScheduleExpression"]), _zone_of(one)
    schedule = from_expression(Expression(text, zone, start=now))
    return schedule.at <= now if isinstance(schedule, Once) else bool(end and end <= now)


def _delivered(one: Mapping[str, Json], at: datetime) -> Delivered:
    target = one["Target"]
    if not isinstance(target, dict) or not isinstance(target["SqsParameters"], dict):
        raise TypeError("the target was checked when it was made")
    told = f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    text = str(target["Input"]).replace("<aws.scheduler.scheduled-time>", told)
    json.loads(text)
    return Delivered(at, str(target["SqsParameters"]["MessageGroupId"]), text)


def _zone_of(one: Mapping[str, Json]) -> str:
    return str(one.get("ScheduleExpressionTimezone") or "UTC")


def _instant(value: Json) -> datetime | None:
    """A timestamp of the API: seconds since 1970."""
    return datetime.fromtimestamp(value, UTC) if isinstance(value, int | float) else None


def _check(holds: object, what: str) -> None:
    if not holds:
        raise Refusal("ValidationException", f"{what} is not valid")
