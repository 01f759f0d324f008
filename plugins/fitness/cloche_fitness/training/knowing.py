"""What is remembered of a person, read for planning: aches, health, goal, days, equipment."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from cloche import MemoryRecord
from cloche_fitness.training.aches import CHEST, Part, aches_in
from cloche_fitness.training.owning import Told, owned_of
from cloche_fitness.training.planning import Goal, Movement
from cloche_fitness.training.tables import Words

GROWN_UP: Final = 18
SHORTEST: Final = 15
"""Minutes below which nothing is a session."""
_AGES: Final = re.compile(
    # "I'm 12 weeks in" and "llevo 10 años entrenando" tell no age.
    r"\b(?:i'm|i am|im|aged?|turned|turning) (\d{1,2})\b(?! *(?:weeks?|months?|minutes?|mins?"
    r"|hours?|days?|km|kg|kilos?|lbs?|pounds?|miles?|reps|sets|percent|%|[:.,]\d))"
    r"|\b(\d{1,2})(?: years old| ?y/?o\b|-year-old)"
    r"|\b(?:tengo|cumplo|cumplí|con|de) (\d{1,2}) años(?! (?:de experiencia|entrenando|haciendo"
    r"|sin))"
    r"|(\d{1,2}) ?岁",
    re.IGNORECASE,
)
_AGES_IN_WORDS: Final = re.compile(
    r"\b(?:i'm|i am) (?:ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen)\b"
    r"(?! *(?:weeks?|months?|minutes?|hours?|days?|kilos?|pounds?|miles?))"
    r"|\btengo (?:diez|once|doce|trece|catorce|quince|dieciséis|dieciseis|diecisiete) años\b"
    r"|(?<!二)(?<!三)(?<!四)(?<!五)(?<!六)(?<!七)(?<!八)(?<!九)(?:十|十[一二三四五六七])岁",
    re.IGNORECASE,
)
_NUMBERS: Final = {
    **{word: at for at, word in enumerate(("one", "two", "three", "four", "five", "six"), 1)},
    **{word: at for at, word in enumerate(("uno", "dos", "tres", "cuatro", "cinco", "seis"), 1)},
    **{word: at for at, word in enumerate("一二三四五六", 1)},
    **{"两": 2, "once": 1, "twice": 2, "una": 1},
}
_TIMES: Final = re.compile(
    r"([1-6]|one|two|three|four|five|six|uno|una|dos|tres|cuatro|cinco|seis|[一二两三四五六])"
    r"\s*(?:days?|times?|sessions?|x|días?|dias?|veces|vez|sesiones|天|次)(?![a-z])"
    r"|\b(once|twice)\b",
    re.IGNORECASE,
)
_SPAN: Final = re.compile(
    r"(\d{2,3})[ -]*(?:minutes?|mins?|minutos?|分钟)|(half an hour|media hora|半个?小时)"
    r"|(an hour and a half|hora y media|一个半小时)|(\ban hour\b|\buna hora\b|[一1]个?小时|1 ?h\b)",
    re.IGNORECASE,
)
_DISTANCE: Final = re.compile(
    r"\d ?(?:k|km|mi|miles?|millas?|kil[oó]m\w+|公里|英里)(?![a-z])", re.I
)
_SESSION: Final = re.compile(
    r"session|workout|\btrain|sesi[oó]n|entren|训练|锻炼|健身|每次", re.IGNORECASE
)
_LISTED_DAYS: Final = re.compile(
    r"(周|星期|礼拜)([一二三四五六日天](?:[、，,和及与/ ]+[一二三四五六日天]|[一二三四五六日])+)"
    r"(?![次天])"
)
"""Several days behind one word for them: 每周二、四、六."""
_A_WEEK: Final = re.compile(r"[一每]周[一二两三四五六](?:[、到至]?[一二两三四五六七])?\s*[次天]")
"""Three times a week in Chinese begins as Wednesday does."""


@dataclass(frozen=True, slots=True)
class Known:
    """What memory tells for a plan.

    Attributes:
        goal: What they want; None where they did not say.
        weekdays: The days they named, Monday 0.
        days: How many a week; 0 where they did not say.
        minutes: How long a session takes; 0 where they did not say.
        equipment: Ids of the vocabulary's equipment.
        gone: Those they said they have no more, or not.
        aching: Joints that ache.
        aches: What they said of these.
        doctor: What they said that a doctor should know of first.
        pregnant: What they said that a midwife should know of first.
        emergency: What they said that emergency services come first for, and not that it is gone.
        young: What they said that makes them under 18.
    """

    goal: Goal | None = None
    weekdays: tuple[int, ...] = ()
    days: int = 0
    minutes: int = 0
    equipment: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    aching: frozenset[str] = frozenset()
    aches: tuple[str, ...] = ()
    doctor: tuple[str, ...] = ()
    pregnant: tuple[str, ...] = ()
    emergency: tuple[str, ...] = ()
    young: tuple[str, ...] = ()

    def rules_out(self, movement: Movement) -> bool:
        """True for what lies flat on the back when they are pregnant, or needs what is gone."""
        needs = set(movement.needs)
        missing = bool(self.gone & needs) and not self.equipment & needs
        return missing or (bool(self.pregnant) and movement.lying)


def known_of(records: Iterable[MemoryRecord], words: Words) -> Known:
    """What records tell; of goal and days the newest counts."""
    # A summary says again what its session was about, and may outlive what it says.
    told = (record for record in records if record.kind != "summary")
    newest = sorted(told, key=lambda record: record.validity.created_at, reverse=True)
    owned = owned_of(Told(record.text, frozenset(_ids(record, "equipment"))) for record in newest)
    aching: dict[str, str] = {}
    well: list[Part] = []
    doctor, pregnant, young = [], [], []
    goal: Goal | None = None
    weekdays: tuple[int, ...] = ()
    days = minutes = 0
    for record in newest:
        text, types = record.text, _ids(record, "type")
        aches = aches_in(text, words)
        for part in aches.named if "injury" in types or aches.told else ():
            if part.name != CHEST and not any(one.frees(part) for one in well):
                aching |= {joint: text for joint in part.joints if joint not in aching}
        well += aches.well
        careful = careful_in(text, words)
        if "v-doctor" in careful:
            doctor.append(text)
        if "v-pregnancy" in careful:
            pregnant.append(text)
        if is_young(text) and not words.named("other", text):
            young.append(text)
        if _SESSION.search(text) and not aches.told:
            minutes = minutes or minutes_in(text)
        if "goal" in types:
            goal = goal or goal_in(text, words)
        if types & {"availability", "training"} and not (weekdays or days):
            weekdays, days = weekdays_in(text, words), days_in(text)
    return Known(
        goal,
        weekdays,
        days,
        minutes,
        owned.there,
        owned.gone,
        frozenset(aching),
        tuple(dict.fromkeys(aching.values())),
        tuple(doctor),
        tuple(pregnant),
        _emergencies((record.text for record in newest), words),
        tuple(young),
    )


def _emergencies(newest: Iterable[str], words: Words) -> tuple[str, ...]:
    """Emergencies that were told after the last word that it is gone."""
    found = []
    for text in newest:
        if words.named("emergency", text):
            if CHEST in {part.name for part in aches_in(text, words).well}:
                break
            found.append(text)
    return tuple(found)


def joints_in(text: str, words: Words) -> tuple[str, ...]:
    """Joints that a text names."""
    parts = [Part(name.removeprefix("v-")) for name in words.named("joint", text)]
    return tuple(dict.fromkeys(joint for part in parts for joint in part.joints))


def careful_in(text: str, words: Words) -> tuple[str, ...]:
    """What of a text a doctor or midwife has to say something to first; nobody else's matters."""
    if words.named("other", text):
        return ()
    for phrase in words.spoken("harmless"):
        text = re.sub(re.escape(phrase), " ", text, flags=re.IGNORECASE)
    return words.named("careful", text)


