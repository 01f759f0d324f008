"""What Sprout's memories can be about: type of thing, section of the garden, plants.

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
        "What sort of thing a memory is about: a plant that grows or is to be planted, a bed or "
        "container, the soil, sun and shade, water, a way of doing things, a problem, a harvest, "
        "a tool, or the household with its pets and children."
    ),
    closed=True,
    values=_values("type"),
    aliases=("kind", "tipo", "类型", "种类"),
)

SECTION = MetadataKey(
    id="section",
    description=(
        "Which bed or part of the garden a memory is about, as the gardener calls it: south bed, "
        "balcony, greenhouse, the bed by the gate."
    ),
    values=_values("section"),
    aliases=(
        "bed",
        "beds",
        "area",
        "areas",
        "zona",
        "zonas",
        "bancales",
        "arriates",
        "区域",
        "花坛",
    ),
)

PLANTS = MetadataKey(
    id="plants",
    description=(
        "Which plants a memory is about, as the gardener calls them, varieties by their plant: a "
        "memory on 'Brandywine' tomatoes is about tomato. Empty when it is about no plant."
    ),
    values=_values("plants"),
    other_words=_words(_WORDS["none"]["plants"]),
    aliases=(
        "plant",
        "planta",
        "plantas",
        "inventory",
        "inventario",
        "植物",
        "种的东西",
        "种了什么",
    ),
    inventory=True,
)
