"""When to water what: from what a gardener told of the garden, and the forecast. Pure."""

from cloche_gardening.watering.garden import Spot, read_garden
from cloche_gardening.watering.kept import Kept, kept_from_json, past_from_json, past_to_json
from cloche_gardening.watering.plan import Past, Plan, Reason, Watering, make_plan, plan_from_json

__all__ = [
    "Kept",
    "Past",
    "Plan",
    "Reason",
    "Spot",
    "Watering",
    "kept_from_json",
    "make_plan",
    "past_from_json",
    "past_to_json",
    "plan_from_json",
    "read_garden",
]
