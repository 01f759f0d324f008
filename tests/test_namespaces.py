"""Namespaces: nobody's memories lie inside anybody else's."""

from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cloche.errors import PluginError
from cloche.ids import actor_id
from cloche.messages import Address
from cloche.namespaces import MemoryScope, NamespaceScheme

SCHEME = NamespaceScheme(
    "lute",
    (
        MemoryScope.personal("lute"),
        MemoryScope.ecosystem("lute", timedelta(days=400)),
        MemoryScope.keyed("lute", "project"),
        MemoryScope.keyed("lute", "task", timedelta(days=30)),
    ),
)
words = st.text(min_size=1, max_size=120)


def all_namespaces(actor: str, session: str, project: str) -> list[str]:
    values = {"actorId": actor, "sessionId": session, "project": project, "task": project}
    return [scope.namespace(values) for scope in SCHEME.all_scopes]


@given(words, words, words, words)
def test_no_namespace_is_a_prefix_of_another(one: str, other: str, this: str, that: str) -> None:
    assume(one != other)
    actors = [actor_id(Address("c", sender)) for sender in (one, other)]
    spaces = {ns for a in actors for p in (this, that) for ns in all_namespaces(a, a, p)}
    for space in spaces:
        assert space.endswith("/")
        assert not [s for s in spaces if s != space and s.startswith(space)]


@given(words, words)
def test_a_namespace_parses_back(sender: str, project: str) -> None:
    actor = actor_id(Address("c", sender))
    for namespace in all_namespaces(actor, "s-1", project):
        parsed = SCHEME.parse(namespace)
        assert parsed is not None
        scope, values = parsed
        assert values.get("actorId", actor) == actor
        assert scope.shared or values["actorId"] == actor
    assert SCHEME.parse("flute/x/long_term/") is None


def test_scopes_load_from_the_global_to_the_session() -> None:
    assert [scope.name for scope in SCHEME.all_scopes] == [
        "ecosystem",
        "personal",
        "long_term",
        "project",
        "task",
        "episodic",
    ]
    assert SCHEME["episodic"].template == "lute/{actorId}/episodic/{sessionId}/"


def test_a_missing_value_is_never_filled_in() -> None:
    with pytest.raises(ValueError, match="actorId"):
        SCHEME["long_term"].namespace({})
    with pytest.raises(ValueError, match="actorId"):
        SCHEME["long_term"].namespace({"actorId": ""})


@pytest.mark.parametrize(
    ("root", "scope", "reason"),
    [
        ("Lute", None, "root"),
        ("lute", MemoryScope("x", "lute/{actorId}/"), "inside"),
        ("lute", MemoryScope("x", "lute/{actorId}/long_term/more/"), "inside"),
        ("lute", MemoryScope("x", "lute/{actorId}/{any}/"), "inside"),
        ("lute", MemoryScope("x", "lute/{actorId}/x"), "ending with"),
        ("lute", MemoryScope("x", "flute/{actorId}/x/"), "must start with"),
        ("lute", MemoryScope("x", "lute/{actorId}/{Own}/x/"), "variable"),
        ("lute", MemoryScope("x", "lute/{actorId}/{own}/{own}/"), "repeats"),
        ("lute", MemoryScope("X y", "lute/{actorId}/x/"), "scope"),
        ("lute", MemoryScope("x", "lute/{sessionId}/x/"), "no {actorId}"),
        ("lute", MemoryScope("x", "lute/{actorId}/x:y/"), "segments"),
        ("lute", MemoryScope("long_term", "lute/all/"), "needs {actorId}"),
        ("lute", MemoryScope("x", f"lute/{{actorId}}/{'x' * 512}/"), "segments"),
    ],
)
def test_a_scheme_that_could_mix_people_up_is_refused(
    root: str, scope: MemoryScope | None, reason: str
) -> None:
    with pytest.raises(PluginError, match=reason):
        NamespaceScheme(root, (scope,) if scope else ())


def test_scopes_declared_twice_or_with_too_many_variables_are_refused() -> None:
    with pytest.raises(PluginError, match="twice"):
        NamespaceScheme("lute", (MemoryScope.personal("lute"), MemoryScope.personal("lute")))
    with pytest.raises(PluginError, match="at most 5"):
        NamespaceScheme("lute", tuple(MemoryScope.keyed("lute", f"v{n}") for n in range(6)))


def test_a_turn_writes_to_the_narrowest_scope_it_has_keys_for() -> None:
    assert SCHEME.scope_for({})[0].name == "long_term"
    assert SCHEME.scope_for({"project": "A b"}) == (SCHEME["project"], "A_20_b")
    scope, key = SCHEME.scope_for({"project": "A", "task": "B", "other": "C"})
    assert (scope.name, key) == ("task", "B")


@given(words, words)
def test_what_belongs_to_one_project_is_out_of_reach_of_another(one: str, other: str) -> None:
    assume(one != other)
    scope, key = SCHEME.scope_for({"project": one})
    assert SCHEME.in_reach(scope.name, key, {"project": one})
    assert not SCHEME.in_reach(scope.name, key, {"project": other})
    assert not SCHEME.in_reach(scope.name, key, {"task": one})
    assert not SCHEME.in_reach(scope.name, key, {})
    assert SCHEME.in_reach("long_term", "", {"project": other})
