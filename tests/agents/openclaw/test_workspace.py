"""Where a gateway lives: private, furnished the same each time, and gone in the end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cloche.agents.openclaw.workspace import (
    furnish,
    make_quarters,
    persona_files,
    remove_left_behind,
    write_private,
)
from cloche.prompt import HOUSE_RULES

from .conftest import PERSONA, SKILLS


def test_the_persona_is_in_the_files_that_are_read() -> None:
    files = persona_files(PERSONA.sections)
    assert set(files) == {"AGENTS.md", "IDENTITY.md", "SOUL.md"}
    assert "You are Ada" in files["IDENTITY.md"]
    assert files["SOUL.md"] == "Speak plainly.\n"
    assert files["AGENTS.md"] == f"Never shout.\n\n{HOUSE_RULES}\n"


def test_a_file_that_a_persona_has_no_words_for_is_there_all_the_same() -> None:
    assert persona_files([("safety", "Never shout.")])["SOUL.md"] == "(Nothing more.)\n"


def test_it_is_furnished_with_the_same_bytes_each_time(tmp_path: Path) -> None:
    contents = []
    for name in ("a", "b"):
        quarters = make_quarters(tmp_path / name)
        assert furnish(quarters, PERSONA, SKILLS) == ("weather",)
        assert furnish(quarters, PERSONA, SKILLS) == ("weather",)
        contents.append(
            {
                path.relative_to(quarters.workspace): path.read_bytes()
                for path in quarters.workspace.rglob("*.md")
            }
        )
        quarters.remove()
    assert contents[0] == contents[1]
    assert Path("skills/weather/SKILL.md") in contents[0]


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    quarters = make_quarters(tmp_path)
    write_private(quarters.config, "secret")
    for path in (tmp_path / "openclaw", quarters.root, quarters.state, quarters.config):
        assert path.stat().st_mode & 0o077 == 0, path
    quarters.remove()


def test_what_ended_processes_left_goes_and_what_is_lived_in_stays(tmp_path: Path) -> None:
    first = make_quarters(tmp_path)
    write_private(first.config, "first")
    for number in (1, 2):
        (tmp_path / "openclaw" / f"gateway-{number}" / "state").mkdir(parents=True)
        (tmp_path / "openclaw" / f"gateway-{number}" / "state" / "left").touch()
    second = make_quarters(tmp_path)
    assert first.config.read_text() == "first"
    assert second.root != first.root
    assert not list(tmp_path.rglob("left"))
    first.remove()
    second.remove()
    assert [path for path in (tmp_path / "openclaw").iterdir() if path.is_dir()] == []


def test_its_path_is_the_same_in_the_next_process(tmp_path: Path) -> None:
    first = make_quarters(tmp_path)
    first.remove()
    second = make_quarters(tmp_path)
    assert second.root == first.root
    second.remove()


def test_another_thread_than_the_one_that_made_it_may_remove_it(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        first = one.submit(make_quarters, tmp_path).result()
        other.submit(first.remove).result()
        assert one.submit(make_quarters, tmp_path).result().root == first.root


def test_it_can_be_emptied(tmp_path: Path) -> None:
    quarters = make_quarters(tmp_path)
    furnish(quarters, PERSONA, SKILLS)
    (quarters.state / "sessions.sqlite").write_text("words")
    quarters.log.write_text("words")
    quarters.empty()
    assert [path for path in quarters.root.rglob("*") if path.is_file()] == []
    assert quarters.workspace.stat().st_mode & 0o077 == 0
    quarters.remove()


@pytest.mark.parametrize("existing", [True, False])
def test_a_private_file_is_private_from_its_first_byte(tmp_path: Path, existing: bool) -> None:
    path = tmp_path / "x"
    if existing:
        path.write_text("old")
        path.chmod(0o644)
    write_private(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_ended_processes_left_goes_and_where_somebody_lives_stays(tmp_path: Path) -> None:
    lives = make_quarters(tmp_path)
    left = [tmp_path / "openclaw" / f"gateway-{number}" for number in (1, 7)]
    for root in left:
        (root / "state").mkdir(parents=True)
        (root / "state" / "talk.sqlite").write_text("I have two lutes.")
    remove_left_behind(tmp_path)
    assert [root.exists() for root in left] == [False, False]
    assert lives.workspace.exists()
    remove_left_behind(tmp_path / "nowhere")
