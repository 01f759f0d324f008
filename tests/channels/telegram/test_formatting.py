from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cloche.channels import Entity
from cloche.testing.telegram.checks import check_entities
from cloche_channels.telegram.fields import Fields
from cloche_channels.telegram.formatting import entities_in, entities_out, marked

TEXTS = st.text(
    st.characters(exclude_categories=("Cs",)) | st.sampled_from("🌱👩‍🌾é中"), min_size=1
)


@given(TEXTS, st.data())
def test_formatting_comes_back_as_it_went_out(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    entity = data.draw(
        st.sampled_from(
            [
                Entity("bold", start, end),
                Entity("link", start, end, url="https://example.org"),
                Entity("pre", start, end, language="python"),
                Entity("blockquote", start, end),
            ]
        )
    )
    (out,) = check_entities(text, entities_out(text, [entity]))
    assert entities_in(text, [Fields(out)]) == (entity,)
    assert marked(text, Fields(out)) == text[start:end]


@given(
    st.text(),
    st.integers(-5, 50),
    st.integers(-5, 50),
    st.sampled_from(["bold", "text_link", "mention", "", "expandable_blockquote"]),
)
def test_whatever_range_comes_stays_within_the_text(
    text: str, offset: int, length: int, kind: str
) -> None:
    mark: dict[str, Any] = {"type": kind, "offset": offset, "length": length}
    for entity in entities_in(text, [Fields(mark)]):
        assert 0 <= entity.start < entity.end <= len(text)
    assert marked(text, Fields(mark)) in text


def test_what_the_platform_finds_by_itself_is_no_formatting() -> None:
    for kind in ("url", "hashtag", "mention", "bot_command", "email", "text_link"):
        mark: Any = {"type": kind, "offset": 0, "length": 2}
        assert entities_in("ab", [Fields(mark)]) == ()
