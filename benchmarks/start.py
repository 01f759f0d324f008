"""From an empty folder to the first prompt, then once more; and what ``import cloche`` loads.

Each round exports the last commit into a new folder and runs ``make chat`` there twice, in a
terminal of its own: the first makes the environment from the packages that pip has in its cache,
the second finds it made. A run before the rounds fills the cache; ``--cold`` leaves it out.

    python benchmarks/start.py [--rounds 3] [--cold] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
OWNER = "bench"
PROMPT = f"{OWNER}>".encode()
GOAL_SECOND_S = 3.0
PATIENCE_S = 300
HEAVY = ("boto3", "pydantic_ai", "aiohttp", "numpy")
IMPORTS = 9


def export(folder: Path) -> None:
    """Put the last commit into a folder."""
    archive = subprocess.run(
        ["git", "-C", str(ROOT), "archive", "HEAD"], check=True, capture_output=True
    )
    subprocess.run(["tar", "-x", "-C", str(folder)], check=True, input=archive.stdout)


def until_prompt(folder: Path) -> float:
    """Seconds from `make chat` to the prompt; the chat is ended then."""
    ours, theirs = pty.openpty()
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CLOCHE_", "VIRTUAL_ENV")) and not name.endswith("MODEL_ID")
    }
    environ |= {"CLOCHE_HOME": str(folder / "home"), "TERM": "xterm", "LANG": "C.UTF-8"}
    started = time.perf_counter()
    process = subprocess.Popen(
        ["make", "chat", f"ARGS=--as {OWNER}"],
        cwd=folder,
        env=environ,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    shown = b""
    try:
        while PROMPT not in shown:
            if not select.select([ours], [], [], PATIENCE_S)[0]:
                process.terminate()
                sys.exit(f"make chat said nothing for {PATIENCE_S} s")
            shown += os.read(ours, 65536)
        taken = time.perf_counter() - started
        os.write(ours, b"\x04")
        while True:
            os.read(ours, 65536)
    except OSError as end:  # a terminal nobody writes to any more ends with an error
        if PROMPT not in shown:
            sys.exit(f"make chat ended without a prompt:\n{shown.decode(errors='replace')}\n{end}")
    finally:
        process.wait()
        os.close(ours)
    return taken


@dataclass(frozen=True)
class Round:
    """What one round took; the heavy modules that `import cloche` loaded in it."""

    first_s: float
    second_s: float
    import_ms: float
    heavy: tuple[str, ...]


def one_round() -> Round:
    """An empty folder, export included, to the first prompt; then the next start there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        started = time.perf_counter()
        export(folder)
        exported = time.perf_counter() - started
        first, second = exported + until_prompt(folder), until_prompt(folder)
        return Round(first, second, *import_cloche(folder / ".venv" / "bin" / "python"))


def import_cloche(python: Path) -> tuple[float, tuple[str, ...]]:
    """Milliseconds of `import cloche`, median of fresh interpreters, and what heavy it loads."""
    script = (
        "import sys, time; started = time.perf_counter(); import cloche; "
        "print((time.perf_counter() - started) * 1000, *sys.modules)"
    )
    taken, loaded = [], set()
    for _ in range(IMPORTS):
        printed = subprocess.run(
            [str(python), "-c", script], check=True, capture_output=True, text=True
        ).stdout.split()
        taken.append(float(printed[0]))
        loaded |= set(printed[1:])
    return statistics.median(taken), tuple(sorted(loaded & set(HEAVY)))


def main() -> int:
    """Measure, print, and fail when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cold", action="store_true", help="take the package cache as it is")
    parser.add_argument("--only", choices=("import",), help="of a cloche that is installed here")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.only:
        milliseconds, loaded = import_cloche(Path(sys.executable))
        found = {"import_cloche_p50_ms": milliseconds, "heavy_modules_loaded": loaded}
        print(json.dumps(found) if options.json else f"import cloche: {milliseconds:.1f} ms")
        return 1 if loaded else 0
    if not options.cold:
        one_round()
    rounds = [one_round() for _ in range(options.rounds)]
    heavy = sorted({name for each in rounds for name in each.heavy})
    result = {
        "rounds": options.rounds,
        "first_prompt_p50_s": round(statistics.median(each.first_s for each in rounds), 2),
        "second_start_p50_s": round(statistics.median(each.second_s for each in rounds), 2),
        "second_start_goal_s": GOAL_SECOND_S,
        "import_cloche_p50_ms": round(statistics.median(each.import_ms for each in rounds), 2),
        "heavy_modules_loaded": heavy,
    }
    if options.json:
        print(json.dumps(result))
    else:
        print(f"make chat, medians of {options.rounds} rounds:")
        print(f"  empty folder to first prompt {result['first_prompt_p50_s']:7.2f} s")
        print(f"  second start                 {result['second_start_p50_s']:7.2f} s  goal: 3")
        print(f"import cloche                  {result['import_cloche_p50_ms']:7.2f} ms")
        print(f"  heavy modules it loads: {', '.join(heavy) or 'none'}")
    return 0 if result["second_start_p50_s"] < GOAL_SECOND_S and not heavy else 1


if __name__ == "__main__":
    sys.exit(main())
