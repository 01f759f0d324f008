"""Runs a program in a process group of its own and ends all of it when the host ends.

``python -I -S guard.py SECONDS PROGRAM ARGUMENT...``: a program, not a module to import. The host
holds this process's standard input; when it is closed, for whatever reason (the host ends well, is
killed, crashes), the group is asked to end and after ``SECONDS`` is killed. When the program itself
ends, what it started goes too, and its code is this one's. The first line of the standard output is
the group's number, so that the host can end the group should this process be killed.
"""

import os
import signal
import subprocess
import sys
import threading


def main() -> int:
    """Run it; its exit code, or 128 and the number of the signal that ended it."""
    seconds, command = float(sys.argv[1]), sys.argv[2:]
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # The host decides, by closing the input. A handler is not inherited, unlike SIG_IGN.
        signal.signal(each, lambda *_: None)
    program = subprocess.Popen(  # noqa: S603 (what the host names)
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,  # replies stand in it, word for word
        process_group=0,
    )
    sys.stdout.write(f"{program.pid}\n")
    sys.stdout.flush()
    threading.Thread(target=_end_with_host, args=(program, seconds), daemon=True).start()
    code = program.wait()
    _signal_group(program.pid, signal.SIGKILL)
    return code if code >= 0 else 128 - code


def _end_with_host(program: "subprocess.Popen[bytes]", seconds: float) -> None:
    """Wait until the host lets go of the input."""
    while os.read(0, 1024):
        pass
    _signal_group(program.pid, signal.SIGTERM)
    try:
        program.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        _signal_group(program.pid, signal.SIGKILL)


def _signal_group(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass


if __name__ == "__main__":
    sys.exit(main())
