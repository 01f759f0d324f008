"""When statements end by their own words, in three languages. They are said on a Monday."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.memory.extraction.timebound import expiry_of, names_an_end
from cloche.memory.records import KINDS, Kind

MADRID = ZoneInfo("Europe/Madrid")
MONDAY = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def last_day(text: str, kind: Kind = "fact", at: datetime = MONDAY) -> str | None:
    """The last day on which a statement holds: it ends at four the morning after."""
    end = expiry_of(text, kind, at, MADRID)
    if end is None:
        return None
    local = end.astimezone(MADRID)
    assert (local.hour, local.minute) == (4, 0)
    return str(local.date() - timedelta(days=1))


ENDS = {
    # a day of the week
    "I'm on holiday until Friday.": "2026-03-06",
    "I'm away till Thursday night.": "2026-03-05",
    "My sister is visiting through Sunday.": "2026-03-08",
    "I have to hand it in by Friday.": "2026-03-06",
    "I'm back on Monday.": "2026-03-09",
    "I'm not back until next Tuesday.": "2026-03-10",
    "I have guests this Saturday.": "2026-03-07",
    "Estoy de vacaciones hasta el viernes.": "2026-03-06",
    "Hasta el viernes que viene estoy fuera.": "2026-03-06",
    "Vuelvo el lunes.": "2026-03-09",
    "Estamos fuera hasta el próximo miércoles.": "2026-03-04",
    "Tengo que entregarlo para el jueves.": "2026-03-05",
    "我休假到周五为止。": "2026-03-06",
    "到星期五为止我都不在家": "2026-03-06",
    "我周五之前要交作业": "2026-03-06",
    "我下周一回来。": "2026-03-09",
    "我生病了，到下周三才能上班": "2026-03-11",
    "我住院到這週五": "2026-03-06",
    # the day, the week
    "I watered the roses today": "2026-03-02",
    "I fed the cat this morning.": "2026-03-02",
    "I'm ill this week.": "2026-03-08",
    "I'm travelling next week.": "2026-03-15",
    "We're not home this weekend.": "2026-03-08",
    "I'm abroad this month.": "2026-03-31",
    "I'm at the dentist tomorrow.": "2026-03-03",
    "I watered them yesterday.": "2026-03-02",
    "Hoy regué los rosales.": "2026-03-02",
    "Esta mañana les di de comer.": "2026-03-02",
    "Estoy enfermo esta semana.": "2026-03-08",
    "La semana que viene estoy de viaje.": "2026-03-15",
    "Mañana voy al dentista.": "2026-03-03",
    "Pasado mañana no estoy.": "2026-03-04",
    "今天浇过水了": "2026-03-02",
    "今天早上喂过猫了": "2026-03-02",
    "我这周生病了。": "2026-03-08",
    "我下周出差": "2026-03-15",
    "我明天去看牙医": "2026-03-03",
    "我后天不在家": "2026-03-04",
    "我本月都在国外": "2026-03-31",
    # lengths of time
    "I'm away for two weeks.": "2026-03-16",
    "I'm on tablets for the next 10 days.": "2026-03-12",
    "The lift is out for a month.": "2026-04-02",
    "My leg is in a cast for six more weeks.": "2026-04-13",
    "Tengo el pie escayolado seis semanas más.": "2026-04-13",
    "Me voy unos días al pueblo.": "2026-03-08",
    "Estoy fuera durante dos semanas.": "2026-03-16",
    "Los próximos diez días estoy en Lima.": "2026-03-12",
    "Estaré de viaje por quince días.": "2026-03-17",
    "我要出差两周。": "2026-03-16",
    "接下来三天我不在家。": "2026-03-05",
    "我请假十天": "2026-03-12",
    # dates
    "The van is on loan until 5 May.": "2026-05-05",
    "I'm in Lima until May 5th, 2027.": "2027-05-05",
    "We're in the old flat until the end of April.": "2026-04-30",
    "I'm off until the 20th.": "2026-03-20",
    "The code is valid until 2026-12-24.": "2026-12-24",
    "I'm on leave until the end of the year.": "2026-12-31",
    "Estoy en Lima hasta el 5 de mayo de 2027.": "2027-05-05",
    "Se queda con nosotros hasta finales de abril.": "2026-04-30",
    "Estoy de baja hasta el 20/3.": "2026-03-20",
    "Estoy fuera hasta fin de año.": "2026-12-31",
    "我在北京待到5月5号。": "2026-05-05",
    "我休假到月底": "2026-03-31",
    "我在国外待到2027年5月": "2027-05-31",
    "我请假到二十号": "2026-03-20",
}

ENDLESS = (
    "I lived in Oslo until 2019.",
    "I lived in Oslo until May.",
    "I've lived here for two years.",
    "I trained for two weeks.",
    "From today on I only drink tea.",
    "I work from Monday to Friday.",
    "I sing every Friday.",
    "I swim on Fridays.",
    "I bought a van today.",
    "I noticed today that the door squeaks.",
    "I have a van, and today it squeaks.",
    "My birthday is on 5 May.",
    "I may be tall.",
    "I always wait until Friday.",
    "I turned forty last Friday.",
    "I am called June.",
    "I work from home, so I can rest at noon.",
    "We have hard frosts until the middle of May.",
    "I had a check-up on Monday.",
    "Our boiler broke this morning.",
    "Esta mañana se rompió la caldera.",
    "今天早上锅炉坏了。",
    "星期四我都有课。",
    "I'm a guard in the team and our first match is next week.",
    "Llevo dos semanas aquí.",
    "Vivo aquí desde hace dos años.",
    "Viví en Oslo hasta 2019.",
    "Trabajo de lunes a viernes.",
    "A partir de hoy solo bebo té.",
    "Compré una furgoneta hoy.",
    "Los viernes canto en el coro.",
    "Cada mañana corro.",
    "Siempre espero hasta el viernes.",
    "El lunes tuve una revisión.",
    "Tenemos heladas hasta mediados de mayo.",
    "Puedo descansar a mediodía.",
    "Mi cumpleaños es el 5 de mayo.",
    "我在上海住了两年。",
    "我每周五唱歌。",
    "我周一到周五上班。",
    "从今天起我只喝茶。",
    "我今天买了一辆车。",
    "今天我发现门坏了。",
    "我的生日是5月5号。",
    "我总是等到周五。",
    "我只能周末打扫。",
    "我们这儿五月中旬之前都有霜。",
    "三天前下雨了",
    "",
    "?",
)


@pytest.mark.parametrize(("text", "day"), ENDS.items())
def test_what_is_bound_to_time_holds_through_its_last_day(text: str, day: str) -> None:
    assert last_day(text) == day


@pytest.mark.parametrize("text", ENDLESS)
def test_what_lasts_has_no_end(text: str) -> None:
    assert expiry_of(text, "fact", MONDAY, MADRID) is None


@pytest.mark.parametrize(
    "text",
    [
        "We pulled out the hedge yesterday.",
        "I pulled my old roses out today.",
        "I gave the mint away this morning.",
        "Slugs ate my lettuce last night.",
        "I threw the old rug away today.",
        "We cut the cherry down yesterday.",
        "The storm destroyed our shed last night.",
        "I sprained my ankle yesterday.",
        "I hurt my back this morning.",
        "I cancelled my gym membership today.",
        "Las berenjenas ya no las tengo, las arranqué ayer.",
        "Ayer arranqué los rosales.",
        "Esta mañana regalé la menta.",
        "Anoche las babosas se comieron mis lechugas.",
        "Hoy tiré la alfombra vieja.",
        "Ayer hemos talado el cerezo.",
        "Ayer me torcí el tobillo.",
        "昨天我把玫瑰拔了。",
        "昨晚蛞蝓把我的生菜吃了。",
        "今天早上我把薄荷送人了。",
        "昨天我把旧地毯扔了。",
        "我的月季昨晚冻死了。",
        "我昨天扭伤了脚踝。",
    ],
)
def test_what_is_gone_for_good_is_not_forgotten_with_its_day(text: str) -> None:
    assert last_day(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "I watered the roses yesterday.",
        "I ate my lunch late today.",
        "I slept badly last night.",
        "My knee hurts today.",
        "I gave the mint water this morning.",
        "Ayer regué los rosales.",
        "El coche no arrancó hoy.",
        "Hoy me duele la rodilla.",
        "昨天我给玫瑰浇水了。",
        "今天我把药吃了。",
        "今天累死了。",
        "我今天拔草了。",
    ],
)
def test_what_passes_is_over_with_its_day(text: str) -> None:
    assert last_day(text) == "2026-03-02"


@pytest.mark.parametrize(
    ("kind", "text", "day"),
    [
        ("decision", "I decided to wait until Friday.", "2026-03-06"),
        ("decision", "Decidimos esperar durante dos semanas.", "2026-03-16"),
        ("decision", "我决定等到周五", "2026-03-06"),
        ("decision", "I decided today to wait.", None),
        ("decision", "Hoy decidí esperar.", None),
        ("decision", "我今天决定再等等", None),
        ("rule", "Don't write to me for two weeks.", "2026-03-16"),
        ("rule", "Always answer in English until Friday.", "2026-03-06"),
        ("rule", "Hoy responde solo en inglés.", "2026-03-02"),
        ("rule", "这周只用英文回答我", "2026-03-08"),
        ("preference", "I only want short answers today.", "2026-03-02"),
        ("preference", "I like to rest on Sunday.", None),
        ("preference", "Los domingos prefiero descansar.", None),
        ("preference", "我喜欢周日休息", None),
        ("note", "Watered today.", None),
        ("note", "Loaned out until Friday.", "2026-03-06"),
        ("warning", "Frost tonight.", "2026-03-02"),
        ("summary", "Told: \u201cI'm away until Friday\u201d", None),
        ("task_state", "I have to pay by Friday.", None),
    ],
)
def test_its_kind_says_what_ends_it(kind: Kind, text: str, day: str | None) -> None:
    assert last_day(text, kind) == day


@pytest.mark.parametrize(
    "text",
    [
        "My dog sleeps until noon.",
        "I stay awake until midnight.",
        "I always work until 6.",
        "I don't eat until noon.",
        "The shop is open until midnight.",
        "I finish by noon.",
        "Mi perro duerme hasta mediodía.",
        "Me quedo despierta hasta medianoche.",
        "La tienda está abierta hasta medianoche.",
        "Siempre trabajo hasta las seis.",
        "我的狗睡到中午。",
        "我每天熬到半夜。",
        "我总是工作到六点。",
    ],
)
def test_what_one_does_until_an_hour_is_done_on_other_days_too(text: str) -> None:
    assert last_day(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "I'm away until midnight.",
        "The water is off until noon.",
        "Estoy fuera hasta medianoche.",
        "我今天工作到中午。",
    ],
)
def test_what_is_so_now_until_an_hour_ends_with_the_day(text: str) -> None:
    assert last_day(text) == "2026-03-02"


def test_an_hour_is_over_within_the_day() -> None:
    for text in ("No calls for an hour.", "No me llames durante una hora.", "接下来一小时别打给我"):
        assert expiry_of(text, "rule", MONDAY, MADRID) == MONDAY + timedelta(hours=1)


def test_on_a_friday_until_friday_means_the_next_and_past_midnight_is_still_the_evening() -> None:
    friday = datetime(2026, 3, 6, 22, tzinfo=MADRID)
    past_midnight = datetime(2026, 3, 7, 1, tzinfo=MADRID)
    for at in (friday, past_midnight):
        assert last_day("I'm away until Friday.", at=at) == "2026-03-13"
        assert last_day("Hoy regué.", at=at) == "2026-03-06"
        assert last_day("我明天回来", at=at) == "2026-03-07"


def test_days_are_those_of_the_persons_zone() -> None:
    at = datetime(2026, 3, 2, 20, tzinfo=UTC)  # Tuesday in Auckland
    auckland = ZoneInfo("Pacific/Auckland")
    assert expiry_of("I'm ill today.", "fact", at, auckland) == datetime(
        2026, 3, 4, 4, tzinfo=auckland
    )


def test_a_day_ends_at_four_also_where_clocks_are_changed() -> None:
    saturday = datetime(2026, 3, 28, 12, tzinfo=UTC)  # clocks go forward in the night
    assert last_day("I'm ill today.", at=saturday) == "2026-03-28"
    assert expiry_of("I'm ill today.", "fact", saturday, MADRID) == datetime(
        2026, 3, 29, 2, tzinfo=UTC
    )


def test_states_that_name_their_end_are_told_from_the_talk_of_the_day() -> None:
    for text in ("I'm ill this week.", "back on Monday", "hasta el viernes", "我出差两周"):
        assert names_an_end(text)
    for text in ("I was busy this week.", "I'm tired today.", "hasta luego", "我今天很累", ""):
        assert not names_an_end(text)


INSTANTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
ZONES = st.sampled_from(["UTC", "Europe/Madrid", "Asia/Shanghai", "America/Lima", "Pacific/Apia"])
PIECES = st.sampled_from(
    """until hasta 到 为止 Friday viernes 周五 back on vuelvo el 回来 for durante two weeks
    dos semanas 两周 31 30 29 2 febrero February 2月 2026 9999 0000-00-00 99 de of the next
    próximo 下 today hoy 今天
    mañana 明天 I'm estoy 我 week semana 周 every cada 每 end fin 底 , . : /""".split()
)
TEXTS = st.lists(PIECES, max_size=12).map(" ".join) | st.lists(PIECES, max_size=12).map("".join)


