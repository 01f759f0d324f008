"""The keyboard of a chat: what is typed or pasted while an answer is written is not lost.

Between two prompts a terminal would go back to its own ways with lines: show keys in the middle of
the answer, forget a Ctrl-D, cut a long line, and take a paste of many lines for many messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prompt_toolkit import PromptSession
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.keys import Keys
from prompt_toolkit.utils import is_dumb_terminal


class Keyboard:
    """Keeps keys for the next prompt, and finds Ctrl-C among them."""

    def __init__(self, prompt: PromptSession[str]) -> None:
        """Take the prompt that will be given the keys."""
        self._input = prompt.input
        self._output = prompt.output
        self._marks_pastes = not is_dumb_terminal()

    @contextmanager
    def held(self) -> Iterator[None]:
        """For the whole chat: no key acts or is shown on its own, not even between prompts."""
        with self._input.raw_mode():
            try:
                yield
            finally:
                if self._marks_pastes:
                    self._output.disable_bracketed_paste()
                    self._output.flush()

    @contextmanager
    def kept(self, on_ctrl_c: Callable[[], object]) -> Iterator[None]:
        """For one turn: Ctrl-C calls ``on_ctrl_c``, every other key waits for the next prompt."""

        def typed() -> None:
            keys = [*get_typeahead(self._input), *self._input.read_keys()]
            waiting = [key for key in keys if key.key != Keys.ControlC]
            store_typeahead(self._input, waiting)
            if len(waiting) < len(keys):
                on_ctrl_c()

        if self._marks_pastes:  # each prompt ends with switching that off
            self._output.enable_bracketed_paste()
            self._output.flush()
        with self._input.attach(typed):
            typed()  # what came with the keys of the prompt before
            yield
