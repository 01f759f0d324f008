"""A year with one assistant, told by the stand-in model: size, work per turn, answers stay sane.

Two people, three languages, 2,000 turns of the first. What grows is measured in rows, statements
and bytes, never in seconds.
"""

from __future__ import annotations

import asyncio
import importlib
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest

from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.memory.ranking import is_current
from cloche.memory.records import MemoryRecord
from cloche.messages import Address, Message
from cloche.plugins import load_host
from cloche.settings import Settings

PACKAGE = """
from cloche import MetadataKey, NamespaceScheme, Persona, Value, Vocabulary, hookimpl

@hookimpl
def provide_persona():
    return Persona("Archivist", (("identity", "# Archivist"),))

@hookimpl
def provide_vocabulary():
    return Vocabulary((
        MetadataKey("instruments", "Instruments the person has.", inventory=True,
            aliases=("instrument", "instruments", "instrumento", "instrumentos", "乐器"),
            values=(Value("violin", aliases=("violín", "小提琴")),
                    Value("cello", aliases=("chelo", "大提琴")),
                    Value("lute", aliases=("laúd", "鲁特琴")))),
    ))

@hookimpl
def provide_namespaces():
    return NamespaceScheme("archivist")
"""

pytestmark = pytest.mark.timeout(400)  # the first test waits until the year is over
MADRID = ZoneInfo("Europe/Madrid")
MONDAY = datetime(2026, 1, 5, 9, tzinfo=MADRID)
TURNS = 2_000
DAYS = 365

SMALL_TALK = (
    ("Good morning!", "¡Hola!", "你好"),
    ("How are you?", "¿Qué tal?", "你好吗？"),
    ("I'm tired today.", "Hoy estoy cansada.", "我今天很累。"),
    ("It's raining again.", "Otra vez llueve.", "又下雨了。"),
    ("Thanks!", "¡Gracias!", "谢谢"),
)
REPEATED = ("I only play gut strings.", "Solo toco con arco barroco.", "我只用天然松香。")
UNTIL_FRIDAY = (
    "I'm on holiday until Friday.",
    "Estoy de vacaciones hasta el viernes.",
    "我休假到周五为止。",
)
AWAY = ("Am I on holiday?", "¿Estoy de vacaciones?", "我在休假吗？")
OF_THE_DAY = ("Today I tuned the cello.", "Hoy limpié el chelo.", "今天擦过大提琴了。")
TUNED = ("Did I tune the cello?", "¿Limpié el chelo?", "我擦过大提琴吗？")
HOMES = ("Oslo Lima Turin Quito Bergen Havana Dublin Lagos Hanoi Porto Sofia Tunis Malmo").split()
LUTIERS = (
    "Alba Bruna Celia Delfina Elvira Fiamma Gilda Hilde Ida Jolanda Karla Lidia Mafalda Norma Olga"
    " Petra Quirina Rufina Sabina Tosca Ulla Vera Wanda Xenia Yvette Zelda Agata"
).split()
INSTRUMENTS = ("What instruments do I have?", "¿Qué instrumentos tengo?", "我有什么乐器？")
DECIDED = "wait with the new varnish"
ONCE: dict[int, tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = {
    40: (("I still have to order new bridges.", (), ()),),
    45: (("I ordered the new bridges.", (), ()),),
    60: (("Tengo que barnizar el atril.", (), ()),),
    64: (("Ya barnicé el atril.", (), ()),),
    80: (("我还得修琴盒。", (), ()),),
    100: (("I decided to wait with the new varnish.", (), ()),),
    110: (("The violin is in the hall.", (), ()),),
    112: (("Where is the violin?", ("in the hall",), ()),),
    113: (("No, the violin is in the attic.", (), ()),),
    120: (("Where is the violin?", ("in the attic",), ("in the hall",)),),
    130: (("Me encantan los conciertos largos.", (), ()),),
    133: (("¿Me encantan los conciertos largos?", ("encantan",), ()),),
    134: (("Odio los conciertos largos.", (), ()),),
    140: (("¿Me gustan los conciertos largos?", ("Odio",), ("encantan",)),),
    150: (("我喜欢独奏。", (), ()),),
    153: (("我喜欢独奏吗？", ("我喜欢独奏",), ()),),
    154: (("我讨厌独奏。", (), ()),),
    160: (("我喜欢独奏吗？", ("我讨厌独奏",), ("- 我喜欢独奏",)),),
    170: (("Last time we talked about the varnish, what did I decide?", (DECIDED,), ()),),
    300: (("What did I decide about the varnish?", (DECIDED,), ()),),
}
"""What is said once: words, and for a question what must and must not be in the answer."""


@dataclass
class Asked:
    """A question, its answer, and what must and must not be in it."""

    day: int
    question: str
    answer: str
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


@dataclass
class Year:
    """What a year left behind."""

    asked: list[Asked] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)
    """SQL statements of each of the first person's turns."""
    records: list[MemoryRecord] = field(default_factory=list)
    theirs: list[MemoryRecord] = field(default_factory=list)
    events: int = 0
    state_items: int = 0
    bytes_used: int = 0
    answers: list[str] = field(default_factory=list)
    end: datetime = MONDAY


