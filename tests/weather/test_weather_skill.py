"""What people are told of the weather, and what is said where there is none."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from cloche import Home, ToolError
from cloche.documents import shared_resource
from cloche.skills import load_folder
from cloche.testing import FakeToolSettings, Fault, Sky, match, misunderstood

if TYPE_CHECKING:
    from conftest import Asker

OSLO = Home("Oslo, Norway", 59.91273, 10.74609, "NO")
SKILL = load_folder(shared_resource("skills", "weather"))  # type: ignore[arg-type]
WEDNESDAY = date(2026, 7, 15)
HOT = Sky(low=16, high=33, rain=0, chance=0, code=0, wind=12)
FROSTY = Sky(low=-2.4, high=6, code=45)
WET = Sky(rain=12, hours=(0, 24), chance=90, code=63)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "Oslo, Norway, now: clear, 30 °C, feels like 28 °C, humidity 65 %, wind 12 km/h, "
               "gusts 22 km/h. Rain of the last 24 hours: 0.0 mm."),
        ("es", "Oslo, Norway, ahora: despejado, 30 °C, sensación de 28 °C, humedad 65 %, viento "
               "12 km/h, rachas 22 km/h. Lluvia de las últimas 24 horas: 0.0 mm."),
        ("zh", "Oslo, Norway，现在：晴，30 °C，体感28 °C，湿度65%，风12 km/h，阵风22 km/h。"
               "过去24小时雨量：0.0 mm。"),
        ("fr", "Oslo, Norway, now: clear, 30 °C, feels like 28 °C, humidity 65 %, wind 12 km/h, "
               "gusts 22 km/h. Rain of the last 24 hours: 0.0 mm."),
    ],
)  # fmt: skip
async def test_the_moment_is_told_in_the_persons_language(
    asker: Asker, language: str, told: str
) -> None:
    asker.server.skies[WEDNESDAY] = HOT
    assert await asker.ask("now", language) == told


async def test_a_person_who_measures_in_fahrenheit_is_told_in_it(asker: Asker) -> None:
    asker.server.skies[WEDNESDAY] = HOT
    await asker.call("use_units", units="imperial")
    assert "85 °F" in await asker.ask("now")
    assert "61 °F to 91 °F, rain 0.00 in (0 %), wind up to 7 mph" in await asker.ask("today")


async def test_in_the_united_states_fahrenheit_is_usual_until_somebody_chooses(
    asker: Asker,
) -> None:
    asker.settings = FakeToolSettings(place=Home("Springfield, Illinois", 39.8, -89.64, "US"))
    assert "°F" in await asker.ask("now")
    await asker.call("use_units", units="metric")
    assert "°C" in await asker.ask("now")


async def test_the_next_twelve_hours_are_those_of_the_place(asker: Asker) -> None:
    lines = (await asker.ask("hours")).splitlines()
    assert len(lines) == 13
    assert lines[1].startswith("- 13:00: partly cloudy, ")  # 10:20 UTC is 12:20 in Oslo
    assert lines[-1].startswith("- 00:00: ")


@pytest.mark.parametrize(
    ("language", "first", "third"),
    [
        ("en", "- today: ", "- Friday 17 July: "),
        ("es", "- hoy: ", "- el viernes 17 de julio: "),
        ("zh", "- 今天：", "- 7月17日（周五）："),
    ],
)
async def test_seven_days_begin_today(asker: Asker, language: str, first: str, third: str) -> None:
    lines = (await asker.ask("week", language)).splitlines()
    assert len(lines) == 8
    assert lines[1].startswith(first)
    assert lines[3].startswith(third)


async def test_today_is_the_day_of_the_place_not_of_the_person(asker: Asker) -> None:
    asker.now = datetime(2026, 7, 15, 21, 0, tzinfo=UTC)  # Thursday morning in Auckland
    asker.server.skies[date(2026, 7, 16)] = Sky(low=3.0, high=4.0, code=3)
    assert "overcast, 3 °C to 4 °C" in await asker.ask("today", place="Auckland")


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", ["- Frost, Friday 17 July: down to -2 °C.", "- Ground frost possible, tomorrow",
                "- Heat, today: up to 33 °C."]),
        ("es", ["- Helada, el viernes 17 de julio: hasta -2 °C.",
                "- Posible helada a ras de suelo, mañana", "- Calor, hoy: hasta 33 °C."]),
        ("zh", ["- 7月17日（周五）有霜冻：最低-2 °C。", "- 明天可能有地面霜",
                "- 今天高温：最高33 °C。"]),
    ],
)  # fmt: skip
async def test_frost_and_heat_are_warned_of(asker: Asker, language: str, told: list[str]) -> None:
    asker.server.skies |= {
        WEDNESDAY: HOT,
        date(2026, 7, 16): Sky(low=1.5, high=12),
        date(2026, 7, 17): FROSTY,
    }
    for about in ("warnings", "week"):
        answer = await asker.ask(about, language)
        assert [piece for piece in told if piece not in answer] == []


async def test_without_frost_or_heat_the_extremes_are_told(asker: Asker) -> None:
    told = await asker.ask("warnings")
    assert told == (
        "Oslo, Norway: no frost and no heat in the next 7 days (lowest 9 °C, highest 19 °C)."
    )


async def test_a_manifest_may_warn_earlier(asker: Asker) -> None:
    asker.config |= {"heat": 18}
    assert "- Heat, today: up to 19 °C." in await asker.ask("warnings")


async def test_rain_of_the_last_day_and_of_the_next(asker: Asker) -> None:
    asker.server.skies |= {
        date(2026, 7, 14): Sky(rain=10, hours=(20, 22)),
        date(2026, 7, 16): Sky(rain=24, hours=(0, 24)),
    }
    told = await asker.ask("rain")
    # 12:20 in Oslo: the evening's rain is within 24 hours; tomorrow's until noon.
    assert told == (
        "Oslo, Norway: rain of the last 24 hours: 10.0 mm; of the next 24 hours: 12.0 mm."
    )
    asker.wait(hours=10)
    assert "10.0 mm" not in await asker.ask("rain")


async def test_rain_that_the_service_does_not_know_is_not_told_as_none(asker: Asker) -> None:
    gaps = Sky(rain=None)
    asker.server.skies |= {date(2026, 7, day): gaps for day in (14, 15, 16)}
    told = await asker.ask("rain")
    assert told == (
        "Oslo, Norway: rain of the last 24 hours: not known; of the next 24 hours: not known."
    )


@pytest.mark.parametrize(
    ("language", "asks"),
    [
        ("en", "I don't know where you live"),
        ("es", "No sé dónde vives"),
        ("zh", "我不知道你住在哪里"),
    ],
)
async def test_without_a_place_it_asks_for_the_town_and_looks_nothing_up(
    asker: Asker, language: str, asks: str
) -> None:
    asker.settings = FakeToolSettings()
    with pytest.raises(ToolError, match=asks):
        await asker.ask("now", language)
    assert asker.server.requests == []


async def test_where_somebody_lives_is_told_once_and_their_zone_comes_with_it(
    asker: Asker,
) -> None:
    asker.settings = FakeToolSettings()
    told = await asker.call("live_in", "es", place="Sevilla")
    assert told == "Recordaré que vives en Sevilla, Andalusia, España, en la zona horaria " + (
        "Europe/Madrid."
    )
    assert asker.settings.place == Home("Sevilla, Andalusia, España", 37.38283, -5.97317, "ES")
    assert asker.settings.time_zone == "Europe/Madrid"
    assert (await asker.ask("now", "es")).startswith("Sevilla, Andalusia, España, ahora:")


async def test_where_somebody_lives_is_kept_while_there_is_no_forecast(asker: Asker) -> None:
    asker.settings = FakeToolSettings()
    asker.config |= {"forecast_url": "http://127.0.0.1:9"}
    assert "Europe/Oslo" in await asker.call("live_in", place="Oslo")
    assert asker.settings.place is not None
    assert await asker.call("live_in", place="59.9, 10.7") == (
        "I'll remember that you live in 59.9, 10.7."
    )


async def test_a_zone_that_was_chosen_stays(asker: Asker) -> None:
    told = await asker.call("live_in", "zh", place="上海")
    assert told == "我会记住你住在上海, Shanghai, 中国。"
    assert asker.settings.time_zone == "Europe/Oslo"


@pytest.mark.parametrize(
    ("language", "which", "unknown"),
    [
        ("en", "several places called Springfield", "can't find a place called Xyzzy"),
        ("es", "varios lugares llamados Springfield", "No encuentro ningún lugar llamado Xyzzy"),
        ("zh", "几个叫Springfield的地方", "找不到叫Xyzzy的地方"),
    ],
)
async def test_a_namesake_is_asked_about_and_an_unknown_place_is_said_to_be_unknown(
    asker: Asker, language: str, which: str, unknown: str
) -> None:
    for tool in ("live_in", "weather"):
        arguments = {"about": "now"} if tool == "weather" else {}
        with pytest.raises(ToolError, match=which) as caught:
            await asker.call(tool, language, place="Springfield", **arguments)
        assert "- Springfield, Missouri" in str(caught.value)
        with pytest.raises(ToolError, match=unknown):
            await asker.call(tool, language, place="Xyzzy", **arguments)
    assert asker.settings.place == OSLO


@pytest.mark.parametrize(
    ("language", "place", "found"),
    [
        ("en", "Springfield, Illinois", "Springfield, Illinois, United States"),
        ("en", "springfield, massachusetts", "Springfield, Massachusetts, United States"),
        ("en", "Berlin", "State of Berlin"),  # the village in New Hampshire is not meant
        ("en", "Berlin, New Hampshire", "Berlin, New Hampshire, United States"),
        ("es", "Mérida, España", "Mérida, Extremadura, España"),
        ("zh", "柏林，德国", "柏林, State of Berlin, 德国"),
        ("en", "59.91, 10.75", "59.91, 10.75"),
    ],
)
async def test_what_a_place_lies_in_tells_it_from_its_namesakes(
    asker: Asker, language: str, place: str, found: str
) -> None:
    assert found in await asker.ask("now", language, place=place)


@pytest.mark.parametrize("written", ["", "   ", "X", "，"])
async def test_a_name_that_is_none_is_asked_for(asker: Asker, written: str) -> None:
    with pytest.raises(ToolError):
        await asker.call("live_in", place=written)
    assert asker.server.requests == []


SENTENCES = {
    "busy": {"en": "too much to do", "es": "saturado", "zh": "太忙"},
    "failed": {"en": "has a fault", "es": "avería", "zh": "出了故障"},
    "refused": {"en": "does not take my question", "es": "no acepta", "zh": "不接受"},
    "garbage": {"en": "makes no sense", "es": "sin sentido", "zh": "没有意义"},
    "unreachable": {"en": "cannot be reached", "es": "no se puede acceder", "zh": "连不上"},
}


@pytest.mark.parametrize("language", ["en", "es", "zh"])
@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (Fault(status=429, message="Minutely API request limit exceeded."), "busy"),
        (Fault(status=503), "busy"),
        (Fault(status=500), "failed"),
        (Fault(status=502), "failed"),
        (Fault(status=400, message="Latitude must be ..."), "refused"),
        (Fault(status=302, message="http://127.0.0.1:1/elsewhere"), "refused"),
        (Fault(trouble="truncated"), "garbage"),
        (Fault(trouble="empty"), "garbage"),
    ],
)
async def test_a_service_that_fails_is_said_to_fail_and_nothing_is_guessed(
    asker: Asker, language: str, fault: Fault, cause: str
) -> None:
    asker.server.fail_next(fault)
    with pytest.raises(ToolError, match=SENTENCES[cause][language]) as caught:
        await asker.ask("now", language)
    assert "°" not in str(caught.value)
    assert fault.message not in str(caught.value)
    assert len(asker.server.requests) == 1


@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_a_service_that_is_gone_is_said_to_be_gone(asker: Asker, language: str) -> None:
    asker.config |= {"forecast_url": "http://127.0.0.1:9"}
    with pytest.raises(ToolError, match=SENTENCES["unreachable"][language]):
        await asker.ask("now", language)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b"null", b"{}", b"[" * 100_000, b'{"current": 3}', b"\xff\xfe", b"NaN"],
)
async def test_an_answer_without_sense_is_none(asker: Asker, body: bytes) -> None:
    asker.server.bodies[1] = body
    with pytest.raises(ToolError, match="makes no sense"):
        await asker.ask("week")


async def test_a_forecast_is_asked_for_once_in_a_quarter_of_an_hour(asker: Asker) -> None:
    for about in ("now", "week", "rain", "warnings"):
        await asker.ask(about)
    asker.wait(minutes=14)
    await asker.ask("now")
    assert len(asker.server.requests) == 1
    asker.wait(minutes=2)
    await asker.ask("now")
    assert len(asker.server.requests) == 2


async def test_when_the_service_is_down_the_last_forecast_is_told_with_its_time(
    asker: Asker,
) -> None:
    fresh = await asker.ask("today")
    asker.wait(hours=2)
    asker.server.fail_next(Fault(status=500))
    assert await asker.ask("today") == (
        f"{fresh}\n(As of 12:20: the weather service does not answer right now.)"
    )
    asker.wait(hours=5)
    asker.server.fail_next(Fault(status=500))
    with pytest.raises(ToolError, match="has a fault"):
        await asker.ask("today")


async def test_what_the_service_is_told_is_a_place_of_a_kilometre_and_no_more(
    asker: Asker,
) -> None:
    await asker.ask("now")
    (asked,) = asker.server.requests
    assert (asked.parameters["latitude"], asked.parameters["longitude"]) == ("59.91", "10.75")


async def test_another_server_must_have_an_http_address(asker: Asker) -> None:
    asker.config |= {"forecast_url": "file:///etc/passwd"}
    with pytest.raises(ToolError, match="forecast_url in the skill's config"):
        await asker.ask("now")


def test_no_example_is_taken_for_another() -> None:
    assert misunderstood(SKILL.examples) == ()


@pytest.mark.parametrize(
    ("said", "tool", "arguments"),
    [
        ("What's the weather like in New York?", "weather", {"about": "now", "place": "New York"}),
        ("Will it rain tomorrow?", "weather", {"about": "tomorrow"}),
        ("Did it rain last night?", "weather", {"about": "rain"}),
        ("¿Qué tiempo hará mañana?", "weather", {"about": "tomorrow"}),
        ("¿Va a helar esta noche?", "weather", {"about": "warnings"}),
        ("¿Qué tiempo hace en San Juan?", "weather", {"about": "now", "place": "San Juan"}),
        ("明天会下雨吗？", "weather", {"about": "tomorrow"}),
        ("北京现在天气如何？", "weather", {"about": "now", "place": "北京"}),
        ("今晚会有霜冻吗", "weather", {"about": "warnings"}),
        ("My town is Oslo.", "live_in", {"place": "Oslo"}),
        ("Use Fahrenheit, please", "use_units", {"units": "imperial"}),
        ("It rained on my parade.", "", {}),
        ("Llueve mucho.", "", {}),
        ("下雨了。", "", {}),
    ],
)
def test_questions_about_the_weather_are_understood(
    said: str, tool: str, arguments: dict[str, str]
) -> None:
    found = match(SKILL.examples, said)
    assert (found.tool, found.arguments) == (tool, arguments) if found else not tool


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("I live in Madrid", "Madrid"),
        ("I live in Madrid.", "Madrid"),
        ("we live in Oslo now", "Oslo"),
        ("I'm based in New York", "New York"),
        ("I live in Springfield, Illinois", "Springfield, Illinois"),
        ("I live in Stoke on Trent and I have a van", "Stoke on Trent"),
        ("I just moved to San Juan de los Lagos!", "San Juan de los Lagos"),
        ("i live in madrid", "madrid"),
        ("i live in new york", "new york"),
        ("Hi, I live in The Hague with my cat", "The Hague"),
        ("my town is Oslo", "Oslo"),
        ("Vivo en Sevilla", "Sevilla"),
        ("vivimos en sevilla", "sevilla"),
        ("Me he mudado a Palma de Mallorca", "Palma de Mallorca"),
        ("Vivo en Sevilla, España, desde 2019", "Sevilla, España"),
        ("我住在上海", "上海"),
        ("我住在上海，养了一只猫", "上海"),
        ("我们现在住在乌鲁木齐。", "乌鲁木齐"),
        ("我刚搬到杭州了", "杭州"),
        ("I live in a small flat", None),
        ("I live in the country", None),
        ("I live in peace", None),
        ("I live in a town near Oslo", None),
        ("I used to live in Madrid", None),
        ("My brother lives in Madrid", None),
        ("Do I live in Madrid?", None),
        ("I don't live in Madrid", None),
        ("Vivo en un piso pequeño", None),
        ("Vivo en el campo", None),
        ("No vivo en Madrid", None),
        ("我住在一楼", None),
        ("我住在学校宿舍", None),
        ("我不住在上海", None),
        ("我在家", None),
        ("我在上班", None),
        ("我住在里斯本", "里斯本"),
        ("我家在石家庄", "石家庄"),
    ],
)
def test_a_town_that_is_told_in_passing_is_heard(said: str, place: str | None) -> None:
    found = match(SKILL.examples, said)
    assert (found.arguments if found else None) == ({"place": place} if place else None)


@pytest.mark.parametrize(
    ("language", "town", "told", "later"),
    [
        ("en", "Oslo", "I'll remember that you live in Oslo. The weather service", "Oslo, Norway"),
        ("es", "Oslo", "Recordaré que vives en Oslo. Ahora mismo no", "Oslo, Noruega"),
        ("zh", "上海", "我会记住你住在上海。现在连不上天气服务", "上海"),
    ],
)
async def test_a_town_told_while_the_service_is_down_is_kept_and_looked_up_later(
    asker: Asker, language: str, town: str, told: str, later: str
) -> None:
    asker.settings = FakeToolSettings()
    up, asker.config = asker.config, {"geocoding_url": "http://127.0.0.1:9"}
    assert (await asker.call("live_in", language, place=town)).startswith(told)
    assert asker.settings.town == town
    with pytest.raises(ToolError, match=SENTENCES["unreachable"][language]):
        await asker.ask("now", language)
    asker.config = up
    assert (await asker.ask("now", language)).startswith(later)
    assert asker.settings.town == ""
    assert asker.settings.zone_known


async def test_a_town_that_turns_out_to_have_namesakes_is_asked_about(asker: Asker) -> None:
    asker.settings = FakeToolSettings()
    await asker.settings.set_town("Springfield")
    with pytest.raises(ToolError, match="several places called Springfield"):
        await asker.ask("now")
    assert asker.settings.town == "Springfield"


async def test_who_moves_while_the_service_is_down_gets_no_weather_of_the_old_town(
    asker: Asker,
) -> None:
    up, asker.config = asker.config, {"geocoding_url": "http://127.0.0.1:9"}
    await asker.call("live_in", place="Sevilla")
    asker.config = up
    assert (await asker.ask("now", "es")).startswith("Sevilla")


@pytest.mark.parametrize("about", ["now", "hours", "today", "tomorrow", "week", "rain", "warnings"])
async def test_a_forecast_that_is_all_past_is_told_as_none(asker: Asker, about: str) -> None:
    asker.now -= timedelta(days=30)
    behind = asker.server.clock()
    asker.now += timedelta(days=30)
    asker.server.clock = lambda: behind
    with pytest.raises(ToolError, match=SENTENCES["garbage"]["en"]):
        await asker.ask(about)


@pytest.mark.parametrize(
    ("asked", "about", "place"),
    [
        ("Will it rain?", "today", ""), ("How hot will it be tomorrow?", "tomorrow", ""),
        ("Do I need an umbrella?", "today", ""), ("Is there frost tonight?", "warnings", ""),
        ("How's the weather in Paris?", "now", "Paris"), ("weather in Paris", "now", "Paris"),
        ("Weather in Paris tomorrow", "tomorrow", "Paris"), ("Weather?", "now", ""),
        ("Is it raining?", "now", ""), ("Will it snow tomorrow?", "tomorrow", ""),
        ("¿Lloverá?", "today", ""), ("¿Qué temperatura hará mañana?", "tomorrow", ""),
        ("¿Necesito paraguas?", "today", ""), ("¿Hay helada esta noche?", "warnings", ""),
        ("¿Qué tal el tiempo en París?", "now", "París"), ("tiempo en París", "now", "París"),
        ("¿Lloverá mañana en París?", "tomorrow", "París"),
        ("会下雨吗？", "today", ""), ("明天会有多热？", "tomorrow", ""),
        ("要带伞吗？", "today", ""),
        ("今晚有霜吗？", "warnings", ""), ("巴黎天气", "now", "巴黎"), ("今天的天气", "today", ""),
        ("巴黎明天会下雨吗？", "tomorrow", "巴黎"),
    ],
)  # fmt: skip
def test_everyday_words_ask_for_the_weather(asked: str, about: str, place: str) -> None:
    found = match(SKILL.examples, asked)
    assert found
    assert found.arguments == {"about": about, **({"place": place} if place else {})}


@pytest.mark.parametrize(
    "asked", ["How will it be?", "Is it outside?", "Will it be today?", "你冷吗？", "¿Cómo está?"]
)
def test_what_is_not_of_the_weather_is_not_for_it(asked: str) -> None:
    assert match(SKILL.examples, asked) is None
