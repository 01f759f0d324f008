"""``cloche skills``: list, lint, add, remove, lock, test and render."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cloche.testing import AnthropicServer, BedrockEndpoint, OpenAIServer, call, fault, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Commands, Site

    from cloche.testing import Asked
    from cloche.testing.model_server import ModelServer

MODELS = {
    "openai": "some-model",
    "anthropic": "claude-haiku-4-5",
    "bedrock": "global.anthropic.claude-haiku-4-5-20251001-v1:0",
}


@pytest.fixture
def package(site: Site, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an assistant with the skill brewing, the only one whatever is installed."""
    monkeypatch.setenv("CLOCHE_PLUGINS", "tea,extra")
    return site.folder / site.assistant("tea")


def rows(printed: str) -> list[dict[str, object]]:
    made: list[dict[str, object]] = json.loads(printed)
    return made


def list_skills(package: Path, *skills: object, **more: object) -> None:
    (package / "skills.json").write_text(json.dumps({"skills": skills, **more}))


def write_skill(folder: Path, name: str, text: str = "") -> Path:
    made = folder / name
    made.mkdir(parents=True)
    default = f"---\nname: {name}\ndescription: Does {name}.\n---\n\nDo it.\n"
    (made / "SKILL.md").write_text(text or default)
    return made


# list


def test_skills_are_listed_with_their_origin_and_why_one_is_not_ready(
    cloche: Commands, package: Path
) -> None:
    write_skill(package / "skills", "memory")
    list_skills(
        package,
        "brewing",
        "memory",
        {"name": "away", "source": "./skills/brewing", "enabled": False},
        {"name": "kettle", "source": "shared", "skill": "weather", "requires": {"secrets": ["X"]}},
        "nothing",
    )
    listed = {row["name"]: row for row in rows(cloche("skills", "list", "tea", "--json"))}
    assert [row["status"] for row in listed.values()] == [
        *("ready", "ready", "off", "not available", "refused"),
    ]
    assert listed["brewing"]["tools"] == ["brew"]
    assert listed["memory"]["shadows"] == ["the shared skill memory"]
    assert listed["kettle"]["reason"] == "the secret X is not set here"
    assert "there is no skill 'nothing'" in str(listed["nothing"]["reason"])
    told = cloche("skills", "list")
    assert "brewing\tready\tpackage\tbrew" in told
    assert "the shared skill memory" in told


def test_an_add_on_and_what_it_hides_are_listed(
    cloche: Commands, site: Site, package: Path
) -> None:
    code = (
        "from cloche import Skill, SkillsManifest, hookimpl\n\n@hookimpl\n"
        "def provide_skills():\n    return SkillsManifest((Skill('brewing', 'Better.', 'Do.'),))\n"
    )
    site.plugin("extra", code)
    assert rows(cloche("skills", "lint", "tea", "--json", code=1))[0]["what"] == (
        "skill 'brewing' is provided by tea (cloche-tea) and by extra (cloche-extra)."
    )
    list_skills(package, "brewing", wins={"brewing": "extra"})
    (row,) = rows(cloche("skills", "list", "tea", "--json"))
    assert row["shadows"] == ["brewing of tea (cloche-tea)"]
    assert cloche("skills", "lint", "tea") == "Nothing to mend.\n"


def test_a_folder_is_listed_as_an_assistant_would_take_it(
    cloche: Commands, package: Path, tmp_path: Path
) -> None:
    write_skill(tmp_path / "all", "one")
    made = write_skill(
        tmp_path / "all", "two", "---\nname: two\ndescription: x\n---\nRun scripts/do.sh.\n"
    )
    (made / "scripts").mkdir()
    (made / "scripts" / "do.sh").write_text("echo\n")
    write_skill(tmp_path / "all", "three", "broken")
    listed = rows(cloche("skills", "list", str(tmp_path / "all"), "--json"))
    assert {row["name"]: row["status"] for row in listed} == {
        "one": "ready",
        "two": "not available",
        "three": "refused",
    }


# lint


def test_lint_ends_with_1_and_names_file_line_what_and_how(cloche: Commands, package: Path) -> None:
    assert cloche("skills", "lint", "tea") == "Nothing to mend.\n"
    path = package / "skills" / "brewing" / "SKILL.md"
    path.write_text("---\nname: brewing\ndescription: Use when: hot\n---\nBrew.\n")
    (row,) = rows(cloche("skills", "lint", "tea", "--json", code=1))
    assert row == {
        "level": "error",
        "skill": "brewing",
        "file": str(path),
        "line": 3,
        "pointer": "",
        "what": "a text has ': ' inside",
        "remedy": "put it in double quotes.",
    }
    told = cloche("skills", "lint", str(path.parent), code=1)
    assert "put it in double quotes." in told


