"""When to water what: from what a gardener told of the garden, and the forecast."""

from cloche_gardening.watering.from_talk import PAST, garden_of, meant, past_of
from cloche_gardening.watering.garden import Spot, read_garden
from cloche_gardening.watering.kept import Kept, kept_from_json, past_from_json, past_to_json
from cloche_gardening.watering.measures import degrees, millimetres
from cloche_gardening.watering.plan import Past, Plan, Reason, Watering, make_plan, plan_from_json
from cloche_gardening.watering.reminding import REMINDERS, remind
from cloche_gardening.watering.season import plan_by_season

__all__ = [
    "PAST",
    "REMINDERS",
    "Kept",
    "Past",
    "Plan",
    "Reason",
    "Spot",
    "Watering",
    "degrees",
    "garden_of",
    "kept_from_json",
    "make_plan",
    "meant",
    "millimetres",
    "past_from_json",
    "past_of",
    "past_to_json",
    "plan_by_season",
    "plan_from_json",
    "read_garden",
    "remind",
]
