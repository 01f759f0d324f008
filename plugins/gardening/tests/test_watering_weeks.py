"""Sprout plans watering: told of a garden over weeks, asked in July, kept in step with the sky."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.messages import Address, Due, Message
from cloche.plugins import Host
from cloche.settings import EmbeddingSettings, Settings
from cloche.testing import Fault, Sky, WeatherServer, offline_http

DRY = Sky(low=14, high=25, rain=0, chance=5, code=1, evaporation=5.0)
HOT = Sky(low=20, high=35, rain=0, chance=0, code=0, evaporation=7.5)
WET = Sky(low=11, high=16, rain=18, chance=95, code=63, evaporation=1.2)


@dataclass(frozen=True)
class Talk:
    """What one gardener says, in one language."""

    language: str
    town: str
    zone: str
    weeks: tuple[tuple[str, ...], ...]
    ask: str
    remind: str
    watered: str
    bed: str
    pot: str
    dry: str
    words: Mapping[str, str]


TALKS = (
    Talk(
        "en",
        "My town is Oslo.",
        "Europe/Oslo",
        (
            ("I planted tomatoes in the south bed.", "The south bed gets full sun."),
            ("The soil in the south bed is sandy.", "I grow basil in a pot on the balcony."),
            ("I planted lavender in the north bed.", "The north bed is always in the shade."),
        ),
        "What should I water this week?",
        "Please set reminders for the watering plan at 07:00",
        "I watered everything today",
        "tomatoes (south bed)",
        "basil (balcony)",
        "lavender",
        {
            "pot": "until it runs out below (pots dry fast",
            "sand": "sandy soil",
            "heat": "35 °C of heat",
            "rain": "nothing, 18 mm of rain",
            "changed": "Changed since the last plan:",
            "not": "no longer tomatoes (south bed)",
            "also": "now also tomatoes (south bed)",
            "reminder": "Water: ",
            "follow": "follow the plan",
        },
    ),
    Talk(
        "es",
        "Mi ciudad es Sevilla.",
        "Europe/Madrid",
        (
            ("Planté tomateras en el bancal sur.", "El bancal sur está a pleno sol."),
            ("La tierra del bancal sur es arenosa.", "Tengo albahaca en una maceta en el balcón."),
            ("Planté lavanda en el bancal norte.", "El bancal norte está siempre a la sombra."),
        ),
        "¿Qué tengo que regar esta semana?",
        "Por favor, pon recordatorios del plan de riego a las 07:00",
        "Hoy he regado todo",
        "tomateras (bancal sur)",
        "albahaca (balcón)",
        "lavanda",
        {
            "pot": "hasta que salga por abajo (las macetas se secan rápido",
            "sand": "suelo arenoso",
            "heat": "35 °C de calor",
            "rain": "nada, 18 mm de lluvia",
            "changed": "Cambios desde el último plan:",
            "not": "ya no tomateras (bancal sur)",
            "also": "ahora también tomateras (bancal sur)",
            "reminder": "Regar: ",
            "follow": "siguen el plan",
        },
    ),
    Talk(
        "zh",
        "我的城市是上海。",
        "Asia/Shanghai",
        (
            ("我在南边的花坛种了番茄。", "南边的花坛是全日照。"),
            ("南边的花坛是沙土。", "我在阳台的花盆里种了罗勒。"),
            ("我在北边的花坛种了薰衣草。", "北边的花坛一直背阴。"),
        ),
        "这周要浇什么？",
        "请在07:00按浇水计划提醒我",
        "今天全都浇了水",
        "番茄（",
        "罗勒",
        "薰衣草",
        {
            "pot": "浇到盆底出水（盆里干得快",
            "sand": "沙质土",
            "heat": "高温35 °C",
            "rain": "不用浇，有18 mm雨",
            "changed": "和上次计划相比：",
            "not": "不用再浇番茄",
            "also": "现在还要浇番茄",
            "reminder": "浇水：",
            "follow": "跟着计划走",
        },
    ),
)


class Garden:
    """One gardener, the demo model, a simulated clock and sky."""

    def __init__(self, talk: Talk, home: Path, server: WeatherServer, installed: Host) -> None:
        self.installed = installed
        self.talk, self.home, self.server = talk, home, server
        self.now = datetime(2026, 6, 24, 6, 0, tzinfo=UTC)
        self.assistant: Assistant | None = None
        self._updates = itertools.count(1)

    async def open(self) -> None:
        """A new process."""
        await self.close()
        settings = Settings(
            home=self.home, time_zone="UTC", embeddings=EmbeddingSettings(provider="none")
        )
        self.assistant = await open_assistant(
            self.installed,
            "gardening",
            settings,
            clock=lambda: self.now,
            http=lambda: offline_http(self.server),
        )

    async def close(self) -> None:
        if self.assistant:
            await self.assistant.close()

    async def say(self, text: str, who: str = "ana") -> str:
        assert self.assistant
        self.now += timedelta(minutes=1)
        turn = await self.assistant.handle(
            Message(f"{next(self._updates)}", Address("console", who), who, text)
        )
        await turn.afterwards()
        return turn.reply.text

    async def tell(self) -> None:
        """Three weeks of talk, a new process each."""
        await self.open()
        await self.say(self.talk.town)
        for week in self.talk.weeks:
            await self.open()
            for line in week:
                await self.say(line)
            self.now += timedelta(days=7)
        await self.open()

    def sky(self, **days: Sky) -> None:
        """The sky of the next days: ``d0`` is today."""
        today = self.today
        for name, sky in days.items():
            self.server.skies[today + timedelta(days=int(name[1:]))] = sky

    def all_days(self, sky: Sky) -> None:
        self.server.skies.clear()
        for number in range(-2, 12):
            self.server.skies[self.today + timedelta(days=number)] = sky

    @property
    def today(self) -> date:
        return self.now.astimezone(ZoneInfo(self.talk.zone)).date()

    async def reminders(self) -> dict[date, str]:
        """Text of each reminder that is to come, by its local day; all are at seven."""
        assert self.assistant
        person = await self.assistant.people.of(Message("x", Address("console", "ana"), "ana", "?"))
        zone = ZoneInfo(self.talk.zone)
        found = {}
        for one in await self.assistant.memory.reminders.list(person.actor):
            assert one.next is not None
            if one.next <= self.now:
                continue  # nobody runs them here
            local = one.next.astimezone(zone)
            assert (local.hour, local.minute) == (7, 0)
            found[local.date()] = one.text
        return found

    async def due(self) -> str:
        """The hour of today's reminder has come: what is told."""
        assert self.assistant
        self.now = datetime.combine(
            self.today + timedelta(days=1), time(7), ZoneInfo(self.talk.zone)
        ).astimezone(UTC)
        address = Address("console", "ana")
        person = await self.assistant.people.of(Message("x", address, "ana", "?"))
        there = await self.assistant.memory.reminders.list(person.actor)
        (reminder,) = [one for one in there if one.next == self.now]
        message = Message("due-1", address, "ana", "", due=(Due(reminder.id, self.now),))
        turn = await self.assistant.handle(message)
        await turn.afterwards()
        return turn.reply.text


