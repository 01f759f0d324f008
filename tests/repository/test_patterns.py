"""No pattern takes time that grows faster than the text: one long message would hold up a host.

Each compiled pattern of each module, and each that is written where it is used, reads texts that
are made from the pattern itself: what it repeats, over and over, with an end that it does not
expect. What counts is by how much more time a text of sixteen times the length takes.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import pkgutil
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

_sre: Any = importlib.import_module("re._constants")
_parser: Any = importlib.import_module("re._parser")

PACKAGES = ("cloche", "cloche_channels", "cloche_deploy", "cloche_manifests")
ASSISTANTS = ("cloche_gardening", "cloche_fitness")
MANY = 20
"""More repeats than that may be without end."""
LONGEST_PUMP = 40
PUMPS = 60
CHARS = 4_000
FEW = range(8, 45, 4)
"""So many of a pump take no time, but of a pattern that tries every way to part them."""
FOREVER = 0.2
QUICK = 0.2e-6
"""Seconds a character that no pattern is looked at more closely for."""
ENDS = ("\x00", "")
GROWTH = 16
LIMIT = 64.0
"""Times the time for ``GROWTH`` times the text: 16 where it is linear, 256 where it is
quadratic. Both are four times away, and the least of several measurements counts."""
READS = frozenset(("search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split"))
SAMPLES = "a1 \n.,;:'\"-_(<[{*`/@=!?#|é我。"

Read = Callable[[str], object]


class Pumps:
    """Short texts that a pattern may take over and over again."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.found: dict[str, None] = {}
        nodes = _parser.parse(pattern.pattern, pattern.flags)
        if _endless(nodes):
            self.found |= dict.fromkeys(("a", " ", "1", "\n", "我"))
            self._sequence(nodes)

    def _sequence(self, of: Any, *, again: bool = False) -> str:
        nodes = _words(of)
        parts = [self._one(op, value) for op, value in nodes]
        fewest = [
            "" if op in _REPEATS and not value[0] else part
            for part, (op, value) in zip(parts, nodes, strict=True)
        ]
        endless = [again or _endless([node]) for node in nodes]
        for start in range(len(parts)):
            for end in range(start + 1, min(len(parts), start + 9) + 1):
                if any(endless[start:end]):
                    self._add("".join(fewest[start:end]))
                    self._add("".join(parts[start:end]))
        return "".join(parts)

    def _one(self, op: Any, value: Any) -> str:
        if op in _REPEATS:
            low, high, body = value
            again = high is _sre.MAXREPEAT or high > MANY
            text = self._sequence(body, again=again)
            for other in self._others(body) if again else ():
                self._add(other)
            return text * (max(low, 1) if low < MANY else low)
        if op is _sre.BRANCH:
            texts = [self._sequence(branch) for branch in value[1]]
            return next(filter(None, texts), "")
        if op in (_sre.ASSERT, _sre.ASSERT_NOT):
            self._sequence(value[1])
            return ""
        if op == "words":
            return str(value)
        for inner in _inside(op, value):
            return self._sequence(inner)
        return next(iter(_characters(op, value)), "")

    def _others(self, of: Any) -> list[str]:
        """What is repeated with another choice at one place."""
        nodes = _words(of)
        parts = [self._one(op, value) for op, value in nodes]
        found = []
        for at, (op, value) in enumerate(nodes):
            inner = _inside(op, value)
            choices = _characters(op, value)
            choices += [text for each in inner for text in self._others(each)]
            if op is _sre.BRANCH:
                choices += [self._sequence(each) for each in inner]
            if len(nodes) == 1:  # a word, and what may stand in it: "a-a-a-"
                choices += [choices[0] + one for one in choices[1:]]
            if op not in (_sre.ASSERT, _sre.ASSERT_NOT):
                found += ["".join([*parts[:at], one, *parts[at + 1 :]]) for one in choices]
        return found

    def _add(self, text: str) -> None:
        if 0 < len(text) <= LONGEST_PUMP and len(self.found) < PUMPS:
            # Latin words need a space between them.
            words = len(text) > 1 and text.isascii() and text[0].isalnum() and text[-1].isalnum()
            self.found[text + " " * words] = None


_REPEATS = (_sre.MAX_REPEAT, _sre.MIN_REPEAT, _sre.POSSESSIVE_REPEAT)


