"""Requests for a week that tell more in the same breath: pain, goal, days, minutes, equipment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from cloche_fitness.training.aches import aches_in
from cloche_fitness.training.caring import cares
from cloche_fitness.training.knowing import (
    Known,
    careful_in,
    days_in,
    goal_in,
    minutes_in,
    weekdays_in,
)
from cloche_fitness.training.planning import Goal
from cloche_fitness.training.tables import Words
from cloche_fitness.vocabulary import WORDS

_REQUEST: Final = re.compile(
    r"(?:^|[.,;:!?\n] *|\bso )(?:please |hi |hello |can you |could you |would you )*"
    r"(?:(?:make|give|build|create|write|design|draw up|set up|do|get)(?: me| us)?"
    r"|i need|i want|i'd like|i would like)"
    r" (?:an? |my |the )?(?:[\w-]+ ){0,3}?(?:plan|programme|program|routine)\b"
    r"|(?:^|[.,;:!?\n] *|\bso )(?:please |can you |could you |would you )*plan"
    r" (?:me )?(?:a |my |the |this )?(?:(?:training|workout|next) )?(?:week|training|workouts?)\b"
    r"|(?:^|[.,;:!?¡¿\n] *)(?:por favor |puedes |podrías |podrias )*"
    r"(?:haz(?:me)?|hacerme|dame|darme|prep[aá]ra(?:me)?|prepararme|cr[eé]a(?:me)?|arma(?:me)?"
    r"|[aá]rmame|dise[nñ]a(?:me)?|dis[eé][nñ]ame|necesito|quiero|quisiera)"
    r" (?:un|una|el|la|mi) (?:[\w-]+ ){0,2}?(?:plan|programa|rutina)\b"
    r"|(?:^|[.,;:!?¡¿\n] *)(?:por favor |puedes |podrías |podrias )*planif[ií]ca(?:r|me)?"
    r" (?:mi|la|una|el) (?:semana|entreno|entrenamiento)\b"
    r"|(?:安排|制定|做|来|给我|想要|需要|设计|排)[^，。；！？,.;!?]{0,12}(?:计划|训练|方案|课表)",
    re.IGNORECASE,
)
_OTHER_PLAN: Final = re.compile(
    r"\b(?:meal|diet|food|nutrition|eating|travel|study|work schedule|comidas?|alimentaci[oó]n"
    r"|viaje|estudios?|don't|do not|no quiero)\b|食谱|饮食|旅行|学习|不要|别",
    re.IGNORECASE,
)
_CLAUSES: Final = re.compile(
    r"[,;:.!?¡¿，；：。！？、\n]+\s*|\b(?:but|because|pero|porque)\b|但是|但|因为|不过",
    re.IGNORECASE,
)
_NOTHING: Final = re.compile(
    r"\b(?:no|without|without any|sin) (?:equipment|gear|gym|material|equipo|equipamiento|gimnasio)"
    r"\b|\bbodyweight only\b|没有?器[材械]|无器[材械]|不用器[材械]|徒手",
    re.IGNORECASE,
)
_EVENT: Final = re.compile(r"\b(?:race|match|game|carrera|partido)\b|比赛", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person says when they ask for a week; it comes before what is remembered.

    Attributes:
        goal: What it is for; None where they did not say.
        days: How many sessions; 0 where they did not say.
        weekdays: The days they named, Monday 0.
        minutes: How long a session may take; 0 where they did not say.
        equipment: Their words for it; "" where they did not say.
        avoid: Their words for what hurts or what a doctor has to say something to.
    """

    goal: Goal | None = None
    days: int = 0
    weekdays: tuple[int, ...] = ()
    minutes: int = 0
    equipment: str = ""
    avoid: str = ""

    def after(self, last: Asked) -> Asked:
        """What is wished for from now on: what was said before holds where nothing new is said.

        Args:
            last: What was said before. What hurt is left out: memory keeps it, and that it healed.
        """
        on = self if self.days or self.weekdays else last
        return Asked(
            goal=self.goal or last.goal,
            days=on.days,
            weekdays=on.weekdays,
            minutes=self.minutes or last.minutes,
            equipment=self.equipment or last.equipment,
        )

    def known_with(self, known: Known) -> Known:
        """What memory tells, and of what it does not tell, what was said with earlier requests."""
        silent = not (known.days or known.weekdays)
        return replace(
            known,
            goal=known.goal or self.goal,
            days=self.days if silent else known.days,
            weekdays=self.weekdays if silent else known.weekdays,
            minutes=known.minutes or self.minutes,
        )


def asks_plan(text: str) -> bool:
    """True when words ask for a plan of training."""
    said = text.strip().replace("’", "'")
    return bool(_REQUEST.search(said)) and not _OTHER_PLAN.search(said)


_FILE: Final = re.compile(
    r"\w\.(?:txt|md|csv|json|pdf|png|jpe?g|gif|webp|docx?|xlsx?)(?![a-z])", re.I
)
"""The name of a file: a plan that is there is not made."""


def heard_plan(text: str, words: Words) -> Mapping[str, str] | None:
    """The arguments of ``plan_week``; None where no plan is asked for, or a professional is first.

    Args:
        text: A person's words, whole.
        words: The tables of ``movements.toml``.
    """
    if not asks_plan(text) or words.named("other", text) or set(cares(text, words)) - {"ache"}:
        return None
    if _FILE.search(text):
        return None
    goal, days = goal_in(text, words), days_in(text)
    clauses = [one for one in _clauses(text) if not _EVENT.search(one)]
    minutes = next(filter(None, map(minutes_in, clauses)), 0)
    on = [one for one in clauses if weekdays_in(one, words)]
    there = [one for one in clauses if _names_equipment(one)]
    nothing = bool(_NOTHING.search(text))
    told = {
        "goal": goal or "",
        "days": str(days) if days else "",
        "on": ", ".join(on),
        "minutes": str(min(minutes, 120)) if minutes else "",
        "equipment": "none" if nothing else ", ".join(there),
        "avoid": told_of_health(text, words),
    }
    return {name: value for name, value in told.items() if value}


def told_of_health(text: str, words: Words) -> str:
    """What of a text is to be kept of pain and health: without the request it was told in.

    Args:
        text: A person's words.
        words: The tables of ``movements.toml``.
    """
    if words.named("other", text) or not set(cares(text, words)) - {"diet"}:
        return ""
    if not asks_plan(text):
        return text.strip()
    told = [
        one
        for one in _clauses(text)
        if aches_in(one, words).told or careful_in(one, words) or cares(one, words)
    ]
    return ", ".join(told) or text.strip()


def _clauses(text: str) -> Iterator[str]:
    return (one.strip() for one in _CLAUSES.split(text) if one and one.strip())


def _names_equipment(text: str) -> bool:
    said = text.casefold()
    return any(
        re.search(rf"(?<![a-záéíóúñ]){re.escape(spelling.casefold())}(?![a-záéíóúñ])", said)
        for value in WORDS.values("equipment")
        for spelling in value.spellings
    )
