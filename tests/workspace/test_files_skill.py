"""The shared skill files: what people send and have made, in their own words."""

from __future__ import annotations

import pytest

from cloche import ToolContext, ToolError
from cloche.documents import shared_resource
from cloche.skills import load_folder
from cloche.testing import FakeToolFiles, tool_context

FOLDER = shared_resource("skills", "files")
SKILL = load_folder(FOLDER)  # type: ignore[arg-type]
TOOLS = {tool.name: tool for tool in SKILL.tools}


async def call(tool: str, files: FakeToolFiles, language: str = "en", **given: object) -> str:
    ctx: ToolContext = tool_context(files=files, language=language)
    return await TOOLS[tool].function(ctx, **given)


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "There are no files yet."), ("es", "Todavía no hay archivos."), ("zh", "还没有文件。")],
)
async def test_without_files_it_is_said_so(language: str, told: str) -> None:
    assert await call("list_files", FakeToolFiles(), language) == told


async def test_a_list_has_the_newest_first_with_day_and_size() -> None:
    files = FakeToolFiles({"sent/plan.txt": b"x" * 1200, "made/计划.csv": b"ab"})
    assert (await call("list_files", files)).splitlines() == [
        "Your files:",
        "- `made/计划.csv` (2026-03-01, 2 B)",
        "- `sent/plan.txt` (2026-03-01, 1 kB)",
    ]


async def test_a_list_of_very_many_is_short() -> None:
    files = FakeToolFiles({f"sent/{n}.txt": b"x" for n in range(53)})
    lines = (await call("list_files", files)).splitlines()
    assert len(lines) == 52
    assert lines[-1] == "... and 3 older ones."


async def test_a_long_text_is_read_in_parts_and_nothing_is_left_out() -> None:
    text = "".join(f"第{n}行\n" for n in range(3000))
    files = FakeToolFiles({"sent/long.txt": text.encode()})
    first = await call("read_file", files, name="sent/long.txt")
    assert first.startswith("`sent/long.txt`, part 1 of ")
    parts = int(first.split(" of ")[1].split(":")[0])
    read = [await call("read_file", files, name="long.txt", part=n + 1) for n in range(parts)]
    assert "".join(one.split(":\n\n", 1)[1] for one in read) == text
    with pytest.raises(ToolError, match=f"has {parts} parts"):
        await call("read_file", files, name="long.txt", part=parts + 1)


async def test_an_empty_file_is_read_as_one() -> None:
    assert await call("read_file", FakeToolFiles({"sent/a": b""}), name="a") == "`a` says:"


async def test_what_is_not_there_is_neither_read_nor_removed() -> None:
    with pytest.raises(ToolError, match="no file"):
        await call("read_file", FakeToolFiles(), name="plan.txt")
    assert await call("remove_file", FakeToolFiles(), "zh", name="计划") == "没有名为“计划”的文件。"


async def test_nothing_is_saved_without_a_text() -> None:
    files = FakeToolFiles()
    with pytest.raises(ToolError, match="what to write"):
        await call("save_file", files, name="a.md", text=" ")
    assert files.files == {}