def _words(nodes: Any) -> list[tuple[Any, Any]]:
    """The same nodes, with letters that follow each other as one."""
    found: list[tuple[Any, Any]] = []
    for op, value in nodes:
        if op is not _sre.LITERAL:
            found.append((op, value))
        elif found and found[-1][0] == "words":
            found[-1] = ("words", found[-1][1] + chr(value))
        else:
            found.append(("words", chr(value)))
    return found


def _inside(op: Any, value: Any) -> list[Any]:
    if op is _sre.SUBPATTERN:
        return [value[3]]
    if op is _sre.ATOMIC_GROUP:
        return [value]
    if op is _sre.BRANCH:
        return list(value[1])
    if op in (_sre.ASSERT, _sre.ASSERT_NOT):
        return [value[1]]
    return [value[2]] if op in _REPEATS else []


def _endless(nodes: Any) -> bool:
    return any(
        (op in _REPEATS and (value[1] is _sre.MAXREPEAT or value[1] > MANY))
        or any(_endless(inner) for inner in _inside(op, value))
        for op, value in nodes
    )


def _characters(op: Any, value: Any) -> list[str]:
    """Characters that a single place takes."""
    if op not in (_sre.NOT_LITERAL, _sre.ANY, _sre.IN):
        return []
    if op is _sre.IN and value[0][0] is not _sre.NEGATE:
        named = [v if o is _sre.LITERAL else v[0] for o, v in value if o is not _sre.CATEGORY]
        if named:
            return [chr(one) for one in named[:4]]
    one = re.compile(_class_of(op, value), re.DOTALL)
    return [character for character in SAMPLES if one.match(character)][:4]


_CATEGORIES = {
    _sre.CATEGORY_DIGIT: r"\d",
    _sre.CATEGORY_NOT_DIGIT: r"\D",
    _sre.CATEGORY_SPACE: r"\s",
    _sre.CATEGORY_NOT_SPACE: r"\S",
    _sre.CATEGORY_WORD: r"\w",
    _sre.CATEGORY_NOT_WORD: r"\W",
}


def _class_of(op: Any, value: Any) -> str:
    if op is _sre.ANY:
        return "."
    if op is _sre.NOT_LITERAL:
        return f"[^{re.escape(chr(value))}]"
    inner = ""
    for kind, one in value:
        if kind is _sre.LITERAL:
            inner += re.escape(chr(one))
        elif kind is _sre.RANGE:
            inner += "-".join(re.escape(chr(end)) for end in one)
        elif kind is _sre.CATEGORY:
            inner += _CATEGORIES[one]
    return f"[{'^' if value[0][0] is _sre.NEGATE else ''}{inner}]"


def _modules() -> list[ModuleType]:
    found = []
    for name in (*PACKAGES, *ASSISTANTS):
        try:
            package = importlib.import_module(name)
        except ImportError:
            assert name in ASSISTANTS, name
            continue
        walked = pkgutil.walk_packages(package.__path__, name + ".")
        names = [one.name for one in walked if not one.name.endswith("__main__")]
        found += [package, *map(importlib.import_module, names)]
        for number, path in enumerate(sorted(Path(package.__path__[0]).glob("skills/*/tools.py"))):
            spec = importlib.util.spec_from_file_location(f"{name}_tools_{number}", path)
            assert spec is not None
            found.append(importlib.util.module_from_spec(spec))
            spec.loader.exec_module(found[-1])
    return found


def _patterns_in(value: object, path: str, depth: int = 0) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield path, value
    elif depth < 4:
        if isinstance(value, dict):
            value = [*value, *value.values()]
        elif is_dataclass(value) and not isinstance(value, type):
            for field in fields(value):
                inner = getattr(value, field.name, None)
                yield from _patterns_in(inner, f"{path}.{field.name}", depth + 1)
        if isinstance(value, list | tuple | set | frozenset):
            for one in value:
                yield from _patterns_in(one, path, depth + 1)