@given(TEXTS | st.text(max_size=80), st.sampled_from(KINDS), INSTANTS, ZONES)
def test_any_words_end_after_they_were_said_or_never(
    text: str, kind: Kind, at: datetime, zone: str
) -> None:
    end = expiry_of(text, kind, at, ZoneInfo(zone))
    assert end is None or (end > at and end.tzinfo is UTC)
    names_an_end(text)


@given(
    INSTANTS,
    ZONES,
    st.sampled_from(["I'm away until {}.", "Estoy fuera hasta el {}.", "我到{}为止不在"]),
    st.integers(0, 6),
)
def test_until_a_weekday_ends_with_the_next_such_day(
    at: datetime, zone: str, frame: str, day: int
) -> None:
    names = {
        "I": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
        "E": "lunes martes miércoles jueves viernes sábado domingo".split(),
    }.get(frame[0], [f"周{n}" for n in "一二三四五六日"])
    end = expiry_of(frame.format(names[day]), "fact", at, ZoneInfo(zone))
    assert end is not None
    assert timedelta(0) < end - at <= timedelta(days=9)
    assert (end.astimezone(ZoneInfo(zone)) - timedelta(hours=5)).weekday() == day


@given(INSTANTS, st.dates(date(2000, 1, 1), date(2099, 12, 31)))
def test_a_full_date_ends_that_day_unless_it_is_over(at: datetime, day: date) -> None:
    months = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre"
    spanish = [*months.split(), "diciembre"][day.month - 1]
    for text in (
        f"I'm away until {day}.",
        f"Estoy fuera hasta el {day.day} de {spanish} de {day.year}.",
        f"我到{day.year}年{day.month}月{day.day}日为止不在",
    ):
        end = expiry_of(text, "fact", at, ZoneInfo("UTC"))
        over = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1, hours=4)
        far = day.year - (at - timedelta(hours=4)).year > 50
        assert end == (None if over <= at or far else over)


