"""What people say to have an entry of the log corrected or deleted, and the entry mended."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cloche_fitness.training.diary import Entry
from cloche_fitness.training.grouping import groups_of
from cloche_fitness.training.limits import LIMITS, Kind, is_too_fast
from cloche_fitness.training.reading import Effort
from cloche_fitness.training.scanning import UnreadableError, scan

_OH: Final = r"(?:(?:no|sorry|oops|actually|wait|please|perd[oó]n|por favor)[,.]? )*"
_WHAT: Final = r"(?P<what>[^,]{0,60}?)"
_RIGHT: Final = r"(?P<right>[^,，;\d]{0,60}\d[^,，;]*?)"
_ENDS: Final = " \t\r\n.!。！"
_CORRECTIONS: Final = tuple(
    re.compile(rf"{_OH}{form}", re.IGNORECASE)
    for form in (
        rf"(?:that|it|this|the|my|those)(?: last)?(?: {_WHAT})?"
        rf" (?:was|were|should be|should have been) (?:actually )?{_RIGHT}"
        r"(?:,? (?:and )?not (?P<wrong>[^,]+))?",
        rf"(?:change|correct|fix|update|make|set)(?: (?:that|the|my|it))?(?: last)?"
        rf"(?: {_WHAT})? (?:to|into) {_RIGHT}",
        rf"(?:i meant|make it|make that) {_RIGHT}(?:,? not (?P<wrong>[^,]+))?",
        rf"(?:(?:eso|ese|esa|el|la|lo|mi)(?: [uú]ltim[oa])?(?: {_WHAT})? )?"
        rf"(?:era|eran|fue|fueron) (?:de |en realidad )?{_RIGHT}(?:,? (?:y )?no (?P<wrong>[^,]+))?",
        rf"(?:cambia|corrige|actualiza|pon)(?: (?:eso|el|la|mi|lo))?(?: [uú]ltim[oa])?"
        rf"(?: {_WHAT})? (?:a|por|en) {_RIGHT}",
        rf"quise decir {_RIGHT}(?:,? no (?P<wrong>[^,]+))?",
        r"(?:不对|不是|错了)?[，,]?(?:刚才|上次|[那这][次个组]?)?的?(?P<what>[^\d，,是]{0,60}?)"
        rf"(?:的?(?:重量|距离|时间))?(?:应该)?是{_RIGHT}(?:[，,]?(?:而)?不是(?P<wrong>.+))?",
        rf"(?:请)?(?:帮我)?把(?P<what>[^\d]{{0,60}}?)(?:的?(?:重量|距离|时间))?改[成为到]{_RIGHT}",
    )
)
_DELETIONS: Final = tuple(
    re.compile(rf"{_OH}{form}", re.IGNORECASE)
    for form in (
        r"(?:can you |could you )?(?:delete|remove|undo|erase|take back) (?:the|my|that|this)"
        r"(?P<last> (?:last|latest|most recent))? (?P<what>[^,]{1,60}?)"
        r"(?: (?:from|in|of) (?:the|my) log)?"
        r"(?: please)?",
        r"(?:puedes )?(?:borra|borrar|elimina|eliminar|quita|quitar|deshaz) (?:el|la|mi|ese|esa)"
        r"(?P<last> [uú]ltim[oa])? (?P<what>[^,]{1,60}?)(?: del? (?:mi |el )?diario)?"
        r"(?: por favor)?",
        r"(?:请)?(?:帮我)?(?:删除|删掉|撤销|去掉)(?:我的?)?(?P<last>最后|最近|上|刚才|那)?(?:的)?"
        r"(?:那)?(?:一?[条次个])?(?P<what>[^，,]{0,60}?)(?:的?记录|的?日志)?",
    )
)
_ANY_ENTRY: Final = re.compile(
    r"(?:log )?(?:entry|workout|training|session|exercise|one)|entrada|entreno|entrenamiento"
    r"|registro|sesi[oó]n|ejercicio|anotaci[oó]n|训练|锻炼|健身|运动",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Amounts:
    """What a few words measure.

    Attributes:
        of: The amounts by kind.
        unit: The words behind the last number; "" = there are none.
    """

    of: Mapping[Kind, float]
    unit: str = ""


def heard_correction(text: str) -> Mapping[str, str] | None:
    """The arguments of ``correct_workout``; None where no measure of an exercise is put right."""
    for form in _CORRECTIONS:
        found = form.fullmatch(text.strip(_ENDS).replace("’", "'"))
        if not found:
            continue
        said = {name: words.strip() for name, words in found.groupdict().items() if words}
        what = said.get("what", "")
        if amounts_in(said["right"]) and (not what or _names_exercise(what)):
            told = {"right": said["right"], "exercise": what, "wrong": said.get("wrong", "")}
            return {name: words for name, words in told.items() if words}
    return None


def heard_deletion(text: str) -> Mapping[str, str] | None:
    """The arguments of ``undo_workout``; None where no entry of the log is meant."""
    for form in _DELETIONS:
        found = form.fullmatch(text.strip(_ENDS))
        if not found:
            continue
        what = found["what"].strip()
        if _ANY_ENTRY.fullmatch(what) and found["last"]:
            return {}
        if what and _names_exercise(what):
            return {"exercise": what}
    return None


def exercises_in(text: str) -> set[str]:
    """Ids of the exercises that words name, also by what people do: "carrera", "ran"."""
    try:
        return {token.unit for token in scan(text) if token.kind == "exercise"}
    except UnreadableError:
        return set()


def _names_exercise(what: str) -> bool:
    """True where nothing but an exercise, numbers and words that say nothing is named."""
    try:
        kinds = {token.kind for token in scan(what)}
    except UnreadableError:
        return False
    return "exercise" in kinds and "word" not in kinds


def amounts_in(text: str, unit: str = "") -> Amounts | None:
    """What a text measures; None where it measures nothing, several things, or tells more.

    Args:
        text: "65 kg", "5.2 km in 27 min".
        unit: What a number without one is in; "" = such a number is none.
    """
    words = text.strip()
    if unit and re.fullmatch(r"[\d.,]+", words):
        words = f"{words} {unit}"
    try:
        tokens = [one for one in scan(words) if one.kind not in ("filler", "day", "weekday")]
        groups = groups_of([one for one in tokens if one.kind != "exercise"])
    except UnreadableError:
        return None
    if len(groups) != 1 or groups[0].bare or any(one.kind == "word" for one in tokens):
        return None
    return Amounts(groups[0].amounts, re.sub(r"^.*\d\s*", "", words)) if groups[0].amounts else None


def has(effort: Effort, amounts: Mapping[Kind, float]) -> bool:
    """True where a set is of these amounts, as far as they are told."""
    return all(
        abs((getattr(effort, kind) or 0) - value) < _NEAR * max(value, 1)
        for kind, value in amounts.items()
        if kind != "sets"
    )


_NEAR: Final = 0.01


def mended(entry: Entry, right: Mapping[Kind, float], wrong: Mapping[Kind, float]) -> Entry | None:
    """An entry with what is right; None where nobody can tell which of its sets is meant.

    Args:
        entry: As it was logged.
        right: What it should be.
        wrong: What is put right; {} = where all sets are alike.
    """
    meant = [has(effort, wrong) for effort in entry.efforts]
    alike = all(
        len({getattr(effort, kind) for effort in entry.efforts}) == 1
        for kind in right
        if kind != "sets"
    )
    if not any(meant) or not (wrong or alike):
        return None
    made = [
        _with(effort, right) if chosen else effort
        for effort, chosen in zip(entry.efforts, meant, strict=True)
    ]
    if "sets" in right:
        if len(set(made)) > 1:
            return None
        made = made[:1] * int(right["sets"])
    if not all(_is_likely(entry.exercise, effort) for effort in made):
        return None
    return replace(entry, efforts=tuple(made))


def _with(effort: Effort, right: Mapping[Kind, float]) -> Effort:
    return Effort(
        reps=int(right["reps"]) if "reps" in right else effort.reps,
        kilos=right.get("kilos", effort.kilos),
        seconds=right.get("seconds", effort.seconds),
        metres=right.get("metres", effort.metres),
    )


def _is_likely(exercise: str, effort: Effort) -> bool:
    """False for a loaded run without repetitions, a lift over kilometres, or beyond any limit."""
    measured: Sequence[tuple[Kind, float | None]] = (
        ("reps", effort.reps), ("kilos", effort.kilos), ("metres", effort.metres),
        ("seconds", effort.seconds),
    )  # fmt: skip
    if any(value is not None and not 0 < value <= LIMITS[kind] for kind, value in measured):
        return False
    if (effort.kilos and effort.metres) or (effort.reps and effort.metres):
        return False
    paced = effort.metres and effort.seconds
    return not (paced and is_too_fast(exercise, effort.metres or 0, effort.seconds or 1))