@pytest.fixture(params=TALKS, ids=lambda talk: talk.language)
async def garden(
    request: pytest.FixtureRequest, tmp_path: Path, installed: Host
) -> AsyncIterator[Garden]:
    async with WeatherServer(clock=lambda: made.now) as server:
        made = Garden(request.param, tmp_path, server, installed)
        yield made
        await made.close()


async def test_the_plan_knows_plant_place_sun_soil_and_pot_and_says_why(garden: Garden) -> None:
    await garden.tell()
    garden.all_days(DRY)
    told, talk = await garden.say(garden.talk.ask), garden.talk
    by_day = [line for line in told.splitlines() if line.startswith("- ")]
    assert len(by_day) == 7
    pots, beds = ([name in line for line in by_day] for name in (talk.pot, talk.bed))
    assert all(pots)  # a pot in dry weather every day, a sandy bed in the sun every second or third
    assert 2 <= sum(beds) <= 4
    assert talk.words["pot"] in told
    assert talk.words["sand"] in told
    assert talk.dry not in told  # in the shade, and used to drought


async def test_without_a_yes_no_reminder_is_set(garden: Garden) -> None:
    await garden.tell()
    garden.all_days(DRY)
    await garden.say(garden.talk.ask)
    assert await garden.reminders() == {}


