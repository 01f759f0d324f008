"""Where people's files are: what waits to be saved, and whether the bucket can be reached."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from cloche.context import BuildContext
from cloche.diagnosis.line import Line
from cloche.errors import MemoryUnavailableError
from cloche.settings import variable

CHECK_SECONDS: Final = 10.0
_REMEDIES: Final[Mapping[str, str]] = {
    "denied": "See that the credentials are there and may list the bucket, as docs/files.md says.",
    "refused": f"See that {variable('files.bucket')} and {variable('files.region')} are right.",
}


async def files_of(context: BuildContext) -> list[Line]:
    """Look at one assistant's files; changes nothing."""
    from cloche.spool import Waiting
    from cloche.workspace.choice import root_of
    from cloche.workspace.mirror import SPOOL

    name, root = f"{context.assistant}: files", root_of(context)
    chosen = context.settings.files
    lines = [Line("reachable", name, "ok", str(root))]
    if chosen.store == "s3":
        lines = [await _bucket(context, name)]
    try:
        waiting = await Waiting(root / SPOOL, context.clock).pending()
    except MemoryUnavailableError as error:
        remedy = "See that the file may be read and written."
        return [*lines, Line("reachable", f"{name} to save", "failed", str(error), remedy)]
    if waiting:
        told = f"{waiting} changes wait"
        remedy = "They are saved after the next turn; if not, see the line above."
        lines.append(Line("reachable", f"{name} to save", "warning", told, remedy))
    return lines


async def _bucket(context: BuildContext, name: str) -> Line:
    from cloche.workspace.choice import bucket_of

    chosen = context.settings.files
    if not chosen.bucket:
        told = f"{variable('files.bucket')} is not set"
        return Line("reachable", name, "failed", told, "Set it, or unset the store.")
    bucket = bucket_of(context)
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            await bucket.check()
    except (MemoryUnavailableError, TimeoutError) as error:
        cause = error.cause if isinstance(error, MemoryUnavailableError) else "slow"
        remedy = _REMEDIES.get(cause, "See that this machine may reach S3; what is made waits.")
        return Line("reachable", name, "failed", str(error) or "no answer in time", remedy)
    finally:
        await bucket.close()
    return Line("reachable", name, "ok", f"s3://{chosen.bucket}")
