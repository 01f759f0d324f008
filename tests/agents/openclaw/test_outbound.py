"""How attempts to leave this machine are told from what stays on it."""

from __future__ import annotations

from .outbound import outbound

STAYS = """\
7 connect(3, {sa_family=AF_UNIX, sun_path="/run/nscd/socket"}, 110) = -1 ENOENT (No such file)
7 connect(20, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("127.0.0.1")}, 16) = 0
7 connect(20, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), \
inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28) = 0
7 sendto(20, "x", 1, 0, NULL, 0) = 1
"""
LEAVES = """\
7 connect(20, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")}, 16) = -1
7 connect(20, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 0
7 sendto(3, "x", 1, 0, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), \
inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = 1
"""


def test_loopback_and_sockets_of_files_stay() -> None:
    assert outbound(STAYS) == 0


def test_addresses_elsewhere_and_questions_for_names_leave() -> None:
    assert outbound(STAYS + LEAVES) == 3
