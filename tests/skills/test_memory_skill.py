"""The shared skill ``memory``: what people say, what is kept, shown, corrected and forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloche.documents import shared_resource
from cloche.errors import ToolError
from cloche.memory.extraction import extract_drafts
from cloche.skills import Skill, load_folder
from cloche.testing.tool_fakes import FakeToolMemory, tool_context
from cloche.utterances import match, misunderstood
from cloche.vocabulary import MetadataKey, Value, Vocabulary

VOCABULARY = Vocabulary(
    (
        MetadataKey(
            "things",
            "What it is about.",
            values=(Value("kiln", aliases=("horno", "hornos", "窑")), Value("wheel")),
        ),
    )
)


@pytest.fixture(scope="module")
def skill() -> Skill:
    folder = shared_resource("skills", "memory")
    assert isinstance(folder, Path)
    return load_folder(folder)


class Talk:
    """The skill's tools with one person's memory."""

    def __init__(self, skill: Skill) -> None:
        self.memory = FakeToolMemory(VOCABULARY)
        self.tools = {tool.name: tool for tool in skill.tools}

    async def call(self, name: str, language: str = "en", **arguments: str) -> str:
        context = tool_context(VOCABULARY, memory=self.memory, language=language)
        return await self.tools[name].function(context, **arguments)

    @property
    def texts(self) -> list[str]:
        return [record.text for record in self.memory.records]


@pytest.fixture
def talk(skill: Skill) -> Talk:
    return Talk(skill)


def test_it_has_a_tool_for_each_and_says_when_to_use_it(skill: Skill) -> None:
    assert [tool.name for tool in skill.tools] == [
        "search_memory", "remember", "correct_memory", "replace_in_memory", "forget_memory",
    ]  # fmt: skip
    assert all(f"`{tool.name}`" in skill.body for tool in skill.tools)


@pytest.mark.parametrize("tool", ["search_memory", "remember", "correct_memory", "forget_memory"])
@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_there_are_several_ways_to_ask_in_each_language(
    skill: Skill, tool: str, language: str
) -> None:
    said = [t for e in skill.examples if e.tool == tool for t in e.say.get(language, ())]
    assert len(said) >= 5


def test_no_example_is_taken_for_another(skill: Skill) -> None:
    assert misunderstood(skill.examples) == ()


@pytest.mark.parametrize(
    ("said", "tool", "arguments"),
    [
        ("Remember that I fire the kiln on Mondays!", "remember",
         {"text": "I fire the kiln on Mondays"}),
        ("What have I told you about my kiln?", "search_memory", {"about": "kiln"}),
        ("Correct what you remember about the kiln: it is electric", "correct_memory",
         {"which": "kiln", "text": "it is electric"}),
        ("Could you delete my old kiln from your memory?", "forget_memory", {"which": "old kiln"}),
        ("Recuerda que cuezo los lunes", "remember", {"text": "cuezo los lunes"}),
        ("¿Qué te conté sobre mi horno?", "search_memory", {"about": "horno"}),
        ("Lo que recuerdas del horno está mal: es eléctrico", "", None),
        ("Lo que recuerdas de mi horno está mal: es eléctrico", "correct_memory",
         {"which": "horno", "text": "es eléctrico"}),
        ("Por favor, borra de tu memoria el horno viejo", "forget_memory",
         {"which": "horno viejo"}),
        ("请记住：我周一烧窑", "remember", {"text": "我周一烧窑"}),
        ("关于我的窑我告诉过你什么？", "search_memory", {"about": "窑"}),
        ("请把关于窑的记忆改成：是电窑", "correct_memory", {"which": "窑", "text": "是电窑"}),
        ("请忘掉我的旧窑", "forget_memory", {"which": "旧窑"}),
        ("忘记我对花生过敏", "forget_memory", {"which": "对花生过敏"}),
        ("我忘记带伞了", "", None),
        ("I remember that day well.", "", None),
        ("No recuerdo dónde está.", "", None),
        ("我记得那天。", "", None),
    ],
)  # fmt: skip
def test_people_are_understood(
    skill: Skill, said: str, tool: str, arguments: dict[str, str] | None
) -> None:
    found = match(skill.examples, said)
    if arguments is None:
        assert found is None
    else:
        assert found is not None
        assert (found.tool, found.arguments) == (tool, arguments)


@pytest.mark.parametrize(
    ("language", "text", "told"),
    [
        ("en", "I fire the kiln on Mondays", "I'll remember: “I fire the kiln on Mondays”"),
        ("es", "Cuezo el horno los lunes", "Lo recordaré: «Cuezo el horno los lunes»"),
        ("zh", "我周一烧窑", "我会记住：“我周一烧窑”"),
    ],
)
async def test_what_is_to_be_remembered_is_kept_in_their_words_with_what_it_names(
    talk: Talk, language: str, text: str, told: str
) -> None:
    assert await talk.call("remember", language, text=text, kind="rule", about="") == told
    (record,) = talk.memory.records
    assert (record.text, record.kind) == (text, "rule")
    (tag,) = record.metadata["things"]  # type: ignore[misc]
    assert tag.id == "kiln"


@pytest.mark.parametrize(
    ("language", "heading", "date", "nothing"),
    [
        ("en", "What you told me about kiln:", "(1 March 2026)", "I remember nothing about glaze."),
        ("es", "Lo que me contaste sobre kiln:", "(1 de marzo de 2026)",
         "No recuerdo nada sobre glaze."),
        ("zh", "你告诉过我的关于kiln的事：", "（2026年3月1日）", "我不记得关于glaze的事。"),
        ("fr", "What you told me about kiln:", "(1 March 2026)", "I remember nothing about glaze."),
    ],
)  # fmt: skip
async def test_a_look_shows_text_date_and_id_in_the_persons_language(
    talk: Talk, language: str, heading: str, date: str, nothing: str
) -> None:
    await talk.call("remember", text="The kiln is electric")
    (record,) = talk.memory.records
    told = await talk.call("search_memory", language, about="kiln")
    assert told.splitlines()[0] == heading
    assert "The kiln is electric" in told
    assert date in told
    assert f"`{record.id[:12]}`" in told
    assert await talk.call("search_memory", language, about="glaze") == nothing


@pytest.mark.parametrize(("language", "me"), [("en", "me"), ("es", "mí"), ("zh", "我")])
async def test_asked_about_themselves_it_shows_the_newest(
    talk: Talk, language: str, me: str
) -> None:
    for number in range(22):
        await talk.call("remember", text=f"Shelf {number} is full")
    lines = (await talk.call("search_memory", language, about=me)).splitlines()
    assert "Shelf 21" in lines[1]
    assert len(lines) == 22


@pytest.mark.parametrize(
    ("language", "texts", "which", "new", "told"),
    [
        ("en", ["The kiln is gas fired.", "The wheel is old."], "the kiln", "The kiln is electric.",
         "Corrected. I now remember: “The kiln is electric.”"),
        ("es", ["El horno es de gas.", "El torno es viejo."], "mi horno", "El horno es eléctrico.",
         "Corregido. Ahora recuerdo: «El horno es eléctrico.»"),
        ("zh", ["窑是烧气的。", "转盘旧了。"], "窑", "窑是电的。",
         "已更正。我现在记得：“窑是电的。”"),
    ],
)  # fmt: skip
async def test_a_correction_changes_one_memory_and_keeps_the_old_one_as_history(
    talk: Talk, language: str, texts: list[str], which: str, new: str, told: str
) -> None:
    for text in texts:
        await talk.call("remember", text=text)
    assert await talk.call("correct_memory", language, which=which, text=new) == told
    assert talk.texts == [new, texts[1]]
    assert [record.text for record in talk.memory.history] == [texts[0]]


@pytest.mark.parametrize(
    ("language", "said", "kept", "now"),
    [
        ("en", "Change the pear tree to an apple tree.",
         "I have a pear tree by the gate.", "I have an apple tree by the gate."),
        ("en", 'Replace "pear" with "apple".',
         "I have a pear tree by the gate.", "I have an apple tree by the gate."),
        ("en", "Correct that: the kiln squeaks.", "The kiln is silent.", "the kiln squeaks"),
        ("es", "Cambia el peral por una higuera.",
         "Tengo un peral junto a la verja.", "Tengo una higuera junto a la verja."),
        ("es", "Sustituye «peral» por «manzano».",
         "El peral es viejo.", "El manzano es viejo."),
        ("es", "Corrige eso: el horno chirría.", "El horno es silencioso.", "el horno chirría"),
        ("zh", "把梨树改成苹果树。", "我有一棵梨树。", "我有一棵苹果树。"),
        ("zh", "把“梨”换成“苹果”。", "我有一棵梨树。", "我有一棵苹果树。"),
        ("zh", "更正一下：我的大门会响。", "我的大门很安静。", "我的大门会响"),
    ],
)  # fmt: skip
async def test_words_are_put_right_as_people_ask_for_it(
    skill: Skill, talk: Talk, language: str, said: str, kept: str, now: str
) -> None:
    for text in (kept, "My wheel is old.", "我的转盘旧了。"):
        await talk.call("remember", language, text=text)
    found = match(skill.examples, said)
    assert found is not None
    arguments = {name: str(value) for name, value in found.arguments.items()}
    answer = await talk.call(found.tool, language, **arguments)
    assert now in answer
    assert talk.texts == [now, "My wheel is old.", "我的转盘旧了。"]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Don't remember that I have a pear tree.", "I have a pear tree"),
        ("No recuerdes que tengo un peral.", "tengo un peral"),
        ("别记着我有一棵梨树。", "我有一棵梨树"),
        ("Update my memory: I have a pear tree.", "I have a pear tree"),
        ("Actualiza tu memoria: tengo un peral.", "tengo un peral"),
        ("更新你的记忆：我有一棵梨树。", "我有一棵梨树"),
    ],
)
def test_orders_about_memory_are_no_statements(skill: Skill, said: str, text: str) -> None:
    found = match(skill.examples, said)
    assert found is not None
    assert text in found.arguments.values()
    assert extract_drafts(said, VOCABULARY) == ()


async def test_what_stands_in_no_memory_or_in_several_is_not_replaced(talk: Talk) -> None:
    texts = ["The kiln is old.", "The kiln is mine."]
    for text in texts:
        await talk.call("remember", text=text)
    told = await talk.call("replace_in_memory", old="kiln", new="oven")
    assert "Which one do you mean?" in told
    told = await talk.call("replace_in_memory", old="gate", new="door")
    assert told.startswith("I have no memory that says “gate”. Nothing was changed.")
    assert talk.texts == texts


SEVERAL = [
    ("en", ["The kiln is gas fired.", "The kiln stands in the shed."], "kiln",
     "Which one do you mean?", "Done. One memory, told on 1 March 2026, is forgotten for good."),
    ("es", ["El horno es de gas.", "El horno está en el cobertizo."], "horno",
     "¿A cuál te refieres?", "Hecho. Un recuerdo, contado el 1 de marzo de 2026, queda olvidado"),
    ("zh", ["窑是烧气的。", "窑在棚子里。"], "窑", "你指的是哪一条？",
     "好的，你在2026年3月1日告诉我的一条记忆已经彻底忘掉了。"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "texts", "which", "question", "done"), SEVERAL)
async def test_where_several_fit_it_asks_and_forgets_only_the_one_that_is_named(
    talk: Talk, language: str, texts: list[str], which: str, question: str, done: str
) -> None:
    for text in texts:
        await talk.call("remember", text=text)
    asked = await talk.call("forget_memory", language, which=which)
    assert question in asked
    assert all(text in asked for text in texts)
    assert talk.texts == texts
    told = await talk.call("forget_memory", language, which=texts[1].upper())
    assert told.startswith(done)
    assert texts[1] not in told  # the answer is kept: it must not say again what was forgotten
    assert talk.texts == texts[:1]


@pytest.mark.parametrize(
    ("language", "text", "which", "question", "done"),
    [
        ("en", "We have a kiln, a wheel and my daughter Lena is allergic to nuts.",
         "we have a kiln", "and more", "Done."),
        ("en", "I have two looms and a kiln", "I have a kiln", "forget the memory", "Done."),
        ("en", "I grow two figs and a lemon tree", "I grow a lemon tree", "and more", "Done."),
        ("es", "Tengo alergia al polen y dos gatos", "tengo dos gatos", "algo más", "Hecho."),
        ("es", "Cultivo dos higueras y un limonero", "cultivo un limonero", "algo más", "Hecho."),
        ("zh", "我种了两棵无花果，种了一棵柠檬", "种了一棵柠檬", "还说了别的", "好的"),
        ("zh", "我对花生过敏，还养了两只猫", "两只猫", "还说了别的", "好的"),
    ],
)  # fmt: skip
async def test_of_a_memory_that_says_more_nothing_is_forgotten_unasked(
    talk: Talk, language: str, text: str, which: str, question: str, done: str
) -> None:
    await talk.call("remember", text=text)
    asked = await talk.call("forget_memory", language, which=which)
    id_ = talk.memory.records[0].id[:12]
    assert (question in asked, text in asked, id_ in asked) == (True, True, True)
    assert talk.texts == [text]
    assert (await talk.call("forget_memory", language, which=id_)).startswith(done)
    assert talk.texts == []


@pytest.mark.parametrize(
    ("language", "text", "which"),
    [
        ("en", "I fire the kiln on Mondays", "kiln"),
        ("en", "I fire the kiln.", "horno"),
        ("en", "My kiln, the old kiln", "kiln"),
        ("es", "Cuezo el horno los lunes", "horno"),
        ("zh", "我对花生过敏", "对花生过敏"),
    ],
)
async def test_a_memory_of_one_thing_is_forgotten_at_once(
    talk: Talk, language: str, text: str, which: str
) -> None:
    metadata = {"metadata": {"things": ["kiln"]}}
    await talk.memory.remember(text, kind="fact", **metadata)
    await talk.call("forget_memory", language, which=which)
    assert talk.texts == []


@pytest.mark.parametrize(("language", "texts", "which", "question", "done"), SEVERAL)
async def test_an_id_names_one_of_several(
    talk: Talk, language: str, texts: list[str], which: str, question: str, done: str
) -> None:
    for text in texts:
        await talk.call("remember", text=text)
    id_ = talk.memory.records[0].id[:12]
    assert (await talk.call("forget_memory", language, which=id_)).startswith(done)
    assert talk.texts == texts[1:]
    told = await talk.call("forget_memory", language, which=id_)
    assert id_ in told
    assert talk.texts == texts[1:]


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "I have no memory that says “blue kiln of iron”. Nothing was changed."),
        ("es", "No tengo ningún recuerdo que diga «blue kiln of iron». No he cambiado nada."),
        ("zh", "我没有符合“blue kiln of iron”的记忆，什么都没有改动。"),
    ],
)
async def test_what_merely_comes_near_is_shown_and_never_forgotten_or_changed(
    talk: Talk, language: str, told: str
) -> None:
    texts = ["The blue bowl cracked.", "My iron is hot.", "The iron gate squeaks."]
    for text in texts:
        await talk.call("remember", text=text)
    for name, more in (("forget_memory", {}), ("correct_memory", {"text": "No."})):
        answer = await talk.call(name, language, which="blue kiln of iron", **more)
        assert answer.startswith(told)
        assert texts[0] in answer
    assert talk.texts == texts


async def test_another_languages_name_of_the_thing_finds_its_one_memory(talk: Talk) -> None:
    await talk.call("remember", text="The kiln is gas fired")
    await talk.call("remember", text="The wheel is old")
    told = await talk.call("correct_memory", "es", which="hornos", text="The kiln is electric")
    assert told.startswith("Corregido.")
    assert talk.texts == ["The kiln is electric", "The wheel is old"]


@pytest.mark.parametrize("which", ["", "  ", "?!", "。", "%", "*"])
async def test_without_words_nothing_is_forgotten(talk: Talk, which: str) -> None:
    await talk.call("remember", text="The kiln is gas fired")
    with pytest.raises(ToolError):
        await talk.call("forget_memory", which=which)
    assert len(talk.texts) == 1


@pytest.mark.parametrize("which", ["the", "my", "que", "mem-", "all", "everything"])
async def test_words_that_tell_nothing_forget_nothing(talk: Talk, which: str) -> None:
    await talk.call("remember", text="The kiln is my oldest thing")
    await talk.call("remember", text="The wheel is mine too")
    await talk.call("forget_memory", which=which)
    assert len(talk.texts) == 2


async def test_braces_in_what_was_said_stay(talk: Talk) -> None:
    assert await talk.call("remember", text="{kiln} {0} }{") == "I'll remember: “{kiln} {0} }{”"


@pytest.mark.parametrize(
    ("said", "which"),
    [
        *(("Forget the kiln", "kiln"), ("please forget about the kiln!", "kiln")),
        *(("forget my kiln", "kiln"), ("Forget everything about the kiln", "kiln")),
        *(("Olvida mi horno", "horno"), ("olvida lo del horno", "horno")),
        *(("olvídate del horno", "horno"), ("olvida lo que te dije del horno", "horno")),
        *(
            ("请忘记窑", "窑"),
            ("忘掉窑的事", "窑"),
            ("把我的窑忘掉", "窑"),
            ("把窑的事忘了吧", "窑"),
        ),
        *(("forget it", None), ("Forget about it.", None), ("forget everything", None)),
        *(("forget to fire the kiln", None), ("Don't forget the kiln", None), ("Forget me", None)),
        *(("I forget the kiln", None), ("olvida todo", None), ("olvídate de eso", None)),
        *(("olvidé el horno", None), ("no olvides el horno", None), ("忘了开窑", None)),
        *(("忘记开窑了", None), ("忘掉一切", None), ("别忘了窑", None), ("请忘记这件事", None)),
    ],
)
def test_it_is_heard_what_is_to_be_forgotten_and_never_all_of_it(
    said: str, which: str | None
) -> None:
    folder = shared_resource("skills", "memory")
    heard = {tool.name: tool for tool in load_folder(folder).tools}["forget_memory"].hears  # type: ignore[arg-type]
    assert heard is not None
    assert heard(said) == (which and {"which": which})
