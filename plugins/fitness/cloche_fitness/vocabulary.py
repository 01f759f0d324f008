"""What Coach's memories can be about: type of thing, part of fitness, exercises, equipment.

The values and what people write for them stand in ``vocabulary.toml``, for non-programmers too.
"""

import tomllib
from importlib.resources import files

from cloche import MetadataKey, Value

_WORDS = tomllib.loads(files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8"))


def _values(group: str) -> tuple[Value, ...]:
    return tuple(_value(name, by_language) for name, by_language in _WORDS[group].items())


def _value(name: str, by_language: dict[str, str]) -> Value:
    words = tuple(word for row in by_language.values() for word in _words(row))
    return Value(name.lower().replace(" ", "-"), name, words)


def _words(row: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in row.split(","))


TYPE = MetadataKey(
    id="type",
    description=(
        "What sort of thing a memory is about: a goal, training that is done, a result or best, an "
        "injury or ache, health (pregnancy, heart, medicines, age), the days and times for it, "
        "equipment and places, food, body measures, or sleep and recovery."
    ),
    closed=True,
    values=_values("type"),
    aliases=("kind", "tipo", "类型", "种类"),
)

FOCUS = MetadataKey(
    id="focus",
    description=(
        "Which part of fitness a memory is about: a part of the body that is trained or hurts, "
        "endurance, mobility, or the whole body. Several where several are named."
    ),
    values=_values("focus"),
    other_words=_words(_WORDS["none"]["focus"]),
    aliases=("muscle group", "muscle groups", "enfoque", "grupo muscular", "部位", "肌群"),
)

EXERCISES = MetadataKey(
    id="exercises",
    description=(
        "Which exercises or sports a memory is about, in the person's own words, variants by "
        "their exercise: 'paused squats' are squat. Empty when it is about none."
    ),
    values=_values("exercises"),
    other_words=_words(_WORDS["none"]["exercises"]),
    aliases=(
        "exercise",
        "sports",
        "lifts",
        "workouts",
        "routine",
        "ejercicio",
        "ejercicios",
        "deportes",
        "rutina",
        "动作",
        "运动",
        "项目",
        "训练内容",
    ),
    inventory=True,
)

EQUIPMENT = MetadataKey(
    id="equipment",
    description=(
        "What the person has to train with or where, in their own words: dumbbells, a pull-up bar, "
        "a gym, a park. Empty when no equipment is named."
    ),
    values=_values("equipment"),
    aliases=("gear", "kit", "equipamiento", "equipo", "material", "器材", "装备", "设备"),
    inventory=True,
)
