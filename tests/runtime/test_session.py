"""Session ids: the same for a conversation wherever they are made, and of the service's form."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from cloche.runtime.session import runtime_session_id

FORM = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9-_]*")


@pytest.mark.parametrize("conversation", ["1", "-100123", "a/b#c%d", "名字", "x" * 5000, "\udc80"])
def test_the_form_the_service_takes(conversation: str) -> None:
    id_ = runtime_session_id("telegram", conversation)
    assert 33 <= len(id_) <= 256
    assert FORM.fullmatch(id_)
    assert id_ == runtime_session_id("telegram", conversation)


def test_different_conversations_have_different_sessions() -> None:
    pairs = [("a", "1"), ("a", "2"), ("b", "1"), ("a", "1#2"), ("a", "1%232")]
    ids = {runtime_session_id(*pair) for pair in pairs}
    ids |= {runtime_session_id(*pair, salt="v2") for pair in pairs}
    assert len(ids) == 2 * len(pairs)


def test_it_never_changes() -> None:
    # The ingress of an older deployment makes the same.
    assert runtime_session_id("telegram", "5") == (
        "cloche-c9213c04ea6f00793e2fb9a53cc602b87f4dbf0799e0f333f7f5a329cac7300d"
    )


def test_the_ingress_can_make_it_with_the_standard_library() -> None:
    script = (
        "import sys; from cloche.runtime.session import runtime_session_id; "
        "print(*{name.split('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))"
    )
    loaded = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {script}"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert set(loaded) <= {"cloche", "__main__"}
