"""Plant notes: what a gardener says, what is kept, and what is answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from cloche import SkillsManifest, ToolContext, ToolError
from cloche.testing import FakeToolMemory, match, misunderstood, tool_context
from cloche_gardening import provide_skills, provide_vocabulary

Call = Callable[..., Awaitable[str]]


class Notebook:
    """The tools of the skill, one gardener's memory, and the language of the moment."""

    def __init__(self, skills: SkillsManifest) -> None:
        self.memory = FakeToolMemory(provide_vocabulary())
        self.config = skills["plant-notes"].config
        self._tools = {tool.name: tool for tool in skills["plant-notes"].tools}

    def context(self, language: str) -> ToolContext:
        return tool_context(
            provide_vocabulary(),
            memory=self.memory,
            language=language,
            config=self.config,
            time_zone="Pacific/Auckland",
        )

    async def call(self, name: str, language: str = "en", **arguments: str) -> str:
        return await self._tools[name].function(self.context(language), **arguments)


@pytest.fixture(scope="module")
def skills() -> SkillsManifest:
    return provide_skills()


@pytest.fixture
def notebook(skills: SkillsManifest) -> Notebook:
    return Notebook(skills)


async def test_a_note_is_a_record_of_kind_note_with_plant_and_bed(notebook: Notebook) -> None:
    told = await notebook.call(
        "add_note", subject="tomatoes", text="staked with hazel", place="south bed"
    )
    assert told == "Noted for tomatoes (south bed): staked with hazel"
    (record,) = notebook.memory.records
    assert (record.kind, record.subject, record.text) == ("note", "tomatoes", "staked with hazel")
    ids = {key: [tag.id for tag in tags] for key, tags in record.metadata.items()}  # type: ignore[union-attr]
    assert ids == {"type": ["plant"], "plants": ["tomato"], "section": ["south-bed"]}


@pytest.mark.parametrize(
    ("language", "plant", "asked", "noted", "listed", "nothing"),
    [
        ("en", "runner beans", "bean", "Noted for runner beans: up", "Your notes on bean:",
         "There are no notes on kale yet."),
        ("es", "tomateras", "tomates", "Anotado para tomateras: up", "Tus notas sobre tomates:",
         "Todavía no hay notas sobre kale."),
        ("zh", "西红柿", "番茄", "已为西红柿记下：up", "你关于番茄的笔记：",
         "还没有关于kale的笔记。"),
        ("fr", "tomato", "tomato", "Noted for tomato: up", "Your notes on tomato:",
         "There are no notes on kale yet."),
    ],
)  # fmt: skip
async def test_answers_are_in_the_gardeners_language_and_any_name_of_the_plant_finds_the_note(
    notebook: Notebook, language: str, plant: str, asked: str, noted: str, listed: str, nothing: str
) -> None:
    assert await notebook.call("add_note", language, subject=plant, text="up") == noted
    told = await notebook.call("list_notes", language, subject=asked)
    assert told.startswith(listed)
    assert "up" in told
    assert await notebook.call("list_notes", language, subject="kale") == nothing


@pytest.mark.parametrize(
    ("language", "date"),
    [("en", "1 March 2026"), ("es", "1 de marzo de 2026"), ("zh", "2026年3月1日")],
)
async def test_a_list_shows_the_local_day_newest_first(
    notebook: Notebook, language: str, date: str
) -> None:
    await notebook.call("add_note", subject="fig", text="first leaf")
    await notebook.call("add_note", subject="fig", text="first fruit")
    lines = (await notebook.call("list_notes", language)).splitlines()
    noted = f"- fig（{date}）：" if language == "zh" else f"- fig ({date}): "
    assert lines[1:] == [f"{noted}first fruit", f"{noted}first leaf"]


async def test_notes_of_one_bed_are_found_by_its_name_in_any_language(notebook: Notebook) -> None:
    await notebook.call("add_note", subject="garlic", text="planted deep", place="bancal sur")
    await notebook.call("add_note", subject="kale", text="netted", place="greenhouse")
    for bed in ("south bed", "南边的花坛", "bancal del sur"):
        told = await notebook.call("list_notes", place=bed)
        assert "garlic" in told
        assert "kale" not in told
    assert "kale" in await notebook.call("list_notes", subject="the greenhouse")


