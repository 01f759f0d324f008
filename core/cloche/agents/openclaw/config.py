"""The gateway's configuration: a typed model of what is set, for ``installation.VERSION`` alone.

Its schema refuses unknown keys, and its defaults would open doors: what is closed here is closed
by name. Measured: tools only ours and ``read``; with ``proxy`` at a dead end nothing is looked up
at the start; transcripts of one session would be recalled in another unless ``memory.search`` is
off.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import AliasGenerator, BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

AGENT: Final = "main"
"""The one agent of a gateway; requests name it, so that none is ever chosen for them."""
PROVIDER: Final = "host"
"""The gateway's only provider of models: our endpoint."""
MODEL: Final = "turn"
"""Its model where no turn names one; no turn ever has this name, so it is refused."""
SERVER: Final = "cloche"
"""The gateway's only server of tools; its tools are called ``cloche__<name>``."""
DEAD_END: Final = "http://127.0.0.1:9"
"""Where all that is not loopback goes: nothing listens there."""
CONTEXT_TOKENS: Final = 2_000_000
"""More than any session of ours has, so that the gateway never sums one up by itself."""
MAX_FILE_CHARS: Final = 100_000
"""Of one persona file and of all together; a persona has less."""


@dataclass(frozen=True, slots=True)
class GatewayPlan:
    """What differs from one gateway to the next.

    Attributes:
        port: Where it listens, on loopback.
        token: What its clients show.
        model_url: Our model endpoint, with ``/v1``.
        model_secret: What the gateway shows there.
        tools_url: Our server of tools.
        tools_secret: What the gateway shows there.
        workspace: Folder with the persona's files.
        skills_folder: Folder with the skills' folders.
        skills: Their names.
        log: File for its log, which has people's words in it.
    """

    port: int
    token: str
    model_url: str
    model_secret: str
    tools_url: str
    tools_secret: str
    workspace: Path
    skills_folder: Path
    skills: tuple[str, ...]
    log: Path


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=AliasGenerator(serialization_alias=to_camel),
    )


class _Switch(_Part):
    enabled: bool = False


class _Mode(_Part):
    mode: str


class _Auth(_Part):
    mode: Literal["token"] = "token"
    token: str


class _Endpoints(_Part):
    chat_completions: _Switch = _Switch(enabled=True)


class _Http(_Part):
    endpoints: _Endpoints = _Endpoints()


class _Gateway(_Part):
    mode: Literal["local"] = "local"
    bind: Literal["loopback"] = "loopback"
    port: int
    auth: _Auth
    control_ui: _Switch = _Switch()
    reload: _Mode = _Mode(mode="off")
    http: _Http = _Http()


class _Logging(_Part):
    file: str
    level: Literal["warn"] = "warn"
    console_level: Literal["warn"] = "warn"


class _Update(_Part):
    check_on_start: bool = False


class _Discovery(_Part):
    mdns: _Mode = _Mode(mode="off")


class _Cost(_Part):
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class _Model(_Part):
    id: str = MODEL
    name: str = "The host's model"
    reasoning: bool = False
    input: tuple[str, ...] = ("text",)  # pictures never go this way, whoever names one's path
    cost: _Cost = _Cost()
    context_window: int = CONTEXT_TOKENS
    max_tokens: int = 64_000


class _Provider(_Part):
    base_url: str
    api_key: str
    api: Literal["openai-completions"] = "openai-completions"
    models: tuple[_Model, ...] = (_Model(),)


class _Models(_Part):
    mode: Literal["replace"] = "replace"
    catalog_refresh: _Switch = _Switch()
    providers: dict[str, _Provider]


class _Primary(_Part):
    primary: str = f"{PROVIDER}/{MODEL}"


class _Heartbeat(_Part):
    every: str = "0m"


class _SilentReply(_Part):
    internal: Literal["disallow"] = "disallow"
    group: Literal["disallow"] = "disallow"


class _Escalation(_Part):
    cyber_failover: _Mode = _Mode(mode="off")
    project_settings_policy: Literal["ignore"] = "ignore"


