"""What the gateway's configuration means: each door that is closed, with why; and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cloche.agents.openclaw.config import GatewayConfig, GatewayPlan

PLAN = GatewayPlan(
    port=1234,
    token="the gateway's",
    model_url="http://127.0.0.1:1/v1",
    model_secret="the endpoint's",
    tools_url="http://127.0.0.1:2/mcp",
    tools_secret="the tools'",
    workspace=Path("/q/workspace"),
    skills_folder=Path("/q/workspace/skills"),
    skills=("words", "tea"),
    log=Path("/q/gateway.log"),
)
CLOSED: Mapping[str, Mapping[str, Any]] = {
    "only this machine reaches it, and only with its token": {
        "gateway.mode": "local",
        "gateway.bind": "loopback",
        "gateway.auth.mode": "token",
        "gateway.controlUi.enabled": False,
        "discovery.mdns.mode": "off",
    },
    "it changes neither its settings nor itself": {
        "gateway.reload.mode": "off",
        "update.checkOnStart": False,
        "skills.load.watch": False,
        "skills.workshop.autonomous.mode": "off",
        "agents.defaults.skipBootstrap": True,
        "agents.defaults.embeddedAgent.projectSettingsPolicy": "ignore",
    },
    "it goes nowhere but to us": {
        "proxy.proxyUrl": "http://127.0.0.1:9",
        "proxy.loopbackMode": "gateway-only",
        "telemetry.enabled": False,
        "models.catalogRefresh.enabled": False,
    },
    "no model but the host's is asked, and none in another's place": {
        "models.mode": "replace",
        "agents.defaults.model.primary": "host/turn",
        "agents.defaults.embeddedAgent.cyberFailover.mode": "off",
    },
    "no turn begins but a person's": {
        "cron.enabled": False,
        "agents.defaults.heartbeat.every": "0m",
    },
    "no tool but ours, and reading in the workspace": {
        "tools.allow": ["read", "cloche__*"],
        "tools.fs.workspaceOnly": True,
        "tools.exec.mode": "deny",
        "tools.elevated.enabled": False,
        "tools.toolSearch": False,
        "browser.enabled": False,
        "plugins.enabled": False,
        "skills.allowBundled": [],
    },
    "what a person writes is no command": {
        "commands.native": False,
        "commands.text": False,
        "commands.bash": False,
        "commands.config": False,
        "commands.restart": False,
        "session.resetTriggers": [],
    },
    "no talk reaches another, or lies about": {
        "session.dmScope": "per-account-channel-peer",
        "memory.search.enabled": False,
        "memory.search.rememberAcrossConversations": False,
        "transcripts.enabled": False,
        "logging.level": "warn",
        "logging.consoleLevel": "warn",
    },
    "a session goes on until the host begins another, word for word": {
        "session.reset.mode": "none",
        "session.notifyOnCreate": False,
        "agents.defaults.compaction.enabled": False,
        "agents.defaults.contextPruning.mode": "off",
        "agents.defaults.startupContext.enabled": False,
        "agents.defaults.silentReply.internal": "disallow",
        "agents.defaults.silentReply.group": "disallow",
    },
}
GIVEN: Mapping[str, Any] = {
    "gateway.port": 1234,
    "gateway.auth.token": "the gateway's",
    "gateway.http.endpoints.chatCompletions.enabled": True,
    "logging.file": "/q/gateway.log",
    "models.providers.host.baseUrl": "http://127.0.0.1:1/v1",
    "models.providers.host.apiKey": "the endpoint's",
    "models.providers.host.api": "openai-completions",
    "agents.defaults.workspace": "/q/workspace",
    "agents.defaults.skills": ["tea", "words"],
    "skills.load.extraDirs": ["/q/workspace/skills"],
    "mcp.servers.cloche.url": "http://127.0.0.1:2/mcp",
    "mcp.servers.cloche.transport": "streamable-http",
    "mcp.servers.cloche.headers.Authorization": "Bearer the tools'",
}
"""What the plan says, and the one door that is open."""
SIZES = {
    "models.providers.host.models",
    "agents.defaults.bootstrapMaxChars",
    "agents.defaults.bootstrapTotalMaxChars",
    "agents.defaults.maxConcurrent",
    "agents.defaults.userTimezone",
    "mcp.sessionIdleTtlMs",
    "mcp.servers.cloche.requestTimeoutMs",
}
"""How much, how long, how many: what is not a door."""


def leaves(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{at}.{name}".lstrip("."))
    else:
        yield at, value


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    return dict(leaves(json.loads(GatewayConfig.of(PLAN).render())))


@pytest.mark.parametrize("why", CLOSED)
def test_a_door_is_closed(told: dict[str, Any], why: str) -> None:
    assert {name: told.get(name) for name in CLOSED[why]} == CLOSED[why]


def test_it_has_what_the_plan_says(told: dict[str, Any]) -> None:
    assert {name: told.get(name) for name in GIVEN} == GIVEN


def test_nothing_else_is_set(told: dict[str, Any]) -> None:
    closed = {name for doors in CLOSED.values() for name in doors}
    assert set(told) == closed | set(GIVEN) | SIZES


def test_the_host_s_model_costs_the_gateway_nothing_and_is_the_only_one(
    told: dict[str, Any],
) -> None:
    (model,) = told["models.providers.host.models"]
    assert model["id"] == "turn"
    assert set(model["cost"].values()) == {0}
    assert model["input"] == ["text"]  # it loads no picture whose path somebody writes
