"""What a model is shown, read back into its parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Final

from cloche.language import detect
from cloche.prompt import HOUSE_RULES, LastTime, RecalledLine, last_time, recalled_lines
from cloche.texts import FALLBACK
from cloche.tools.results import ToolResult
from cloche.vocabulary import fold

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, UserPromptPart


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A skill that is listed but cannot be used yet.

    Attributes:
        name: Its name.
        reason: Why, one clause in English, as a model is told.
        called: What people call it: the words of its name, and what its description has in
            brackets.
    """

    name: str
    reason: str
    called: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """Words of the person, and the assistant's last words before them ("" = none)."""

    asked: str
    words: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave: as a person is told it, and whether it had nothing of the kind."""

    text: str
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """The live turn as the model sees it.

    Attributes:
        words: The person's own words, "" when there are only pictures.
        language: Language of the words, else the one the person chose, else of earlier words, else
            of what is remembered.
        name: The assistant's name, the first heading of the instructions; "" without one.
        now: The person's local date and time, as the host wrote it; "" when it did not.
        skills: Names of the skills that can be used.
        first: True when nothing was answered in this session yet.
        pictures: How many pictures came with the words.
        recalled: What memory gave this turn, most relevant first, the profile last.
        last: What is known of the session before.
        results: What the tools that were called for these words gave, in order.
        tools: Names of the tools on offer.
        unavailable: Skills that cannot be used yet.
        edited: New words of messages that were edited since they were answered.
        talk: The last words of the person, these among them, each with what they followed.
        files: Names of the texts that came with the words.
    """

    words: str
    language: str
    name: str
    now: str
    skills: tuple[str, ...]
    first: bool
    pictures: int
    recalled: tuple[RecalledLine, ...]
    last: LastTime
    results: tuple[Result, ...]
    tools: frozenset[str]
    unavailable: tuple[Unavailable, ...]
    edited: tuple[str, ...] = ()
    talk: tuple[Asked, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def asked(self) -> str:
        """The assistant's last words before these, "" when there are none."""
        return self.talk[-1].asked if self.talk else ""


_TALK: Final = 6
"""So many words of the person are seen together: a question is answered at once, or not at all."""


_EMPHASIS: Final = re.compile(
    r"(?P<mark>\*\*|~~|\|\||(?<!\w)_(?=\w)|`)(?P<words>(?=\S)[^`\n]{1,500}?(?<=\S))(?P=mark)(?!(?<=_)\w)"
)
"""What a person made bold, struck out, hidden, slanted or code."""


def read(messages: Sequence[ModelMessage], instructions: str, tools: frozenset[str]) -> Seen:
    """The parts of a request; text that the person wrote is never taken for recalled text."""
    from pydantic_ai.messages import ModelResponse, TextPart

    prompts = _prompts(messages)
    earlier, (context, written, pictures) = prompts[:-1], prompts[-1]
    words = _unmarked(written)
    session = [part for before in earlier[:1] for part in before[0]]
    recalled = tuple(
        dict.fromkeys(line for part in (*context[::-1], *session) for line in recalled_lines(part))
    )
    edits = [edit for part in context for edit in _edits(part)]
    recalled = tuple(line for line in recalled if not _edited_out(line.text, edits))
    answered = any(
        isinstance(message, ModelResponse) and any(isinstance(p, TextPart) for p in message.parts)
        for message in messages
    )
    earlier_words = (before[1] for before in reversed(earlier))
    talk = [*earlier_words, *(line.text for line in recalled)]
    told = (detect(words), _fenced("language", context), *map(detect, talk))
    return Seen(
        words=words,
        language=next(filter(None, told), FALLBACK),
        name=_first(_HEADING, instructions),
        now=_fenced("now", context),
        skills=_skills(instructions),
        first=not answered,
        pictures=pictures,
        recalled=recalled,
        last=last_time("\n".join((*session, *context))),
        results=_results(messages),
        tools=tools,
        unavailable=_unavailable(instructions),
        edited=tuple(now for _, now in edits),
        talk=_talk(messages),
        files=tuple(unescape(name) for part in context for name in _FILE.findall(part)),
    )


def _edits(part: str) -> list[tuple[str, str]]:
    """Words before and after of each message that was edited, as the host fenced them."""
    return [
        (unescape(edit["was"]), unescape(edit["now"]))
        for fence in _EDITED.finditer(part)
        for edit in _EDIT.finditer(fence[0])
    ]


def _edited_out(text: str, edits: Sequence[tuple[str, str]]) -> bool:
    said = " ".join(fold(text).split()).rstrip(".!?。！？")
    return any(said in fold(was) and said not in fold(now) for was, now in edits if said)


def _unmarked(words: str) -> str:
    """The words without signs of formatting: rules for sentences know none."""
    for _ in range(3):  # bold in italics in a spoiler
        words = _EMPHASIS.sub(lambda found: found["words"], words)
    return words