class _Defaults(_Part):
    model: _Primary = _Primary()
    workspace: str
    skip_bootstrap: bool = True
    bootstrap_max_chars: int = MAX_FILE_CHARS
    bootstrap_total_max_chars: int = MAX_FILE_CHARS
    heartbeat: _Heartbeat = _Heartbeat()
    skills: tuple[str, ...]
    user_timezone: str = "UTC"
    compaction: _Switch = _Switch()
    context_pruning: _Mode = _Mode(mode="off")
    startup_context: _Switch = _Switch()
    silent_reply: _SilentReply = _SilentReply()
    embedded_agent: _Escalation = _Escalation()
    max_concurrent: int = 64


class _Agents(_Part):
    defaults: _Defaults


class _Load(_Part):
    extra_dirs: tuple[str, ...]
    watch: bool = False


class _Workshop(_Part):
    autonomous: _Mode = _Mode(mode="off")


class _Skills(_Part):
    allow_bundled: tuple[str, ...] = ()
    load: _Load
    workshop: _Workshop = _Workshop()


class _Commands(_Part):
    native: bool = False
    text: bool = False
    bash: bool = False
    config: bool = False
    restart: bool = False


class _Files(_Part):
    workspace_only: bool = True


class _Tools(_Part):
    allow: tuple[str, ...] = ("read", f"{SERVER}__*")
    tool_search: bool = False
    fs: _Files = _Files()
    elevated: _Switch = _Switch()
    exec: _Mode = _Mode(mode="deny")


class _McpServer(_Part):
    url: str
    transport: Literal["streamable-http"] = "streamable-http"
    headers: dict[str, str]
    request_timeout_ms: int = 60_000


class _Mcp(_Part):
    session_idle_ttl_ms: int = 600_000
    servers: dict[str, _McpServer]


class _Session(_Part):
    dm_scope: Literal["per-account-channel-peer"] = "per-account-channel-peer"
    notify_on_create: bool = False
    reset: _Mode = _Mode(mode="none")
    reset_triggers: tuple[str, ...] = ()


class _Search(_Part):
    enabled: bool = False
    remember_across_conversations: bool = False


class _Memory(_Part):
    search: _Search = _Search()


class _Proxy(_Part):
    proxy_url: str = DEAD_END
    loopback_mode: Literal["gateway-only"] = "gateway-only"


class GatewayConfig(_Part):
    """Everything that is set; ``render`` gives the file's text."""

    gateway: _Gateway
    logging: _Logging
    update: _Update = _Update()
    telemetry: _Switch = _Switch()
    discovery: _Discovery = _Discovery()
    cron: _Switch = _Switch()
    browser: _Switch = _Switch()
    plugins: _Switch = _Switch()
    transcripts: _Switch = _Switch()
    memory: _Memory = _Memory()
    session: _Session = _Session()
    models: _Models
    agents: _Agents
    skills: _Skills
    commands: _Commands = _Commands()
    tools: _Tools = _Tools()
    mcp: _Mcp
    proxy: _Proxy = _Proxy()

    @classmethod
    def of(cls, plan: GatewayPlan) -> GatewayConfig:
        """The configuration of one gateway."""
        provider = _Provider(base_url=plan.model_url, api_key=plan.model_secret)
        headers = {"Authorization": f"Bearer {plan.tools_secret}"}
        return cls(
            gateway=_Gateway(port=plan.port, auth=_Auth(token=plan.token)),
            logging=_Logging(file=str(plan.log)),
            models=_Models(providers={PROVIDER: provider}),
            agents=_Agents(
                defaults=_Defaults(workspace=str(plan.workspace), skills=tuple(sorted(plan.skills)))
            ),
            skills=_Skills(load=_Load(extra_dirs=(str(plan.skills_folder),))),
            mcp=_Mcp(servers={SERVER: _McpServer(url=plan.tools_url, headers=headers)}),
        )

    def render(self) -> str:
        """The text of ``openclaw.json``, secrets in it; the same plan gives the same bytes."""
        return self.model_dump_json(by_alias=True, indent=2) + "\n"
