"""Templates: what can be written, and which sentences fit."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.utterances import MAX_CHARS, Example, Match, match, misunderstood, trials
from cloche.utterances.templates import parse_template

TEA = (
    Example(
        tool="order",
        say={
            "en": (
                "[please|kindly] bring [me] {count} cups of {leaf}",
                "{leaf} for {who}[: {note}]",
            ),
            "es": ("[por favor] tráeme {leaf} con {extra}", "¿me traes {leaf}?"),
            "zh": ("[请]给{who}来一杯{leaf}", "来{count}杯{leaf}"),
        },
    ),
)


def slots(text: str, *templates: str) -> dict[str, object] | None:
    names = sorted({name for one in templates for name in parse_template(one).slots})
    example = Example("t", {"en": templates}, {name: f"{{{name}}}" for name in names})
    found = match((example,), text)
    return dict(found.arguments) if found else None


@pytest.mark.parametrize(
    ("template", "text", "expected"),
    [
        ("brew {leaf} now", "Brew GREEN tea, now!", {"leaf": "GREEN tea"}),
        ("brew {leaf} now", "  brew\n green\ttea   now ", {"leaf": "green\ttea"}),
        ("brew {leaf} now", "ｂｒｅｗ Ｏｏｌｏｎｇ ｎｏｗ", {"leaf": "Ｏｏｌｏｎｇ"}),
        ("¿qué té bebe {who}?", "que te bebe Inés", {"who": "Inés"}),
        ("que te bebe {who}", "¡¿QUÉ TÉ BEBE… «Inés»?!", {"who": "Inés"}),
        ("给{who}泡{leaf}", "给 妈妈，泡 龙井 。", {"who": "妈妈", "leaf": "龙井"}),
        ("给{who}泡{leaf}", "给Anna泡Earl Grey！", {"who": "Anna", "leaf": "Earl Grey"}),
        ("what's in {pot}", "what’s in the pot?", {"pot": "the pot"}),
        ("whats in {pot}", "What's in it", {"pot": "it"}),
        ("half-full {pot}", "half full pot", {"pot": "pot"}),
        ("pour {leaf}", "pour  the 'first flush' (2026).", {"leaf": "the 'first flush' (2026)"}),
        ("pour {leaf}", "pour the 'first flush'", {"leaf": "the 'first flush'"}),
        ("pour {leaf}", "pour “first flush”!", {"leaf": "first flush"}),
        ("pour {leaf}", "“pour my aunts' first flush”", {"leaf": "my aunts' first flush"}),
        ("泡{leaf}", "泡「龙井」。", {"leaf": "龙井"}),
        ("pour {leaf}", "(pour sencha)", {"leaf": "sencha"}),
        ("pour {much} of {leaf}", "pour 2.5 l of -5 °C tea",
         {"much": "2.5 l", "leaf": "-5 °C tea"}),
        ("{a} and {b}", "salt and pepper and ice", {"a": "salt", "b": "pepper and ice"}),
        ("{leaf} for {who}: {note}", "tea for two: not too hot: ever",
         {"leaf": "tea", "who": "two", "note": "not too hot: ever"}),
        ("{leaf} for {who}: {note}", "泡茶 for 王老师：别太烫",
         {"leaf": "泡茶", "who": "王老师", "note": "别太烫"}),
        ("tea [for {who}] please", "tea please", {}),
        ("tea [for {who}] please", "tea for my aunt please", {"who": "my aunt"}),
        ("[a|one|some] pot of {leaf}", "one pot of mate", {"leaf": "mate"}),
        ("[a|one|some] pot of {leaf}", "pot of mate", {"leaf": "mate"}),
    ],
)  # fmt: skip
def test_a_sentence_fits_whatever_its_case_accents_width_spaces_and_punctuation(
    template: str, text: str, expected: dict[str, str]
) -> None:
    assert slots(text, template) == expected


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("brew {leaf} now", "brew now"),
        ("brew {leaf} now", "brew ... now"),
        ("brew {leaf} now", "please brew tea now"),
        ("brew {leaf} now", "brew tea now or later"),
        ("brew {leaf}", "brewing tea"),
        ("add {what} to {pot}", "add water tomorrow"),
        ("{leaf} for {who}: {note}", "tea for two not too hot"),
        ("[a|one] pot", "a one pot"),
        ("brew {leaf}", ""),
        ("brew {leaf}", "?!"),
    ],
)
def test_a_slot_is_never_empty_and_the_whole_sentence_must_fit(template: str, text: str) -> None:
    assert slots(text, template) is None


def test_words_are_not_torn_apart() -> None:
    assert slots("add sugar tomorrow to the tea", "add {what} to {pot}") == {
        "what": "sugar tomorrow",
        "pot": "the tea",
    }


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{leaf}", "fit anything"),
        ("[tea] {leaf}", "fit anything"),
        ("tea {a}{b}", "two slots touch"),
        ("tea {a} {b}", "two slots touch"),
        ("tea {a} [for] {b}", "two slots touch"),
        ("tea {a} for {a}", "twice"),
        ("tea {Leaf}", "no slot"),
        ("tea {}", "no slot"),
        ("tea {leaf", "must be a pair"),
        ("tea leaf}", "must be a pair"),
        ("tea [for {who}", "not closed"),
        ("tea for who]", "closes nothing"),
        ("tea [for [two]]", "inside another"),
        ("tea | coffee", "outside an optional part"),
        ("", "fit anything"),
    ],
)
def test_a_template_that_cannot_work_says_what_to_change(template: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parse_template(template)


def test_the_longest_literal_text_wins_then_the_first_declared() -> None:
    def example(tool: str, *templates: str) -> Example:
        return Example(tool, {"en": templates}, {"x": "{x}"})

    examples = (
        example("short", "bring {x}"),
        example("long", "bring {x} to the table"),
        example("later", "bring {x} to the table"),
    )
    assert match(examples, "bring tea to the table") == Match("long", {"x": "tea"})
    assert match(examples, "bring tea to the cook") == Match("short", {"x": "tea to the cook"})


def test_arguments_are_made_of_slots_and_left_out_with_their_optional_part() -> None:
    example = Example(
        "order",
        {"en": ("order {leaf}[ for {who}]",)},
        {"what": "tea: {leaf}", "guest": "{who}", "cups": 2, "tags": ["{leaf}"], "hot": True},
    )
    assert match((example,), "order sencha") == Match(
        "order", {"what": "tea: sencha", "cups": 2, "tags": ["{leaf}"], "hot": True}
    )
    found = match((example,), "order sencha for Mo")
    assert found is not None
    assert found.arguments["guest"] == "Mo"


def test_a_slots_value_that_looks_like_a_slot_stays_as_it_was_said() -> None:
    assert slots("brew {b} with {a}", "brew {a} with {b}") == {"a": "{b}", "b": "{a}"}


def test_trials_have_the_parts_in_and_out_and_expect_their_own_arguments() -> None:
    example = Example(
        "order",
        {"en": ("[please|kindly] order {leaf}[ for {who}]",), "zh": ("要{leaf}",)},
        {"leaf": "{leaf}", "who": "{who}"},
        {"leaf": "mate", "who": "Mo"},
        ("{leaf}",),
    )
    made = {(t.language, t.text): t for t in trials(example)}
    assert list(made) == [
        ("en", "please order mate for Mo"),
        ("en", "order mate"),
        ("zh", "要mate"),
    ]
    assert made["en", "order mate"].expected == Match("order", {"leaf": "mate"})
    assert made["en", "order mate"].answer == ("mate",)
    assert misunderstood((example,)) == ()


def test_examples_that_are_taken_for_one_another_are_found() -> None:
    one = Example("one", {"en": ("bring {x}",)}, {"x": "{x}"}, {"x": "the cup"})
    other = Example("other", {"en": ("bring the {x}",)}, {"x": "{x}"}, {"x": "pot"})
    (told,) = misunderstood((one, other))
    assert "bring the cup" in told
    assert "other" in told


WORDS = st.lists(st.text("abcdefgü泡茶ñ", min_size=1, max_size=5), min_size=1, max_size=6).map(
    " ".join
)


@given(WORDS, WORDS)
def test_what_is_put_into_a_template_comes_back_out(first: str, second: str) -> None:
    template = "xyz {a} QQQ {b} zyx"
    text = f"XYZ, {first} qqq — {second}; zyx."
    assert slots(text, template) == {"a": first, "b": second}


@given(st.text(max_size=200))
def test_any_text_is_matched_or_not_but_never_fails(text: str) -> None:
    found = match(TEA, text)
    assert found is None or found.tool == "order"


@given(st.text(max_size=40))
def test_any_template_is_read_or_refused_with_a_reason(text: str) -> None:
    try:
        required = parse_template(text).required
    except ValueError as error:
        required = frozenset({str(error)})
    assert required


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python a piece of work runs: a measure that no slow machine changes."""
    count = 0

    def trace(frame: object, event: str, arg: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_an_adversarial_sentence_costs_no_more_than_its_length() -> None:
    evil = "a {a} a {b} a {c} a {d} a {e} b"

    def cost(words: int) -> int:
        return lines_run(lambda: slots("a " * words, evil))

    cost(10)  # the template is read once
    assert cost(200) < 2.5 * cost(100)


def test_a_text_longer_than_any_request_is_none() -> None:
    assert slots("a " + "b" * (MAX_CHARS - 2), "a {x}") is not None
    assert slots("a " + "b" * (MAX_CHARS - 1), "a {x}") is None