class Living:
    """Two people and their assistant, day by day."""

    def __init__(self, assistant: Assistant, count: list[int]) -> None:
        self.assistant, self.count = assistant, count
        self.now, self.day, self.said = MONDAY, 0, 0
        self.year = Year()
        self.random = Random(2026)

    async def say(self, text: str, sender: str = "ana") -> str:
        self.now += timedelta(minutes=2)
        self.said += 1
        before = self.count[0]
        message = Message(
            id=str(self.said), address=Address("console", sender), conversation=sender, text=text
        )
        turn = await self.assistant.handle(message)
        await turn.afterwards()
        assert not turn.report.degraded
        assert not turn.report.failure
        if sender == "ana":
            self.year.statements.append(self.count[0] - before)
            self.year.answers.append(turn.reply.text)
        return turn.reply.text

    async def ask(
        self, question: str, wanted: tuple[str, ...] = (), unwanted: tuple[str, ...] = ()
    ) -> None:
        answer = await self.say(question)
        self.year.asked.append(Asked(self.day, question, answer, wanted, unwanted))

    async def live(self) -> Year:
        for self.day in range(DAYS):
            self.now = MONDAY + timedelta(days=self.day)
            todays = len(self.year.answers)
            await self.a_day()
            # As many turns a day as make 2,000 in the year; what is left is small talk.
            due = round((self.day + 1) * TURNS / DAYS)
            while len(self.year.answers) < due:
                await self.say(self.random.choice(self.random.choice(SMALL_TALK)))
            assert len(self.year.answers) == due, (self.day, len(self.year.answers) - todays)
            if self.day % 4 == 0:
                await self.of_ben()
        await self.look()
        return self.year

    async def a_day(self) -> None:
        day, language = self.day, self.day // 7 % 3
        weekday = day % 7
        await self.say(SMALL_TALK[day % 2][language])
        if day % 28 == 0:
            await self.say(f"I live in {HOMES[day // 28 % len(HOMES)]}.")
        if weekday == 0:
            await self.say(UNTIL_FRIDAY[language])
        if weekday == 2:
            await self.say(OF_THE_DAY[language])
            await self.ask(TUNED[language], wanted=(OF_THE_DAY[language],))
        if weekday == 3:
            await self.ask(TUNED[language], unwanted=OF_THE_DAY)
            await self.ask(AWAY[language], wanted=(UNTIL_FRIDAY[language],))
        if weekday == 4:
            await self.say(REPEATED[language])
        if weekday == 5:
            await self.ask(AWAY[language], unwanted=UNTIL_FRIDAY)
            if day % 2:
                await self.say(f"I have a lute made by {LUTIERS[day // 14]}.")
        if weekday == 6:
            await self.ask(
                "Where do I live?", wanted=(self.home,), unwanted=tuple(set(HOMES) - {self.home})
            )
            await self.ask(INSTRUMENTS[language], unwanted=("Barnaby",))

        await self.once(day)

    async def once(self, day: int) -> None:
        for text, wanted, unwanted in ONCE.get(day, ()):
            if wanted or unwanted:
                await self.ask(text, wanted, unwanted)
            else:
                await self.say(text)

    @property
    def home(self) -> str:
        return HOMES[self.day // 28 % len(HOMES)]

    async def of_ben(self) -> None:
        await self.say(f"I have a violin made by Barnaby the {self.day}th.", "ben")
        await self.say("I live in Barnabytown.", "ben")

    async def look(self) -> None:
        year, memory = self.year, self.assistant.memory
        year.end = self.now
        for sender, found in (("ana", year.records), ("ben", year.theirs)):
            after = ""
            while page := await memory.store.iterate(f"console_-{sender}", after=after, limit=500):
                after = page[-1].id
                found.extend(page)
        after = ""
        while events := await memory.store.iterate_events("console_-ana", after=after, limit=500):
            after = events[-1].id
            year.events += len(events)
        after = ""
        while items := await memory.state.list_items("person/console_-ana/", after=after):
            after = items[-1].key
            year.state_items += len(items)


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Year]:
    """The whole year, lived once for all tests of this file."""
    folder = tmp_path_factory.mktemp("year")
    site, count = folder / "site", [0]
    install(site)
    connect = sqlite3.connect

    def counted(*arguments: object, **options: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)  # type: ignore[call-overload]
        # Statements of ours; those that full-text tables run inside are comments here.
        connection.set_trace_callback(
            lambda sql: count.__setitem__(0, count[0] + (not sql.startswith("--")))
        )
        return connection

    async def live() -> Year:
        settings = Settings(
            home=folder / "home", time_zone="Europe/Madrid", embeddings={"provider": "none"}
        )
        living: list[Living] = []

        def clock() -> datetime:
            return (living[0].now if living else MONDAY).astimezone(UTC)

        assistant = await open_assistant(load_host(settings), "archivist", settings, clock=clock)
        living.append(Living(assistant, count))
        lived = await living[0].live()
        await assistant.close()
        lived.bytes_used = sum(
            f.stat().st_size for f in (folder / "home").rglob("*") if f.is_file()
        )
        return lived

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        patch.setattr(sqlite3, "connect", counted)
        yield asyncio.run(live())
    sys.modules.pop("cloche_archivist", None)


