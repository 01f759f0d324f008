"""Only a chat that is alone goes on with what another one left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cloche.chat_lock import ChatLock

pytest.importorskip("fcntl")

HOLDS = (
    "import sys\nfrom pathlib import Path\nfrom cloche.chat_lock import ChatLock\n"
    "with ChatLock(Path(sys.argv[1])) as lock:\n"
    "    lock.share()\n    print(lock.alone, flush=True)\n    sys.stdin.read()\n"
)


def test_a_second_chat_is_not_alone_and_one_after_a_kill_is(tmp_path: Path) -> None:
    path = tmp_path / "console.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout
        assert other.stdout.readline() == "True\n"
        with ChatLock(path) as lock:
            assert not lock.alone
            with ChatLock(path) as third:
                assert not third.alone
        other.kill()
        other.wait(30)
    with ChatLock(path) as lock:
        assert lock.alone
