"""Sprout does what every assistant must do."""

from cloche.testing import AssistantConformance


class TestGardening(AssistantConformance):
    package = "cloche_gardening"
