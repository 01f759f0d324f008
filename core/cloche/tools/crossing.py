"""The way back: what a tool is given belongs to the host's event loop, the tool runs on another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from cloche.errors import ToolError
from cloche.people import Home, Units
from cloche.tools.files import ToolFiles
from cloche.tools.memory import ToolMemory
from cloche.tools.reminders import ToolReminders
from cloche.tools.settings import ToolSettings
from cloche.tools.storage import ToolStorage

if TYPE_CHECKING:
    from cloche.tools.context import ToolContext

P = ParamSpec("P")
T = TypeVar("T")


class Crossing:
    """From the loop of one tool call to the host's, for as long as the call lasts.

    On leaving, what the call has under way at the host's is given up, and whatever it asks for
    later is refused: nothing is done any more for a call whose answer nobody waits for.
    """

    def __init__(self) -> None:
        """Belong to the running loop."""
        self._loop = asyncio.get_running_loop()
        self._under_way: set[asyncio.Task[object]] = set()
        self._over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over = True
        for task in self._under_way:
            task.cancel()

    def of(
        self, method: Callable[P, Coroutine[Any, Any, T]]
    ) -> Callable[P, Coroutine[Any, Any, T]]:
        """The same method for any loop: it runs on the host's, a cancellation passes on.

        It raises ``ToolError`` where the call is over.
        """

        async def crossed(*args: P.args, **kwargs: P.kwargs) -> T:
            self._refuse_if_over()
            there = self._run(method, *args, **kwargs)
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(there, self._loop))

        return crossed

    async def _run(
        self, method: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        self._refuse_if_over()  # it may have ended on the way
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 (for mypy: a coroutine runs in one)
        self._under_way.add(task)
        try:
            return await method(*args, **kwargs)
        finally:
            self._under_way.discard(task)

    def _refuse_if_over(self) -> None:
        if self._over:
            raise ToolError("This call is over: nothing more is done for it.")


def across(context: ToolContext, way: Crossing) -> ToolContext:
    """A context for a tool on another loop than the one its parts belong to."""
    return replace(
        context,
        memory=_Memory(context.memory, way),
        storage=_Storage(context.storage, way),
        files=_Files(context.files, way),
        reminders=_Reminders(context.reminders, way),
        settings=_Settings(context.settings, way),
    )


class _Memory:
    def __init__(self, memory: ToolMemory, way: Crossing) -> None:
        self.remember = way.of(memory.remember)
        self.search = way.of(memory.search)
        self.correct = way.of(memory.correct)
        self.forget = way.of(memory.forget)


class _Storage:
    def __init__(self, storage: ToolStorage, way: Crossing) -> None:
        self.get = way.of(storage.get)
        self.put = way.of(storage.put)
        self.items = way.of(storage.items)
        self.delete = way.of(storage.delete)
        self.items_of = way.of(storage.items_of)


class _Files:
    def __init__(self, files: ToolFiles, way: Crossing) -> None:
        self.list = way.of(files.list)
        self.read = way.of(files.read)
        self.read_text = way.of(files.read_text)
        self.look = way.of(files.look)
        self.write = way.of(files.write)
        self.send = way.of(files.send)
        self.delete = way.of(files.delete)


class _Reminders:
    """What reads times only reckons: it needs no loop."""

    def __init__(self, reminders: ToolReminders, way: Crossing) -> None:
        self.when = reminders.when
        self.parted = reminders.parted
        self.several = reminders.several
        self.needs_zone = reminders.needs_zone
        self.line = reminders.line
        self.set = way.of(reminders.set)
        self.list = way.of(reminders.list)
        self.meant = way.of(reminders.meant)
        self.change = way.of(reminders.change)
        self.cancel = way.of(reminders.cancel)
        self.check_daily = way.of(reminders.check_daily)


class _Settings:
    """What was chosen is read as it is at that moment, from wherever."""

    def __init__(self, settings: ToolSettings, way: Crossing) -> None:
        self._settings = settings
        self.set_place = way.of(settings.set_place)
        self.set_town = way.of(settings.set_town)
        self.set_units = way.of(settings.set_units)
        self.set_time_zone = way.of(settings.set_time_zone)

    @property
    def language(self) -> str:
        return self._settings.language

    @property
    def time_zone(self) -> str:
        return self._settings.time_zone

    @property
    def zone_known(self) -> bool:
        return self._settings.zone_known

    @property
    def place(self) -> Home | None:
        return self._settings.place

    @property
    def town(self) -> str:
        return self._settings.town

    @property
    def units(self) -> Units:
        return self._settings.units
