"""What an assistant's package says of itself: persona, vocabulary, namespaces.

What no assistant may break is refused when these are made; here stands what makes one good, and
what AgentCore Memory would refuse later.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from cloche.checks.finding import Finding
from cloche.ids import actor_id
from cloche.messages import Address
from cloche.namespaces import MemoryScope, NamespaceScheme
from cloche.persona import SECTIONS, Persona
from cloche.vocabulary import MAX_CLOSED_VALUES, MAX_INDEXED, MAX_KEYS, MAX_SLUG_CHARS, Vocabulary

MAX_PERSONA_CHARS: Final = 16_000
"""All sections together: they are read again in every turn."""

MEMORY_NAME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9_]{0,47}")
METADATA_KEY: Final = re.compile(r"[a-zA-Z0-9\s._:/=+@-]{1,128}")
NAMESPACE_TEMPLATE: Final = re.compile(
    r"[a-zA-Z0-9\-_/]*(?:\{[a-zA-Z][a-zA-Z0-9]*\}[a-zA-Z0-9\-_/]*)*"
)
MAX_TEMPLATE_CHARS: Final = 512
NAMESPACE_KEY: Final = re.compile(r"[a-z][a-z0-9]{0,31}")
MAX_NAMESPACE_KEYS: Final = 5
MAX_DEFINITION_CHARS: Final = 1_000

# People as platforms give them: short and long, alike, with marks that ids give a meaning.
_PEOPLE: Final = tuple(
    actor_id(Address(channel, sender))
    for channel, sender in (
        ("console", "a"),
        ("console", "A"),
        ("console", "a_-b"),
        ("console", "a/b"),
        ("web", "1"),
        ("web", "11"),
        ("web", "小明"),
        ("web", "x" * 300),
        ("web", "x" * 301),
    )
)
_VALUES: Final = ("one", "one/two", "一", "x" * 300)


def persona_findings(persona: Persona) -> Iterator[Finding]:
    """All four sections are there, and together they are not too long to be read every turn."""
    texts = dict(persona.sections)
    for section in SECTIONS:
        if not texts.get(section, "").strip():
            yield Finding(
                "error",
                f"persona/{section}.md",
                "The section is missing or empty.",
                f"Write persona/{section}.md.",
            )
    if len(persona.text) > MAX_PERSONA_CHARS:
        yield Finding(
            "warning",
            "persona/",
            f"The persona has {len(persona.text)} characters; every turn reads all of them.",
            f"Shorten it to {MAX_PERSONA_CHARS} characters, or move details into skills.",
        )


def namespace_findings(scheme: NamespaceScheme) -> Iterator[Finding]:
    """Two people never share a place, and every place tells whose it is."""
    for scope in scheme.all_scopes:
        if scope.lifetime is not None and scope.lifetime.total_seconds() <= 0:
            yield _about_scope(
                scope, "Its lifetime is not positive.", "Give it a lifetime above 0."
            )
    people = [scope for scope in scheme.all_scopes if not scope.shared]
    for scope in people:
        for namespace, values in _places(scope):
            if scheme.parse(namespace) != (scope, scope.parse(namespace)):
                yield _about_scope(scope, f"{namespace} is taken for another scope's.", _APART)
                break
            if (scope.parse(namespace) or {}).get("actorId") != values["actorId"]:
                yield _about_scope(scope, f"{namespace} does not tell whose it is.", _APART)
                break
    for one, other in combinations(_PEOPLE, 2):
        for scope in people:
            if _overlap(scope, one, other):
                yield _about_scope(scope, f"{one} and {other} would share a place.", _APART)


def label_findings(vocabulary: Vocabulary) -> Iterator[Finding]:
    """Labels that say nothing, or of which two values of a closed key have the same."""
    where = "provide_vocabulary"
    for key in vocabulary.keys:
        named = [*key.labels.values(), *(t for v in key.values for t in v.labels.values())]
        if not all(text.strip() for text in named):
            yield Finding(
                "error", where, f"A label of key {key.id!r} is empty.", "Write it, or leave it out."
            )
        languages = {language for value in key.values for language in value.labels}
        for language in sorted(languages) if key.closed else ():
            shown = Counter(value.shown(language) for value in key.values)
            alike = sorted(text for text, times in shown.items() if times > 1)
            if alike:
                yield Finding(
                    "error",
                    where,
                    f"Several values of key {key.id!r} are shown as {alike[0]!r} in {language!r}.",
                    "Give each a label of its own.",
                )


def memory_findings(
    name: str, vocabulary: Vocabulary, scheme: NamespaceScheme
) -> Iterator[Finding]:
    """What ``AWS::BedrockAgentCore::Memory`` would refuse (limits of 2026-11)."""
    where = "memory definition"
    if not MEMORY_NAME.fullmatch(name.replace("-", "_")):
        yield Finding("error", where, f"{name!r} makes no memory name.", "Shorten the name.")
    keys = vocabulary.keys
    if len(keys) > MAX_KEYS or sum(key.indexed for key in keys) > MAX_INDEXED:
        yield Finding(
            "error",
            where,
            f"{len(keys)} keys, {sum(key.indexed for key in keys)} indexed.",
            f"Have at most {MAX_KEYS} keys, {MAX_INDEXED} of them indexed.",
        )
    for key in keys:
        if not METADATA_KEY.fullmatch(key.id):
            yield Finding("error", where, f"Key {key.id!r} is refused.", "Use ASCII letters.")
        if not 1 <= len(key.description) <= MAX_DEFINITION_CHARS:
            yield Finding(
                "error",
                where,
                f"The description of key {key.id!r} has {len(key.description)} characters.",
                f"Write 1 to {MAX_DEFINITION_CHARS} characters.",
            )
        if key.closed and len(key.values) > MAX_CLOSED_VALUES:
            yield Finding(
                "error",
                where,
                f"Closed key {key.id!r} has {len(key.values)} values.",
                f"Have at most {MAX_CLOSED_VALUES}, or leave the key open.",
            )
        for value in key.values:
            if len(value.id) > MAX_SLUG_CHARS or not value.id.isascii():
                yield Finding(
                    "error",
                    where,
                    f"Value {value.id!r} of {key.id!r} is refused.",
                    f"Use an ASCII id of at most {MAX_SLUG_CHARS} characters.",
                )
    yield from _template_findings(scheme)


def _template_findings(scheme: NamespaceScheme) -> Iterator[Finding]:
    own: set[str] = set()
    for scope in scheme.all_scopes:
        own |= set(scope.variables) - {"actorId", "sessionId"}
        template = scope.template
        if len(template) > MAX_TEMPLATE_CHARS or not NAMESPACE_TEMPLATE.fullmatch(template):
            yield _about_scope(scope, f"AgentCore refuses {template!r}.", "Change the template.")
    for variable in sorted(own):
        if not NAMESPACE_KEY.fullmatch(variable):
            yield Finding(
                "error",
                "provide_namespaces",
                f"Variable {variable!r} is refused by AgentCore.",
                f"Let it match {NAMESPACE_KEY.pattern}.",
            )
    if len(own) > MAX_NAMESPACE_KEYS:
        yield Finding(
            "error",
            "provide_namespaces",
            f"{len(own)} own variables.",
            f"Have at most {MAX_NAMESPACE_KEYS}.",
        )


def _places(scope: MemoryScope) -> Iterator[tuple[str, dict[str, str]]]:
    for person in _PEOPLE:
        for value in _VALUES:
            values = {variable: value for variable in scope.variables}
            values |= {"actorId": person, "sessionId": f"s{person[:80]}"}
            yield scope.namespace(values), values


def _overlap(scope: MemoryScope, one: str, other: str) -> bool:
    places = list(_places(scope))
    first = {namespace for namespace, values in places if values["actorId"] == one}
    second = {namespace for namespace, values in places if values["actorId"] == other}
    return any(a.startswith(b) or b.startswith(a) for a in first for b in second)


def _about_scope(scope: MemoryScope, what: str, remedy: str) -> Finding:
    return Finding("error", f"provide_namespaces: scope {scope.name}", what, remedy)


_APART: Final = "Let the template have {actorId} as a segment of its own."
