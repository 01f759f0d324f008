"""Runs a program in a process group of its own and ends all of it when the host ends.

``python -I -S guard.py SECONDS BYTES FOLDER LOCK PROGRAM ARGUMENT...``: a program, not a module to
import. The host holds this process's standard input; when it is closed, for whatever reason (the
host ends well, is killed, crashes), the group is asked to end and after ``SECONDS`` is killed. A
host that writes there before it closes it looks after ``FOLDER``, where people's words lie; of one
that does not nothing is left, and the folder is removed when the group is gone, unless somebody
else holds its ``LOCK`` by then. When the program itself ends, what it started goes too, and its
code is this one's. The first line of the standard output is the group's number, so that the host
can end the group should this process be killed. Where both are killed at once, Linux ends the
program. The standard error is a file: of what the program says there, the last ``BYTES`` at most
are kept.
"""

import os
import signal
import subprocess
import sys
import threading
import time

ENDS_WITH_PARENT = 1
"""``PR_SET_PDEATHSIG`` of Linux's ``prctl``; what is started from here on keeps it."""


def main() -> int:
    """Run it; its exit code, or 128 and the number of the signal that ended it."""
    seconds, most, command = float(sys.argv[1]), int(sys.argv[2]), sys.argv[5:]
    left = Left(sys.argv[3], sys.argv[4])
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # The host decides, by closing the input. A handler is not inherited, unlike SIG_IGN.
        signal.signal(each, lambda *_: None)
    me = [sys.executable, "-I", "-S", __file__, "become", str(os.getpid())]
    program = subprocess.Popen(  # noqa: S603 (what the host names)
        [*me, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,  # replies stand in it, word for word
        stderr=subprocess.PIPE,
        process_group=0,
    )
    sys.stdout.write(f"{program.pid}\n")
    sys.stdout.flush()
    threading.Thread(target=_end_with_host, args=(program, seconds, left), daemon=True).start()
    keeping = threading.Thread(target=_keep_last, args=(program, most), daemon=True)
    keeping.start()
    code = program.wait()
    _signal_group(program.pid, signal.SIGKILL)
    keeping.join(timeout=seconds)
    if left.is_nobodys:
        _until_gone(program.pid, seconds)
        left.remove(seconds)
    return code if code >= 0 else 128 - code


def become(parent: int, command: "list[str]") -> None:
    """Be the program, and end when the guard does, however that happens."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(ENDS_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended meanwhile
            return
    os.execvp(command[0], command)  # noqa: S606 (what the host names)


class Left:
    """The folder of a host that may end without removing it.

    Attributes:
        is_nobodys: True once the host has ended so.
    """

    def __init__(self, folder: str, lock: str) -> None:
        """Hold on to the folder as it is now: no other one, of the same name, is ever removed."""
        self.is_nobodys, self._lock = False, lock
        parent, self._name = os.path.split(folder)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        self._parent, self._folder = os.open(parent, flags), os.open(folder, flags)

    def remove(self, seconds: float) -> None:
        """Remove it, following no links, if within so many seconds nobody else holds its lock."""
        import fcntl
        import shutil

        lock = os.open(self._lock, os.O_RDWR | os.O_NOFOLLOW)
        until = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:  # the host is just ending, or another one lives here
                if time.monotonic() > until:
                    return
                time.sleep(0.01)
        try:
            there = os.stat(self._name, dir_fd=self._parent, follow_symlinks=False)
        except FileNotFoundError:
            return
        if os.path.samestat(there, os.fstat(self._folder)):
            shutil.rmtree(self._name, dir_fd=self._parent, ignore_errors=True)


def _end_with_host(program: "subprocess.Popen[bytes]", seconds: float, left: Left) -> None:
    """Wait until the host lets go of the input."""
    has_told = False
    while os.read(0, 1024):
        has_told = True
    left.is_nobodys = not has_told
    _signal_group(program.pid, signal.SIGTERM)
    try:
        program.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        _signal_group(program.pid, signal.SIGKILL)


def _keep_last(program: "subprocess.Popen[bytes]", most: int) -> None:
    """Write down what it says, until it says no more; never is it kept waiting."""
    while program.stderr and (said := os.read(program.stderr.fileno(), most // 2)):
        try:
            size = os.fstat(2).st_size
            if size + len(said) > most:
                last = os.pread(2, most // 2, max(0, size - most // 2))
                os.ftruncate(2, 0)
                os.write(2, last)
            os.write(2, said)
        except OSError:  # a disk that is full
            pass


def _until_gone(group: int, seconds: float) -> None:
    """Wait until nothing of the group is left to write anything."""
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            os.killpg(group, 0)
            time.sleep(0.01)
    except (ProcessLookupError, PermissionError):
        pass


def _signal_group(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass


if __name__ == "__main__":
    if sys.argv[1] == "become":
        become(int(sys.argv[2]), sys.argv[3:])
    else:
        sys.exit(main())
