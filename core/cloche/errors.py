"""Errors, named for the person who must act on them.

``ClocheError`` is the root. Its message is for operators and authors: it never reaches a chat
or an HTTP body. What a chat may see is ``TurnError.user_message`` and the texts in
``cloche.texts``.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Literal, TypeAlias

from cloche.llm.usage import Usage

ModelCause: TypeAlias = Literal[
    "auth",
    "closed",
    "cut",
    "empty",
    "invalid",
    "refused",
    "server",
    "throttled",
    "timeout",
    "unreachable",
]
"""Why a model gave no usable answer; docs/runtime.md says what each means."""
StoreCause: TypeAlias = Literal[
    "closed",
    "corrupt",
    "denied",
    "disk_full",
    "future_schema",
    "io",
    "locked",
    "refused",
    "slow",
    "throttled",
    "wrong_schema",
]
"""Why a store cannot be used; docs/runtime.md says what each means."""


class ClocheError(Exception):
    """Root of every error this package raises on purpose."""


def said(error: BaseException) -> str:
    """What an error says; "" where even saying it fails, as with one that a stranger wrote."""
    try:
        return str(error)
    except BaseException:  # a plugin's or a skill's author wrote that, too
        return ""


def raised_at(error: BaseException) -> str:
    """File and line an error comes from, for logs that may not quote it."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "an unknown place"


class AwayError(ClocheError):
    """What another part stands in for is away; the message quotes nobody.

    Attributes:
        cause: Stable short code.
    """

    def __init__(self, message: str, *, cause: str) -> None:
        """Take the operator's message and the code."""
        self.cause = cause
        super().__init__(message)


class SettingsError(ClocheError):
    """The operator must change a setting; the message names it and says how."""


class PluginError(ClocheError):
    """A plugin's author must act.

    Attributes:
        plugin: Name of the plugin (its entry point).
        hook: Hook whose result is wrong, or "" where no hook is involved.
        reason: What is wrong, one clause.
        remedy: What the author or operator can do about it, one sentence.
    """

    def __init__(self, plugin: str, reason: str, *, hook: str = "", remedy: str = "") -> None:
        """Keep the parts apart, so that a table can show them in columns."""
        self.plugin, self.hook, self.reason, self.remedy = plugin, hook, reason, remedy
        where = f"{plugin}: {hook}" if hook else plugin
        super().__init__(f"{where}: {reason}" + (f" {remedy}" if remedy else ""))


class ManifestError(ClocheError):
    """A file that a package's author writes is wrong: where, and what to do.

    Attributes:
        file: The file, as a path or as a name inside a package.
        line: 1-based line, or None where the format does not tell.
        pointer: JSON pointer into the document ("" = the whole of it).
        reason: What is wrong and how to mend it, one sentence.
    """

    def __init__(
        self, file: str | Path, reason: str, *, line: int | None = None, pointer: str = ""
    ) -> None:
        """Keep the parts apart, so that ``--json`` can show them in fields."""
        self.file, self.line, self.pointer, self.reason = str(file), line, pointer, reason
        where = f"{file}:{line}" if line is not None else str(file)
        super().__init__(f"{where}{f' at {pointer}' if pointer else ''}: {reason}")


class RequestError(ClocheError):
    """A caller's payload is refused: which field, and why."""


class FileTooLargeError(RequestError):
    """A file cannot be fetched because of its size; ``most`` is how many bytes it may have."""

    def __init__(self, message: str, *, most: int) -> None:
        """Take the operator's message and the limit."""
        self.most = most
        super().__init__(message)


class TurnError(ClocheError):
    """A turn cannot go on; ``user_message`` is a polite sentence that a chat may show."""

    def __init__(self, message: str, *, user_message: str) -> None:
        """Take the operator's message and the person's."""
        self.user_message = user_message
        super().__init__(message)


class ToolError(ClocheError):
    """A tool could not do what was asked; its message is one sentence for the model.

    Attributes:
        key: Of the sentence in ``cloche.texts`` that tells a person the same; "" = there is none,
            and the message is what they are told, too.
        absent: True where nothing went wrong, and there is only nothing of the kind that was asked
            for: words that may be for another tool, too, are then for that one.
            With no message, nobody is told so.
        slots: What that sentence needs.
    """

    def __init__(
        self, message: str, *, key: str = "", absent: bool = False, **slots: object
    ) -> None:
        """Take what the model reads, and what a person does."""
        self.key, self.absent, self.slots = key, absent, slots
        super().__init__(message)


class MemoryUnavailableError(ClocheError):
    """A memory or state store cannot be reached or read; ``cause`` is a stable short code."""

    def __init__(self, message: str, *, cause: StoreCause) -> None:
        """Take the operator's message and the code that groups repeats of it."""
        self.cause = cause
        super().__init__(message)


class HeldElsewhereError(MemoryUnavailableError):
    """Another machine works on a conversation: what is its own is not to be touched now."""

    def __init__(self, message: str) -> None:
        """Take the operator's message."""
        super().__init__(message, cause="locked")


class ModelError(ClocheError):
    """A model gave no usable answer; ``cause`` is a stable short code.

    Attributes:
        cause: The code.
        usage: What the calls made so far took, as far as the provider said.
    """

    def __init__(self, message: str, *, cause: ModelCause, usage: Usage | None = None) -> None:
        """Take the operator's message, the code that groups repeats of it, and what it cost."""
        self.cause, self.usage = cause, usage or Usage()
        super().__init__(message)
