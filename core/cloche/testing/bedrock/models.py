"""The models this endpoint knows, and what the service documents about them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_PROFILE: Final = re.compile(r"(?:us|eu|apac|jp|au|global)\.")
_ARN: Final = re.compile(r"arn:aws[\w-]*:bedrock:[a-z0-9-]+:\d{12}:inference-profile/")


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model of the service.

    Attributes:
        cache_minimum: Fewest tokens of a cached prefix; 0 = it has no prompt cache.
        profile_only: True when it answers under an inference profile's id only.
        images: True when it takes pictures.
    """

    cache_minimum: int
    profile_only: bool
    images: bool


MODELS: Final = {
    "anthropic.claude-haiku-4-5-20251001-v1:0": KnownModel(4096, True, True),
    "anthropic.claude-sonnet-4-5-20250929-v1:0": KnownModel(1024, True, True),
    "amazon.nova-lite-v1:0": KnownModel(1024, False, True),
    "amazon.nova-micro-v1:0": KnownModel(1024, False, False),
    "mistral.mistral-large-2407-v1:0": KnownModel(0, False, False),
}


class UnknownModelError(Exception):
    """The service would not invoke this model; the message is the service's."""


def base_model(model_id: str) -> str:
    """The model behind an id, an inference profile's id or its ARN.

    Raises:
        UnknownModelError: there is none, or it cannot be invoked under this id.
    """
    profile_id = _ARN.sub("", model_id)
    base = _PROFILE.sub("", profile_id, count=1)
    if base not in MODELS:
        raise UnknownModelError("The provided model identifier is invalid.")
    if MODELS[base].profile_only and base == profile_id:
        raise UnknownModelError(
            f"Invocation of model ID {model_id} with on-demand throughput isn't supported. Retry "
            "your request with the ID or ARN of an inference profile that contains this model."
        )
    return base
