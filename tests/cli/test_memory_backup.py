"""``cloche memory backup|restore``."""

from __future__ import annotations

import json
import stat
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cloche import assembly, assistant
from cloche.backup import restoring

if TYPE_CHECKING:
    from conftest import Commands


pytestmark = pytest.mark.usefixtures("tea")


def shown(cloche: Commands) -> list[str]:
    document = json.loads(cloche("memory", "show", "--as", "ana", "--json"))
    return [record["text"] for record in document["records"]]


def test_one_command_backs_up_one_restores(cloche: Commands, tmp_path: Path) -> None:
    cloche("chat", "--once", "I drink oolong.", "--as", "ana")
    file = tmp_path / "tea.zip"
    assert cloche("memory", "backup", str(file)).strip() == str(file)
    assert "memory.db (" in cloche.error
    cloche("chat", "--once", "My dog is called Trufa.", "--as", "ana")
    said = cloche("memory", "restore", str(file), "--yes")
    assert said.startswith("Restored tea as it was at ")
    assert "What it replaced lies in " in cloche.error
    assert shown(cloche) == ["I drink oolong."]


def test_without_a_name_the_backup_is_private_in_the_assistants_folder(cloche: Commands) -> None:
    cloche("chat", "--once", "I drink oolong.", "--as", "ana")
    document = json.loads(cloche("memory", "backup", "--json"))
    file = Path(document["file"])
    assert file.parent.name == "backups"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    cloche("memory", "forget", "--all", "--yes", "--as", "ana")
    done = json.loads(cloche("memory", "restore", str(file), "--yes", "--json"))
    assert Path(done["aside"]).is_dir()
    assert shown(cloche) == ["I drink oolong."]


def test_what_cannot_be_done_is_one_sentence(cloche: Commands, tmp_path: Path) -> None:
    cloche("memory", "backup", code=2)
    assert "nothing to back up" in cloche.error
    cloche("chat", "--once", "I drink oolong.", "--as", "ana")
    cloche("memory", "backup", str(tmp_path / "no-folder" / "x.zip"), code=2)
    assert "cannot be written" in cloche.error
    no_backup = tmp_path / "text.zip"
    no_backup.write_text("hello")
    cloche("memory", "restore", str(no_backup), "--yes", code=2)
    assert "is no backup, or is damaged" in cloche.error
    cloche("memory", "restore", str(no_backup), code=2)
    assert "give --yes" in cloche.error
    assert shown(cloche) == ["I drink oolong."]


def test_only_what_changes_something_completes_a_restore_that_was_cut_off(
    cloche: Commands, tmp_path: Path
) -> None:
    cloche("chat", "--once", "I drink oolong.", "--as", "ana")
    file = tmp_path / "tea.zip"
    cloche("memory", "backup", str(file))
    with pytest.MonkeyPatch.context() as killed:
        killed.setattr(restoring, "_complete", _killed)
        killed.setattr(restoring, "wait_for_writers", lambda folder: None)
        cloche("memory", "restore", str(file), "--yes", code=2)
    with pytest.MonkeyPatch.context() as went_on:
        went_on.setattr(assistant, "finish_if_cut_off", _not_now)
        went_on.setattr(assembly, "finish_restore", lambda folder, at: None)
        cloche("chat", "--once", "My dog is called Trufa.", "--as", "ana")
    for command in (("show",), ("search", "dog"), ("why", "dog"), ("used",), ("export",)):
        cloche("memory", *command, "--as", "ana")
        assert "A restore was cut off" in cloche.error
    assert "My dog is called Trufa." in shown(cloche)
    cloche("chat", "--once", "I play the lute.", "--as", "ana")
    assert sorted(shown(cloche)) == ["I drink oolong.", "I play the lute."]
    assert "cut off" not in cloche.error


async def _not_now(folder: Path, at: datetime) -> None:
    """A process that began before."""


def _killed(folder: Path) -> None:
    raise OSError("killed")
