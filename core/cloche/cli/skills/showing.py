"""``cloche skills list`` and ``cloche skills lint``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import typer

from cloche.cli.skills.whose import Json, Subject, What, subject_of

if TYPE_CHECKING:
    from cloche.plugins import Host
    from cloche.skills.finding import SkillFinding
    from cloche.skills.listing import SkillRow

LISTED: Final = ("name", "status", "origin", "tools", "shadows", "reason")
FOUND: Final = ("level", "skill", "file", "line", "what", "remedy")


def list_(what: What = None, as_json: Json = False) -> None:
    """List skills, where they are from, and if ready.

    If not, why; and what they shadow.

    Below a folder the skills are listed as an assistant would take them; nothing of them is run.
    """
    from cloche.cli.output import show
    from cloche.plugins import load_host
    from cloche.settings import load_settings

    host = load_host(load_settings())
    show(list(_rows(host, subject_of(host, what))), LISTED, as_json=as_json)


def _rows(host: Host, subject: Subject) -> Iterator[SkillRow]:
    from cloche.skills.listing import SkillRow, list_folders, list_manifest

    if subject.folder is not None:
        yield from list_folders(subject.folder)
        return
    added: dict[str, SkillRow] = {}
    if subject.assistant and not host.provided(subject.assistant).faults:
        skills = host.assistant(subject.assistant).skills.skills
        added = {skill.name: SkillRow.of(skill) for skill in skills}
    own = list_manifest(subject.manifest) if subject.manifest is not None else ()
    for row in own:
        yield added.pop(row.name, row) if row.status in ("ready", "not available") else row
    yield from added.values()


def lint(what: What = None, as_json: Json = False) -> None:
    """Look for mistakes in skills. Ends with 1 when there is anything to mend.

    The tools.py of an assistant's skills are run, as they are when it starts; those below a
    folder are not.
    """
    from cloche.cli.output import echo, show
    from cloche.plugins import load_host
    from cloche.settings import load_settings

    host = load_host(load_settings())
    findings = list(_findings(host, subject_of(host, what)))
    if findings or as_json:
        show(findings, FOUND, as_json=as_json)
    else:
        echo("Nothing to mend.")
    raise typer.Exit(1 if findings else 0)


def _findings(host: Host, subject: Subject) -> Iterator[SkillFinding]:
    from cloche.plugins.names import OWN
    from cloche.skills.finding import SkillFinding
    from cloche.skills.linting import lint_folders, lint_manifest, unknown_winners

    if subject.folder is not None:
        yield from lint_folders(subject.folder)
        return
    told: list[SkillFinding] = []
    if subject.manifest is not None:
        told = list(lint_manifest(subject.manifest))
        yield from told
    if not subject.assistant or any(one.level == "error" for one in told):
        return
    for fault in host.provided(subject.assistant).faults:
        if fault.hook == "provide_skills":
            yield SkillFinding.of(fault, "")
    if subject.manifest is not None:
        names = {row.name: row for row in host.rows if row.kind in ("plugin", "assistant")}
        yield from unknown_winners(subject.manifest, {OWN, *names})