@pytest.mark.parametrize(
    ("said", "name", "days_ago"),
    [
        ("What is in plan.txt?", "plan.txt", -1),
        ("what's in my Plan.TXT", "Plan.TXT", -1),
        ("Show me plan.txt, please!", "plan.txt", -1),
        ("could you read me sent/plan.txt", "sent/plan.txt", -1),
        ("open `my plan (2).txt`", "my plan (2).txt", -1),
        ("read me my plan B (2).txt", "plan B (2).txt", -1),
        ('open "it\'s 5.txt"', "it's 5.txt", -1),
        ("Read me the list I sent", "list", -1),
        ("what did the picture I sent yesterday show?", "picture", 1),
        ("What was in the PDF that I sent you?", "PDF", -1),
        ("¿Qué hay en plan.txt?", "plan.txt", -1),
        ("Muéstrame año.md, por favor", "año.md", -1),
        ("léeme la lista que te envié hoy", "lista", 0),
        ("¿Qué se ve en la foto que te mandé ayer?", "foto", 1),
        ("计划.txt里写了什么？", "计划.txt", -1),
        ("请给我看看计划.txt", "计划.txt", -1),
        ("读一下我发给你的清单", "清单", -1),
        ("我昨天发给你的图片里有什么？", "图片", 1),
    ],
)
def test_a_file_is_asked_for_by_its_name_or_as_what_was_sent(
    said: str, name: str, days_ago: int
) -> None:
    heard = TOOLS["read_file"].hears
    assert heard is not None
    found = heard(said)
    assert found is not None
    assert (found["name"], found.get("days_ago", -1), found["question"]) == (name, days_ago, said)


@pytest.mark.parametrize(
    "said",
    [
        *("What is in my garden?", "show me my plants", "read me the message I sent", "Open up"),
        "read me a long story about plan.txt",
        *("What is on today?", "I sent you a plan.", "plan.txt", "¿Qué hay en mi jardín?"),
        *(
            "léeme el mensaje que te envié",
            "看看天气",
            "我昨天发的消息说了什么",
            "给我看看我的植物",
        ),
    ],
)
async def test_what_is_about_no_file_is_left_to_others(said: str) -> None:
    heard = TOOLS["read_file"].hears
    assert heard is not None
    found = heard(said)
    assert found is None or found["if_any"] is True
    if found is not None:  # it is asked only whether a file is called so: none is
        files = FakeToolFiles({"sent/bed.png": b"x", "sent/计划.txt": b"y"})
        with pytest.raises(ToolError) as nothing:
            await call("read_file", files, **found)
        assert (str(nothing.value), nothing.value.absent) == ("", True)


async def test_a_picture_is_looked_at_for_the_question_that_is_asked() -> None:
    files = FakeToolFiles({"sent/bed.png": b"x" * 9, "sent/old.jpg": b"x"})
    for name in ("bed.png", "bed"):
        told = await call("read_file", files, name=name, question="Is it red?")
        assert told.endswith("9 bytes. Is it red?")
        assert "bed" in told.splitlines()[0]


@pytest.mark.parametrize("name", ["picture", "Foto", "照片"])
async def test_the_newest_of_a_kind_is_meant_by_its_kind(name: str) -> None:
    files = FakeToolFiles(
        {"sent/one.png": b"1", "sent/two.jpg": b"22", "sent/list.txt": b"tea", "sent/a.pdf": b""}
    )
    assert "`sent/two.jpg`" in await call("read_file", files, name=name)
    assert "`sent/two.jpg`" in await call("read_file", files, name=name, days_ago=0)
    with pytest.raises(ToolError, match=r"came that day; there are `sent/two\.jpg`"):
        await call("read_file", files, name=name, days_ago=1)
    with pytest.raises(ToolError, match="There is no recording"):
        await call("read_file", files, name="recording")


async def test_part_of_a_name_is_enough_where_it_is_the_only_one() -> None:
    files = FakeToolFiles(
        {"sent/Shopping list.txt": b"tea", "made/plan.md": b"a", "sent/plan B.md": b"b"}
    )
    assert "tea" in await call("read_file", files, name="list")
    assert (await call("read_file", files, name="PLAN")).startswith("`made/plan.md`")
    with pytest.raises(ToolError, match="Several files are like pla"):
        await call("read_file", files, name="pla")
    with pytest.raises(ToolError, match=r"no file list; there are `sent/Shopping list\.txt`"):
        await call("remove_file", files, name="list")
    assert len(files.files) == 3


