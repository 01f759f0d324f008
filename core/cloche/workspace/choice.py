"""Which store keeps people's files, as the settings say."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cloche.context import BuildContext
from cloche.errors import SettingsError
from cloche.logs import OncePerCause
from cloche.settings import variable
from cloche.workspace.folder import FolderFiles
from cloche.workspace.mirror import KEPT, Mirrored
from cloche.workspace.workspace import FileLimits, Workspace

if TYPE_CHECKING:
    from cloche.workspace.s3 import S3Files

FOLDER: Final = "files"


def open_workspace(context: BuildContext, notices: OncePerCause) -> Workspace:
    """The files of everybody one assistant talks to; nothing is touched or asked yet.

    Raises:
        SettingsError: what is set lacks something.
    """
    chosen, root = context.settings.files, root_of(context)
    limits = FileLimits(
        int(chosen.file_mb * 1_000_000), chosen.count, int(chosen.total_mb * 1_000_000)
    )
    if chosen.store == "local":
        return Workspace(FolderFiles(root / KEPT), notices, context.clock, limits)
    if not chosen.bucket:
        raise SettingsError(f"{variable('files.store')}=s3 needs {variable('files.bucket')}.")
    mirror = Mirrored(root, bucket_of(context), context.clock, notices)
    return Workspace(mirror, notices, context.clock, limits, mirror=mirror)


def bucket_of(context: BuildContext) -> S3Files:
    """The bucket that is set."""
    from cloche.workspace.s3 import S3Files, s3_client

    chosen = context.settings.files
    return S3Files(
        partial(s3_client, chosen.region),
        chosen.bucket,
        f"{chosen.prefix or f'cloche/{context.assistant}'}/",
        kms_key=chosen.kms_key,
    )


def root_of(context: BuildContext) -> Path:
    """Where files are at hand: on the session storage where it is mounted, else at home."""
    mounted = context.settings.files.session_storage
    if mounted and Path(mounted).is_dir():
        return Path(mounted) / context.assistant / FOLDER
    return context.folder / FOLDER
