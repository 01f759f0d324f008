"""The shared skill notes: without a vocabulary, and with keys and words of an assistant's own."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from cloche import MetadataKey, ToolContext, ToolError, Value, Vocabulary
from cloche.documents import shared_resource
from cloche.skills import load_folder
from cloche.state.store import Json
from cloche.testing import FakeToolMemory, match, misunderstood, tool_context

SKILL = load_folder(shared_resource("skills", "notes"))  # type: ignore[arg-type]
TOOLS = {tool.name: tool for tool in SKILL.tools}
ROOMS = MetadataKey(
    "rooms",
    "Which room.",
    values=(Value("kitchen", aliases=("cocina", "厨房")),),
    aliases=("room", "habitaciones", "房间"),
)
THINGS = MetadataKey(
    "things",
    "Which thing.",
    values=(Value("boiler", aliases=("caldera", "锅炉")),),
    aliases=("thing", "cosas", "东西"),
)
HOUSE = Vocabulary((ROOMS, THINGS))
CONFIG: Mapping[str, Json] = {"subject": "things", "place": "rooms"}


class Notebook:
    """One person's notes."""

    def __init__(self, vocabulary: Vocabulary | None = None, **config: Json) -> None:
        self.vocabulary, self.config = vocabulary or Vocabulary(), config
        self.memory = FakeToolMemory(self.vocabulary)

    async def call(self, name: str, language: str = "en", **arguments: str) -> str:
        return await TOOLS[name].function(self.context(language), **arguments)

    def context(self, language: str) -> ToolContext:
        return tool_context(
            self.vocabulary, memory=self.memory, language=language, config=self.config
        )


@pytest.mark.parametrize(
    ("language", "noted", "empty"),
    [
        ("en", "Noted for boiler (cellar): oiled", "There are no notes yet."),
        ("es", "Anotado para boiler (cellar): oiled", "Todavía no hay notas."),
        ("zh", "已为boiler（cellar）记下：oiled", "还没有笔记。"),
    ],
)
async def test_without_a_vocabulary_a_note_is_found_by_the_words_of_subject_and_place(
    language: str, noted: str, empty: str
) -> None:
    book = Notebook()
    assert await book.call("list_notes", language) == empty
    told = await book.call("add_note", language, subject="boiler", text="oiled", place="cellar")
    assert told == noted
    await book.call("add_note", subject="lamp", text="new bulb")
    for asked in ({"subject": "Boiler"}, {"place": "CELLAR"}, {"subject": "oiled"}):
        listed = await book.call("list_notes", **asked)
        assert "oiled" in listed
        assert "bulb" not in listed


async def test_with_keys_any_name_of_subject_or_place_finds_the_note() -> None:
    book = Notebook(HOUSE, **CONFIG)
    await book.call("add_note", subject="boiler", text="oiled", place="kitchen")
    (record,) = book.memory.records
    assert record.subject == "boiler"
    for asked in ({"subject": "caldera"}, {"subject": "锅炉"}, {"place": "cocina"}):
        assert "oiled" in await book.call("list_notes", **asked)
    assert "oiled" in await book.call("list_notes", subject="the kitchen")
    assert "no notes" in await book.call("list_notes", subject="roof")


@pytest.mark.parametrize("asked", ["thing", "Cosas", "东西", "things"])
async def test_the_name_of_the_key_itself_means_all_notes(asked: str) -> None:
    book = Notebook(HOUSE, **CONFIG)
    await book.call("add_note", subject="boiler", text="oiled")
    assert (await book.call("list_notes", subject=asked)).startswith("Your notes:")


async def test_every_note_carries_what_the_config_says() -> None:
    kind = MetadataKey("sort", "What sort.", closed=True, values=(Value("thing"),))
    vocabulary = Vocabulary((*HOUSE.keys, kind))
    book = Notebook(vocabulary, **CONFIG, metadata={"sort": ["thing"]})
    await book.call("add_note", subject="boiler in the kitchen", text="oiled")
    carried = book.memory.records[0].metadata
    ids = {key: [tag.id for tag in tags] for key, tags in carried.items()}  # type: ignore[union-attr]
    assert ids == {"sort": ["thing"], "things": ["boiler"], "rooms": ["kitchen"]}


async def test_an_assistant_says_some_sentences_in_its_own_words() -> None:
    book = Notebook(words={"en": {"noted": "In the log: {text}"}, "es": {}})
    assert await book.call("add_note", subject="boiler", text="oiled") == "In the log: oiled"
    told = await book.call("add_note", "es", subject="lamp", text="luz")
    assert told == "Anotado para lamp: luz"


@pytest.mark.parametrize("role", ["subject", "place"])
async def test_a_key_that_the_vocabulary_lacks_is_told(role: str) -> None:
    book = Notebook(HOUSE, **{role: "colours"})
    with pytest.raises(ToolError, match=f"{role} is 'colours'"):
        await book.call("add_note", subject="boiler", text="oiled", place="kitchen")
    assert book.memory.records == []