def test_a_winner_that_nobody_is_called_is_a_warning(cloche: Commands, package: Path) -> None:
    list_skills(package, "brewing", wins={"brewing": "extar", "other": "own"})
    (row,) = rows(cloche("skills", "lint", "tea", "--json", code=1))
    assert (row["level"], row["pointer"]) == ("warning", "/wins/brewing")
    assert "no plugin is called 'extar'" in str(row["what"])


@pytest.mark.parametrize("command", ["list", "lint", "lock", "test"])
@pytest.mark.parametrize("what", ["./nowhere", "nobody"])
def test_what_is_not_there_is_one_sentence(
    cloche: Commands, package: Path, command: str, what: str
) -> None:
    cloche("skills", command, what, code=2)
    assert cloche.error.startswith("cloche: ")
    assert cloche.error.count("\n") == 1


# add, lock, remove


def test_a_skill_is_added_pinned_changed_refused_and_removed(
    cloche: Commands, package: Path, tmp_path: Path
) -> None:
    outside = write_skill(tmp_path / "outside", "steeping")
    (row,) = rows(cloche("skills", "add", "steeping", "--source", str(outside), "--json"))
    assert (row["files"], row["runs_code"]) == (1, False)
    assert [one["name"] for one in rows(cloche("skills", "list", "--json"))] == [
        *("brewing", "steeping"),
    ]
    (outside / "tools.py").write_text("from cloche import tool\n")
    cloche("chat", "--once", "hi", code=2)
    assert f"skills.lock.json says sha256 {row['sha256']}" in cloche.error
    listed = {one["name"]: one for one in rows(cloche("skills", "list", "--json"))}
    assert listed["steeping"]["status"] == "refused"
    (outside / "tools.py").unlink()
    locked = rows(cloche("skills", "lock", "--json"))
    assert [one["name"] for one in locked] == ["brewing", "steeping"]
    assert cloche("skills", "lint") == "Nothing to mend.\n"
    removed = json.loads(cloche("skills", "remove", "steeping", "--json"))
    assert removed == {"removed": "steeping", "manifest": str(package / "skills.json")}
    cloche("skills", "remove", "steeping", code=2)
    assert "'steeping' is not listed: there are brewing" in cloche.error
    assert [one["name"] for one in rows(cloche("skills", "list", "--json"))] == ["brewing"]


def test_adding_a_skill_with_code_says_so(cloche: Commands, package: Path, tmp_path: Path) -> None:
    outside = write_skill(tmp_path / "outside", "steeping")
    (outside / "tools.py").write_text(
        "from cloche import ToolContext, tool\n\n@tool\nasync def steep(ctx: ToolContext) -> str:\n"
        "    '''Steep.'''\n    return 'done'\n"
    )
    cloche("skills", "add", "steeping", "--source", str(outside))
    assert "brings a tools.py, which runs with your rights" in cloche.error


def test_a_path_to_skills_json_stands_for_an_assistant(
    cloche: Commands, package: Path, tmp_path: Path
) -> None:
    write_skill(tmp_path / "other" / "skills", "one")
    list_skills(tmp_path / "other", "one")
    path = str(tmp_path / "other" / "skills.json")
    assert [row["name"] for row in rows(cloche("skills", "list", path, "--json"))] == ["one"]
    cloche("skills", "lock", path)
    assert (tmp_path / "other" / "skills.lock.json").is_file()


# test


def test_examples_run_without_a_model_and_say_that_the_choice_is_not_tested(
    cloche: Commands, package: Path
) -> None:
    tried = rows(cloche("skills", "test", "tea", "--json"))
    assert {row["language"] for row in tried} == {"en", "es", "zh"}
    assert {row["status"] for row in tried} == {"ok"}
    assert {row["choice"] for row in tried} == {"choice of tool not tested"}
    assert "brew some oolong" in cloche("skills", "test", "tea")
    assert "3 sentences, 0 failed; choice of tool not tested" in cloche.error


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        ("examples.yaml", 'answer: ["oolong"]', 'answer: ["sencha"]', "without ['sencha']"),
        ("tools.py", "kind=", "unknown=", "the tool failed"),
    ],
)
def test_an_example_that_does_not_hold_fails(
    cloche: Commands, package: Path, file: str, old: str, new: str, reason: str
) -> None:
    path = package / "skills" / "brewing" / file
    path.write_text(path.read_text().replace(old, new))
    tried = rows(cloche("skills", "test", "tea", "--json", code=1))
    assert {row["status"] for row in tried} == {"failed"}
    assert all(reason in str(row["reason"]) for row in tried)


def test_a_folder_is_tried_by_itself(cloche: Commands, package: Path) -> None:
    folder = str(package / "skills" / "brewing")
    assert len(rows(cloche("skills", "test", folder, "--json"))) == 3


