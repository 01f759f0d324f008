"""Pictures and text files in a real browser: by button, dragged and pasted, shown, taken back."""

from __future__ import annotations

import asyncio
import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from cloche.ids import actor_id
from cloche.messages import Address, Message, Reply, ReplyFile
from cloche_channels.web.wording import page_texts

GIVE = """([content, name, type, how]) => {
  const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name, { type }));
  if (how === "paste") {
    const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true });
    document.getElementById("words").dispatchEvent(event);
    return;
  }
  for (const kind of how === "drag" ? ["dragover"] : ["dragover", "drop"]) {
    document.body.dispatchEvent(
      new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }),
    );
  }
}"""


def picture(kind: str = "PNG") -> bytes:
    written = io.BytesIO()
    Image.linear_gradient("L").convert("RGB").save(written, kind)
    return written.getvalue()


async def give(window: Any, how: str, content: bytes, name: str, kind: str = "image/png") -> None:
    if how == "button":
        file = {"name": name, "mimeType": kind, "buffer": content}
        await window.tab.locator("#pick").set_input_files(files=[file])
    else:
        encoded = base64.b64encode(content).decode()
        await window.tab.evaluate(GIVE, [encoded, name, kind, how])


@pytest.mark.parametrize("how", ["button", "drop", "paste"])
async def test_a_picture_is_previewed_sent_and_shown(page: Any, open_window: Any, how: str) -> None:
    go_on = asyncio.Event()
    page.scribe.answers["What is it?"] = [go_on, "A bed."]
    window = await open_window()
    await give(window, how, picture(), "bed.png")
    preview = window.tab.locator("#files img")
    await preview.wait_for()
    assert await preview.get_attribute("alt") == "bed.png"
    assert await preview.evaluate("(node) => node.decode().then(() => node.naturalWidth)") == 256
    await window.picture(f"preview-{how}")
    await window.say("What is it?")
    shown = window.tab.locator(".own img.picture")
    assert await shown.evaluate("(node) => node.decode().then(() => node.naturalWidth)") == 256
    assert await window.tab.locator("#files").is_hidden()
    await window.tab.reload()  # now the bytes come from the server
    assert await shown.evaluate("(node) => node.decode().then(() => node.naturalWidth)") == 256
    go_on.set()
    await window.answer("A bed.")
    assert len(page.scribe.prompts[0].images) == 1
    await window.picture(f"picture-{how}")


async def test_where_a_file_may_be_dropped_is_shown(open_window: Any) -> None:
    window = await open_window()
    await give(window, "drag", picture(), "bed.png")
    await window.tab.locator("#drop").wait_for()
    await window.picture("drop")
    await give(window, "drop", picture(), "bed.png")
    await window.tab.locator("#files img").wait_for()
    assert await window.tab.locator("#drop").is_hidden()


async def test_a_file_can_be_taken_back_and_sent_without_words(page: Any, open_window: Any) -> None:
    window = await open_window()
    await give(window, "button", picture(), "one.png")
    await give(window, "button", b"notes about tea", "notes.txt", "text/plain")
    await window.tab.locator("#files .named", has_text="notes.txt").wait_for()
    await window.tab.get_by_role("button", name="Remove notes.txt").click()
    assert await window.tab.locator("#files li").count() == 1
    assert await window.runs("document.activeElement.id") == "words"
    await window.tab.locator("#send").click()
    await window.answer("Noted")
    assert len(page.scribe.prompts[0].images) == 1


@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_what_cannot_be_used_is_said_by_name(open_window: Any, language: str) -> None:
    window = await open_window(expected="422", locale=language)
    await give(window, "drop", b" \n", "plan.txt", "text/plain")
    sentence = page_texts(language)["error_file_empty"].format(name="plan.txt")
    await window.tab.locator("#trouble", has_text=sentence).wait_for()
    await window.runs("document.querySelector('#trouble').textContent = ''")
    await give(window, "button", b"\0" * 20_000_001, "film.png")
    sentence = page_texts(language)["error_file_large"].format(name="film.png", limit=20)
    await window.tab.locator("#trouble", has_text=sentence).wait_for()
    assert await window.tab.locator("#files").is_hidden()