async def test_a_note_needs_a_text() -> None:
    book = Notebook()
    with pytest.raises(ToolError, match="what to note"):
        await book.call("add_note", subject="boiler", text="\n")
    assert book.memory.records == []


@pytest.mark.parametrize(
    ("language", "text", "told"),
    [
        ("en", "buy string", "Noted: buy string"),
        ("es", "comprar hilo", "Anotado: comprar hilo"),
        ("zh", "买绳子", "已记下：买绳子"),
    ],
)
async def test_a_note_on_nothing_in_particular_is_kept_and_listed(
    language: str, text: str, told: str
) -> None:
    for book in (Notebook(), Notebook(HOUSE, **CONFIG)):
        assert await book.call("add_note", language, text=text) == told
        assert text in await book.call("list_notes", language)


async def test_what_the_text_names_is_what_the_note_is_about() -> None:
    book = Notebook(HOUSE, **CONFIG)
    told = await book.call("add_note", "es", text="la caldera hace ruido")
    assert told == "Anotado para caldera: la caldera hace ruido"
    assert "ruido" in await book.call("list_notes", subject="boiler")


async def test_without_a_name_the_newest_note_is_corrected() -> None:
    book = Notebook()
    with pytest.raises(ToolError, match="no notes yet"):
        await book.call("correct_note", text="sold")
    await book.call("add_note", subject="boiler", text="oiled")
    await book.call("add_note", subject="lamp", text="new bulb")
    assert "lamp" in await book.call("correct_note", text="two new bulbs")
    assert [record.text for record in book.memory.records] == ["oiled", "two new bulbs"]


async def test_without_a_vocabulary_an_unclear_correction_asks() -> None:
    book = Notebook()
    await book.call("add_note", subject="boiler", text="oiled")
    await book.call("add_note", subject="boiler", text="refilled")
    with pytest.raises(ToolError, match="Which one"):
        await book.call("correct_note", which="boiler", text="sold")
    await book.call("correct_note", which="oiled", text="oiled twice")
    assert [record.text for record in book.memory.records] == ["oiled twice", "refilled"]


def test_no_example_is_taken_for_another() -> None:
    assert misunderstood(SKILL.examples) == ()


@pytest.mark.parametrize(
    ("said", "tool", "arguments"),
    [
        ("note for the printer: new toner", "add_note",
         {"subject": "printer", "text": "new toner"}),
        ("Apunta para la bici en el garaje: frenos nuevos", "add_note",
         {"subject": "bici", "place": "garaje", "text": "frenos nuevos"}),
        ("给打印机记一条笔记：换了墨盒", "add_note", {"subject": "打印机", "text": "换了墨盒"}),
        ("show me all my recipe notes", "list_notes", {"subject": "recipe"}),
        ("Note that the printer is out of toner", "add_note",
         {"text": "the printer is out of toner"}),
        ("jot down: new toner for the printer", "add_note",
         {"text": "new toner for the printer"}),
        ("Note to self: buy toner", "add_note", {"text": "buy toner"}),
        ("add to my printer notes: new toner", "add_note",
         {"subject": "printer", "text": "new toner"}),
        ("any notes on the printer?", "list_notes", {"subject": "printer"}),
        ("notes on the printer", "list_notes", {"subject": "printer"}),
        ("my notes", "list_notes", {}),
        ("update the printer note: new toner in March", "correct_note",
         {"which": "printer", "text": "new toner in March"}),
        ("correct my last note: two toners", "correct_note", {"text": "two toners"}),
        ("apunta que la impresora no tiene tóner", "add_note",
         {"text": "la impresora no tiene tóner"}),
        ("toma nota de que falta tóner", "add_note", {"text": "falta tóner"}),
        ("¿tengo notas de la impresora?", "list_notes", {"subject": "impresora"}),
        ("mis notas", "list_notes", {}),
        ("actualiza la nota de la impresora: tóner en marzo", "correct_note",
         {"which": "impresora", "text": "tóner en marzo"}),
        ("corrige la última nota: dos tóneres", "correct_note", {"text": "dos tóneres"}),
        ("记一下：打印机没墨了", "add_note", {"text": "打印机没墨了"}),
        ("帮我记一下打印机没墨了", "add_note", {"text": "打印机没墨了"}),
        ("有没有关于打印机的笔记？", "list_notes", {"subject": "打印机"}),
        ("我的笔记", "list_notes", {}),
        ("更新打印机的笔记：三月换的墨", "correct_note",
         {"which": "打印机", "text": "三月换的墨"}),
        ("The printer is out of toner.", "", {}),
    ],
)  # fmt: skip
def test_notes_of_any_field_are_understood(said: str, tool: str, arguments: dict[str, str]) -> None:
    found = match(SKILL.examples, said)
    assert (found.tool, found.arguments) == (tool, arguments) if found else not tool
