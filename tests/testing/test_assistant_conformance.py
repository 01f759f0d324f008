"""The conformance class passes for a good assistant, and each of its tests can fail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cloche.ids import actor_id
from cloche.memory.pipeline import Memory
from cloche.memory.writer import Writer
from cloche.testing import AssistantConformance
from cloche.testing.assistants.base import ANA

Failure = (AssertionError, pytest.fail.Exception)


class TestTea(AssistantConformance):
    """Somebody's whole test module, but for the fixture that installs the package."""

    package = "cloche_tea"

    @pytest.fixture(autouse=True)
    def _installed(self, site):
        site.assistant("tea")
        site.plugin("broken", "1 / 0")  # what else is installed does not matter


class TestKettle(TestTea):
    """An assistant with scopes of its own, and a plain one without skills."""

    package = "cloche_kettle"

    @pytest.fixture(autouse=True)
    def _installed(self, site):
        code = site.assistant_code("kettle").replace(
            'NamespaceScheme("kettle")',
            'NamespaceScheme("kettle", (MemoryScope("project", '
            '"kettle/{actorId}/project/{project}/"),))',
        )
        code = code.replace("import (", "import (MemoryScope,")
        code = code.replace("SkillsManifest.from_package(__name__)", "SkillsManifest()")
        site.assistant("kettle", {"__init__.py": code})


def conformance(package: str = "cloche_tea", **attributes: object) -> AssistantConformance:
    """The tests an author would get."""
    kind = type("TestMine", (AssistantConformance,), {"package": package, **attributes})
    return kind()


def test_a_package_that_is_not_installed_fails_with_what_to_do(site):
    with pytest.raises(pytest.fail.Exception, match=r"pyproject\.toml"):
        conformance("cloche_nobody").test_it_is_found_by_its_entry_point()


BROKEN = {
    "hook": (
        {"__init__.py": ("def provide_persona", "def provide_personna")},
        "test_its_hooks_match_their_specs",
        "Did you mean provide_persona",
    ),
    "entry": (
        {"__init__.py": ("from cloche", "cloche_api = 9\nfrom cloche")},
        "test_it_is_found_by_its_entry_point",
        "plugin API 9",
    ),
    "voice": (
        {"persona/voice.md": ("Speak plainly.", "")},
        "test_its_persona_is_whole_and_not_too_long",
        "persona/voice.md",
    ),
    "file": (
        {"persona/voice.md": None},
        "test_its_files_are_in_the_installed_package",
        "persona/voice.md",
    ),
    "language": (
        {"skills/brewing/examples.yaml": ('    zh: ["泡一杯{leaf}"]\n', "")},
        "test_its_skills_are_whole",
        "no example in: zh",
    ),
    "private": (
        {"skills/brewing/tools.py": ("from cloche", "import cloche.clock\nfrom cloche")},
        "test_it_imports_nothing_private",
        "cloche.clock is private",
    ),
    "answer": (
        {"skills/brewing/examples.yaml": ('["oolong"]', '["green"]')},
        "test_its_examples_run",
        r"without \['green'\]",
    ),
    "tool": (
        {
            "skills/brewing/tools.py": (
                "    record =",
                "    raise ToolError('no water')\n    record =",
            )
        },
        "test_its_examples_run",
        "no water",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_with_a_package_fails_one_test(site, name):
    changes, test, told = BROKEN[name]
    texts = site.assistant_files("tea")
    files = {}
    for path, change in changes.items():
        assert change is None or change[0] in texts[path]
        files[path] = None if change is None else texts[path].replace(*change)
    if name == "tool":
        files["skills/brewing/tools.py"] = files["skills/brewing/tools.py"].replace(
            "import ToolContext", "import ToolContext, ToolError"
        )
    site.assistant("tea", files)
    method = getattr(conformance(), test)
    with pytest.raises(Failure, match=told):
        method()


def test_names_that_do_not_agree_fail(site):
    files = {f"leaves/{path}": text for path, text in site.assistant_files("tea").items()}
    site.add("herbal", {"cloche.assistants": {"tea": "leaves"}}, files)
    with pytest.raises(Failure, match="cloche-tea"):
        conformance("leaves").test_its_names_agree()


def test_a_memory_that_shows_everybody_what_one_person_said_fails(site, tmp_path, monkeypatch):
    site.assistant("tea")
    conformance().test_two_people_never_cross(tmp_path / "good")
    recall = Memory.recall

    async def anas(self, person, message):
        return await recall(self, replace(person, actor=actor_id(ANA), address=ANA), message)

    monkeypatch.setattr(Memory, "recall", anas)
    with pytest.raises(Failure, match="another's prompt"):
        conformance().test_two_people_never_cross(tmp_path / "bad")


def test_a_memory_that_forgets_over_night_fails(site, tmp_path, monkeypatch):
    site.assistant("tea")

    async def lost(self, record):
        return None

    monkeypatch.setattr(Writer, "write", lost)
    with pytest.raises(AssertionError):
        conformance().test_what_is_written_is_recalled_the_next_day(tmp_path)


def test_a_record_in_no_scope_of_the_scheme_fails(site, tmp_path, monkeypatch):
    site.assistant("tea")
    write = Writer.write

    async def elsewhere(self, record):
        await write(self, replace(record, scope="elsewhere"))

    monkeypatch.setattr(Writer, "write", elsewhere)
    with pytest.raises(AssertionError, match="'elsewhere' is no scope"):
        conformance().test_what_is_written_stays_inside_its_namespaces(tmp_path)


def test_an_answer_that_is_not_kept_fails(site, tmp_path, monkeypatch):
    site.assistant("tea")

    async def lost(self, event):
        return None

    monkeypatch.setattr(Writer, "add_event", lost)
    with pytest.raises(AssertionError, match="0 events"):
        conformance().test_a_turn_is_answered_and_kept(tmp_path)


def test_a_removed_or_replaced_test_is_told_by_name():
    kept = "test_no_inherited_test_is_removed_or_replaced"

    def nothing(self):
        pass

    for attributes in (
        {"test_its_names_agree": None},
        {"test_its_names_agree": nothing},
        {"test_its_names_agree": pytest.mark.xfail(nothing)},
    ):
        with pytest.raises(pytest.fail.Exception, match="test_its_names_agree"):
            getattr(conformance(**attributes), kept)()


def test_a_replaced_test_that_says_why_is_let_through():
    @pytest.mark.xfail(reason="renamed next week")
    def explained(self):
        pass

    own = {"test_its_names_agree": explained, "test_of_my_own": lambda self: None}
    conformance(**own).test_no_inherited_test_is_removed_or_replaced()
