"""Whatever an assistant writes arrives whole, within the platform's limits."""

from __future__ import annotations

import asyncio
import unicodedata
from itertools import pairwise
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.channels import Part, length_of
from cloche.delivery.rendering import Rendered, render
from cloche.delivery.rendering.boundaries import is_blank
from cloche.messages import Button
from cloche.testing.channels.base import ChannelCases

SIGNS: Final = (
    *"*_`~|[]()<>#+-=.!&;:\\\n \tab1é'\"$", "\n\n", "**", "~~", "||", "```", "<b>", "&amp;",
    "\n- ", "\n> ", "\n1. ", "\n# ", "|a|\n|-|\n", "[w](http://v)", "word ", "“强调”", "👩‍🚀",
    "e\u0301", "\u200b", "\x00", "\ud83d", "한국",
)  # fmt: skip
SENTENCES: Final = (
    "Post the **letters** on [Monday](https://example.org/post_1), not before. ",
    "El `martes` hay que _afinar_ los violines: ¡con cuidado! ",
    "今天寄信，明天**取包裹**。",
    "📮📮 👩‍🎨 ",
    "\n\n```python\nprint('letters')\n```\n\n",
    "\n- one\n- two\n",
)
AWKWARD: Final = (
    "x", "<b>&amp;</b> \\ \" ' \x00\x07", "\u202eabc", "🌱" * 30, "\ud800", "a" * 50, "```\n```",
    "{\"a\": 1}", "[a](javascript:alert(1))", "**b** ||c|| `d` ~~e~~ _f_ > g\n> h", "#5 @all /help",
)  # fmt: skip


class TextCases(ChannelCases):
    """Any Unicode, any Markdown, any length."""

    def test_any_text_is_split_within_the_limits(self) -> None:
        """Nothing is lost, nothing is empty, no formatting is broken."""

        # One failure at a time: several would come as a group, which few readers know.
        @settings(max_examples=150, database=None, deadline=None, report_multiple_bugs=False)
        @given(st.one_of(st.lists(st.sampled_from(SIGNS), max_size=60).map("".join), st.text()))
        def split(text: str) -> None:
            self._split(text)
            self._split(text * (1 + self.channel.limits.text // 20))

        split()

    def test_a_hundred_thousand_characters_arrive_whole(self) -> None:
        """In every script, formatted and not, with no place to cut as well."""
        for sentence in ("".join(SENTENCES), "**b** > ", "x"):
            self._split((sentence * 100_000)[:100_000])

    def test_the_platform_gets_whatever_text_there_is(self) -> None:
        """``send`` has no trouble with any of it."""
        asyncio.run(self._send_all())

    def _split(self, text: str) -> None:
        text = text[:100_000]
        limits, formatting = self.channel.limits, self.channel.capabilities.formatting
        parts = render(text, limits, formatting)
        for part in parts:
            self._check_part(part)
        if formatting == "markdown":
            # Its signs are repeated in every part; what can be seen is in the plain form.
            return
        wide = type(limits)(text=10**7, text_bytes=10**8, entities=10**7)
        whole = render(text, wide, formatting)
        assert _seen(part.text for part in parts) == _seen(part.text for part in whole)

    def _check_part(self, part: Rendered) -> None:
        limits = self.channel.limits
        assert not is_blank(part.text)
        for text in (part.text, part.plain):
            assert length_of(text, limits.unit) <= limits.text
            assert length_of(text, "bytes") <= limits.text_bytes
        assert len(part.entities) <= limits.entities
        for entity in part.entities:
            assert 0 <= entity.start < entity.end <= len(part.text)
        for one, other in pairwise(part.entities):
            assert other.start >= one.end or one.start <= other.start < other.end <= one.end

    async def _send_all(self) -> None:
        message = self.messages()[0]
        limits, capabilities = self.channel.limits, self.channel.capabilities
        buttons = (Button("Sí 👍", "yes"), Button("不", "no")) if capabilities.buttons else ()
        async with self.opened() as world:
            for number, text in enumerate((*AWKWARD, "".join(SENTENCES))):
                for each in render(text, limits, capabilities.formatting):
                    await world.channel.send(
                        Part(
                            message.conversation,
                            each.text,
                            thread=message.thread,
                            entities=each.entities,
                            buttons=buttons,
                            answers=message.ref,
                            key=f"key-{number}",
                            plain=each.plain,
                        )
                    )
                    assert world.platform.requests or capabilities.owner_only, "nothing was sent"


def _seen(texts: object) -> str:
    unseen = ("Zs", "Zl", "Zp", "Cc", "Cf")
    return "".join(
        char
        for text in texts  # type: ignore[attr-defined] # strings
        for char in text
        if not char.isspace() and unicodedata.category(char) not in unseen
    )
