"""What a chat command is called, in which language, and how it is written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cloche.messages import Message

NAMES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "help": {"es": ("ayuda",), "zh": ("帮助", "幫助")},
    "memory": {"es": ("memoria",), "zh": ("记忆", "記憶")},
    "why": {"es": ("porque", "porqué"), "zh": ("为什么", "為什麼")},
    "forget": {"es": ("olvidar", "olvida"), "zh": ("忘记", "忘記")},
    "export": {"es": ("exportar", "exporta"), "zh": ("导出", "匯出")},
    "new": {"es": ("nuevo", "nueva"), "zh": ("新", "新对话")},
    "reminders": {"es": ("recordatorios",), "zh": ("提醒", "提醒事项", "提醒事項")},
    "timezone": {"es": ("zona", "zonahoraria"), "zh": ("时区", "時區")},
    "language": {"es": ("idioma", "lengua"), "zh": ("语言", "語言")},
    "groups": {"es": ("grupos",), "zh": ("群组", "群組")},
    "done": {"es": ("hecho",), "zh": ("完成", "完成了")},
    "snooze": {"es": ("posponer", "aplazar"), "zh": ("稍后", "稍後")},
    "skip": {"es": ("saltar", "omitir"), "zh": ("跳过", "跳過")},
    "quiet": {"es": ("silencio",), "zh": ("安静", "安靜", "勿扰", "勿擾")},
    "link": {"es": ("enlazar", "vincular"), "zh": ("关联", "關聯")},
    "unlink": {"es": ("desenlazar", "desvincular"), "zh": ("取消关联", "取消關聯")},
    "pair": {"es": ("invitar",), "zh": ("邀请", "邀請")},
    "people": {"es": ("personas",), "zh": ("成员", "成員")},
}
"""Every command, and what it is called in other languages than English."""
SPELLINGS: Final[Mapping[str, str]] = {
    spelling: name
    for name, others in NAMES.items()
    for spelling in (name, *(one for several in others.values() for one in several))
}
"""The command of every name."""
_LANGUAGES: Final[Mapping[str, str]] = {
    spelling: language
    for others in NAMES.values()
    for language, several in others.items()
    for spelling in several
}
_SHAPE: Final = re.compile(r"/(?P<name>[^\W_]+)(?:@\w+)?(?:\s+(?P<argument>.*))?", re.DOTALL)

_TICKED: Final = re.compile(r"(?<!\S)(?P<ticks>`+)(?P<word>[^`\s]+)(?P=ticks)(?!\S)")


@dataclass(frozen=True, slots=True)
class Command:
    """A command as it was written.

    Attributes:
        name: The name it was called by; the English one of those there are.
        argument: What followed.
        language: The language its name is in; "" = English, which everybody uses, or none.
    """

    name: str
    argument: str = ""
    language: str = ""


def parse_command(text: str) -> Command | None:
    """The command a message is, in any case and with a full-width slash too; None = it is none.

    A text that merely begins with a slash ("/etc/hosts is wrong") is no command. Backticks around
    a word of its argument, copied with a code, are no part of it.
    """
    stripped = text.strip()
    if not stripped.startswith(("/", "／")):
        return None
    found = _SHAPE.fullmatch("/" + stripped[1:])
    if found is None:
        return None
    written = unicodedata.normalize("NFKC", found["name"]).casefold()
    argument = _TICKED.sub(r"\g<word>", (found["argument"] or "").strip())
    return Command(SPELLINGS.get(written, written), argument, _LANGUAGES.get(written, ""))


def own_name(name: str, language: str) -> str:
    """What a command is called in a language; its English name where that has none."""
    return NAMES[name].get(language, (name,))[0]


def own_words(message: Message) -> str:
    """All a message tells in its sender's own words: edits of earlier ones first, no command."""
    edits = (correction.now for correction in message.corrected)
    told = [text for text in edits if not parse_command(text)]
    return "\n\n".join(text for text in (*told, message.text) if text.strip())