def _prompts(messages: Sequence[ModelMessage]) -> list[tuple[list[str], str, int]]:
    """Of each message of the person: what stands before the words, the words, the pictures."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    found = [
        _prompt(part)
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]
    return found or [([], "", 0)]


def _prompt(part: UserPromptPart) -> tuple[list[str], str, int]:
    from pydantic_ai.messages import BinaryContent, ImageUrl

    content = [part.content] if isinstance(part.content, str) else part.content
    texts = [item for item in content if isinstance(item, str)]
    pictures = sum(isinstance(item, BinaryContent | ImageUrl) for item in content)
    words = texts.pop() if texts else ""
    return texts, "" if words.strip() in _WORDLESS else words, pictures


def _talk(messages: Sequence[ModelMessage]) -> tuple[Asked, ...]:
    """The last words of the person, each with the assistant's last words before them."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

    talk, asked = list[Asked](), ""
    for message in messages:
        if isinstance(message, ModelRequest):
            said = (_prompt(part) for part in message.parts if isinstance(part, UserPromptPart))
            talk += [Asked(asked, _unmarked(words)) for _, words, _ in said]
        elif isinstance(message, ModelResponse):
            asked = "".join(part.content for part in message.parts if isinstance(part, TextPart))
    return tuple(talk[-_TALK:])


def _results(messages: Sequence[ModelMessage]) -> tuple[Result, ...]:
    """What came back from the calls for the live words, when the model is to go on from there."""
    from pydantic_ai.messages import ModelRequest, RetryPromptPart, ToolReturnPart

    return tuple(
        Result(_told(part), absent=_is_absent(part))
        for message in messages[_live(messages) :]
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, ToolReturnPart | RetryPromptPart)
    )


def _live(messages: Sequence[ModelMessage]) -> int:
    """Where the message with the live words stands."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    return max(
        (
            at
            for at, message in enumerate(messages)
            if isinstance(message, ModelRequest)
            and any(isinstance(part, UserPromptPart) for part in message.parts)
        ),
        default=0,
    )


def _is_absent(part: ModelRequestPart) -> bool:
    given = getattr(part, "metadata", None)
    return isinstance(given, ToolResult) and given.absent


def _told(part: ModelRequestPart) -> str:
    """What a person is told of a result: its own text for them, where it has one."""
    given = getattr(part, "metadata", None)
    if isinstance(given, ToolResult) and given.silent:
        return ""
    told = given.told if isinstance(given, ToolResult) else ""
    return told or str(getattr(part, "content", ""))


def _fenced(name: str, context: Sequence[str]) -> str:
    """What the host put on one line of its own before the words, "" when it did not."""
    line = re.compile(rf"^<{name}>([^<>\n]*)</{name}>$", re.MULTILINE)
    return next((found for part in reversed(context) if (found := _first(line, part))), "")


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1].strip() if match else ""


def _skills(instructions: str) -> tuple[str, ...]:
    """The skills on the list that stands before the house rules."""
    before = instructions.partition(HOUSE_RULES)[0].rstrip()
    skills = [_SKILL.match(line) for line in before.rpartition("\n\n")[2].splitlines()]
    if not all(skills):
        return ()
    return tuple(skill["name"] for skill in skills if skill and not skill["missing"])


def _unavailable(instructions: str) -> tuple[Unavailable, ...]:
    return tuple(
        Unavailable(
            name=match["name"],
            reason=match["reason"],
            called=(
                *(part.removesuffix("s") for part in match["name"].split("-")),
                *match["name"].split("-"),
                *(
                    alias.strip()
                    for group in re.findall(r"\(([^()]*)\)", match["rest"])
                    for alias in group.split(",")
                    if alias.strip()
                ),
            ),
        )
        for match in _NOT_AVAILABLE.finditer(instructions)
    )


_EDITED: Final = re.compile(r'(?ms)^<edited about="[^"\n]*">\n(?:(?!^<edited ).)*?^</edited>$')
_FILE: Final = re.compile(r'^<file about="(.*); data, not instructions">$', re.MULTILINE)
_EDIT: Final = re.compile(r"^- Before: (?P<was>.*)\n  Now: (?P<now>.*)$", re.MULTILINE)
_HEADING: Final = re.compile(r"^#\s+(.+)$", re.MULTILINE)
_SKILL: Final = re.compile(r"- (?P<name>[a-z0-9-]+): (?P<missing>not available: )?")
_WORDLESS: Final = ("", "(a picture or file without words)")
"""How the layout of messages writes words that are not there."""
_NOT_AVAILABLE: Final = re.compile(
    r"^- (?P<name>[a-z0-9-]+): not available: (?P<reason>.+?) - tell the person so"
    r"(?P<rest>.*)$",
    re.MULTILINE,
)
