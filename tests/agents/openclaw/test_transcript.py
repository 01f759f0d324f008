"""What the model reads of a gateway's transcript."""

from __future__ import annotations

import pytest

from cloche.agents.openclaw.transcript import gateway_s_own, lay_out, result_text
from cloche.llm.openai_wire import WireCall, WireMessage

from .conftest import prompt

MARK = "f4b30d6143963ca0da458b6e.0"
REFUSED = (
    '{"status": "error", "tool": "read", "error": "Path escapes sandbox root '
    '(/srv/ann/openclaw/gateway-0/workspace): ../x. Use a relative path."}'
)


@pytest.mark.parametrize(
    ("told", "read"),
    [
        (f'{{\n  "limit": 3,\n  "_turn": "{MARK}"\n}}', '{\n  "limit": 3\n}'),
        (f'{{\n  "_turn": "{MARK}"\n}}', "{\n  \n}"),
        (f'{{\\"word\\":\\"光\\",\\"_turn\\":\\"{MARK}\\"}}', '{\\"word\\":\\"光\\"}'),
        ('Validation failed for tool "cloche__look_up":', 'Validation failed for tool "look_up":'),
        ("It is cloche__, or 65f1a2b3c4d5e6f7a8b9c0d1.5.", None),
        ('The game says: "_turn": "mine".', None),
        ("¿Qué? 光。", None),
    ],
)
def test_a_result_tells_neither_mark_nor_prefix(told: str, read: str | None) -> None:
    assert result_text(told) == (told if read is None else read)


def test_a_refused_read_tells_no_folder_of_this_machine() -> None:
    read = result_text(REFUSED)
    assert "/srv/ann" not in read
    assert "escapes sandbox root: ../x. Use a relative path." in read


def test_history_has_results_as_the_model_reads_them() -> None:
    messages = [
        WireMessage("user", "Hi"),
        WireMessage("assistant", "", calls=(WireCall("c1", "cloche__look_up", "{}"),)),
        WireMessage("tool", f'cloche__look_up: {{"a": 1, "_turn": "{MARK}"}}', call_id="c1"),
    ]
    assert str(lay_out(messages, prompt("Hi"), ["Hi"])[-1].parts[0].content) == 'look_up: {"a": 1}'


@pytest.mark.parametrize(
    ("tool", "result", "ok"),
    [
        ("read", "# A page", True),
        ("read", '{"status": "error"', True),
        ("read", '{"status": "error"}', True),
        ("read", REFUSED, False),
        ("exec", "Tool exec not found", False),
    ],
)
def test_what_the_gateway_did_by_itself_is_known_by_its_result(
    tool: str, result: str, ok: bool
) -> None:
    calls = (WireCall("c1", tool, "{}"), WireCall("c2", "cloche__look_up", "{}"))
    asked = WireMessage("assistant", "", calls=calls)
    made = [WireMessage("tool", result, call_id="c1"), WireMessage("tool", "x", call_id="c2")]
    uses = gateway_s_own([WireMessage("user", "Hi"), asked, *made])
    assert [(use.tool, use.ok) for use in uses.values()] == [(tool, ok)]
    assert gateway_s_own([asked, *made, WireMessage("user", "And now?")]) == {}