def install(site: Path) -> None:
    (site / "cloche_archivist").mkdir(parents=True)
    (site / "cloche_archivist/__init__.py").write_text(PACKAGE, encoding="utf-8")
    info = site / "cloche_archivist-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cloche-archivist\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cloche.assistants]\narchivist = cloche_archivist\n")
    importlib.invalidate_caches()


def test_every_turn_of_the_year_is_kept(year: Year) -> None:
    assert len(year.answers) == year.events == TURNS


def test_current_facts_are_answered_and_superseded_and_expired_ones_are_not(year: Year) -> None:
    assert len(year.asked) > 300
    wrong = [
        asked
        for asked in year.asked
        if any(words not in asked.answer for words in asked.wanted)
        or any(words in asked.answer for words in asked.unwanted)
    ]
    assert wrong == []


def test_nobody_hears_of_anybody_else(year: Year) -> None:
    assert not [answer for answer in year.answers if "Barnaby" in answer]
    assert not [record for record in year.records if "Barnaby" in record.text]
    assert not [record for record in year.theirs if "Barnaby" not in record.text]


def test_what_holds_at_the_end_is_what_was_said_last(year: Year) -> None:
    current = [r for r in year.records if is_current(r, year.end) and r.kind != "summary"]
    lasting = sorted(r.text for r in current if r.validity.expires_at is None)
    assert lasting == sorted(
        [
            *REPEATED,
            f"I live in {HOMES[(DAYS - 1) // 28 % len(HOMES)]}.",
            *(f"I have a lute made by {maker}." for maker in LUTIERS[:26]),
            "I decided to wait with the new varnish.",
            "the violin is in the attic.",
            "Odio los conciertos largos.",
            "我讨厌独奏。",
        ]
    )


def test_said_again_is_a_confirmation_and_no_record(year: Year) -> None:
    for text in REPEATED:
        (record,) = [r for r in year.records if r.text == text]
        assert record.trust.confirmations >= 15


def test_what_has_ended_is_archived_within_a_day_and_stays_history(year: Year) -> None:
    holidays = [r for r in year.records if r.text in UNTIL_FRIDAY]
    assert len(holidays) > 50
    overdue = year.end - timedelta(days=2)
    for record in year.records:
        ended = record.validity.expires_at
        assert ended is None or ended > overdue or record.validity.archived_at is not None


def test_tasks_are_open_until_they_are_done_or_lapse(year: Year) -> None:
    tasks = {r.text: r.validity for r in year.records if r.kind == "task_state"}
    assert set(tasks) == {
        "I still have to order new bridges.",
        "Tengo que barnizar el atril.",
        "我还得修琴盒。",
    }
    for text, days in (
        ("I still have to order new bridges.", 7),
        ("Tengo que barnizar el atril.", 7),
    ):
        archived = tasks[text].archived_at
        assert archived is not None
        assert archived - tasks[text].created_at < timedelta(days=days)  # done
    lapsed = tasks["我还得修琴盒。"].archived_at
    assert lapsed is not None
    assert lapsed - tasks["我还得修琴盒。"].created_at >= timedelta(days=30)


def test_a_years_memory_is_small(year: Year) -> None:
    assert len(year.records) < TURNS / 3
    current = [r for r in year.records if is_current(r, year.end)]
    assert len(current) < TURNS / 8
    assert year.state_items < 1_500  # the use log lapses
    assert year.bytes_used < 8_000_000
    assert max(len(r.text) for r in year.records) <= 1_000


def test_a_turn_costs_at_the_years_end_what_it_cost_at_its_beginning(year: Year) -> None:
    spring, winter = year.statements[200:500], year.statements[-300:]
    assert sum(winter) < 1.2 * sum(spring)
    assert max(year.statements) < 250
