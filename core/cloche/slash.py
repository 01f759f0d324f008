"""What counts as a command: a slash, a name in one of three languages, and what follows it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "help": ("ayuda", "帮助", "幫助"),
    "memory": ("memoria", "记忆", "記憶"),
    "why": ("porque", "porqué", "为什么", "為什麼"),
    "forget": ("olvidar", "olvida", "忘记", "忘記"),
    "export": ("exportar", "exporta", "导出", "匯出"),
    "new": ("nuevo", "nueva", "新", "新对话"),
    "timezone": ("zona", "zonahoraria", "时区", "時區"),
    "language": ("idioma", "lengua", "语言", "語言"),
    "groups": ("grupos", "群组", "群組"),
    "done": ("hecho", "完成", "完成了"),
    "snooze": ("posponer", "aplazar", "稍后", "稍後"),
    "skip": ("saltar", "omitir", "跳过", "跳過"),
    "quiet": ("silencio", "安静", "安靜", "勿扰", "勿擾"),
    "link": ("enlazar", "vincular", "关联", "關聯"),
    "unlink": ("desenlazar", "desvincular", "取消关联", "取消關聯"),
    "pair": ("invitar", "邀请", "邀請"),
    "people": ("personas", "成员", "成員"),
}
"""Every command and what it is called in other languages."""

_SHAPE: Final = re.compile(r"/(?P<name>[^\W_]+)(?:@\w+)?(?:\s+(?P<argument>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    """A command as it was written: the name it was called by, and what followed."""

    name: str
    argument: str = ""


def parse_command(text: str) -> Command | None:
    """The command a message is, in any case and with a full-width slash too; None = it is none.

    A text that merely begins with a slash ("/etc/hosts is wrong") is no command.
    """
    stripped = text.strip()
    if not stripped.startswith(("/", "／")):
        return None
    found = _SHAPE.fullmatch("/" + stripped[1:])
    if found is None:
        return None
    written = unicodedata.normalize("NFKC", found["name"]).casefold()
    for name, others in NAMES.items():
        if written == name or written in others:
            return Command(name, (found["argument"] or "").strip())
    return Command(written, (found["argument"] or "").strip())
