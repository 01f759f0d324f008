"""Coach does what every assistant must do."""

from cloche.testing import AssistantConformance


class TestFitness(AssistantConformance):
    package = "cloche_fitness"
