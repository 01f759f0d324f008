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
def test_what_is_about_no_file_is_left_to_others(said: str) -> None:
    heard = TOOLS["read_file"].hears
    assert heard is not None
    assert heard(said) is None


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
    with pytest.raises(ToolError, match="There is no"):
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
    assert await call("remove_file", files, name="list") == "There is no file list."


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
