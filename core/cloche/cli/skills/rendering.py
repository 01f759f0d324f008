"""``cloche skills render``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cloche.cli.skills.whose import Assistant, Json, subject_of


def render(
    folder: Annotated[Path, typer.Argument(help="Where to write to.")],
    assistant: Assistant = None,
    at: Annotated[
        str,
        typer.Option("--at", help="Where the gateway will see that folder, if elsewhere."),
    ] = "",
    as_json: Json = False,
) -> None:
    """Write an assistant's skills as an OpenClaw gateway loads them.

    The folders, and openclaw.skills.json, which registers them by name: merge it into the
    gateway's configuration. The same skills give the same bytes.
    """
    from cloche.cli.output import echo, print_json
    from cloche.plugins import load_host
    from cloche.settings import load_settings
    from cloche.skills.loading import load_manifest
    from cloche.skills.rendering import render as write

    host = load_host(load_settings())
    subject = subject_of(host, assistant)
    if subject.assistant:
        manifest = host.assistant(subject.assistant).skills
    elif subject.manifest is not None:
        manifest = load_manifest(subject.manifest)
    else:
        raise typer.BadParameter("name an assistant or a skills.json.", param_hint="--assistant")
    files = write(manifest, folder, at=at)
    if as_json:
        print_json({"folder": str(folder.absolute()), "files": list(files)})
        return
    for name in files:
        echo(str(folder / name))