def goal_in(text: str, words: Words) -> Goal | None:
    """The first goal that a text names."""
    goals: dict[str, Goal] = {
        "v-strength": "strength",
        "v-muscle": "muscle",
        "v-endurance": "endurance",
        "v-health": "health",
    }
    return next((goals[name] for name in words.named("goal", text)), None)


def weekdays_in(text: str, words: Words) -> tuple[int, ...]:
    """Days of the week that a text names, Monday 0."""
    said = _LISTED_DAYS.sub(_each_day, _A_WEEK.sub(" ", text))
    digits = "".join(name.removeprefix("v-") for name in words.named("weekday", said))
    return tuple(sorted({int(digit) for digit in digits}))


def _each_day(listed: re.Match[str]) -> str:
    days = re.findall("[一二三四五六日天]", listed[2])
    return " ".join(f"{listed[1]}{day}" for day in days)


def minutes_in(text: str) -> int:
    """How many minutes a session takes; 0 = it does not say, but of a race or a warm-up."""
    found = _SPAN.search(text)
    if not found or _DISTANCE.search(text):
        return 0
    if found[1]:
        return int(found[1]) if int(found[1]) >= SHORTEST else 0
    return 30 if found[2] else 90 if found[3] else 60


def days_in(text: str) -> int:
    """How many days a week a text names; 0 = it does not say."""
    found = _TIMES.search(text)
    if not found:
        return 0
    word = (found[1] or found[2]).casefold()
    return int(word) if word.isdigit() else _NUMBERS[word]


def is_young(text: str) -> bool:
    """True when somebody says that they are under 18."""
    said = text.replace("’", "'")
    ages = [int(next(filter(None, found))) for found in _AGES.findall(said)]
    return any(5 <= age < GROWN_UP for age in ages) or bool(_AGES_IN_WORDS.search(said))


def _ids(record: MemoryRecord, key: str) -> set[str]:
    carried = record.metadata.get(key, ())
    return {tag.id for tag in carried} if isinstance(carried, tuple) else set()
