"""Each program of benchmarks/ runs, at its smallest, and prints what it measures as JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"
TALK = {
    "sample_id": "one",
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"dia_id": "D1:1", "speaker": "Ana", "text": "I planted a fig near the wall."},
            {"dia_id": "D1:2", "speaker": "Ben", "text": "Good morning."},
        ],
    },
    "qa": [{"question": "Where is the fig?", "category": 4, "evidence": ["D1:1"]}],
}
RUNS = {
    "turn.py": (["--turns", "1", "--records", "5"], {"turn_p50_ms", "reply_p50_ms", "goal_ms"}),
    "delivery.py": (
        ["--only", "alone,killed", "--messages", "10", "--rate", "40"],
        {"alone", "killed"},
    ),
    "store.py": (
        ["--sizes", "", "--searches", "3", "--records", "1000"],
        {"search_p50_ms", "write_p99_ms", "records_in_store", "peak_rss_mb", "growth"},
    ),
    "start.py": (["--only", "import"], {"import_cloche_p50_ms", "heavy_modules_loaded"}),
    "recall.py": (["TALK", "--embedder", "none"], {"product", "bm25", "goal", "reached"}),
    "runtime.py": (
        ["--turns", "1", "--starts", "1", "--seconds", "1", "--talk", "3", "--embedded"],
        {"added_p50_ms", "first_answer_s", "ping_p99_ms", "idle_mb", "cached", "load"},
    ),
}
TALKING = {"turn.py", "runtime.py"}
"""Programs that measure with Sprout."""
PARTS = {"delivery_killed.py", "runtime_cached.py", "runtime_process.py", "runtime_report.py"}
"""Parts of programs, which are run with them."""


def run(program: str, *options: str) -> subprocess.CompletedProcess[str]:
    """The program's end; a goal that a busy machine misses is no failure here."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("CLOCHE_")}
    return subprocess.run(
        [sys.executable, str(FOLDER / program), *options],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def test_every_program_is_run_here() -> None:
    assert {path.name for path in FOLDER.glob("*.py")} == RUNS.keys() | PARTS


@pytest.mark.timeout(300)
@pytest.mark.parametrize("program", RUNS)
def test_a_program_prints_what_it_measures(program: str, tmp_path: Path) -> None:
    if program in TALKING and not entry_points(group="cloche.assistants", name="gardening"):
        pytest.skip("the assistant gardening is not installed")
    options, keys = RUNS[program]
    talk = tmp_path / "talk.json"
    talk.write_text(json.dumps([TALK]))
    given = [str(talk) if option == "TALK" else option for option in options]
    done = run(program, *given, "--json")
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in (0, 1), done.stderr
    assert keys <= json.loads(done.stdout).keys()


def test_recall_says_that_there_is_no_such_file() -> None:
    done = run("recall.py", "nowhere.json")
    assert done.returncode == 2
    assert "nowhere.json: there is no such file" in done.stderr
    assert "Traceback" not in done.stderr