async def test_what_was_sent_is_found_by_what_it_is_where_it_is_the_only_text() -> None:
    sent = {"sent/herbs.txt": b"sage", "sent/bed.png": b"x", "made/week.md": b"run"}
    assert "sage" in await call("read_file", FakeToolFiles(sent), name="list")
    with pytest.raises(ToolError, match=r"no file list\.txt; there are `made/week\.md`, `sent/bed"):
        await call("read_file", FakeToolFiles(sent), name="list.txt")
    two = FakeToolFiles(sent | {"sent/more.txt": b"thyme"})
    with pytest.raises(ToolError, match=r"no file list; there are `sent/more.txt`"):
        await call("read_file", two, name="list")


@pytest.mark.parametrize(
    ("said", "name"),
    [
        *(("Send me plan.txt", "plan.txt"), ("could you send me my Plan.txt again?", "Plan.txt")),
        *(("Can I have plan.txt?", "plan.txt"), ("send me the photo I sent you", "photo")),
        *(("Envíame plan.txt", "plan.txt"), ("mándame otra vez la foto que te mandé", "foto")),
        *(("把计划.txt发给我", "计划.txt"), ("请发给我计划.txt", "计划.txt")),
        *(("把我昨天发的照片再发给我", "照片"), ("pásame el archivo plan.txt", "plan.txt")),
    ],
)
async def test_a_file_is_sent_when_it_is_asked_for(said: str, name: str) -> None:
    heard = TOOLS["send_file"].hears
    assert heard is not None
    found = heard(said)
    assert found is not None
    assert found["name"] == name
    files = FakeToolFiles({"sent/plan.txt": b"x", "sent/计划.txt": b"y", "sent/a.jpg": b"z"})
    given = {key: value for key, value in found.items() if key != "days_ago"}
    told = await call("send_file", files, **given)
    assert files.sent[0] in told


KEPT = {
    "sent/plan.txt": b"dig",
    "sent/manual.pdf": b"turn it on",
    "sent/bed.png": b"x",
    "sent/rose.png": b"y",
    "made/week.md": b"run",
    "made/semana.md": b"correr",
    "sent/计划.md": b"z",
}


async def done(said: str, files: FakeToolFiles) -> tuple[str, str]:
    """The first tool that words are for, and what it tells; nothing where there is none."""
    for name, tool in TOOLS.items():
        if tool.hears and (given := tool.hears(said)) is not None:
            try:
                return name, await call(name, files, **given)
            except ToolError as error:
                return name, "" if error.absent and not str(error) else f"? {error}"
    return "", ""


@pytest.mark.parametrize(
    ("said", "tool", "file"),
    [
        ("¿qué ponía en plan.txt?", "read_file", "plan.txt"),
        ("Can you show me what plan.txt says?", "read_file", "plan.txt"),
        ("qué ponía en el plan", "read_file", "sent/plan.txt"),
        ("What is in the plan?", "read_file", "sent/plan.txt"),
        ("what did the manual say?", "read_file", "sent/manual.pdf"),
        ("计划里写了什么？", "read_file", "sent/计划.md"),
        ("给我plan.txt", "send_file", "sent/plan.txt"),
        ("plan.txt给我", "send_file", "sent/plan.txt"),
        ("把我发的计划给我", "send_file", "sent/计划.md"),
        ("把计划发给我", "send_file", "sent/计划.md"),
        ("send me the manual", "send_file", "sent/manual.pdf"),
        ("mándame el manual", "send_file", "sent/manual.pdf"),
        ("send me the PDF", "send_file", "sent/manual.pdf"),
        ("Could you send me the picture, please?", "send_file", "sent/rose.png"),
        ("give me back the picture of my bed", "send_file", "sent/bed.png"),
        ("envíame la foto de bed", "send_file", "sent/bed.png"),
        ("send me week.md and semana.md", "send_file", "made/week.md made/semana.md"),
        ("mándame week.md y semana.md", "send_file", "made/week.md made/semana.md"),
        ("把week.md和semana.md发给我", "send_file", "made/week.md made/semana.md"),
    ],
)
async def test_a_kept_file_is_meant_by_its_name_or_with_its_article(
    said: str, tool: str, file: str
) -> None:
    files = FakeToolFiles(KEPT)
    called, told = await done(said, files)
    assert called == tool
    assert all(f"`{name}`" in told for name in file.split())
    assert " ".join(files.sent) == (file if tool == "send_file" else "")