async def test_reminders_are_set_for_the_days_of_the_plan(garden: Garden) -> None:
    await garden.tell()
    garden.all_days(DRY)
    await garden.say(garden.talk.ask)
    await garden.say(garden.talk.remind)
    days = await garden.reminders()
    assert list(days) == [garden.today + timedelta(days=number) for number in range(1, 7)]
    assert all(text.startswith(garden.talk.words["reminder"]) for text in days.values())
    assert any(garden.talk.bed in text for text in days.values())


async def test_when_rain_comes_the_plan_and_its_reminders_give_way(garden: Garden) -> None:
    await garden.tell()
    garden.all_days(DRY)
    await garden.say(garden.talk.ask)
    await garden.say(garden.talk.remind)
    before = await garden.reminders()
    garden.sky(d1=WET, d2=WET)
    garden.now += timedelta(minutes=20)
    told, words = await garden.say(garden.talk.ask), garden.talk.words
    assert words["changed"] in told
    assert words["not"] in told
    assert words["rain"] in told
    assert words["follow"] in told
    after = await garden.reminders()
    assert set(after) < set(before)
    assert not {garden.today + timedelta(days=number) for number in (1, 2, 3)} & set(after)


async def test_when_heat_comes_the_plan_waters_more_often(garden: Garden) -> None:
    await garden.tell()
    garden.all_days(DRY)
    await garden.say(garden.talk.ask)
    await garden.say(garden.talk.remind)
    before = await garden.reminders()
    garden.all_days(HOT)
    garden.now += timedelta(minutes=20)
    told, words = await garden.say(garden.talk.ask), garden.talk.words
    assert words["also"] in told
    assert words["heat"] in told
    after = await garden.reminders()
    watered = [sum(garden.talk.bed in text for text in texts.values()) for texts in (before, after)]
    assert watered[0] < watered[1] == 6


AWAY = Fault(status=503)
SKIPPED = {
    "en": "No watering today: 18 mm of rain.",
    "es": "Hoy no hace falta regar: 18 mm de lluvia.",
    "zh": "今天不用浇水：有18 mm的雨。",
}


async def test_a_reminder_that_is_due_looks_at_the_sky_of_its_day(garden: Garden) -> None:
    await garden.tell()
    garden.all_days(DRY)
    await garden.say(garden.talk.ask)
    await garden.say(garden.talk.remind)
    before = await garden.reminders()
    garden.all_days(DRY)
    garden.sky(d1=WET, d2=WET)
    assert SKIPPED[garden.talk.language] in await garden.due()
    tomorrow = garden.today + timedelta(days=1)
    assert tomorrow in before
    assert tomorrow not in await garden.reminders()  # the days after follow, and nobody asked


async def test_a_reminder_that_is_due_under_the_same_sky_says_what_was_planned(
    garden: Garden,
) -> None:
    await garden.tell()
    garden.all_days(DRY)
    await garden.say(garden.talk.ask)
    await garden.say(garden.talk.remind)
    planned = (await garden.reminders())[garden.today + timedelta(days=1)]
    assert await garden.due() == f"⏰ {planned}"


async def test_without_a_forecast_a_reminder_comes_as_it_was_set(garden: Garden) -> None:
    await garden.tell()
    garden.all_days(DRY)
    await garden.say(garden.talk.ask)
    await garden.say(garden.talk.remind)
    planned = (await garden.reminders())[garden.today + timedelta(days=1)]
    for _ in range(9):
        garden.server.faults[len(garden.server.requests) + 1 + len(garden.server.faults)] = AWAY
    assert await garden.due() == f"⏰ {planned}"


