"""The text of PDFs, and what somebody may send in their place."""

from __future__ import annotations

import os
import time

import pytest

from cloche.attachments.pdf.reading import PdfError, PdfReading, is_pdf
from cloche.testing.pdfs import locked_pdf, pdf_of, swelling_pdf


async def cause_of(data: bytes, **seconds: float) -> str:
    with pytest.raises(PdfError) as refused:
        await PdfReading(**seconds).text(data)
    return refused.value.cause


async def test_every_page_is_read_in_any_language() -> None:
    pages = ("Two lutes by May.\nOf maple.", "Dos laúdes en mayo.", "", "五月做两把鲁特琴。")
    read = await PdfReading().text(pdf_of(*pages))
    assert read.pages == 4
    assert [text.strip() for text in read.texts] == list(pages)


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"%PDF-1.7", "broken"),
        (b"%PDF-1.7\n1 0 obj\nendobj\n", "broken"),
        (pdf_of("Words.")[:300], "broken"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 400, "broken"),
        (locked_pdf(), "locked"),
        (pdf_of("", ""), "wordless"),
        (pdf_of(), "broken"),
    ],
)
async def test_what_cannot_be_read_says_why(data: bytes, cause: str) -> None:
    assert await cause_of(data) == cause


async def test_a_page_that_swells_is_not_unpacked_without_end() -> None:
    small = swelling_pdf(300_000_000)
    assert len(small) < 400_000
    started = time.monotonic()
    assert await cause_of(small) in ("wordless", "slow", "broken")
    assert time.monotonic() - started < 20


async def test_what_takes_too_long_is_given_up() -> None:
    started = time.monotonic()
    assert await cause_of(pdf_of("Words."), seconds=0.0, start_seconds=0.001) == "slow"
    assert time.monotonic() - started < 5
    assert await cause_of(pdf_of("Words."), seconds=-1.0, start_seconds=20) == "slow"


async def test_who_reads_knows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a file makes its reader do, there is nothing in its environment to take."""
    seen: list[set[str]] = []
    real = __import__("subprocess").run

    def run(command: list[str], **options: object) -> object:
        env = options["env"]
        assert isinstance(env, dict)
        seen.append(set(env))
        return real(command, **options)

    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setattr("cloche.attachments.pdf.reading.subprocess.run", run)
    await PdfReading().text(pdf_of("Words."))
    assert "ANTHROPIC_API_KEY" in os.environ
    assert "ANTHROPIC_API_KEY" not in seen[0]


def test_a_pdf_is_known_by_its_beginning() -> None:
    assert is_pdf(pdf_of("x"))
    assert is_pdf(b"\n \n%PDF-1.4")
    assert not is_pdf(b"a text on %PDF-1.4")
