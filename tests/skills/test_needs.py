"""What a skill needs before it is used, and what is said when it is not there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cloche.errors import ManifestError
from cloche.skills.loading import load_folder, load_manifest
from cloche.skills.needs import Requires, missing

Make = Callable[..., Path]

FRONT = "---\nname: {name}\ndescription: Brews tea.\n---\n\n"


@pytest.fixture
def outside(folder: Make) -> Callable[..., Path]:
    """A public skill's folder with more files: ``outside(body, "scripts/brew.py")``."""

    def make(body: str, *files: str) -> Path:
        made = folder("tea", skill=FRONT + body)
        for name in files:
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).write_text("print('brewed')\n")
        return made

    return make


@pytest.mark.parametrize(
    ("body", "files", "named"),
    [
        (
            "Run `python scripts/brew.py green`.",
            ["scripts/brew.py"],
            "scripts/brew.py (SKILL.md:6)",
        ),
        ("Warm it.\n\nThen brew.py does the rest.", ["scripts/brew.py"], "scripts/brew.py"),
        ("`python -m scripts.brew`", ["scripts/brew.py"], "scripts/brew.py"),
        ("See the helpers in scripts/.", ["scripts/brew"], "scripts/"),
        ("```bash\n./brew.sh\n```", ["brew.sh"], "brew.sh (SKILL.md:7)"),
        ("`bash {baseDir}/tools/brew.sh`", ["tools/brew.sh"], "tools/brew.sh"),
        ("Run `node brew.mjs --hot`", ["brew.mjs"], "brew.mjs"),
        ("运行 `python3 scripts/brew.py`。", ["scripts/brew.py"], "scripts/brew.py"),
    ],
)
def test_instructions_that_run_a_script_make_a_skill_unavailable_naming_it(
    outside: Make, body: str, files: list[str], named: str
) -> None:
    skill = load_folder(outside(body, *files), outside=True)
    assert named in skill.unavailable
    assert skill.unavailable.endswith("this assistant runs no scripts")
    assert "no ejecuta scripts" in skill.reasons["es"]
    assert "不运行脚本" in skill.reasons["zh"]


@pytest.mark.parametrize(
    ("body", "files"),
    [
        ("Warm the pot.", ["scripts/brew.py"]),  # nothing needs it
        ("Warm the pot; see references/pots.md.", ["references/pots.md"]),
        ("Start from templates/pot.js and change the colours.", ["templates/pot.js"]),
        ("Write a file brew.py of your own.", ["other.py"]),
        ("Use subscripts/ and brew.python.", ["scripts/brew.py"]),
    ],
)
def test_instructions_alone_are_ready(outside: Make, body: str, files: list[str]) -> None:
    assert load_folder(outside(body, *files), outside=True).unavailable == ""


def test_a_skill_with_tools_of_this_host_may_bring_scripts(folder: Make, outside: Make) -> None:
    made = outside("Run scripts/brew.py.", "scripts/brew.py")
    (made / "tools.py").write_text(
        "from cloche import ToolContext, tool\n\n@tool\nasync def brew(ctx: ToolContext) -> str:\n"
        "    '''Brew.'''\n    return ''\n"
    )
    assert load_folder(made).unavailable == ""


def test_programs_that_another_hosts_metadata_asks_for_are_named(folder: Make) -> None:
    made = folder(
        skill="---\nname: tea\ndescription: x\n"
        'metadata: {"host": {"requires": {"bins": ["kettle"], "anyBins": ["cup", "mug"]}}}\n'
        "---\n\nRun `kettle on`.\n"
    )
    assert "run kettle, cup, mug, and" in load_folder(made, outside=True).unavailable


# requires, in skills.json


def required(folder: Make, tmp_path: Path, requires: object) -> Path:
    folder("tea", root=tmp_path / "package" / "skills")
    path = tmp_path / "package" / "skills.json"
    path.write_text(json.dumps({"skills": [{"name": "tea", "requires": requires}]}))
    return path


@pytest.mark.parametrize(
    ("requires", "reason", "there"),
    [
        (
            {"settings": ["TEA_KIND"]},
            "the setting TEA_KIND is not set here",
            {"TEA_KIND": "red"},
        ),
        ({"secrets": ["TEA_KEY"]}, "the secret TEA_KEY is not set here", {"TEA_KEY": "abc"}),
    ],
)
def test_what_is_not_set_makes_a_skill_unavailable_until_it_is(
    folder: Make,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    requires: object,
    reason: str,
    there: dict[str, str],
) -> None:
    path = required(folder, tmp_path, requires)
    for name in there:
        monkeypatch.delenv(name, raising=False)
    skill = load_manifest(path)["tea"]
    assert skill.unavailable == reason
    assert set(skill.reasons) == {"en", "es", "zh"}
    for name, value in there.items():
        monkeypatch.setenv(name, value)
    ready = load_manifest(path)["tea"]
    assert ready.unavailable == ""
    assert dict(ready.config) == ({"TEA_KIND": "red"} if "TEA_KIND" in there else {})


def test_a_program_must_be_on_the_path(tmp_path: Path) -> None:
    requires = Requires(binaries=("kettle",))
    environ = {"PATH": str(tmp_path)}
    found = missing(requires, environ)
    assert found is not None
    assert found.reasons["en"] == "the program kettle is not installed here"
    (tmp_path / "kettle").write_text("#!/bin/sh\n")
    os.chmod(tmp_path / "kettle", 0o755)
    assert missing(requires, environ) is None


@pytest.mark.parametrize(
    "requires",
    [
        {"settings": ["tea kind"]},
        {"secrets": ["CLOCHE_HOME"]},
        {"binaries": ["/bin/sh"]},
        {"settings": "TEA"},
        {"programs": ["kettle"]},
    ],
)
def test_what_is_no_requirement_is_refused_with_its_place(
    folder: Make, tmp_path: Path, requires: object
) -> None:
    with pytest.raises(ManifestError) as caught:
        load_manifest(required(folder, tmp_path, requires))
    assert caught.value.pointer.startswith("/skills/0/requires")