async def test_a_place_said_with_the_plant_counts(notebook: Notebook) -> None:
    await notebook.call("add_note", subject="basil on the balcony", text="loves it there")
    assert "loves it there" in await notebook.call("list_notes", place="阳台")


async def test_plants_and_beds_the_vocabulary_does_not_know_are_kept_too(
    notebook: Notebook,
) -> None:
    await notebook.call("add_note", subject="Monstera", text="new leaf", place="under the stairs")
    assert "new leaf" in await notebook.call("list_notes", subject="monstera")
    assert "new leaf" in await notebook.call("list_notes", place="Under the stairs")


async def test_a_variety_that_only_the_text_names_is_found(notebook: Notebook) -> None:
    await notebook.call("add_note", subject="tomato", text="Costoluto split after the storm")
    assert "storm" in await notebook.call("list_notes", subject="costoluto")


async def test_the_same_note_said_twice_is_kept_once(notebook: Notebook) -> None:
    for _ in range(2):
        await notebook.call("add_note", subject="fig", text="wrapped")
    assert len(notebook.memory.records) == 1


async def test_a_long_list_says_that_there_are_older_notes(notebook: Notebook) -> None:
    for number in range(21):
        await notebook.call("add_note", subject="leek", text=f"row {number}")
    lines = (await notebook.call("list_notes")).splitlines()
    assert len(lines) == 22
    assert lines[1].endswith("row 20")
    assert lines[-1] == "... and older ones."


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "Corrected the note on rosal. It now says: pruned in May"),
        ("es", "He corregido la nota sobre rosal. Ahora dice: pruned in May"),
        ("zh", "已更正关于rosal的笔记，现在是：pruned in May"),
    ],
)
async def test_a_note_is_corrected_by_its_plant_and_the_old_one_stays_as_history(
    notebook: Notebook, language: str, told: str
) -> None:
    await notebook.call("add_note", subject="climbing rose", text="pruned in April")
    await notebook.call("add_note", subject="fig", text="not this one")
    assert (
        await notebook.call("correct_note", language, which="rosal", text="pruned in May") == told
    )
    assert [r.text for r in notebook.memory.records] == ["pruned in May", "not this one"]
    assert [r.text for r in notebook.memory.history] == ["pruned in April"]


async def test_a_note_is_corrected_by_words_that_only_it_has(notebook: Notebook) -> None:
    await notebook.call("add_note", subject="dahlia", text="red one, 40 cm apart")
    await notebook.call("add_note", subject="dahlia", text="white one, in the pot")
    await notebook.call("correct_note", which="White one", text="white one, in the frame")
    assert [r.text for r in notebook.memory.records] == [
        "red one, 40 cm apart",
        "white one, in the frame",
    ]


@pytest.mark.parametrize(
    ("language", "question", "nothing"),
    [
        ("en", "Which one do you mean?", "I have no note on quince."),
        ("es", "¿A cuál te refieres?", "No tengo ninguna nota sobre quince."),
        ("zh", "你指的是哪一条？", "没有关于quince的笔记。"),
    ],
)
async def test_an_unclear_correction_changes_nothing_and_asks(
    notebook: Notebook, language: str, question: str, nothing: str
) -> None:
    await notebook.call("add_note", subject="dahlia", text="red")
    await notebook.call("add_note", subject="dahlia", text="white")
    with pytest.raises(ToolError) as caught:
        await notebook.call("correct_note", language, which="dahlias", text="blue")
    assert question in str(caught.value)
    assert "red" in str(caught.value)
    assert "white" in str(caught.value)
    with pytest.raises(ToolError) as caught:
        await notebook.call("correct_note", language, which="quince", text="blue")
    assert str(caught.value) == nothing
    assert [r.text for r in notebook.memory.records] == ["red", "white"]