async def test_an_unchanged_sky_changes_nothing_and_tells_of_no_reminder_again(
    garden: Garden,
) -> None:
    await garden.tell()
    garden.all_days(DRY)
    await garden.say(garden.talk.ask)
    await garden.say(garden.talk.remind)
    before = await garden.reminders()
    garden.now += timedelta(minutes=20)
    told = await garden.say(garden.talk.ask)
    assert garden.talk.words["changed"] not in told
    assert "⏰" not in told
    assert await garden.reminders() == before


async def test_three_weeks_go_by_and_no_day_is_reminded_of_twice(garden: Garden) -> None:
    await garden.tell()
    skies = [DRY, DRY, WET, DRY, HOT, HOT, HOT, DRY, WET, WET, DRY, DRY]
    for number in range(30):
        garden.server.skies[garden.today + timedelta(days=number)] = skies[number % len(skies)]
    await garden.say(garden.talk.ask)
    await garden.say(garden.talk.remind)
    due: dict[date, str] = {}
    for _ in range(21):
        tomorrow = garden.today + timedelta(days=1)
        coming = await garden.reminders()
        assert len(coming) <= 7
        if tomorrow in coming:
            due[tomorrow] = coming[tomorrow]
        garden.now += timedelta(days=1)
        await garden.open()
        await garden.say(garden.talk.ask)
    kinds = {sky: [day for day in due if garden.server.skies[day] == sky] for sky in (WET, HOT)}
    assert kinds[WET] == []
    assert len(kinds[HOT]) >= 5
    beds = [day for day, text in due.items() if garden.talk.bed in text]
    assert 3 <= len(beds) < len(due) <= 16  # what was watered yesterday is not watered again


async def test_what_was_watered_counts_from_then_on(garden: Garden) -> None:
    await garden.tell()
    garden.all_days(DRY)
    first = (await garden.say(garden.talk.ask)).splitlines()
    await garden.say(garden.talk.watered)
    garden.now += timedelta(minutes=20)
    told = await garden.say(garden.talk.ask)
    assert garden.talk.words["changed"] in told
    lines = [line for line in told.splitlines() if line.startswith("- ")]
    today = next(line for line in first if line.startswith("- "))
    assert garden.talk.pot in today
    assert garden.talk.pot not in lines[-7]


AWAY_NOW = ("could not be reached", "No se pudo consultar el tiempo", "查不到天气")


async def test_when_the_weather_is_down_the_plan_goes_by_season_and_soil_and_says_so(
    garden: Garden,
) -> None:
    await garden.tell()
    garden.server.fail_next(Fault(status=500))
    told = await garden.say(garden.talk.ask)
    assert any(words in told for words in AWAY_NOW)
    assert garden.talk.bed in told
    assert garden.talk.words["sand"] in told
    assert garden.talk.words["heat"] not in told
    assert "mm" not in told.replace("l/m²", "")  # of rain nothing is known
    garden.now += timedelta(minutes=20)
    garden.all_days(DRY)
    again = await garden.say(garden.talk.ask)
    assert not any(words in again for words in AWAY_NOW)


async def test_without_the_weather_reminders_that_are_set_stay_as_they_are(garden: Garden) -> None:
    await garden.tell()
    garden.all_days(DRY)
    await garden.say(garden.talk.ask)
    await garden.say(garden.talk.remind)
    before = await garden.reminders()
    garden.now += timedelta(hours=8)
    for _ in range(9):
        garden.server.faults[len(garden.server.requests) + 1 + len(garden.server.faults)] = AWAY
    told = await garden.say(garden.talk.ask)
    assert any(words in told for words in AWAY_NOW)
    assert "07:00" in told
    assert await garden.reminders() == before


async def test_a_neighbours_garden_is_in_nobody_elses_plan(garden: Garden) -> None:
    await garden.tell()
    garden.all_days(DRY)
    await garden.say(garden.talk.town, who="ben")
    told = await garden.say(garden.talk.ask, who="ben")
    assert garden.talk.bed not in told
    assert garden.talk.pot not in told
