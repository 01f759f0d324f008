"""Runs the examples of skills: what somebody says, which tool that calls, what it answers.

Without a model the tools are called as the examples say; with one it is counted how often the
model chooses them by itself, with the skill and without.
"""

from cloche.trying.bench import one_skill, opened
from cloche.trying.choice import Choice, score_choices
from cloche.trying.examples import NOT_TESTED, TrialRow, run_trials

__all__ = [
    "NOT_TESTED",
    "Choice",
    "TrialRow",
    "one_skill",
    "opened",
    "run_trials",
    "score_choices",
]