def model(asked: Asked) -> object:
    """Chooses the tool where it is offered, but never in Chinese; repeats what the tool said."""
    if asked.results:
        return say(asked.results[-1])
    if "brew" in asked.tools and "泡" not in asked.words:
        return call("brew", leaf="oolong")
    return say("I cannot note that.")


@pytest.fixture(params=["openai", "anthropic", "bedrock"])
def configured(
    request: pytest.FixtureRequest, package: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ModelServer]:
    """A model is configured: a server on loopback, of each provider in turn."""
    kinds = {"openai": OpenAIServer, "anthropic": AnthropicServer, "bedrock": BedrockEndpoint}
    for name in list(os.environ):
        if name.startswith(("AWS_", "ANTHROPIC_", "OPENAI_")):
            monkeypatch.delenv(name)
    with kinds[request.param](model) as server:
        base_url = server.base_url if isinstance(server, OpenAIServer) else server.url
        for name, value in {
            "CLOCHE_MODEL__PROVIDER": request.param,
            "CLOCHE_MODEL__BASE_URL": base_url,
            "MODEL_ID": MODELS[request.param],
            "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "x" * 40,
            "AWS_REGION": "eu-central-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }.items():
            monkeypatch.setenv(name, value)
        if request.param != "bedrock":
            monkeypatch.setenv("CLOCHE_MODEL__API_KEY", "a-key-of-some-length")
        yield server


def test_with_a_model_the_choice_is_scored_with_the_skill_and_without(
    cloche: Commands, configured: ModelServer
) -> None:
    tried = rows(cloche("skills", "test", "tea", "--runs", "2", "--json"))
    assert {row["language"]: row["choice"] for row in tried} == {
        "en": "chosen 2/2, answer holds 2/2, without the skill 0/2",
        "es": "chosen 2/2, answer holds 2/2, without the skill 0/2",
        "zh": "chosen 0/2, answer holds 0/2, without the skill 0/2",
    }
    assert configured.calls > 12  # two of each sentence with the skill and two without, and results
    cloche("skills", "test", "tea", "--runs", "1")
    assert "the tool was chosen 2/3" in cloche.error
    assert "the answer held 2/3 with the skill, 0/3 without" in cloche.error
    cloche("skills", "test", "tea", "--runs", "1", "--at-least", "0.5", code=1)


def test_a_model_that_does_not_answer_is_counted_and_scored_as_not_chosen(
    cloche: Commands, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer(lambda asked: fault(400)) as server:
        monkeypatch.setenv("CLOCHE_MODEL__PROVIDER", "openai")
        monkeypatch.setenv("CLOCHE_MODEL__BASE_URL", server.base_url)
        monkeypatch.setenv("MODEL_ID", "some-model")
        tried = rows(cloche("skills", "test", "tea", "--runs", "1", "--json"))
    assert {row["choice"] for row in tried} == {
        "chosen 0/1, answer holds 0/1, without the skill 0/1, no answer 2/2"
    }


# render


def test_rendering_twice_gives_the_same_bytes(
    cloche: Commands, package: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    printed = json.loads(cloche("skills", "render", str(out), "--at", "/srv", "--json"))
    assert printed["files"] == ["openclaw.skills.json", "skills/brewing/SKILL.md"]
    first = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    cloche("skills", "render", str(out), "--at", "/srv")
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == first


# cloche chat --skill


@pytest.fixture
def pouring(tmp_path: Path) -> Path:
    made = write_skill(tmp_path, "pouring")
    (made / "tools.py").write_text(
        "from cloche import ToolContext, tool\n\n"
        "@tool\nasync def pour(ctx: ToolContext, cups: int) -> str:\n"
        '    """Count cups."""\n    return f"Poured {cups}."\n'
    )
    (made / "examples.yaml").write_text(
        "- tool: pour\n  say:\n    en: ['pour {cups} cups']\n  values: {cups: '3'}\n"
    )
    return made


def test_verbose_tells_which_skills_were_seen_called_and_not_ready(
    cloche: Commands, package: Path, pouring: Path
) -> None:
    list_skills(package, "brewing", {"name": "memory", "requires": {"binaries": ["no-such-one"]}})
    cloche("chat", "--once", "pour 7 cups", "--verbose", "--skill", str(pouring))
    assert "skills seen: brewing, pouring" in cloche.error
    assert "skills called: pouring" in cloche.error
    assert (
        "skill memory is not available: the program no-such-one is not installed here"
        in cloche.error
    )
    turn = json.loads(cloche("chat", "--once", "pour 7 cups", "--json", "--skill", str(pouring)))
    assert turn["skills"]["called"] == ["pouring"]
    assert turn["notices"] == []
