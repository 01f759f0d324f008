"""``cloche memory search|why|used|correct``: where a record is from, and setting it right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Commands


pytestmark = pytest.mark.usefixtures("tea")


@pytest.fixture
def told(cloche: Commands) -> Commands:
    """Ana changed her mind; Ben told something of his own."""
    for words in ("I love oolong.", "My dog is called Trufa.", "I hate oolong."):
        cloche("chat", "--once", words, "--as", "ana")
    cloche("chat", "--once", "I drink espresso.", "--as", "ben")
    return cloche


def records(cloche: Commands, *more: str) -> list[dict[str, str]]:
    document = json.loads(cloche("memory", "show", "--as", "ana", "--json", *more))
    found: list[dict[str, str]] = document["records"]
    return found


def test_search_finds_by_words_what_holds_and_only_ones_own(told: Commands) -> None:
    lines = told("memory", "search", "oolong", "--as", "ana").splitlines()
    assert lines[0].split("\t")[:3] == ["id", "kind", "text"]
    assert [line.split("\t")[2] for line in lines[1:]] == ["I hate oolong."]
    found = json.loads(told("memory", "search", "what dog", "--as", "ana", "--json"))
    assert found[0]["record"]["text"] == "My dog is called Trufa."
    assert told("memory", "search", "espresso", "--as", "ana") == ""
    assert "found: 0" in told.error
    told("memory", "search", " ", "--as", "ana", code=2)
    assert "give some words" in told.error


def test_why_tells_quote_author_turn_and_what_was_replaced_by_which_rule(told: Commands) -> None:
    text = told("memory", "why", "oolong", "--as", "ana")
    sentence, rows = text.split("\n\n")
    assert "“I hate oolong.”" in sentence
    assert "You wrote it." in sentence
    assert "It took the place of “I love oolong.”" in sentence
    assert "what you like changed" in sentence
    parts = [line.split("\t") for line in rows.splitlines()[1:]]
    assert [part[0] for part in parts][:3] == ["quote", "turn", "replaced"]
    assert parts[2][2:4] == ["liking", "I love oolong."]


def test_why_of_what_holds_no_longer_names_what_holds(told: Commands) -> None:
    old = next(r for r in records(told, "--archived") if r["text"] == "I love oolong.")
    text = told("memory", "why", old["id"], "--as", "ana")
    assert (
        "It holds no longer. Instead: “I hate oolong.”; what you like changed (“love” → “hate”)."
        in text
    )
    document = json.loads(told("memory", "why", old["id"], "--as", "ana", "--json"))
    assert document["quote"] == "I love oolong."
    assert [event["user_text"] for event in document["events"]] == ["I love oolong."]
    assert [(one["rule"], one["record"]["text"]) for one in document["replaced_by"]] == [
        ("liking", "I hate oolong.")
    ]


def test_a_turn_tells_which_records_entered_it_and_a_record_its_turns(told: Commands) -> None:
    told("chat", "--once", "What is my dog called?", "--as", "ana")
    turns = json.loads(told("memory", "used", "--as", "ana", "--json"))
    asked = turns[0]
    assert asked["words"] == "What is my dog called?"
    used = json.loads(told("memory", "used", "--turn", asked["turn"], "--as", "ana", "--json"))
    assert "My dog is called Trufa." in {one["record"]["text"] for one in used["records"]}
    assert len(used["records"]) == asked["records"]
    assert "Trufa" in told("memory", "used", "--turn", asked["turn"][:20], "--as", "ana")
    why = json.loads(told("memory", "why", "Trufa", "--as", "ana", "--json"))
    assert asked["turn"] in {use["turn"] for use in why["used"]}
    assert "What is my dog called?" in told("memory", "why", "Trufa", "--as", "ana")


def test_the_session_part_counts_as_used(told: Commands) -> None:
    told("chat", "--once", "I only drink green tea.", "--as", "ana")
    told("memory", "used", "--turn", "nothing-like-it", "--as", "ana", code=2)
    assert "no turns with records" in told.error
    assert told("memory", "used", "--as", "nobody") == ""
    assert "turns: 0" in told.error


def test_correct_supersedes_and_why_tells_so(told: Commands) -> None:
    old = next(r for r in records(told) if "Trufa" in r["text"])
    told("memory", "correct", old["id"][:12], "My", "dog", "is", "called", "Luna.", "--as", "ana")
    assert "took the place of: My dog is called Trufa." in told.error
    assert {"My dog is called Luna."} == {r["text"] for r in records(told) if "dog" in r["text"]}
    why = json.loads(told("memory", "why", "Luna", "--as", "ana", "--json"))
    assert [(one["rule"], one["id"]) for one in why["replaced"]] == [("corrected", old["id"])]
    # The old one is history: it cannot be corrected again.
    told("memory", "correct", old["id"], "My dog is Bo.", "--as", "ana", code=2)
    assert f"is history: `cloche memory revive {old['id']}` has it hold again" in told.error


def test_revive_brings_back_what_a_wrong_turn_of_phrase_ended(told: Commands) -> None:
    old = next(r for r in records(told, "--archived") if r["text"] == "I love oolong.")
    new = next(r for r in records(told) if r["text"] == "I hate oolong.")
    told("memory", "revive", old["id"][:12], "--as", "ana")
    assert "It took the place of: I hate oolong." in told.error
    assert {r["text"] for r in records(told)} == {"I love oolong.", "My dog is called Trufa."}
    why = told("memory", "why", old["id"], "--as", "ana")
    assert "you said that the older one holds after all" in why
    assert "holds no longer" not in why
    assert "I love oolong." in told("memory", "search", "oolong", "--as", "ana")
    gone = told("memory", "why", new["id"], "--as", "ana")
    assert "It holds no longer. Instead: “I love oolong.”" in gone
    # And back again, as often as one likes.
    told("memory", "revive", new["id"], "--as", "ana")
    assert {r["text"] for r in records(told)} == {"I hate oolong.", "My dog is called Trufa."}
    assert "It holds no longer" in told("memory", "why", old["id"], "--as", "ana")
    told("memory", "revive", new["id"], "--as", "ana", code=2)
    assert "holds already" in told.error
    told("memory", "forget", new["id"], "--yes", "--as", "ana")
    assert {r["text"] for r in records(told, "--archived")} == {"My dog is called Trufa."}


def test_a_record_takes_the_place_of_one_that_is_named(told: Commands) -> None:
    dog = next(r for r in records(told) if "Trufa" in r["text"])
    tea = next(r for r in records(told) if "oolong" in r["text"])
    told("memory", "revive", dog["id"], "--instead", tea["id"], "--as", "ana")
    assert [r["text"] for r in records(told)] == ["My dog is called Trufa."]
    told("memory", "revive", dog["id"], "--instead", dog["id"], "--as", "ana", code=2)
    assert "cannot take its own place" in told.error
    told("memory", "revive", "zzzz", "--as", "ana", code=2)
    assert "no record has an id" in told.error


@pytest.mark.parametrize(
    ("language", "refused"),
    [("en", "It says just that already."), ("es", "Ya dice exactamente eso."), ("zh", "本来就是")],
)
def test_a_correction_that_says_the_same_is_refused(
    told: Commands, language: str, refused: str
) -> None:
    told("chat", "--once", f"/language {language}", "--as", "ana")
    old = next(r for r in records(told) if "Trufa" in r["text"])
    told("memory", "correct", old["id"], " My dog is", "called Trufa. ", "--as", "ana", code=2)
    assert refused in told.error
    assert old["id"] in {r["id"] for r in records(told)}


def test_summaries_are_found_when_asked_for(told: Commands) -> None:
    told("chat", "--once", "/new", "--as", "ana")
    told("chat", "--once", "Hello.", "--as", "ana")
    kinds = [
        line.split("\t")[1]
        for line in told("memory", "search", "Trufa", "--as", "ana").splitlines()
    ]
    assert kinds == ["kind", "fact"]
    lines = told("memory", "search", "Trufa", "--kind", "summary", "--as", "ana").splitlines()
    assert [line.split("\t")[1] for line in lines[1:]] == ["summary"]
    back = told("memory", "search", "what did I say about Trufa", "--as", "ana")
    assert "summary" in back
    told("memory", "search", "Trufa", "--kind", "nonsense", "--as", "ana", code=2)
    assert "there is no kind 'nonsense'; there are: preference" in told.error


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("list", "show"),
        ("ls", "show"),
        ("find", "search"),
        ("delete", "forget"),
        ("undo", "revive"),
    ],
)
def test_a_command_by_another_name_is_named(told: Commands, written: str, meant: str) -> None:
    told("memory", written, "--as", "ana", code=2)
    assert f"`cloche memory {meant}`" in told.error


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("why", "zzz-nothing"), "nothing that ana is remembered by fits"),
        (("correct", "zzzz", "text"), "no current record has an id that begins with 'zzzz'"),
        (("correct", "zzzz", " "), "give the new text"),
    ],
)
def test_bad_input_gets_one_sentence(
    told: Commands, arguments: tuple[str, ...], sentence: str
) -> None:
    told("memory", *arguments, "--as", "ana", code=2)
    assert sentence in told.error
    assert len(told.error.strip().splitlines()) == 1


def test_a_secret_is_refused_as_a_correction(told: Commands) -> None:
    old = next(r for r in records(told) if "Trufa" in r["text"])
    told("memory", "correct", old["id"], "my password is hunter2x", "--as", "ana", code=2)
    assert told.error.strip() == "cloche: That looks like a secret, so I don't keep it."
    assert any("Trufa" in r["text"] for r in records(told))


def test_another_persons_record_is_not_explained(told: Commands) -> None:
    ben = json.loads(told("memory", "show", "--as", "ben", "--json"))["records"][0]
    told("memory", "why", ben["id"], "--as", "ana", code=2)
    told("memory", "correct", ben["id"], "I drink nothing.", "--as", "ana", code=2)
