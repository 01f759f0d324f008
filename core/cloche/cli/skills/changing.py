"""``cloche skills add``, ``remove`` and ``lock``."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from cloche.cli.skills.whose import Assistant, Json, What, manifest_of

PINNED: Final = ("name", "source", "files", "runs_code", "sha256", "before")


def add(
    name: Annotated[str, typer.Argument(help="What the skill is called here.")],
    assistant: Assistant = None,
    source: Annotated[
        str,
        typer.Option(
            "--source",
            help="shared, ./skills/x, a whole path, or git+https://host/repository[@commit]"
            "[#folder]; left out, the package's own or a shared skill.",
        ),
    ] = "",
    skill: Annotated[
        str, typer.Option("--skill", help="What it is called there, if not the same.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Add a skill to skills.json and pin it.

    After showing what it brings.

    A git address without commit gets the one that the repository is at now.
    """
    from cloche.cli.output import echo, show
    from cloche.plugins import load_host
    from cloche.settings import load_settings
    from cloche.skills.editing import add_skill
    from cloche.skills.entries import Entry

    path = manifest_of(load_host(load_settings()), assistant)
    row = add_skill(path, Entry(name=name, source=source, skill=skill))
    rows = [row] if row else []
    show(rows, PINNED, as_json=as_json)
    if row is not None and row.runs_code:
        echo(f"{name} brings a tools.py, which runs with your rights: read it.", err=True)


def remove(
    name: Annotated[str, typer.Argument(help="The skill.")],
    assistant: Assistant = None,
    as_json: Json = False,
) -> None:
    """Take a skill off skills.json; its folder stays.

    Off its lock, too.
    """
    from cloche.cli.output import echo, print_json
    from cloche.plugins import load_host
    from cloche.settings import load_settings
    from cloche.skills.editing import remove_skill

    path = manifest_of(load_host(load_settings()), assistant)
    remove_skill(path, name)
    if as_json:
        print_json({"removed": name, "manifest": str(path)})
    else:
        echo(f"{name} is off {path}.")


def lock(what: What = None, as_json: Json = False) -> None:
    """Pin every skill of skills.json as it is now.

    In skills.lock.json beside it.
    """
    from cloche.cli.output import show
    from cloche.plugins import load_host
    from cloche.settings import load_settings
    from cloche.skills.editing import make_lock

    path = manifest_of(load_host(load_settings()), what)
    show(make_lock(path), PINNED, as_json=as_json)