async def test_every_file_that_cannot_be_used_is_named(page: Any, open_window: Any) -> None:
    window = await open_window(expected="4")
    files = [
        {"name": "bed.png", "mimeType": "image/png", "buffer": picture()},
        {"name": "blank.txt", "mimeType": "text/plain", "buffer": b" "},
        {"name": "none.txt", "mimeType": "text/plain", "buffer": b""},
        {"name": "list.txt", "mimeType": "text/plain", "buffer": b"tea, milk"},
    ]
    await window.tab.locator("#pick").set_input_files(files=files)
    await window.tab.locator("#files .named", has_text="list.txt").wait_for()
    told = await window.tab.locator("#trouble").inner_text()
    assert "blank.txt" in told
    assert "none.txt" in told
    await window.say("What is it?")
    await window.answer("Noted: What is it?")
    assert len(page.scribe.prompts[0].images) == 1
    assert "| tea, milk" in page.scribe.prompts[0].turn


async def test_a_file_that_names_itself_as_markup_is_a_name(page: Any, open_window: Any) -> None:
    window = await open_window()
    name = "<img src=x onerror=window.hacked=1>.txt"
    await give(window, "drop", b"notes", name, "text/plain")
    await window.tab.locator("#files .named", has_text=name).wait_for()
    await window.say("Look.")
    await window.tab.locator(".own .file", has_text=name).wait_for()
    assert await window.runs("window.hacked") is None


async def test_after_a_reload_files_keep_their_names_and_refusals_their_sentence(
    page: Any, open_window: Any
) -> None:
    window = await open_window()
    await give(window, "button", picture(), "bed.png")
    await give(window, "button", picture(), "leaf.png")
    await window.tab.locator("#files img").nth(1).wait_for()
    await window.say("What are these?")
    await window.tab.locator(".own .pictures img.picture").nth(1).wait_for()
    await window.tab.locator(".theirs[data-state=done]").wait_for()
    await window.tab.wait_for_timeout(300)
    await window.tab.reload()
    await window.tab.locator(".own .file", has_text="bed.png").wait_for()
    assert await window.tab.locator(".own .file").count() == 2


async def test_a_draft_survives_a_reload_and_is_gone_once_sent(page: Any, open_window: Any) -> None:
    window = await open_window()
    words = window.tab.locator("#words")
    await words.press_sequentially("half a tho")
    await window.tab.reload()
    await window.tab.locator("#chat").wait_for()
    assert await words.input_value() == "half a tho"
    await words.press("Enter")
    await window.tab.locator(".own", has_text="half a tho").wait_for()
    await window.tab.reload()
    await window.tab.locator(".own", has_text="half a tho").wait_for()
    assert await words.input_value() == ""


async def test_a_growing_field_keeps_the_newest_message_in_sight(
    page: Any, open_window: Any
) -> None:
    page.scribe.answers["Tell."] = ["\n\n".join(f"Line {n}" for n in range(60))]
    window = await open_window()
    await window.say("Tell.")
    await window.answer("Line 59")
    words = window.tab.locator("#words")
    for line in range(8):
        await words.press_sequentially(f"line {line}")
        await words.press("Shift+Enter")
    await window.tab.wait_for_timeout(200)
    left = "(node) => node.scrollHeight - node.scrollTop - node.clientHeight"
    assert await window.tab.locator("#scroll").evaluate(left) < 2


async def test_an_empty_file_is_called_empty(open_window: Any) -> None:
    window = await open_window(expected="422")
    await give(window, "button", b"", "list.txt", "text/plain")
    await window.tab.locator("#trouble", has_text="list.txt is empty.").wait_for()


@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_a_file_that_goes_with_an_answer_is_saved_from_the_page(
    page: Any, open_window: Any, tmp_path: Path, language: str
) -> None:
    window = await open_window(expected="404", locale=language)
    await window.say("Hello")
    await window.answer("Noted: Hello")
    owner, name = actor_id(Address("web", "ana")), "计划 (2).txt"
    await page.assistant.memory.files.write(owner, f"made/{name}", b"two lutes")
    (conversation,) = page.channel._talks
    told = Message("told-1", Address("web", "ana"), conversation, "")
    file = ReplyFile(owner, f"made/{name}", name, 9, "not here")
    await page.delivery.tell(told, Reply("Here it is.", files=(file,)))
    offered = window.tab.locator(".given button", has_text=name)
    await offered.wait_for()
    title = page_texts(language)["save_file"].format(name=name)
    assert await offered.get_attribute("title") == title
    async with window.tab.expect_download() as downloading:
        await offered.click()
    download = await downloading.value
    assert download.suggested_filename == name
    await download.save_as(tmp_path / "saved")
    assert (tmp_path / "saved").read_bytes() == b"two lutes"
    await page.assistant.memory.files.delete(owner, f"made/{name}")
    await offered.click()
    sentence = page_texts(language)["error_kept"]
    await window.tab.locator("#trouble", has_text=sentence).wait_for()
    await window.picture(f"given-{language}")
