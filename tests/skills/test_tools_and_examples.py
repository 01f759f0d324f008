"""tools.py and examples.yaml of a skill's folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cloche.errors import ManifestError
from cloche.skills import load_folder
from cloche.testing.tool_fakes import tool_context
from cloche.utterances import match, misunderstood

Make = Callable[..., Path]

TOOLS = '''\
from cloche import ToolContext, tool

@tool
async def brew(ctx: ToolContext, leaf: str, cups: int = 1) -> str:
    """Brew tea."""
    return f"{cups} x {leaf}"
'''


async def test_a_skills_tools_run_and_its_examples_find_them(folder: Make) -> None:
    skill = load_folder(folder(tools=TOOLS, examples="""\
        - tool: brew
          say: {en: ["brew {cups} cups of {leaf}"], zh: ["泡{cups}杯{leaf}"]}
          values: {leaf: oolong, cups: "2"}
          answer: ["{leaf}"]
        """))  # fmt: skip
    found = match(skill.examples, "请泡 3 杯 龙井".removeprefix("请"))
    assert found is not None
    assert found.arguments == {"leaf": "龙井", "cups": "3"}
    assert await skill.tools[0].function(tool_context(), leaf="mate", cups=2) == "2 x mate"
    assert skill.examples[0].answer == ("{leaf}",)


def test_tools_are_in_the_order_of_the_file_and_imported_ones_are_not_taken(folder: Make) -> None:
    other = folder("other", tools=TOOLS)
    sys.path.insert(0, str(other))
    try:
        skill = load_folder(folder(tools="from tools import brew as borrowed\n" + TOOLS + '''
@tool
async def add_milk(ctx: ToolContext) -> str:
    """Add milk."""
    return ""

again = add_milk
'''))  # fmt: skip
    finally:
        sys.path.remove(str(other))
        sys.modules.pop("tools", None)
    assert [one.name for one in skill.tools] == ["brew", "add_milk"]


def test_a_changed_file_is_read_anew_and_leaves_nothing_beside_it(folder: Make) -> None:
    made = folder(tools=TOOLS)
    load_folder(made)
    (made / "tools.py").write_text(TOOLS.replace("def brew", "def stew"))
    assert [one.name for one in load_folder(made).tools] == ["stew"]
    assert sorted(path.name for path in made.iterdir()) == ["SKILL.md", "tools.py"]


@pytest.mark.parametrize(
    ("tools", "line", "told"),
    [
        ("x = 1\nraise RuntimeError('no kettle')\n", 2, "it raised RuntimeError: no kettle"),
        ("import nowhere_to_be_found\n", 1, "it raised ModuleNotFoundError"),
        ("x = 1\n\ndef broken(:\n", 3, "it raised SyntaxError"),
        ("import sys\nsys.exit('bye')\n", 2, "it raised SystemExit"),
        ("def helper():\n    return 1\n", None, "it defines no tool"),
        (TOOLS.replace("async ", ""), 3, "brew: a tool must be async"),
        (TOOLS.replace("leaf: str", "actor: str"), 3, "ctx.actor"),
    ],
)
def test_a_tools_file_that_cannot_be_used_is_told_with_its_line(
    folder: Make, tools: str, line: int | None, told: str
) -> None:
    made = folder(tools=tools)
    before = set(sys.modules)
    with pytest.raises(ManifestError) as caught:
        load_folder(made)
    assert told in caught.value.reason
    assert (caught.value.file, caught.value.line) == (str(made / "tools.py"), line)
    if line:
        assert set(sys.modules) == before


@pytest.mark.parametrize(
    ("examples", "line", "pointer", "told"),
    [
        ("- tool: brewe\n  say: {en: [tea]}\n", 1, "/0/tool", "did you mean 'brew'"),
        ("- tool: zzz\n  say: {en: [tea]}\n", 1, "/0/tool", "there are: brew"),
        ("- say: {en: [tea]}\n", 1, "/0", "'tool' is missing"),
        ("- tool: brew\n", 1, "/0", "'say' is missing"),
        ("- tool: brew\n  say: {en: tea}\n", 2, "/0/say/en", "array, not string"),
        ("- tool: brew\n  say: {en: [tea, 5]}\n", 2, "/0/say/en/1", "string, not number"),
        ("- tool: brew\n  say: {english: [tea]}\n", 2, "/0/say", "'english' does not match"),
        ("- tool: brew\n  says: {en: [tea]}\n", None, None, "'say'"),
        ("- tool: brew\n  say:\n    en:\n      - brew {leaf}\n      - brew [it\n"
         "  values: {leaf: mate}\n", 5, "/0/say/en/1", "not closed"),
        ("- tool: brew\n  say: {en: ['brew {leaf}']}\n", 1, "/0/values", "{leaf} has no value"),
        ("- tool: brew\n  say: {en: ['brew {leaf}']}\n  values: {leaf: 2}\n",
         3, "/0/values/leaf", "string, not number"),
        ("- tool: brew\n  say: {en: ['brew {sort}']}\n  values: {sort: mate}\n",
         1, "/0/arguments", "takes no argument 'sort'"),
        ("- tool: brew\n  say: {en: ['brew {a}']}\n  arguments: {leaf: '{b}'}\n  values: {a: x}\n",
         3, "/0/arguments", "{b}, which no template has"),
        ("- tool: brew\n  say: {en: ['brew[ some {leaf}]']}\n  values: {leaf: mate}\n",
         1, "/0", "needs 'leaf'"),
        ("- tool: brew\n  say: {en: ['brew tea']}\n", 1, "/0", "needs 'leaf'"),
        ("- tool: brew\n  tool: brew\n", 2, "/0", "stands twice"),
        ("{}\n", 1, "", "array, not object"),
        ("", None, "", "array, not null"),
        ("[]\n", 1, "", "non-empty"),
        ("- tool: brew\n   say: x\n", 2, "", "double quotes"),
        ("- &a [*a]\n", 1, "", "double quotes"),
        ("[" * 5000, None, "", "too deep"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_examples_is_told_with_line_and_pointer(
    folder: Make, examples: str, line: int | None, pointer: str | None, told: str
) -> None:
    made = folder(tools=TOOLS)
    (made / "examples.yaml").write_text(examples, encoding="utf-8")
    with pytest.raises(ManifestError) as caught:
        load_folder(made)
    assert told in caught.value.reason
    assert caught.value.file == str(made / "examples.yaml")
    if pointer is not None:
        assert (caught.value.line, caught.value.pointer) == (line, pointer)


def test_examples_without_tools_have_nothing_to_call(folder: Make) -> None:
    with pytest.raises(ManifestError, match="there are: none"):
        load_folder(folder(examples="- tool: brew\n  say: {en: [tea]}\n"))


HEARS = '''\
from cloche import ToolContext, tool

def heard(text):
    return {"leaf": text.split()[-1]} if "leaves of" in text else None

@tool(hears=heard)
async def brew(ctx: ToolContext, leaf: str) -> str:
    """Brew tea."""
    return leaf
'''


def test_sentences_that_a_tool_hears_are_tried_as_they_stand(folder: Make) -> None:
    skill = load_folder(folder(tools=HEARS, examples="""\
        - tool: brew
          say: {en: ["brew {leaf}"]}
          values: {leaf: oolong}
        - tool: brew
          heard: true
          say: {en: ["two leaves of mate", "a leaf of mate"]}
        """))  # fmt: skip
    found = match(skill.examples, "a few leaves of sencha")
    assert found is not None
    assert found.arguments == {"leaf": "sencha"}
    by_template = match(skill.examples, "brew two leaves of mint")
    assert by_template is not None
    assert by_template.arguments == {"leaf": "two leaves of mint"}
    (told,) = misunderstood(skill.examples)
    assert told.startswith("'a leaf of mate' (en) should be")


def test_what_an_exact_tool_hears_goes_before_templates_with_fewer_words_of_their_own(
    folder: Make,
) -> None:
    exact = HEARS.replace("=heard)", "=heard, exact=True)")
    skill = load_folder(folder(tools=exact, examples="""\
        - tool: brew
          say: {en: ["brew {leaf}"]}
          values: {leaf: oolong}
        - tool: brew
          heard: true
          say: {en: ["two leaves of mate"]}
        """))  # fmt: skip
    found = match(skill.examples, "brew two leaves of mint")
    assert found is not None
    assert found.arguments == {"leaf": "mint"}


@pytest.mark.parametrize(
    ("tools", "more", "told"),
    [
        (TOOLS, "", "brew hears nothing by itself"),
        (HEARS, "values: {leaf: mate}", "what is heard has no slots"),
    ],
)
def test_heard_sentences_need_a_tool_that_hears_and_have_no_slots(
    folder: Make, tools: str, more: str, told: str
) -> None:
    examples = f'- tool: brew\n  heard: true\n  say: {{en: ["leaves of mate"]}}\n  {more}\n'
    with pytest.raises(ManifestError, match=told):
        load_folder(folder(tools=tools, examples=examples))


ASKS = """\
    - tool: brew
      after: {en: "Which leaf?", es: "¿Qué hoja?"}
      say: {en: ["[I'd like] {leaf}"], es: ["{leaf}"]}
      values: {leaf: oolong}
    """


def test_what_answers_a_question_is_heard_after_it_alone(folder: Make) -> None:
    skill = load_folder(folder(tools=TOOLS, examples=ASKS))
    for said, asked in (("I'd like mate", "Which leaf? Green?"), ("mate", "Bien. ¿Qué hoja?")):
        assert match(skill.examples, said) is None
        answer = match(skill.examples, said, asked)
        assert answer is not None
        assert (answer.arguments, answer.answers) == ({"leaf": "mate"}, True)
    assert misunderstood(skill.examples) == ()


@pytest.mark.parametrize(
    ("examples", "told"),
    [
        (ASKS.replace(', es: "¿Qué hoja?"', ""), "nothing for the language es"),
        (ASKS.replace('after: {en: "Which leaf?", es: "¿Qué hoja?"}', ""), "fit anything"),
    ],
)
def test_answers_need_the_question_in_their_language(
    folder: Make, examples: str, told: str
) -> None:
    with pytest.raises(ManifestError, match=told):
        load_folder(folder(tools=TOOLS, examples=examples))
