"""A small assistant of no field in particular, installed for the length of a test."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.memory.remembered import Remembered
from cloche.messages import Address, Attachment, Message
from cloche.plugins import load_host
from cloche.settings import Settings
from cloche.turn import Turn

PACKAGE = """
from cloche import MemoryScope, MetadataKey, NamespaceScheme, Persona, Value, Vocabulary, hookimpl

@hookimpl
def provide_persona():
    chapters = tuple((f"chapter-{n}", "Knows strings. " * 500) for n in range({chapters}))
    return Persona("Luthier", (("identity", "# Luthier"), *chapters))

@hookimpl
def provide_vocabulary():
    return Vocabulary((
        MetadataKey("instruments", "Instruments the person has.", inventory=True,
            aliases=("instrument", "instruments", "instrumentos", "乐器"),
            values=(Value("violin", aliases=("violín", "小提琴")),
                    Value("cello", aliases=("chelo", "大提琴")),
                    Value("lute", aliases=("laúd", "鲁特琴")))),
        MetadataKey("topic", "What it is about.", closed=True,
            values=(Value("strings", aliases=("string", "cuerdas", "弦")),
                    Value("room", aliases=("habitación", "房间")))),
    ))

@hookimpl
def provide_namespaces():
    return NamespaceScheme("luthier", (MemoryScope.keyed("luthier", "piece"),))
"""


class FakeClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **time: float) -> None:
        self.now += timedelta(**time)


class Chat:
    """One person's chat with an assistant."""

    def __init__(
        self, assistant: Assistant, clock: FakeClock, sender: str, **where: object
    ) -> None:
        self.assistant, self.clock, self.sender, self.where = assistant, clock, sender, where
        self.remembered = Remembered()

    async def say(self, text: str, *pictures: str, on_delta: object = None) -> Turn:
        self.clock.pass_(seconds=20)
        message = Message(
            id=f"{next(_UPDATES)}",
            address=Address(str(self.where.get("channel", "console")), self.sender),
            conversation=str(self.where.get("conversation", self.sender)),
            text=text,
            attachments=tuple(Attachment(ref=name, name=name) for name in pictures),
            sender_name=self.sender.title(),
            group=bool(self.where.get("group", False)),
            scope_keys=self.where.get("scope_keys", {}),  # type: ignore[arg-type]
        )
        turn = await self.assistant.handle(message, on_delta)  # type: ignore[arg-type]
        self.remembered = await turn.afterwards()
        return turn


_UPDATES = itertools.count(1)
Open = Callable[..., Awaitable[Assistant]]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def luthier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Installs the assistant ``luthier``; call with ``chapters`` for a long persona."""
    site = tmp_path / "site"

    def install(chapters: int = 0) -> None:
        (site / "cloche_luthier").mkdir(parents=True, exist_ok=True)
        (site / "cloche_luthier/__init__.py").write_text(
            PACKAGE.replace("{chapters}", str(chapters))
        )
        info = site / "cloche_luthier-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: cloche-luthier\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text("[cloche.assistants]\nluthier = cloche_luthier\n")

    install()
    monkeypatch.syspath_prepend(str(site))
    yield install
    import sys

    sys.modules.pop("cloche_luthier", None)


@pytest.fixture
async def open_luthier(
    luthier: Callable[..., None], tmp_path: Path, clock: FakeClock
) -> AsyncIterator[Open]:
    """Opens the assistant with settings of one's own; the same home unless another is named."""
    opened: list[Assistant] = []

    async def open_(
        *,
        fetch: object = None,
        agent: object = None,
        extra_skills: tuple[Path, ...] = (),
        home: str = "home",
        **settings: object,
    ) -> Assistant:
        chosen = Settings(home=tmp_path / home, time_zone="UTC", **settings)  # type: ignore[arg-type]
        assistant = await open_assistant(
            load_host(chosen),
            "luthier",
            chosen,
            clock=clock,
            fetch=fetch,
            agent=agent,  # type: ignore[arg-type]
            extra_skills=extra_skills,
        )
        opened.append(assistant)
        return assistant

    yield open_
    for assistant in opened:
        await assistant.close()


@pytest.fixture
def chat(clock: FakeClock) -> Callable[..., Chat]:
    """``chat(assistant, "ana")``: a private chat; ``group=True, conversation="g"``: a group."""
    return lambda assistant, sender, **where: Chat(assistant, clock, sender, **where)
