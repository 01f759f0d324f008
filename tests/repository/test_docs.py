"""The examples in README, CONTRIBUTING and docs/ are run, and show what really happens.

In a ``console`` block a line that begins with ``$ `` is run by bash; the lines below it must be in
its output in this order, ``...`` standing for anything. It must end well (write ``|| true`` where
it must not). ``bash`` blocks are run as scripts, ``python`` blocks as programs. The blocks of one
page share an empty folder and one ``CLOCHE_HOME``, in the page's order. Everything else (``text``,
``sh``, ``toml``, ...) is only shown.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "plugins").glob("*/README.md")),
]
RUN = ("console", "bash", "python")
FENCE = re.compile(
    r"^(?P<fence>```+)(?P<kind>[a-z]*)[^\n]*\n(?P<body>.*?)^(?P=fence)\s*$", re.M | re.S
)
ASSISTANTS = {path.parent.name for path in (ROOT / "plugins").glob("*/pyproject.toml")}


@dataclass(frozen=True)
class Example:
    """A piece of a page that is run: a command with what it shows, or a program."""

    line: int
    command: tuple[str, ...]
    shown: tuple[str, ...] = ()


def examples(page: str) -> Iterator[Example]:
    """The examples of a page, in its order."""
    for block in FENCE.finditer(page):
        line = page.count("\n", 0, block.start("body")) + 1
        if block["kind"] == "python":
            yield Example(line, (sys.executable, "-c", block["body"]))
        elif block["kind"] == "bash":
            yield Example(line, ("bash", "-euo", "pipefail", "-c", block["body"]))
        elif block["kind"] == "console":
            yield from commands(block["body"], line)


def commands(body: str, line: int) -> Iterator[Example]:
    """The commands of a ``console`` block; a line that ends in a backslash goes on."""
    parts = re.split(r"^\$ ", body, flags=re.MULTILINE)
    line += parts[0].count("\n")
    for part in parts[1:]:
        command = re.match(r"(?:.*\\\n)*.*", part)
        assert command
        shown = part[command.end() :].split("\n")
        yield Example(
            line,
            ("bash", "-o", "pipefail", "-c", command[0]),
            tuple(text.rstrip() for text in shown if text.strip()),
        )
        line += part.count("\n")


def missing(shown: tuple[str, ...], output: str) -> str:
    """The first line of ``shown`` that ``output`` lacks, "" when all are there in order.

    ``...`` allows for any lines in between; without it the lines must follow each other.
    """
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    at, anywhere = 0, False
    for want in shown:
        if want == "...":
            anywhere = True
            continue
        pattern = re.compile(".*".join(map(re.escape, want.split("..."))))
        rest = range(at, len(lines) if anywhere else min(at + 1, len(lines)))
        found = next((index for index in rest if pattern.fullmatch(lines[index])), None)
        if found is None:
            return want
        at, anywhere = found + 1, False
    return ""


@pytest.mark.timeout(400)  # a page has a dozen commands, and some install a package
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_examples_of_a_page_do_what_it_shows(page: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    wanted = list(examples(text))
    for name in sorted(
        ASSISTANTS - {found.name for found in entry_points(group="cloche.assistants")}
    ):
        if any(name in " ".join(example.command) for example in wanted):
            pytest.skip(f"the assistant {name} is not installed")
    for example in wanted:
        result = subprocess.run(
            example.command,
            check=False,
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=tmp_path,
            env=environment(tmp_path),
            stdin=subprocess.DEVNULL,
        )
        output = result.stdout + result.stderr
        where = f"{page.name}:{example.line}: {example.command[-1]}\n{output}"
        assert result.returncode == 0, f"{where}\nended with {result.returncode}"
        assert not (line := missing(example.shown, output)), f"{where}\nlacks: {line}"


def environment(folder: Path) -> dict[str, str]:
    """Nothing of the person who runs the tests but where programs are."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {
        "PATH": path,
        "HOME": str(folder),
        "CLOCHE_HOME": str(folder / "cloche-home"),
        # Each command loads anew what it looks for memories with: on a busy machine slowly.
        "CLOCHE_MEMORY__RECALL_SECONDS": "30",
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TZ": "Europe/Oslo",
    }


PAGE = """
# A page

```text
$ never run
```

```console
$ echo one; echo two
one
...
$ printf 'a b c\\n' \\
    | cat
a ... c
```

```python
print("π")
```
"""


def test_the_examples_of_a_page_are_found() -> None:
    found = list(examples(PAGE))
    assert [(each.line, each.command[0], each.shown) for each in found] == [
        (9, "bash", ("one", "...")),
        (12, "bash", ("a ... c",)),
        (18, sys.executable, ()),
    ]
    assert found[1].command[-1] == "printf 'a b c\\n' \\\n    | cat"


@pytest.mark.parametrize(
    ("shown", "lacks"),
    [
        (("one", "two"), ""),
        (("one",), ""),
        (("...", "three"), ""),
        (("o...e", "..."), ""),
        (("two",), "two"),
        (("one", "three"), "three"),
        (("...", "two", "one"), "one"),
        (("...", "four"), "four"),
        (("on",), "on"),
    ],
)
def test_what_a_page_shows_is_compared_line_by_line(shown: tuple[str, ...], lacks: str) -> None:
    assert missing(shown, "one\n\ntwo  \nthree\n") == lacks


def test_no_page_has_an_unknown_block_that_looks_like_an_example() -> None:
    for page in PAGES:
        for block in FENCE.finditer(page.read_text("utf-8")):
            unmarked = block["kind"] not in (*RUN, "text") and "\n$ " in "\n" + block["body"]
            assert not unmarked, f"{page.name}: mark the block console or text"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_the_readme_leads_to_every_page(page: Path) -> None:
    assert f"(docs/{page.name})" in (ROOT / "README.md").read_text("utf-8")
