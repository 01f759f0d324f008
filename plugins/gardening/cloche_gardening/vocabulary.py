"""What Sprout's memories can be about: type of thing, section of the garden, plants.

The values and what people write for them stand in ``vocabulary.toml``, for non-programmers too.
"""

from cloche import MetadataKey, WordLists

WORDS = WordLists.from_package(__package__)

TYPE = MetadataKey(
    id="type",
    description=(
        "What sort of thing a memory is about: a plant that grows or is to be planted, a bed or "
        "container, the soil, sun and shade, water, a way of doing things, a problem, a harvest, "
        "a tool, or the household with its pets and children."
    ),
    closed=True,
    values=WORDS.values("type"),
    labels=WORDS.labels("type"),
    aliases=("kind", "tipo", "类型", "种类"),
)

SECTION = MetadataKey(
    id="section",
    description=(
        "Which bed or part of the garden a memory is about, as the gardener calls it: south bed, "
        "balcony, greenhouse, the bed by the gate."
    ),
    values=WORDS.values("section"),
    labels=WORDS.labels("section"),
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
    values=WORDS.values("plants"),
    labels=WORDS.labels("plants"),
    other_words=WORDS.other_words("plants"),
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