@pytest.mark.parametrize(
    "said",
    [
        *("send me a reminder", "what is in the bed?", "what is in the soil?", "send me the bill"),
        *("I sent you the plan", "the plan is on the table", "give me the forecast", "send help"),
        *("delete everything", "delete the reminder at 10.30", "remove the plan", "save the plan"),
        *("save this: it is 5.30", "give me 2.5 kg", "what did the doctor say?"),
        *("mándame un recordatorio", "qué hay en la cama", "dame el pronóstico", "borra todo"),
        *("te mandé el plan", "qué dijo el médico", "borra el plan", "guarda esto: 5.30"),
        *("发给我一个提醒", "床里有什么", "删除所有提醒", "把账单发给我", "我发了计划"),
    ],
)
async def test_what_may_be_about_anything_is_for_no_file(said: str) -> None:
    files = FakeToolFiles(KEPT)
    assert (await done(said, files))[1] == ""
    assert (files.files, files.sent) == (KEPT, [])


@pytest.mark.parametrize(
    ("said", "file"),
    [
        *(("delete the manual.pdf file", "manual.pdf"), ("Remove the file plan.txt", "plan.txt")),
        *(("elimina el archivo week.md", "week.md"), ("borra plan.txt", "plan.txt")),
        *(("删除计划.md", "计划.md"), ("把plan.txt删掉", "plan.txt")),
        *(("delete the plan I sent", "plan.txt"), ("borra el pdf que te mandé", "manual.pdf")),
        ("删除我发的计划", "计划.md"),
    ],
)
async def test_a_file_is_removed_in_own_words(said: str, file: str) -> None:
    gone = next(name for name in KEPT if name.endswith(file))
    files = FakeToolFiles(KEPT)
    heard = TOOLS["remove_file"].hears
    assert heard is not None
    given = heard(said)
    assert given is not None
    if "." in str(given["name"]):  # the real ones know bare names, too
        files = FakeToolFiles({name.partition("/")[2]: data for name, data in KEPT.items()})
        gone = file
    await call("remove_file", files, **given)
    assert gone not in files.files
    assert len(files.files) == len(KEPT) - 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("delete the picture I sent", "Several files are like picture"),
        ("borra la foto que te mandé", "Several files are like foto"),
        ("删除我发的照片", "Several files are like 照片"),
        ("delete the list I sent", "There is no file list"),
        ("delete the sem I sent", "There is no file sem"),
    ],
)
async def test_what_is_not_certain_is_not_removed(said: str, told: str) -> None:
    files = FakeToolFiles(KEPT)
    assert told in (await done(said, files))[1]
    assert files.files == KEPT


@pytest.mark.parametrize(
    ("said", "name", "text"),
    [
        ("Save this as todo.txt: buy Soil", "todo.txt", "buy Soil"),
        ("save this as todo.txt:\nbuy soil\nand more", "todo.txt", "buy soil\nand more"),
        ("Guarda esto como ideas.txt: comprar macetas", "ideas.txt", "comprar macetas"),
        ("Save a file called notes: hello world", "notes", "hello world"),
        ("Guarda un archivo llamado Notas: hola", "Notas", "hola"),
        ("保存文件 周.md：星期一浇水", "周.md", "星期一浇水"),
        ("把这个保存为周.md：浇水", "周.md", "浇水"),
    ],
)
def test_a_text_is_saved_under_the_name_that_is_said(said: str, name: str, text: str) -> None:
    heard = TOOLS["save_file"].hears
    assert heard is not None
    assert heard(said) == {"name": name, "text": text}
