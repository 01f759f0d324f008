"""Times as people say them every day: taken right, or asked back, and never taken wrong."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from cloche.reminders.moving import moved
from cloche.reminders.plain_words import doubtful_words, part_each, part_words, read_words
from cloche.reminders.schedule import Calendar, Once, WhenError, occurrences
from cloche.reminders.when import parse_when

NOW = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)  # a Wednesday, 10:30 in Oslo
OSLO = "Europe/Oslo"
WHAT = {"en": "water {}", "es": "regar {}", "zh": "{}浇水"}


def everyday() -> Iterator[tuple[str, str, str]]:
    text = Path(__file__).with_name("everyday_times.toml").read_text(encoding="utf-8")
    for language, said in tomllib.loads(text).items():
        for words, due in said.items():
            yield language, words, due


def taken(said: str, what: str, now: datetime = NOW) -> str:
    """When it is due, or why it is asked back."""
    rest, words = part_words(said, now=now, zone=OSLO)
    if not words:
        return "ask"
    assert rest == what
    try:
        schedule = parse_when(read_words(words, now=now, zone=OSLO), now=now, zone=OSLO)
    except WhenError as error:
        return error.fault
    due = [at.astimezone(ZoneInfo(OSLO)) for at in occurrences(schedule, after=now, limit=2)]
    return ", ".join(f"{at:%a %Y-%m-%d %H:%M}" for at in due)


@pytest.mark.parametrize(("language", "words", "due"), list(everyday()))
def test_what_people_say_is_taken_right_or_asked_back(language: str, words: str, due: str) -> None:
    what = WHAT[language].replace("{}", "").strip()
    assert taken(WHAT[language].format(words), what) == due


@pytest.mark.parametrize(
    "said",
    [
        "九点或十点提醒我浇水",
        "明天九点还是十点提醒我浇水",
        "remind me at 9 or at 10 to water",
        "recuérdame a las 9 o a las 10 regar",
    ],
)
def test_one_of_two_hours_is_not_two_reminders(said: str) -> None:
    assert part_each(said, now=NOW, zone=OSLO) == ()


@pytest.mark.parametrize("words", ["before 9", "antes de las 9", "at 9 or 10", "a las 9 o 10"])
def test_a_time_that_may_be_another_is_none(words: str) -> None:
    assert read_words(words, now=NOW, zone=OSLO) == ""
    assert doubtful_words(words, now=NOW, zone=OSLO)


def test_there_are_forty_and_more_in_each_language() -> None:
    said = [language for language, _, due in everyday() if due[:3] in _DAYS]
    assert all(said.count(language) >= 40 for language in WHAT)


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("on Wednsday at 9 to call Jo", "on Wednsday"),
        ("at 9 on tommorrow to run", "on tommorrow"),
        ("tomrrow at 9 to call Jo", "tomrrow"),
        ("every saturdy at 9 to shop", "every saturdy"),
        ("water the roses every saturdy at 9", "saturdy"),
        ("water at 9 on saturdy", "saturdy"),
        ("every quarter at 9 to pay tax", "every quarter"),
        ("pay tax every quarter at 9", "every quarter"),
        ("in March at 9 to sow", "in March"),
        ("on my birthday at 9 to call", "on my birthday"),
        ("at 9 on my birthday to call", "on my birthday"),
        ("at 9 unless it rains to water", "unless it rains"),
        ("water tomorrow at 9 if it is dry", "if it is dry"),
        ("at 9 CET to call", "CET"),
        ("at 9 New York time tomorrow to call", "New York time"),
        ("el miérocles a las 9 abonar", "el miérocles"),
        ("regar los miercols a las 9", "miercols"),
        ("cada trimestre a las 9 pagar", "cada trimestre"),
        ("cada tercer martes a las 9 podar", "cada tercer"),
        ("en marzo a las 9 sembrar", "en marzo"),
        ("si no llueve a las 9 regar", "si no llueve"),
        ("regar a las 9 si no llueve", "si no llueve"),
        ("a las 9 hora de Madrid llamar", "hora de Madrid"),
        ("每季度九点交税", "每季度"),
        ("名天九点浇水", "名天"),
        ("如果不下雨九点浇水", "如果不下雨"),
        ("我生日那天九点打电话", "我生日那天"),
        ("北京时间九点开会", "北京时间"),
    ],
)
def test_words_that_begin_like_a_time_are_asked_about(said: str, words: str) -> None:
    assert part_words(said, now=NOW, zone=OSLO) == (said, "")
    assert doubtful_words(said, now=NOW, zone=OSLO) == words


@pytest.mark.parametrize(
    "said",
    [
        "water the roses in the greenhouse at 9",
        "call Jo at 9 on Skype",
        "check if the door is locked at 9",
        "check on the baby at 9",
        "at 9 to water every plant",
        "el pago a las 9",
        "comprar manzanas a las 9",
        "encender las luces a las 9",
        "九点给每盆花浇水",
        "九点等快递",
    ],
)
def test_what_to_do_is_not_doubted(said: str) -> None:
    assert part_words(said, now=NOW, zone=OSLO)[1]
    assert not doubtful_words(said, now=NOW, zone=OSLO)


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("water this Monday at 5", "Mon 2026-03-02 17:00"),
        ("water this Monday at 8 am", "past"),
        ("water on Monday at 5 pm", "Mon 2026-03-09 17:00"),
        ("water next Monday at 5 pm", "Mon 2026-03-09 17:00"),
        ("water this Tuesday at 5 pm", "Tue 2026-03-03 17:00"),
        ("regar este lunes a las 5", "Mon 2026-03-02 17:00"),
        ("regar el lunes que viene a las 5 de la tarde", "Mon 2026-03-09 17:00"),
        ("这周一下午五点浇水", "Mon 2026-03-02 17:00"),
        ("本周一五点浇水", "Mon 2026-03-02 17:00"),
    ],
)
def test_this_monday_is_today_on_a_monday(said: str, due: str) -> None:
    what = "浇水" if "浇水" in said else said.split(maxsplit=1)[0]
    assert taken(said, what, datetime(2026, 3, 2, 9, 0, tzinfo=UTC)) == due


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("water tonight at 2", "Wed 2026-03-04 02:00"),
        ("今晚两点浇水", "Wed 2026-03-04 02:00"),
        ("regar esta noche a las 2", "Wed 2026-03-04 02:00"),
        ("water tonight at 11", "Wed 2026-03-04 23:00"),
        ("water tonight at midnight", "Thu 2026-03-05 00:00"),
    ],
)
def test_after_midnight_tonight_goes_on(said: str, due: str) -> None:
    what = "浇水" if "浇水" in said else said.split(maxsplit=1)[0]
    assert taken(said, what, datetime(2026, 3, 3, 23, 30, tzinfo=UTC)) == due  # 00:30 in Oslo


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("every Friday at midnight", "FREQ=WEEKLY;BYDAY=SA;BYHOUR=0;BYMINUTE=0"),
        ("every Sunday and Monday night at 1", "FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=1;BYMINUTE=0"),
        ("todos los viernes a medianoche", "FREQ=WEEKLY;BYDAY=SA;BYHOUR=0;BYMINUTE=0"),
        ("每周五晚上十二点", "FREQ=WEEKLY;BYDAY=SA;BYHOUR=0;BYMINUTE=0"),
        ("every night at 12", "FREQ=DAILY;BYHOUR=0;BYMINUTE=0"),
        ("every month on the 1st at midnight", ""),  # no rule says the day after
    ],
)
def test_the_night_of_a_day_goes_on_into_the_next(said: str, rule: str) -> None:
    assert read_words(said, now=NOW, zone=OSLO) == rule


@pytest.mark.parametrize(
    ("said", "each"),
    [
        ("to water at 8 and to feed at 9", [("water", "at 8"), ("feed", "at 9")]),
        ("water at 8 and feed at 9", [("water", "at 8"), ("feed", "at 9")]),
        (
            "tomorrow water at 8 and feed at 9",
            [("water", "tomorrow at 8"), ("feed", "2026-03-05T09:00")],
        ),
        (
            "water tomorrow at 8 pm and feed at 9",
            [("water", "tomorrow at 8 pm"), ("feed", "2026-03-05T21:00")],
        ),
        (
            "water at 8, feed at 9 and prune at 10",
            [("water", "at 8"), ("feed", "at 9"), ("prune", "at 10")],
        ),
        (
            "take pills every day at 8 and check the oven in 20 minutes",
            [("take pills", "every day at 8"), ("check the oven", "in 20 minutes")],
        ),
        ("buy bread and milk at 8 and call Ann at 9", [
            ("buy bread and milk", "at 8"), ("call Ann", "at 9"),
        ]),
        ("regar a las 8 y alimentar a las 9", [("regar", "a las 8"), ("alimentar", "a las 9")]),
        (
            "que riegue a las 8 y que alimente a las 9",
            [("riegue", "a las 8"), ("alimente", "a las 9")],
        ),
        ("八点浇水九点施肥", [("浇水", "八点"), ("施肥", "九点")]),
        ("八点浇水，九点提醒我施肥", [("浇水", "八点"), ("施肥", "九点")]),
        ("明天八点浇水然后十点施肥", [("浇水", "明天八点"), ("施肥", "2026-03-05T10:00")]),
        ("water every day at 8 am and 8 pm", []),
        ("call Ann at 8 and tell her the meeting is at 9", []),
        ("call Bob on Friday and visit Ann at 5", []),
        ("rest at 8 and 9", []),
        ("water at 8", []),
        ("每天早上八点吃药和晚上八点", []),
        ("请在明天早上七点休息", []),
        ("在周五晚上八点给妈妈打电话", []),
    ],
)  # fmt: skip
def test_two_in_one_sentence_are_told_apart(said: str, each: list[tuple[str, str]]) -> None:
    assert list(part_each(said, now=NOW, zone=OSLO)) == each


DAILY = Calendar("FREQ=DAILY;BYHOUR=18;BYMINUTE=30", datetime(2026, 3, 1), OSLO)


@pytest.mark.parametrize(
    ("said", "hour"),
    [
        ("7", "19"),
        ("at 7", "19"),
        ("las siete", "19"),
        ("七点", "19"),
        ("7 am", "7"),
        ("05:00", "5"),
    ],
)
def test_a_bare_hour_is_the_one_nearer_to_the_hour_before(said: str, hour: str) -> None:
    other = moved(DAILY, said, now=NOW)
    assert isinstance(other, Calendar)
    assert other.parts["BYHOUR"] == hour


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("20:00", "2026-03-06T19:00"),
        ("7", "2026-03-06T18:00"),
        ("Saturday", "2026-03-07T17:30"),
        ("el sábado", "2026-03-07T17:30"),
        ("周六", "2026-03-07T17:30"),
        ("tomorrow at 9", None),
        ("nonsense", None),
    ],
)
def test_what_comes_once_keeps_its_day_or_its_hour(said: str, due: str | None) -> None:
    friday = Once(datetime(2026, 3, 6, 17, 30, tzinfo=UTC), OSLO)  # 18:30 in Oslo
    other = moved(friday, said, now=NOW)
    expected = datetime.fromisoformat(due).replace(tzinfo=UTC) if due else None
    assert (other.at if isinstance(other, Once) else other) == expected


def test_an_hour_that_is_over_on_its_day_is_the_next_one() -> None:
    today = Once(datetime(2026, 3, 4, 17, 0, tzinfo=UTC), OSLO)
    assert moved(today, "8 am", now=NOW) is None