@given(INSTANTS, st.sampled_from(sorted(ENDS)))
def test_case_width_and_accents_change_nothing(at: datetime, text: str) -> None:
    end = expiry_of(text, "fact", at, MADRID)
    assert expiry_of(text.upper(), "fact", at, MADRID) == end
    assert expiry_of(f"  {text.replace(' ', '  ')}\n", "fact", at, MADRID) == end


@pytest.mark.parametrize(
    "said",
    [
        "I work Mon/Wed/Fri",
        "I work Mon, Wed and Fri",
        "I swim Tuesday and Thursday",
        "My days are Monday, Wednesday, and Friday",
        "Trabajo lunes, miércoles y viernes",
        "Nado lunes/jueves",
        "我周一、周三、周五上班",
        "我周一、三、五上班",
    ],
)
def test_a_habit_on_several_days_does_not_end_with_the_next_of_them(said: str) -> None:
    at = datetime(2026, 11, 30, 9, tzinfo=UTC)
    assert expiry_of(said, "fact", at, ZoneInfo("UTC")) is None


@pytest.mark.parametrize(
    "said",
    ["I'm away Monday and Tuesday", "I have guests Monday and Tuesday", "我周二、周三出差"],
)
def test_what_is_once_on_several_days_ends_with_them(said: str) -> None:
    at = datetime(2026, 11, 30, 9, tzinfo=UTC)
    assert expiry_of(said, "fact", at, ZoneInfo("UTC")) is not None
