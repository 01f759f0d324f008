"""The menu of commands: sent once for each change, and never in the way of messages."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Final

from cloche.channels import Document, Keepsakes, SendError, SendLaterError
from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche_channels.telegram.api import BotApi

logger = logging.getLogger(__name__)

KEEPSAKE: Final = "menu"
SECONDS: Final = 5.0
"""A start waits no longer than this for a menu."""

_NAME: Final = re.compile(r"[a-z0-9_]{1,32}")
_MOST: Final = 100
_ABOUT_CHARS: Final = 256
_FALLBACK: Final = "en"


async def send_menu(
    api: BotApi,
    commands: Mapping[str, Sequence[tuple[str, str]]],
    keepsakes: Keepsakes,
    clock: Clock,
) -> None:
    """Set what changed since the last time; what fails is tried at the next start.

    The menu in English is everybody's whose language has none.
    """
    kept = await _kept(keepsakes)
    now = clock().timestamp()
    wait = kept.get("wait")
    if isinstance(wait, (int, float)) and wait > now:
        return
    kept.pop("wait", None)
    for language, menu in menus(commands).items():
        code = "" if language == _FALLBACK else language
        digest = hashlib.sha256(json.dumps(menu).encode()).hexdigest()
        if kept.get(language) == digest:
            continue
        try:
            await api.call("setMyCommands", seconds=SECONDS, commands=menu, language_code=code)
        except SendLaterError as error:
            logger.warning("the command menu was not set: %s", error.told)
            await _keep(keepsakes, kept | {"wait": now + error.seconds})
            return
        except SendError as error:
            logger.warning("the command menu was not set: %s", error.told)
            return
        kept[language] = digest
        await _keep(keepsakes, kept)


def menus(commands: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, list[dict[str, str]]]:
    """Each language's menu as the Bot API takes it.

    A name it does not take is there by its English one, or left out where there is none.
    """
    found, english = {}, [name for name, _ in commands.get(_FALLBACK, ())]
    for language, entries in commands.items():
        names = [name for name, _ in entries]
        others = english if len(english) == len(names) else names
        menu = [
            {"command": name if _NAME.fullmatch(name) else other, "description": _about(about)}
            for (name, about), other in zip(entries, others, strict=True)
            if (_NAME.fullmatch(name) or _NAME.fullmatch(other)) and about.strip()
        ]
        if menu and len(language) == 2:
            found[language] = menu[:_MOST]
    return found


def _about(about: str) -> str:
    line = " ".join(about.split())
    return line if len(line) <= _ABOUT_CHARS // 2 else f"{line[: _ABOUT_CHARS // 2 - 1]}…"


async def _kept(keepsakes: Keepsakes) -> dict[str, Document]:
    try:
        kept = await keepsakes.get(KEEPSAKE)
    except MemoryUnavailableError:
        return {}
    return dict(kept) if isinstance(kept, dict) else {}


async def _keep(keepsakes: Keepsakes, value: dict[str, Document]) -> None:
    try:
        await keepsakes.put(KEEPSAKE, value)
    except MemoryUnavailableError as error:
        logger.warning("the command menu will be set again: %s", error)
