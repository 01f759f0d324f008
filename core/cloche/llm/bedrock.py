"""Claude, Nova and others on Amazon Bedrock, through boto3's Converse."""

from __future__ import annotations

import os
import re
from types import TracebackType
from typing import Final

import boto3
import botocore.session
from botocore.config import Config
from botocore.tokens import FrozenAuthToken
from pydantic_ai.models import Model
from pydantic_ai.models.bedrock import BedrockConverseModel, BedrockModelSettings
from pydantic_ai.providers.bedrock import BedrockProvider
from pydantic_ai.settings import ModelSettings as RequestSettings

from cloche.errors import SettingsError
from cloche.llm.limits import CONNECT_SECONDS, first_event_seconds
from cloche.settings import ModelSettings

_PROFILE_ARN: Final = re.compile(r"arn:aws[\w-]*:bedrock:[\w-]*:\d*:inference-profile/(.+)")


class _KeySession(botocore.session.Session):
    """Signs with a Bedrock API key and with nothing else that may lie around."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key

    def get_auth_token(self, **_: object) -> FrozenAuthToken:
        return FrozenAuthToken(self._key)

    def get_credentials(self) -> None:
        return None


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
    key = settings.api_key.get_secret_value()
    own = _KeySession(key) if key else None
    session = boto3.Session(botocore_session=own) if own else boto3.Session()
    region = settings.region or os.environ.get("AWS_REGION") or session.region_name
    if not region:
        raise SettingsError(
            "bedrock needs a region: set CLOCHE_MODEL__REGION or AWS_REGION, such as eu-central-1."
        )
    bearer = bool(key or os.environ.get("AWS_BEARER_TOKEN_BEDROCK"))
    if not bearer and session.get_credentials() is None:
        raise SettingsError(
            "bedrock needs credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY, or a Bedrock API key in CLOCHE_MODEL__API_KEY."
        )
    client = session.client(
        "bedrock-runtime",
        region_name=region,
        endpoint_url=settings.base_url or None,
        config=Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=settings.timeout_seconds,
            retries={"total_max_attempts": 1},
            tcp_keepalive=True,
            signature_version="bearer" if bearer else "v4",
        ),
    )
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
