"""Times as people say them, in three languages, and what they want to be reminded of."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.reminders.plain_words import part_words, read_words
from cloche.reminders.plain_words.changes import hear_reminder_cancel
from cloche.reminders.schedule import WhenError
from cloche.reminders.when import parse_when

NOW = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)  # a Wednesday, 10:30 in Oslo
OSLO = "Europe/Oslo"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        # English
        ("every other Sunday at 9", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=9;BYMINUTE=0"),
        ("in 20 minutes", "PT20M"),
        ("in half an hour", "PT30M"),
        ("in an hour and a half", "PT1H30M"),
        ("in 1 hour and 20 minutes", "PT1H20M"),
        ("twenty-five minutes from now", "PT25M"),
        ("in two days", "P2D"),
        ("in 2 days at 9", "2026-03-06T09:00"),
        ("tomorrow at 8", "2026-03-05T08:00"),
        ("tomorrow morning", "2026-03-05T09:00"),
        ("tonight", "2026-03-04T20:00"),
        ("at 7", "2026-03-04T19:00"),  # seven in the morning is over
        ("at 7:26", "2026-03-04T19:26"),
        ("at 11", "2026-03-04T11:00"),
        ("at 7 pm", "2026-03-04T19:00"),
        ("at 12 am", "2026-03-05T00:00"),
        ("today at 8", "2026-03-04T20:00"),
        ("on Friday at noon", "2026-03-06T12:00"),
        ("on Wednesday at 9", "2026-03-11T09:00"),  # not today
        ("next Friday at half past six in the evening", "2026-03-06T18:30"),
        ("at quarter to eight tomorrow", "2026-03-05T07:45"),
        ("on the 5th of May at 10", "2026-05-05T10:00"),
        ("May 5 at 10:15", "2026-05-05T10:15"),
        ("on 3 March at 10", "2027-03-03T10:00"),  # this year's is over
        ("every day at 8 am and 8 pm", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0"),
        ("every weekday at 7:30", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7;BYMINUTE=30"),
        ("on Mondays and Thursdays at 7", "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=7;BYMINUTE=0"),
        ("every 2 hours", "FREQ=HOURLY;INTERVAL=2"),
        ("every morning", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
        ("every month on the 1st at 9", "FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0"),
        (
            "on the first Monday of every month at 18:00",
            "FREQ=MONTHLY;BYDAY=1MO;BYHOUR=18;BYMINUTE=0",
        ),
        (
            "every three weeks on Tuesday at 9",
            "FREQ=WEEKLY;INTERVAL=3;BYDAY=TU;BYHOUR=9;BYMINUTE=0",
        ),
        ("every year on 5 March at 9", "FREQ=YEARLY;BYMONTHDAY=5;BYMONTH=3;BYHOUR=9;BYMINUTE=0"),
        # Spanish
        ("mañana a las ocho", "2026-03-05T08:00"),
        ("en veinte minutos", "PT20M"),
        ("dentro de dos horas y media", "PT2H30M"),
        ("en media hora", "PT30M"),
        ("hoy a las 8 de la tarde", "2026-03-04T20:00"),
        ("esta noche", "2026-03-04T20:00"),
        ("pasado mañana por la mañana", "2026-03-06T09:00"),
        ("el viernes a las ocho menos cuarto", "2026-03-06T07:45"),
        ("el 5 de mayo a las 10", "2026-05-05T10:00"),
        ("cada dos domingos a las 9", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=9;BYMINUTE=0"),
        ("un domingo sí y otro no a las 9", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=9;BYMINUTE=0"),
        (
            "todos los lunes y jueves a las siete y media de la tarde",
            "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=19;BYMINUTE=30",
        ),
        ("cada día a las 21:30", "FREQ=DAILY;BYHOUR=21;BYMINUTE=30"),
        ("todas las mañanas", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
        ("el primer lunes de cada mes a las 9", "FREQ=MONTHLY;BYDAY=1MO;BYHOUR=9;BYMINUTE=0"),
        ("cada 3 horas", "FREQ=HOURLY;INTERVAL=3"),
        # Chinese
        ("每周一早上七点", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=7;BYMINUTE=0"),
        ("二十分钟后", "PT20M"),
        ("20分钟后", "PT20M"),
        ("一个半小时后", "PT1H30M"),
        ("明天早上八点", "2026-03-05T08:00"),
        ("明早七点半", "2026-03-05T07:30"),
        ("后天下午三点", "2026-03-06T15:00"),
        ("今晚八点", "2026-03-04T20:00"),
        ("周五下午三点", "2026-03-06T15:00"),
        ("下周五上午10点", "2026-03-13T10:00"),
        ("5月5日下午2点", "2026-05-05T14:00"),
        ("每天晚上九点半", "FREQ=DAILY;BYHOUR=21;BYMINUTE=30"),
        ("每两周的周日上午9点", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=9;BYMINUTE=0"),
        ("隔周日上午9点", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=9;BYMINUTE=0"),
        ("每个工作日早上7点", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7;BYMINUTE=0"),
        ("每月1号上午九点", "FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0"),
        ("每两个小时", "FREQ=HOURLY;INTERVAL=2"),
    ],
)
def test_plain_words_become_iso_or_a_rule(said: str, meant: str) -> None:
    assert read_words(said, now=NOW, zone=OSLO) == meant
    parse_when(meant, now=NOW, zone=OSLO)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("tomorrow", "no_time"),
        ("every Sunday", "no_time"),
        ("mañana", "no_time"),
        ("明天", "no_time"),
        ("每周日", "no_time"),
        ("30 February at 9", "unreadable"),
        ("el 31 de abril a las 9", "unreadable"),
        ("2月30日上午9点", "unreadable"),
        ("2020-01-01 at 9", "past"),
    ],
)
def test_what_lacks_an_hour_or_never_comes_is_told_apart(said: str, fault: str) -> None:
    meant = read_words(said, now=NOW, zone=OSLO)
    assert meant
    with pytest.raises(WhenError) as refused:
        parse_when(meant, now=NOW, zone=OSLO)
    assert refused.value.fault == fault


@pytest.mark.parametrize(
    "said",
    [
        "",
        "nonsense",
        "soon",
        "later today or so",
        "at the station",
        "un día de estos",
        "有空的时候",
        "9",
    ],
)
def test_what_says_no_time_is_left_alone(said: str) -> None:
    assert read_words(said, now=NOW, zone=OSLO) == ""


@pytest.mark.parametrize(
    ("said", "what", "when"),
    [
        (
            "to post the letters every other Sunday at 9",
            "post the letters",
            "every other Sunday at 9",
        ),
        ("to call Ann tomorrow at 8", "call Ann", "tomorrow at 8"),
        ("tomorrow to call Ann at 8", "call Ann", "tomorrow at 8"),
        ("in 20 minutes to turn off the oven", "turn off the oven", "in 20 minutes"),
        ("to buy 3 stamps on 5 May at 10", "buy 3 stamps", "on 5 May at 10"),
        ("at 8 to buy tickets for tomorrow", "buy tickets for tomorrow", "at 8"),
        ("to post the letters", "to post the letters", ""),
        ("echar las cartas mañana a las ocho", "echar las cartas", "mañana a las ocho"),
        ("mañana a las ocho que eche las cartas", "eche las cartas", "mañana a las ocho"),
        ("每周一早上七点寄信", "寄信", "每周一早上七点"),
        ("明天下午三点去接孩子", "去接孩子", "明天下午三点"),
    ],
)
def test_what_and_when_are_told_apart(said: str, what: str, when: str) -> None:
    assert part_words(said, now=NOW, zone=OSLO) == (what, when)


@pytest.mark.parametrize(
    "said",
    [
        # English
        "call Bob yesterday at 9",
        "call Bob last Friday at 9",
        "5 minutes ago at 9 call",
        "pay rent every 31st at 9",
        "pay on 12/13 at 9",
        "take the pill every day at 9 until Friday",
        "take the pill every day at 9 for 3 days",
        "water every other day at 9 except Sunday",
        "every second Tuesday of the month at 9 to meet",
        "take the pill every day at 9 starting Monday",
        "call in -5 minutes",
        # Spanish
        "llamar ayer a las 9",
        "llamar el lunes pasado a las 9",
        "llamar hace dos días a las 9",
        "pagar cada 31 a las 9",
        "pagar el 12/13 a las 9",
        "pagar todos los días a las 9 hasta el viernes",
        "tomar la pastilla todos los días a las 9 durante 3 días",
        "regar cada día a las 9 excepto los domingos",
        "regar cada día a las 9 a partir del lunes",
        "llamar en -5 minutos",
        # Chinese
        "昨天上午9点打电话",
        "上周五上午9点打电话",
        "三天前上午9点打电话",
        "12/13上午9点付款",
        "每天上午9点吃药直到周五",
        "每天上午9点吃药到下周五",
        "每天上午9点吃药连续三天",
        "每天上午9点浇花除了周日",
        "从周一开始每天上午9点吃药",
        "-5分钟后打电话",
    ],
)
def test_words_of_time_that_are_left_over_set_nothing(said: str) -> None:
    assert part_words(said, now=NOW, zone=OSLO) == (said, "")
    assert read_words(said, now=NOW, zone=OSLO) == ""


@pytest.mark.parametrize(
    ("said", "when"),
    [
        ("tomorrow at 9 read yesterday's paper", "tomorrow at 9"),
        ("book a room for 3 days tomorrow at 9", "tomorrow at 9"),
        ("take 1/2 pill at 9", "at 9"),
        ("water every plant at 9", "at 9"),
        ("study for 2 hours every day at 9", "every day at 9"),
        ("mañana a las 9 leer el diario de ayer", "mañana a las 9"),
        ("reservar hotel por 3 días mañana a las 9", "mañana a las 9"),
        ("a las ocho menos cuarto llamar a Ana", "A las ocho menos cuarto"),
        ("明天上午9点看昨天的报纸", "明天上午9点"),
        ("每天早上七点浇花", "每天早上七点"),
    ],
)
def test_words_of_time_that_say_what_to_do_are_left_to_it(said: str, when: str) -> None:
    assert part_words(said, now=NOW, zone=OSLO)[1] == when.lower()


PIECES = (
    "every other in at on tomorrow 9 30 99 0 pm minutes sunday cada dos a las mañana "
    "每 周 一 点 半 后"
).split()


@given(st.text(max_size=80) | st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join))
def test_no_words_break_it_and_what_it_reads_is_a_time_or_told_why(said: str) -> None:
    meant = read_words(said, now=NOW, zone=OSLO)
    part_words(said, now=NOW, zone=OSLO)
    if meant:
        with suppress(WhenError):
            parse_when(meant, now=NOW, zone=OSLO)


@pytest.mark.parametrize(
    ("text", "which"),
    [
        ("Delete the rent one", "rent"), ("cancel my gym one, please", "gym"),
        ("Borra el del alquiler", "alquiler"), ("取消房租那个", "房租"),
        ("cancel the Friday one", "Friday one"),
    ],
)  # fmt: skip
def test_one_that_was_listed_is_cancelled_by_what_it_is_about(text: str, which: str) -> None:
    assert hear_reminder_cancel(text) == {"which": which}


@pytest.mark.parametrize(
    "text",
    [
        "cancel the Friday one and move the fig to Monday",
        "cancela el del viernes y mueve el riego al lunes",
        "forget the rent one", "I don't need the red one",
    ],
)  # fmt: skip
def test_what_another_request_follows_or_may_be_of_anything_is_no_cancelling(text: str) -> None:
    assert hear_reminder_cancel(text) is None