class Found:
    """The patterns of all modules, and what they are asked."""

    def __init__(self, modules: list[ModuleType]) -> None:
        self.asked: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.patterns: dict[re.Pattern[str], tuple[str, str]] = {}
        for module in modules:
            for name, value in vars(module).items():
                for path, pattern in _patterns_in(value, name):
                    self.patterns.setdefault(pattern, (module.__name__, path))
            self._read(module.__name__, Path(str(module.__file__)).read_text(encoding="utf-8"))

    def _read(self, module: str, source: str) -> None:
        """What is written in a module: who is asked for what, and patterns where they are used."""
        asked, stands_for = defaultdict(set), defaultdict(set)
        for node in ast.walk(ast.parse(source)):
            match node:
                case ast.Attribute(attr=way) if way in READS:
                    asked[_name(node.value)].add(way)
                case ast.For() | ast.comprehension():
                    meant = {_name(each) for each in ast.walk(node.iter)}
                    for one in ast.walk(node.target):
                        stands_for[_name(one)] |= meant
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=way),
                    args=[ast.Constant(value=str(written)), *_],
                ) if way in READS:
                    line = f"line {node.lineno}"
                    self.patterns.setdefault(re.compile(written), (module, line))
                    self.asked[module, line].add(way)
        for name, ways in list(asked.items()):
            for each in filter(None, (name, *stands_for[name]) if name else ()):
                self.asked[module, each] |= ways
                self.asked["", each] |= ways

    def readers(self, pattern: re.Pattern[str]) -> list[Read]:
        """The ways in which a pattern is asked; where nobody can tell, it is looked for."""
        module, path = self.patterns[pattern]
        name = path.rpartition(".")[2]
        asked = self.asked.get((module, name)) or self.asked.get(("", name)) or READS
        if asked <= {"match", "fullmatch"}:
            return [getattr(pattern, one) for one in sorted(asked)]
        return [lambda text: sum(1 for _ in pattern.finditer(text))]


def _name(node: ast.AST) -> str:
    """What a variable or a field is called: ``_PLACES[0].word`` is asked as ``word``."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else str(getattr(node, "attr", ""))


def _time(read: Read, text: str, times: int) -> float:
    """The least CPU time of some readings, which no other program's load makes longer."""
    taken = []
    for _ in range(times):
        began = time.thread_time()
        read(text)
        taken.append(time.thread_time() - began)
        if taken[-1] > 1:
            break
    return min(taken)


def growth(read: Read, pump: str) -> str:
    """How the time for a text grows too fast; "" where it does not."""
    if any(_time(read, pump * few + ENDS[0], 1) > FOREVER for few in FEW):
        return f"a few {pump!r} before {ENDS[0]!r}: for ever"
    for end in ENDS:
        text = pump * (CHARS // len(pump) + 1) + end
        if _time(read, text, 1) < CHARS * QUICK:
            continue
        short = pump * (CHARS // GROWTH // len(pump) + 1) + end
        for times in (1, 3, 6):
            ratio = _time(read, text, times) / max(_time(read, short, 3 * times), 1e-6)
            ratio *= GROWTH * len(short) / len(text)
            if ratio < LIMIT:
                break
        else:
            return f"{pump!r} again and again before {end!r}: {ratio:.0f} times"
    return ""


@pytest.mark.parametrize(
    "pattern",
    [
        r"\s*,",
        "“[^”]*”",
        r"(?:密钥)(?=\w*\d)[a-z]",
        "not .*but",
        "^(?:no|no no|,| )*$",
        "^(?:(?:por favor|ahora) ?,? ?)*olvida",
    ],
)
def test_a_pattern_that_begins_anew_everywhere_is_told(pattern: str) -> None:
    compiled = re.compile(pattern)
    assert any(growth(compiled.findall, pump) for pump in Pumps(compiled).found)


def test_a_pattern_that_reads_once_is_not_told() -> None:
    compiled = re.compile(r"(?:(?<!\s)\s+)?,|“[^“”]*”")
    assert not any(growth(compiled.findall, pump) for pump in Pumps(compiled).found)


def test_no_pattern_takes_more_than_linear_time() -> None:
    found, slow = Found(_modules()), []
    assert len(found.patterns) > 400
    for pattern, path in found.patterns.items():
        for read in found.readers(pattern):
            told = next(filter(None, (growth(read, pump) for pump in Pumps(pattern).found)), "")
            if told:
                slow.append(f"{'.'.join(path)}: {told}: {pattern.pattern[:90]}")
    assert not slow, "\n".join(slow)