@pytest.mark.parametrize(
    ("language", "text", "told", "asked"),
    [
        ("en", "the fig dropped its leaves", "Noted for fig: the", "higuera"),
        ("es", "he podado los rosales", "Anotado para rosales: he", "roses"),
        ("zh", "罗勒开花了", "已为罗勒记下：罗勒", "basil"),
        ("en", "buy more string", "Noted: buy", "string"),
    ],
)
async def test_a_note_is_on_the_plant_that_its_words_name_and_kept_where_they_name_none(
    notebook: Notebook, language: str, text: str, told: str, asked: str
) -> None:
    assert (await notebook.call("add_note", language, text=text)).startswith(told)
    assert text in await notebook.call("list_notes", language, subject=asked)
    assert text in await notebook.call("list_notes", language)


async def test_a_note_with_braces_stays_as_it_was_said(notebook: Notebook) -> None:
    told = await notebook.call("add_note", subject="fig", text="{bed} {0} }{")
    assert told == "Noted for fig: {bed} {0} }{"


@pytest.mark.parametrize(
    ("said", "tool", "arguments"),
    [
        ("Could you make a note on our gooseberries that the sawfly is back?", "add_note",
         {"subject": "gooseberries", "text": "the sawfly is back"}),
        ("note for my Bramley apple in the orchard: canker on two limbs", "add_note",
         {"subject": "Bramley apple", "place": "orchard", "text": "canker on two limbs"}),
        ("Can you show me all of my plant notes?", "list_notes", {"subject": "plant"}),
        ("what did i write down about the quince", "list_notes", {"subject": "quince"}),
        ("Change my note on the hop to: cut at Michaelmas", "correct_note",
         {"which": "hop", "text": "cut at Michaelmas"}),
        ("Por favor, apunta para las zinnias en la azotea: sembradas el lunes", "add_note",
         {"subject": "zinnias", "place": "azotea", "text": "sembradas el lunes"}),
        ("toma nota de mis acelgas... ya espigan", "add_note",
         {"text": "de mis acelgas... ya espigan"}),
        ("Toma nota de mis acelgas: ya espigan", "add_note",
         {"subject": "acelgas", "text": "ya espigan"}),
        ("¿Qué apunté sobre la madreselva?", "list_notes", {"subject": "madreselva"}),
        ("corrige la nota del níspero: fruta en mayo", "correct_note",
         {"which": "níspero", "text": "fruta en mayo"}),
        ("请帮我给枇杷记一条笔记：套袋了", "add_note", {"subject": "枇杷", "text": "套袋了"}),
        ("给天台的丝瓜记一条笔记，搭了架子", "add_note",
         {"subject": "丝瓜", "place": "天台", "text": "搭了架子"}),
        ("让我看看韭菜的笔记", "list_notes", {"subject": "韭菜"}),
        ("把关于丝瓜的笔记改成：已经拉秧", "correct_note", {"which": "丝瓜", "text": "已经拉秧"}),
        ("My gooseberries have sawfly again.", "", None),
        ("¿Cuándo se podan las zinnias?", "", None),
        ("枇杷什么时候套袋？", "", None),
    ],
)  # fmt: skip
def test_gardeners_are_understood_in_words_that_no_example_has(
    skills: SkillsManifest, said: str, tool: str, arguments: dict[str, str] | None
) -> None:
    found = match(skills["plant-notes"].examples, said)
    if arguments is None:
        assert found is None
    else:
        assert found is not None
        assert (found.tool, found.arguments) == (tool, arguments)


def test_no_example_is_taken_for_another(skills: SkillsManifest) -> None:
    assert misunderstood(skills["plant-notes"].examples) == ()


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("show me all my plant notes", "en"),
        ("lista todas mis notas de plantas", "es"),
        ("请帮我列出我所有的植物笔记", "zh"),
    ],
)
async def test_plant_notes_are_all_of_them(
    notebook: Notebook, skills: SkillsManifest, said: str, language: str
) -> None:
    await notebook.call("add_note", subject="fig", text="wrapped")
    found = match(skills["plant-notes"].examples, said)
    assert found is not None
    told = await notebook.call(found.tool, language, **found.arguments)  # type: ignore[arg-type]
    assert "wrapped" in told
