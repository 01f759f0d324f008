"""The typed verdict that a model fills in."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class OneVerdict(BaseModel):
    """How the new statement stands to one old statement."""

    model_config = ConfigDict(extra="ignore")

    number: int = Field(description="The old statement's number.")
    relation: Literal["same", "changed", "both"]


class Judgement(BaseModel):
    """A verdict on every old statement."""

    model_config = ConfigDict(extra="ignore")

    verdicts: list[OneVerdict] = Field(max_length=20)
