"""What real processes do: die by SIGKILL, share a store, and find a channel served already."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

SERVED = str(Path(__file__).with_name("served.py"))


def served(folder: Path, name: str = "one", lock: str = "lock") -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, SERVED, str(folder), name, lock],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    return process


def opened(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line == b"open\n", process.communicate()[1].decode()


def ended(process: subprocess.Popen[bytes], updates: list[str]) -> list[str]:
    """Hand over updates, let it end by itself; what it took."""
    out, error = process.communicate("".join(updates).encode(), timeout=120)
    assert process.returncode == 0, error.decode()
    return out.decode().split()


def answers(folder: Path) -> Counter[str]:
    lines = (folder / "sent").read_text().splitlines()
    return Counter(word for line in lines for word in line.split("\t")[1].split())


def acts(folder: Path) -> Counter[str]:
    """How often a tool acted for each message: a call made again under another id is another."""
    connection = sqlite3.connect(folder / "state.db")
    keys = connection.execute("SELECT key FROM items WHERE key LIKE 'did/%'").fetchall()
    connection.close()
    return Counter(key.rpartition("/")[2] for (key,) in keys)


def test_a_killed_process_loses_nothing_and_its_tools_act_once(tmp_path: Path) -> None:
    updates = {f"u{number}": f"u{number} c{number % 7}\n" for number in range(120)}
    taken: set[str] = set()
    for _ in range(3):
        process = served(tmp_path)
        opened(process)
        assert process.stdin is not None
        assert process.stdout is not None
        left = [line for name, line in updates.items() if name not in taken]
        process.stdin.write("".join(left).encode())
        process.stdin.flush()
        for _ in range(25):
            taken.add(process.stdout.readline().decode().strip())
        process.send_signal(signal.SIGKILL)
        # What it had kept before it died may have reached us or not; a platform sends it again.
        out, _ = process.communicate()
        taken.update(out.decode().split("\n")[:-1])
    last = served(tmp_path)
    opened(last)
    ended(last, [line for name, line in updates.items() if name not in taken])
    assert set(answers(tmp_path)) == set(updates)
    assert acts(tmp_path) == Counter(updates.keys())
    keys = Counter(line.split("\t")[0] for line in (tmp_path / "sent").read_text().splitlines())
    # Three deaths with seven conversations: at most the part in flight of each.
    assert sum(count - 1 for count in keys.values()) <= 3 * 7


def test_two_processes_given_the_same_updates_answer_each_once(tmp_path: Path) -> None:
    updates = [f"u{number} c{number % 10}\n" for number in range(150)]
    both = [served(tmp_path, name, lock="") for name in ("one", "two")]
    for process in both:
        opened(process)
        assert process.stdin is not None
        process.stdin.write("".join(updates).encode())
        process.stdin.flush()
    for process in both:
        assert len(ended(process, [])) == len(updates)
    assert answers(tmp_path) == Counter(line.split()[0] for line in updates)


def test_a_second_process_finds_the_channel_served(tmp_path: Path) -> None:
    first = served(tmp_path)
    opened(first)
    second = served(tmp_path, "two")
    _, error = second.communicate(timeout=120)
    assert second.returncode != 0
    assert "served by another process" in error.decode()
    ended(first, ["u1 c1\n"])
    third = served(tmp_path, "three")
    opened(third)
    ended(third, [])
    assert answers(tmp_path) == Counter({"u1": 1})
