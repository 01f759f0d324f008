"""Two ways to see whether a program, or what it starts, tries to reach anything but this machine.

A network namespace with loopback only, whose kernel counts what leads nowhere; where a machine
allows none, strace, which sees every address that is asked for.
"""

from __future__ import annotations

import re
import subprocess
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Final, Protocol

DNS: Final = 53
_ADDRESS: Final = re.compile(
    r'sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"'
)


class Watcher(Protocol):
    """Starts a program so that its attempts can be counted."""

    def command(self, folder: Path) -> list[str]:
        """What stands before the program's own command; the folder is the watcher's."""
        ...

    def attempts(self, folder: Path, process: int) -> int:
        """How often it, or what it started, tried to go out so far."""
        ...


class Namespace:
    """A network of its own, with loopback and no way out."""

    def command(self, folder: Path) -> list[str]:
        lo_up = 'ip link set lo up && exec "$@"'
        return ["unshare", "--net", "--map-root-user", "sh", "-c", lo_up, "sh"]

    def attempts(self, folder: Path, process: int) -> int:
        net = Path(f"/proc/{process}/net")
        told = [line.split() for line in (net / "snmp").read_text().splitlines()]
        counters = {
            (names[0], name): int(value)
            for names, values in zip(told[::2], told[1::2], strict=True)
            for name, value in zip(names[1:], values[1:], strict=True)
        }
        # A resolver may be said to listen on loopback: nobody does here.
        return counters["Ip:", "OutNoRoutes"] + counters["Udp:", "NoPorts"]


class Strace:
    """A list of the addresses that are asked for."""

    def command(self, folder: Path) -> list[str]:
        calls = "trace=connect,sendto,sendmsg,sendmmsg"
        quiet = ["-qq", "-e", "signal=none", "-o", str(folder / "calls")]
        return ["strace", "--follow-forks", "--seccomp-bpf", "-e", calls, *quiet]

    def attempts(self, folder: Path, process: int) -> int:
        return outbound((folder / "calls").read_text())


def outbound(calls: str) -> int:
    """How many of strace's lines ask for an address that is not this machine's, or for a name."""
    found = 0
    for port, address in _ADDRESS.findall(calls):
        ip = ip_address(address.removeprefix("::ffff:"))
        found += int(port) == DNS or not ip.is_loopback
    return found


@cache
def watchers() -> tuple[Watcher, ...]:
    """What this machine allows, the surer one first; () = neither."""
    return tuple(each for each in (Namespace(), Strace()) if _works(each))


def _works(watcher: Watcher) -> bool:
    command = [*watcher.command(Path("/dev")), "true"]
    command = ["/dev/null" if part == "/dev/calls" else part for part in command]
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except OSError:
        return False
