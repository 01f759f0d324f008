"""The fixtures for authors, and that a suite which does not use them never notices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_the_plugin_loads_no_module_of_the_host():
    code = (
        "import sys, cloche.testing.pytest_plugin\n"
        "loaded = {m for m in sys.modules if m.startswith('cloche.')}\n"
        "assert loaded == {'cloche.testing', 'cloche.testing.pytest_plugin'}, loaded"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_an_authors_suite_gets_a_home_settings_a_host_and_a_clock(tmp_path: Path):
    (tmp_path / "test_mine.py").write_text(
        """
import os

def test_all(cloche_home, cloche_settings, cloche_host, cloche_clock):
    assert cloche_settings.home == cloche_home
    assert cloche_settings.model_id == ""
    assert cloche_settings.source_of("plugins") == "default"
    assert not [name for name in os.environ if name.startswith("CLOCHE_") and name[7:] != "HOME"]
    assert "console" in [row.name for row in cloche_host.rows]
    before = cloche_clock()
    cloche_clock.pass_(hours=1)
    assert (cloche_clock() - before).total_seconds() == 3600

def test_nothing_is_changed_without_them():
    assert os.environ["MODEL_ID"] == "mine"
"""
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        env={**os.environ, "MODEL_ID": "mine", "CLOCHE_PLUGINS": "x", "CLOCHE_OWNER": "me"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr
