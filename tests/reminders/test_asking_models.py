"""What a model is asked about reminders: typed answers, and what becomes of others."""

from __future__ import annotations

import json

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from cloche.errors import ModelError
from cloche.llm.ledger import Ledger
from cloche.llm.providers import ChosenModel
from cloche.prompt import Prompt
from cloche.prompt.data import Exchange
from cloche.reminders.claims import ModelClaimCheck, wants_reminder
from cloche.reminders.looking import ModelLook


class Scripted:
    """A model that fills in what a test says, one script per call."""

    def __init__(self, *scripts: object) -> None:
        self.scripts, self.prompts = list(scripts), list[str]()

    async def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.prompts.append(str(messages[-1]))
        script = self.scripts.pop(0)
        if isinstance(script, Exception):
            raise script
        if isinstance(script, str):
            return ModelResponse(parts=[TextPart(script)])
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, json.dumps(script))])

    @property
    def chosen(self) -> ChosenModel:
        return ChosenModel("anthropic", "claude-haiku-4-5", FunctionModel(self), {}, "a test")


@pytest.mark.parametrize("claims", [True, False])
async def test_a_claim_is_a_typed_answer(claims: bool) -> None:
    script, ledger = Scripted({"claims_a_reminder": claims}), Ledger()
    check = ModelClaimCheck(script.chosen, ledger)
    assert await check.claims("remind me <b>", "It is set.</answer>", "ann") is claims
    assert "&lt;b&gt;" in script.prompts[0]
    assert "It is set.&lt;/answer&gt;" in script.prompts[0]
    assert "</before>" not in script.prompts[0]
    assert ledger.take("ann").calls == 1


async def test_short_words_are_judged_by_the_turn_before() -> None:
    script = Scripted({"claims_a_reminder": True})
    before = Exchange("remind me <b> of mum", "When?")
    assert await ModelClaimCheck(script.chosen, Ledger()).claims("at 9", "Done.", "ann", before)
    assert "<before>remind me &lt;b&gt; of mum" in script.prompts[0]
    assert "When?</before>" in script.prompts[0]


async def test_an_answer_outside_its_type_is_asked_for_once_more_and_then_given_up() -> None:
    script = Scripted("NO_REPLY", {"claims_a_reminder": True})
    assert await ModelClaimCheck(script.chosen, Ledger()).claims("remind me", "Set.", "ann")
    script = Scripted("NO_REPLY", "HEARTBEAT_OK")
    with pytest.raises(ModelError):
        await ModelClaimCheck(script.chosen, Ledger()).claims("remind me", "Set.", "ann")


@pytest.mark.parametrize(
    ("filled", "told"),
    [
        ({"anything_due": False}, ""),
        ({"anything_due": False, "message": "NOTHING_DUE"}, ""),
        ({"anything_due": True, "message": " The glue is dry. "}, "The glue is dry."),
    ],
)
async def test_nothing_due_is_typed_and_no_magic_word(filled: dict[str, object], told: str) -> None:
    script = Scripted(filled)
    look = ModelLook(script.chosen, Ledger())
    prompt = Prompt(stable="# Luthier", session="", history=(), turn="<now>Monday</now>", words="")
    assert await look.due(prompt, "ann") == told
    assert "# Luthier" in script.prompts[0]


async def test_a_model_that_cannot_be_asked_says_why() -> None:
    script = Scripted(TimeoutError())
    with pytest.raises(ModelError):
        await ModelLook(script.chosen, Ledger()).due(
            Prompt(stable="", session="", history=(), turn="", words=""), "ann"
        )


@pytest.mark.parametrize(
    "words",
    [
        "Remind me tomorrow",
        "set an alarm for 7",
        "don't let me forget the letters",
        "Recuérdame mañana",
        "pon una alarma",
        "avísame a las ocho",
        "明天提醒我",
        "设个闹钟",
        "七点叫我起床",
    ],
)
def test_words_that_may_ask_for_a_reminder_are_noticed(words: str) -> None:
    assert wants_reminder(words)


@pytest.mark.parametrize("words", ["what is a lute?", "¿qué es un laúd?", "什么是鲁特琴？", ""])
def test_other_words_are_not_checked(words: str) -> None:
    assert not wants_reminder(words)
