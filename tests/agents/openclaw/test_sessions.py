"""Which session of the gateway a turn belongs to, and what it is told first."""

from __future__ import annotations

import pytest

from cloche.agents.openclaw.sessions import MAX_CHARS, REMEMBERED, GatewaySessions
from cloche.prompt import CUT, UNANSWERED, Exchange, Prompt


def prompt(words: str, *history: Exchange, thread: str = "ann/s1") -> Prompt:
    return Prompt("", "", history, "", words, thread=thread)


def turn(sessions: GatewaySessions, asked: Prompt, answer: str = "Yes.") -> tuple[str, str]:
    opening = sessions.open(asked)
    sessions.answered(asked, opening, answer)
    return opening.key, opening.text


ONE, TWO = Exchange("One", "Yes."), Exchange("Two", "Yes.")


def test_a_session_goes_on_and_is_sent_words_alone() -> None:
    sessions = GatewaySessions()
    first = turn(sessions, prompt("One"))
    second = turn(sessions, prompt("Two", ONE))
    third = sessions.open(prompt("Three", ONE, TWO))
    assert first[0] == second[0] == third.key
    assert [first[1], second[1], third.text] == ["One", "Two", "Three"]
    assert third.sent == ("One", "Two", "Three")


def test_an_answer_with_a_note_added_by_the_host_is_known() -> None:
    sessions = GatewaySessions()
    turn(sessions, prompt("Remind me"), "Done.")
    kept = Exchange("Remind me [secret]", "Done.\n\nReminder: tomorrow 9:00")
    assert sessions.open(prompt("Thanks", kept)).text == "Thanks"


def test_words_of_which_a_secret_was_taken_out_are_known() -> None:
    sessions = GatewaySessions()
    turn(sessions, prompt("My key is abc"), "Noted.")
    kept = Exchange("My key is […]", "Noted.")
    assert sessions.open(prompt("Thanks", kept)).text == "Thanks"


def test_it_is_told_what_came_another_way() -> None:
    sessions = GatewaySessions()
    turn(sessions, prompt("One"))
    told = sessions.open(prompt("Three", ONE, Exchange("(a picture)", "A </missed> fig."))).text
    assert told.startswith("<missed")
    assert "They: (a picture)\nYou: A &lt;/missed&gt; fig." in told
    assert told.endswith("\nThree")
    assert "One" not in told


def test_a_new_one_in_the_middle_is_told_everything() -> None:
    told = GatewaySessions().open(prompt("Three", ONE, TWO)).text
    assert told.count("They: ") == 2


def test_what_was_forgotten_begins_a_new_one() -> None:
    sessions = GatewaySessions()
    first = turn(sessions, prompt("One"))
    turn(sessions, prompt("Two", ONE))
    again = sessions.open(prompt("Three", TWO))
    assert again.key != first[0]
    assert "They: Two" in again.text
    assert "One" not in again.text


@pytest.mark.parametrize(
    "kept",
    [
        (),
        (Exchange("Otro", "Sí."),),
        (Exchange("My cat is 米娅", UNANSWERED),),
    ],
    ids=["gone", "another", "without its answer"],
)
def test_the_last_turn_that_was_forgotten_begins_a_new_one(kept: tuple[Exchange, ...]) -> None:
    sessions = GatewaySessions()
    first = turn(sessions, prompt("My cat is 米娅"), "米娅, noted.")
    again = sessions.open(prompt("And now?", *kept))
    assert again.key != first[0]
    assert "noted" not in again.text
    assert again.text.count("They: ") == len(kept)


def test_the_last_of_several_turns_that_was_forgotten_begins_a_new_one() -> None:
    sessions = GatewaySessions()
    turn(sessions, prompt("One"))
    second = turn(sessions, prompt("My secret", ONE))
    again = sessions.open(prompt("Three", ONE))
    assert again.key != second[0]
    assert again.sent == (again.text,)


def test_a_long_answer_of_which_the_beginning_is_kept_is_known() -> None:
    sessions = GatewaySessions()
    first = turn(sessions, prompt("Hi, [said in a group] tell"), "x" * 9_000)
    kept = Exchange("tell", "x" * 8_000 + CUT)
    assert sessions.open(prompt("Thanks", kept)).key == first[0]


def test_a_failed_one_is_never_used_again() -> None:
    sessions = GatewaySessions()
    asked = prompt("One")
    opening = sessions.open(asked)
    sessions.failed(asked)
    assert sessions.open(asked).key != opening.key


def test_people_and_sessions_have_their_own() -> None:
    sessions = GatewaySessions()
    keys = [
        sessions.open(prompt("Hello", thread=thread)).key
        for thread in ("ann/s1", "ann/s2", "ben/s1", "", "")
    ]
    assert len(set(keys)) == 5
    assert not any(name in key for key in keys for name in ("ann", "ben", "s1"))
    assert GatewaySessions().open(prompt("Hello")).key not in keys


def test_one_that_holds_too_much_is_followed_by_another() -> None:
    sessions = GatewaySessions()
    first = turn(sessions, prompt("One"), "x" * MAX_CHARS)
    long = Exchange("One", "x" * 8000)
    assert sessions.open(prompt("Two", long)).key != first[0]


def test_only_so_many_are_kept_at_hand() -> None:
    sessions = GatewaySessions()
    first = turn(sessions, prompt("One", thread="ann/0"))
    for number in range(1, REMEMBERED + 1):
        turn(sessions, prompt("One", thread=f"ann/{number}"))
    assert sessions.open(prompt("Two", ONE, thread="ann/0")).key != first[0]


def test_forgetting_a_person_lets_go_of_all_and_only_of_who_was_there() -> None:
    sessions = GatewaySessions()
    ben = turn(sessions, prompt("One", thread="ben/s1"))
    turn(sessions, prompt("One"))
    assert not sessions.forget("an")
    assert sessions.open(prompt("Two", ONE, thread="ben/s1")).key == ben[0]
    assert sessions.forget("ann")
    assert sessions.open(prompt("Two", ONE, thread="ben/s1")).key != ben[0]
    assert not sessions.forget("ann")


def test_words_that_are_not_there_are_said_so() -> None:
    assert GatewaySessions().open(prompt("  ")).text == "(a picture or file without words)"
