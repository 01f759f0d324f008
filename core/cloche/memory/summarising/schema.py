"""The typed result that a model fills in when it sums up a session."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class SummaryLine(BaseModel):
    """One thing the session held."""

    model_config = ConfigDict(extra="ignore")

    kind: Literal["decided", "told", "asked"]
    text: str = Field(min_length=1, max_length=400, description="One sentence, same language.")
    quote: str = Field(description="The words in <said> it rests on, copied exactly.")


class OpenTask(BaseModel):
    """Something left to do."""

    model_config = ConfigDict(extra="ignore")

    text: str = Field(min_length=1, max_length=400)
    quote: str = Field(description="The words in <said> it rests on, copied exactly.")


class SessionSummary(BaseModel):
    """What the new turns of a session come to; often little."""

    model_config = ConfigDict(extra="ignore")

    lines: list[SummaryLine] = Field(default_factory=list, max_length=40)
    tasks: list[OpenTask] = Field(default_factory=list, max_length=20)
    done: list[int] = Field(default_factory=list, max_length=40)
