"""What Coach's memories can be about: type of thing, part of fitness, exercises, equipment.

The values and what people write for them stand in ``vocabulary.toml``, for non-programmers too.
"""

from cloche import MetadataKey, WordLists

WORDS = WordLists.from_package(__package__)

TYPE = MetadataKey(
    id="type",
    description=(
        "What sort of thing a memory is about: a goal, training that is done, a result or best, an "
        "injury or ache, health (pregnancy, heart, medicines, age), the days and times for it, "
        "equipment and places, food, body measures, or sleep and recovery."
    ),
    closed=True,
    values=WORDS.values("type"),
    labels=WORDS.labels("type"),
    aliases=("kind", "tipo", "类型", "种类"),
)

FOCUS = MetadataKey(
    id="focus",
    description=(
        "Which part of fitness a memory is about: a part of the body that is trained or hurts, "
        "endurance, mobility, or the whole body. Several where several are named."
    ),
    values=WORDS.values("focus"),
    labels=WORDS.labels("focus"),
    other_words=WORDS.other_words("focus"),
    aliases=("muscle group", "muscle groups", "enfoque", "grupo muscular", "部位", "肌群"),
)

EXERCISES = MetadataKey(
    id="exercises",
    description=(
        "Which exercises or sports a memory is about, in the person's own words, variants by "
        "their exercise: 'paused squats' are squat. Empty when it is about none."
    ),
    values=WORDS.values("exercises"),
    labels=WORDS.labels("exercises"),
    other_words=WORDS.other_words("exercises"),
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
    values=WORDS.values("equipment"),
    labels=WORDS.labels("equipment"),
    aliases=("gear", "kit", "equipamiento", "equipo", "material", "器材", "装备", "设备"),
    inventory=True,
)
