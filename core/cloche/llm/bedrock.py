"""Claude, Nova and others on Amazon Bedrock, through boto3's Converse."""

from __future__ import annotations

import re
from types import TracebackType
from typing import Final

from pydantic_ai.models import Model
from pydantic_ai.models.bedrock import BedrockConverseModel, BedrockModelSettings
from pydantic_ai.providers.bedrock import BedrockProvider
from pydantic_ai.settings import ModelSettings as RequestSettings

from cloche.llm.aws import runtime_client
from cloche.llm.limits import first_event_seconds
from cloche.settings import ModelSettings

_PROFILE_ARN: Final = re.compile(r"arn:aws[\w-]*:bedrock:[\w-]*:\d*:inference-profile/(.+)")


class _ClosingProvider(BedrockProvider):
    """Closes boto3's connections on leaving, as pydantic-ai does for the other providers' own."""

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        await super().__aexit__(exc_type, exc_val, exc_tb)
        self.client.close()
        return None


def bedrock_model(model_id: str, settings: ModelSettings) -> tuple[Model, RequestSettings]:
    """The model, and the settings of its requests.

    The endpoint is the region's, ``base_url``, or ``AWS_ENDPOINT_URL_BEDROCK_RUNTIME``.

    Raises:
        SettingsError: no region or no credentials; the message says what to set.
    """
    # A thread that waits for an answer nobody waits for any longer ends with this, too.
    client = runtime_client(settings, group="model", read_timeout=first_event_seconds(settings))
    requests = BedrockModelSettings(
        max_tokens=settings.max_output_tokens,
        request_timeout=settings.timeout_seconds,
        first_event_timeout=first_event_seconds(settings),
        bedrock_cache_tool_definitions=True,
        bedrock_cache_instructions=True,
    )
    # Behind a profile's ARN stands a known model: its name tells what the model can do.
    if arn := _PROFILE_ARN.fullmatch(model_id):
        model_id, requests["bedrock_inference_profile"] = arn[1], model_id
    return BedrockConverseModel(
        model_id, provider=_ClosingProvider(bedrock_client=client)
    ), requests
