"""The text of PDFs, and what somebody may send in their place."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from asyncio.subprocess import Process
from pathlib import Path

import pytest

from cloche.attachments.pdf.reading import PdfError, PdfReading, is_pdf
from cloche.testing.pdfs import heavy_pdf, locked_pdf, pdf_of, swelling_pdf

LASTING = heavy_pdf(100_000, pages=400)
"""Takes minutes."""
LONG = {"seconds": 40.0, "start_seconds": 40.0}
"""What a reader may take where not that is tried: a busy machine is slow to start it."""


async def cause_of(data: bytes, **seconds: float) -> str:
    with pytest.raises(PdfError) as refused:
        await PdfReading(**(LONG | seconds)).text(data)
    return refused.value.cause


async def test_every_page_is_read_in_any_language() -> None:
    pages = ("Two lutes by May.\nOf maple.", "Dos laúdes en mayo.", "", "五月做两把鲁特琴。")
    read = await PdfReading(**LONG).text(pdf_of(*pages))
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
    assert await cause_of(small, seconds=8, start_seconds=7) in ("wordless", "slow", "broken")
    assert time.monotonic() - started < 60


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a program to its memory")
async def test_a_page_that_takes_too_much_memory_is_too_much_and_not_without_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With less of it than there is, so that it is used up soon."""
    little = (
        "from cloche.attachments.pdf import child; child.MEMORY_BYTES = 200_000_000; child.main()"
    )
    (tmp_path / "reader").write_text(
        f'#!/bin/sh\nshift 3; exec "{sys.executable}" -c "{little}" "$@"\n'
    )
    (tmp_path / "reader").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "reader"))
    assert await cause_of(heavy_pdf(3_000_000), seconds=60) == "slow"


async def test_what_takes_too_long_is_given_up() -> None:
    started = time.monotonic()
    assert await cause_of(pdf_of("Words."), seconds=0.0, start_seconds=0.001) == "slow"
    assert time.monotonic() - started < 5
    assert await cause_of(pdf_of("Words."), seconds=-1.0, start_seconds=20) == "slow"


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> asyncio.Queue[tuple[Process, set[str]]]:
    """The programs that read, as they begin, with the names of what is around them."""
    programs: asyncio.Queue[tuple[Process, set[str]]] = asyncio.Queue()
    real = asyncio.create_subprocess_exec

    async def begin(
        *command: str, stdin: int, stdout: int, stderr: int, **around: object
    ) -> Process:
        env = around["env"]
        assert isinstance(env, dict)
        process = await real(*command, stdin=stdin, stdout=stdout, stderr=stderr, env=env)
        programs.put_nowait((process, set(env)))
        return process

    monkeypatch.setattr("cloche.attachments.pdf.reading.asyncio.create_subprocess_exec", begin)
    return programs


async def test_who_reads_knows_no_secret(
    begun: asyncio.Queue[tuple[Process, set[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a file makes its reader do, there is nothing in its environment to take."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    await PdfReading(**LONG).text(pdf_of("Words."))
    assert "ANTHROPIC_API_KEY" in os.environ
    assert "ANTHROPIC_API_KEY" not in begun.get_nowait()[1]


async def test_who_reads_ends_when_nobody_waits_any_more(
    begun: asyncio.Queue[tuple[Process, set[str]]],
) -> None:
    """Else a few such files would hold all there is to read with."""
    reading = PdfReading()
    waiting = [asyncio.create_task(reading.text(LASTING)) for _ in range(3)]
    programs = [(await begun.get())[0] for _ in range(2)]
    assert begun.empty()
    for one in waiting:
        one.cancel()
    await asyncio.wait(waiting, timeout=60)
    assert all(one.cancelled() for one in waiting)
    assert all(program.returncode is not None for program in programs)
    assert begun.empty()
    assert (await reading.text(pdf_of("Words."))).pages == 1


def test_a_file_is_read_on_a_loop_that_is_not_the_main_threads() -> None:
    read: list[int] = []

    def run() -> None:
        read.append(asyncio.run(PdfReading(**LONG).text(pdf_of("Words."))).pages)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(timeout=60)
    assert read == [1]


def test_who_reads_ends_with_its_host() -> None:
    data = LASTING
    command = [sys.executable, "-P", "-m", "cloche.attachments.pdf.child", "60", str(len(data))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin
        assert program.stdout
        program.stdin.write(data)
        program.stdin.flush()
        assert json.loads(program.stdout.readline()) == {"pages": 400}  # it reads on, for a minute
        program.stdin.close()
        try:
            assert program.wait(timeout=60) == 1
        finally:
            program.kill()


def test_a_pdf_is_known_by_its_beginning() -> None:
    assert is_pdf(pdf_of("x"))
    assert is_pdf(b"\n \n%PDF-1.4")
    assert not is_pdf(b"a text on %PDF-1.4")
