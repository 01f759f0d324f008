"""Files that go out with answers on the page: offered below them, saved by their person alone."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import aiohttp
import pytest

from cloche.ids import actor_id
from cloche.messages import Address, Message, Reply, ReplyFile

OWNER = actor_id(Address("web", "ana"))
PLAN = b"<script>alert(1)</script>"


async def give(ana: Any, *names: str, text: str = "Here.") -> None:
    """An answer with files, some of which are kept."""
    files = tuple(ReplyFile(OWNER, f"made/{n}", n, len(PLAN), f"No `{n}` here.") for n in names)
    told = Message("told-1", Address("web", "ana"), ana.conversation, "")
    await ana.page.delivery.tell(told, Reply(text, files=files))
    await ana.page.delivery.idle()


async def keep(ana: Any, *names: str) -> None:
    for name in names:
        await ana.page.assistant.memory.files.write(OWNER, f"made/{name}", PLAN)


@pytest.mark.parametrize("name", ["plan.txt", "计划 (2).txt", "it's; a=b&c.html", "bed.svg"])
async def test_a_file_is_offered_and_saved_as_one(ana: Any, name: str) -> None:
    await keep(ana, name)
    await give(ana, name)
    (shown,) = await ana.shown()
    assert shown["given"] == [{"key": f"made/{name}", "name": name}]
    answer = await ana.get(f"/api/kept?key={quote('made/' + name)}")
    assert (answer.status, await answer.read()) == (200, PLAN)
    assert answer.content_type == "text/plain"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Disposition"] == (
        f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    )


async def test_several_are_offered_below_one_answer(ana: Any) -> None:
    await keep(ana, "a.txt", "b.txt")
    await give(ana, "a.txt", "b.txt", "gone.txt")
    (shown,) = await ana.shown()
    assert [one["name"] for one in shown["given"]] == ["a.txt", "b.txt"]


async def test_a_file_without_words_is_an_answer(ana: Any) -> None:
    await keep(ana, "a.txt")
    await give(ana, "a.txt", text="")
    (shown,) = await ana.shown()
    assert (shown["body"], [one["name"] for one in shown["given"]]) == ([], ["a.txt"])


@pytest.mark.parametrize(
    "key",
    [
        *("", "made/none.txt", "../made/a.txt", "made/../a.txt", "/etc/passwd", "made.words/a.txt"),
        *("made%2f..%2f..%2fstate.db", "sent/a.txt"),
    ],
)
async def test_nothing_else_is_given_out(ana: Any, key: str) -> None:
    await keep(ana, "a.txt")
    answer = await ana.get(f"/api/kept?key={quote(key)}")
    assert (answer.status, await answer.json()) == (404, {"error": "kept"})


async def test_what_was_removed_is_not_there_any_more(ana: Any) -> None:
    await keep(ana, "a.txt")
    await give(ana, "a.txt")
    await ana.page.assistant.memory.files.delete(OWNER, "made/a.txt")
    assert (await ana.get("/api/kept?key=made/a.txt")).status == 404


async def test_nobody_without_a_session_gets_a_file(ana: Any) -> None:
    await keep(ana, "a.txt")
    url = f"http://127.0.0.1:{ana.page.port}/api/kept?key=made/a.txt"
    async with aiohttp.ClientSession() as stranger, stranger.get(url) as answer:
        assert answer.status == 401
        assert PLAN not in await answer.read()
