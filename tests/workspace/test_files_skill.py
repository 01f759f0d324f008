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
