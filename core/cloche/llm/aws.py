"""The way to Amazon Bedrock: region, credentials and boto3's client."""

from __future__ import annotations

import os
from typing import Any

import boto3
import botocore.session
from botocore.config import Config
from botocore.tokens import FrozenAuthToken

from cloche.errors import SettingsError
from cloche.llm.limits import CONNECT_SECONDS
from cloche.settings import EmbeddingSettings, ModelSettings, variable


class _KeySession(botocore.session.Session):
    """Signs with a Bedrock API key and with nothing else that may lie around."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key

    def get_auth_token(self, **_: object) -> FrozenAuthToken:
        return FrozenAuthToken(self._key)

    def get_credentials(self) -> None:
        return None


def runtime_client(
    settings: ModelSettings | EmbeddingSettings,
    *,
    group: str,
    read_timeout: float,
    connections: int = 10,
) -> Any:
    """boto3's ``bedrock-runtime`` client, which has no static type; it tries once.

    The endpoint is the region's, ``base_url``, or ``AWS_ENDPOINT_URL_BEDROCK_RUNTIME``.

    Args:
        settings: Region, key and address.
        group: The name of those settings, for the messages.
        read_timeout: Seconds of silence after which a call is given up.
        connections: How many are kept at a time.

    Raises:
        SettingsError: no region or no credentials; the message says what to set.
    """
    key = settings.api_key.get_secret_value()
    own = _KeySession(key) if key else None
    session = boto3.Session(botocore_session=own) if own else boto3.Session()
    region = settings.region or os.environ.get("AWS_REGION") or session.region_name
    if not region:
        raise SettingsError(
            f"bedrock needs a region: set {variable(f'{group}.region')} or AWS_REGION, such as "
            "eu-central-1."
        )
    bearer = bool(key or os.environ.get("AWS_BEARER_TOKEN_BEDROCK"))
    if not bearer and session.get_credentials() is None:
        raise SettingsError(
            "bedrock needs credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
            f"AWS_SECRET_ACCESS_KEY, or a Bedrock API key in {variable(f'{group}.api_key')}."
        )
    return session.client(
        "bedrock-runtime",
        region_name=region,
        endpoint_url=settings.base_url or None,
        config=Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=read_timeout,
            max_pool_connections=connections,
            retries={"total_max_attempts": 1},
            tcp_keepalive=True,
            signature_version="bearer" if bearer else "v4",
        ),
    )
