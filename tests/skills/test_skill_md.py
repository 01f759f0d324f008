"""SKILL.md: what the public format allows, and what each mistake is told as."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.errors import ManifestError
from cloche.skills import load_folder
from cloche.skills.front_matter import read_skill_text

Make = Callable[..., Path]


def test_a_whole_skill_file_is_read(folder: Make) -> None:
    text = """\
        ---
        # a comment
        name: tea-room
        description: >
          Brews tea, and says
          how long it takes.
        license: Apache-2.0
        compatibility: Needs a kettle
        metadata:
          author: somebody
          version: 1.0
        allowed-tools: brew rinse
        disable-model-invocation: true
        ---

        # Tea room

        Warm the pot --- first.
        ---
        The end.
        """
    made = folder("tea-room", skill="\n".join(line[8:] for line in text.splitlines()))
    read = read_skill_text(made)
    assert read.name == "tea-room"
    assert read.description == "Brews tea, and says how long it takes."
    assert read.license == "Apache-2.0"
    assert read.compatibility == "Needs a kettle"
    assert dict(read.metadata) == {"author": "somebody", "version": "1.0"}
    assert read.allowed_tools == ("brew", "rinse")
    assert read.body.startswith("# Tea room")
    assert read.body.endswith("The end.")


@pytest.mark.parametrize(
    "value", ["yes", "1.0", "2026-01-01", "null", "~tea", "茶：泡茶用", "o'clock"]
)
def test_values_are_texts_whether_quoted_or_not(folder: Make, value: str) -> None:
    made = folder(skill=f"---\nname: tea\ndescription: {value}\n---\n")
    assert read_skill_text(made).description == value


def test_a_byte_order_mark_and_windows_line_ends_are_taken(folder: Make) -> None:
    made = folder()
    path = made / "SKILL.md"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    read = read_skill_text(made)
    assert read.name == "tea"
    assert "\r" not in read.body


@pytest.mark.parametrize(
    ("skill", "line", "told"),
    [
        ("---\nname: tea\ndescription: Use when: (1) x. NOT for: y\n---\n", 3, "double quotes"),
        ("---\nname: tea\n\tdescription: x\n---\n", 3, "tab"),
        ("---\nname:\ttea\ndescription: x\n---\n", 2, "tab"),
        ("---\nname: tea\ndescription: [x\n---\n", 3, "double quotes"),
        ("---\ndescription: x\n---\n", 2, "name is missing"),
        ("---\nname:\ndescription: x\n---\n", 2, "name is missing"),
        ("---\nname: tea\n---\n", 2, "description is missing"),
        ("---\nname: tea\ndescription: '  '\n---\n", 3, "description is missing"),
        ("---\nname: coffee\ndescription: x\n---\n", 2, "folder is 'tea'"),
        ("---\nname: Tea_Room\ndescription: x\n---\n", 2, "use a-z, 0-9"),
        ("---\nname: -tea\ndescription: x\n---\n", 2, "use a-z, 0-9"),
        (f"---\nname: {'t' * 65}\ndescription: x\n---\n", 2, "65 characters, at most 64"),
        (f"---\nname: tea\ndescription: {'d' * 1025}\n---\n", 3, "1025 characters, at most 1024"),
        (f"---\nname: tea\ndescription: x\ncompatibility: {'c' * 501}\n---\n", 4, "at most 500"),
        ("---\nname: tea\ndescription: [a, b]\n---\n", 3, "must be a text"),
        ("---\nname: tea\ndescription:\n  a: b\n---\n", 3, "must be a text"),
        ("---\nname: {tea: 1}\ndescription: x\n---\n", 2, "must be a text"),
        ("---\nname: tea\ndescription: x\nmetadata: much\n---\n", 4, "key: value"),
        ("---\nname: tea\ndescription: x\nallowed-tools: {a: b}\n---\n", 4, "spaces between"),
        ("---\nname: tea\ndescription: x\nname: tee\n---\n", 4, "stands twice"),
        (
            "---\nname: tea\ndescription: x\nalowed-tools: a\n---\n",
            4,
            "did you mean 'allowed-tools'",
        ),
        ("---\nname: tea\ndescripton: x\n---\n", 3, "did you mean 'description'"),
        ("---\nname: tea\ndescription: *x\n---\n", 3, "starts with '*'"),
        ("---\nname: tea\ndescription: @x\n---\n", 3, "double quotes"),
        ("---\nname: tea\ndescription: x\n", 1, "not closed"),
        ("name: tea\ndescription: x\n", 1, "must start with"),
        ("\n---\nname: tea\ndescription: x\n---\n", 1, "must start with"),
        ("", 1, "must start with"),
        ("---\n---\n", None, "key: value"),
        ("---\n- name\n---\n", 2, "key: value"),
        ("---\nname: tea\ndescription: a\x07b\n---\n", 3, "character"),
    ],
)
def test_each_mistake_is_told_with_its_line_and_how_to_mend_it(
    folder: Make, skill: str, line: int | None, told: str
) -> None:
    made = folder(skill=skill)
    with pytest.raises(ManifestError) as caught:
        read_skill_text(made)
    assert told in caught.value.reason
    assert caught.value.line == line
    assert caught.value.file == str(made / "SKILL.md")


def test_a_file_that_is_not_utf8_is_told_with_its_line(folder: Make) -> None:
    made = folder()
    (made / "SKILL.md").write_bytes("---\nname: tea\ndescription: Té\n---\n".encode("latin-1"))
    with pytest.raises(ManifestError, match="UTF-8") as caught:
        read_skill_text(made)
    assert caught.value.line == 3


def test_a_folder_without_skill_md_and_no_folder_are_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ManifestError, match=r"SKILL\.md.*cannot be read"):
        load_folder(tmp_path / "empty")
    with pytest.raises(ManifestError, match="no such folder"):
        load_folder(tmp_path / "nowhere")


def test_a_folder_named_by_a_dot_is_known_by_its_own_name(
    folder: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder("tea"))
    assert load_folder(Path()).name == "tea"


@given(front=st.text(max_size=80))
def test_any_front_matter_is_read_or_refused_with_its_file(
    tmp_path_factory: pytest.TempPathFactory, front: str
) -> None:
    made = tmp_path_factory.mktemp("any") / "tea"
    made.mkdir()
    (made / "SKILL.md").write_text(
        f"---\nname: tea\n{front}\n---\nBody.", encoding="utf-8", newline=""
    )
    try:
        name = read_skill_text(made).name
    except ManifestError as error:
        name = Path(error.file).parent.name
    assert name == "tea"
