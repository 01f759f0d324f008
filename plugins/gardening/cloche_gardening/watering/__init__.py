"""When to water what: from what a gardener told of the garden, and the forecast. Pure."""

from cloche_gardening.watering.from_talk import PAST, garden_of, meant, past_of
from cloche_gardening.watering.garden import Spot, read_garden
from cloche_gardening.watering.kept import Kept, kept_from_json, past_from_json, past_to_json
from cloche_gardening.watering.plan import Past, Plan, Reason, Watering, make_plan, plan_from_json

__all__ = [
    "PAST",
    "Kept",
    "Past",
    "Plan",
    "Reason",
    "Spot",
    "Watering",
    "garden_of",
    "kept_from_json",
    "make_plan",
    "meant",
    "past_from_json",
    "past_of",
    "past_to_json",
    "plan_from_json",
    "read_garden",
]
