"""What a door of this machine keeps on disk: its owner's, and gone when they are forgotten."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Final

from cloche.errors import MemoryUnavailableError
from cloche.workspace.names import folder_of

_FOLDER: Final = "channels"


def door_folder(assistant: Path, channel: str, actor: str = "") -> Path:
    """Where a channel may keep files; nothing is made.

    Args:
        assistant: The assistant's folder.
        channel: The channel's name.
        actor: Whose alone they are, for a door that only the owner uses; "" = nobody's alone.
    """
    folder = assistant / _FOLDER / channel
    return folder / folder_of(actor) if actor else folder


async def forget_door_files(assistant: Path, actor: str) -> int:
    """Remove what doors keep that is one actor's alone; how many files.

    Raises:
        MemoryUnavailableError: the disk refuses.
    """
    return await asyncio.to_thread(_forget, assistant, actor)


def _forget(assistant: Path, actor: str) -> int:
    removed = 0
    for folder in (assistant / _FOLDER).glob(f"*/{folder_of(actor)}"):
        files = sum(one.is_file() for one in folder.rglob("*"))
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:  # its channel, or another forget, was at it
            continue
        except OSError as error:
            told = f"{folder}: {error.strerror or type(error).__name__}"
            raise MemoryUnavailableError(told, cause="io") from error
        removed += files
    return removed
