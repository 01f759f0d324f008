"""What an assistant's author would want to be told.

Shared by ``cloche check`` and the conformance class. Nothing here prints, writes or asks a network.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from cloche.checks.described import (
    label_findings,
    memory_findings,
    namespace_findings,
    persona_findings,
)
from cloche.checks.finding import Finding, Level
from cloche.checks.packaged import file_findings, import_findings, name_findings
from cloche.checks.skilled import skill_findings
from cloche.errors import PluginError
from cloche.plugins import Host

__all__ = [
    "Finding",
    "Level",
    "check_assistant",
    "file_findings",
    "import_findings",
    "label_findings",
    "memory_findings",
    "name_findings",
    "namespace_findings",
    "persona_findings",
    "skill_findings",
]


def check_assistant(host: Host, name: str) -> tuple[Finding, ...]:
    """Everything that is wrong with one assistant; empty when nothing is."""
    try:
        return tuple(_findings(host, name))
    except PluginError as fault:
        return (Finding.of(fault),)


def _findings(host: Host, name: str) -> Iterator[Finding]:
    provided = host.provided(name)
    found = provided.found
    yield from (Finding.of(fault) for fault in provided.faults)
    if found.warning:
        yield Finding.of(found.warning, "warning")
    if provided.persona:
        yield from persona_findings(provided.persona)
    if provided.namespaces:
        yield from namespace_findings(provided.namespaces)
    if provided.namespaces and provided.vocabulary is not None:
        yield from memory_findings(name, provided.vocabulary, provided.namespaces)
        yield from label_findings(provided.vocabulary)
    if found.module in sys.modules:  # it could be imported
        if not hasattr(sys.modules[found.module], "__path__"):
            yield Finding(
                "error",
                found.module,
                "It is a single module, but an assistant is a package: a folder with its files.",
                f"Make it a folder {found.module} with an __init__.py.",
            )
        else:
            yield from name_findings(name, found.module, found.distribution)
            yield from file_findings(found.module)
            yield from import_findings(found.module)
    if provided.skills:
        yield from skill_findings(provided.skills, found.module)
