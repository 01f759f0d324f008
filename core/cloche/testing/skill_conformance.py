"""What every skill must do: inherited by the tests of a skill."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import pytest

from cloche.clock import Clock
from cloche.messages import Address, Message
from cloche.skills import Skill, load_folder
from cloche.skills.linting import lint_folder
from cloche.spec import AssistantSpec
from cloche.state.store import Json
from cloche.testing.clock import FakeClock
from cloche.testing.inherited import KeepsInheritedTests
from cloche.testing.offline import offline
from cloche.texts import languages
from cloche.trying import one_skill, opened, run_trials
from cloche.utterances import misunderstood, trials
from cloche.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp import ClientSession

MAX_REFUSAL_CHARS = 500


class SkillConformance(KeepsInheritedTests):
    """Everything a skill must do, as tests.

    A skill's author inherits it and names the folder; nothing else is needed::

        from cloche.testing import SkillConformance

        class TestTea(SkillConformance):
            folder = "cloche_x/skills/tea"

    A skill that reads the assistant's vocabulary or its config is given them. It needs no model,
    no account and no network: tools reach the loopback servers of ``cloche.testing`` only.
    """

    folder: ClassVar[str | Path]
    """The skill's folder; a relative one is looked for from the working folder."""
    vocabulary: ClassVar[Vocabulary] = Vocabulary()
    config: ClassVar[Mapping[str, Json]] = MappingProxyType({})
    """Its settings, as an entry of ``skills.json`` would give them."""

    @cached_property
    def skill(self) -> Skill:
        """The skill, loaded."""
        loaded = load_folder(Path(self.folder))
        return replace(loaded, config=MappingProxyType(dict(self.config)))

    def world(self, clock: Clock) -> AbstractAsyncContextManager[Callable[[], ClientSession]]:
        """What its tools reach instead of the internet; replace it for servers of your own."""
        return offline(clock)

    def test_its_instructions_are_whole(self) -> None:
        """``SKILL.md`` obeys the public format, and its folder can be pinned."""
        found = [
            f"{one.file}:{one.line}: {one.what}: {one.remedy}"
            for one in lint_folder(Path(self.folder))
        ]
        if found:
            pytest.fail("\n".join(found), pytrace=False)

    def test_it_can_be_used_here(self) -> None:
        """Nothing of its instructions runs programs that no assistant runs."""
        assert not self.skill.unavailable, self.skill.unavailable

    def test_each_tool_is_asked_for_in_every_language_of_the_host(self) -> None:
        """``examples.yaml`` has sentences for each tool: without a model they are the way to it."""
        missing = [
            f"{tool.name}: {language}"
            for tool in self.skill.tools
            for language in languages()
            if not tool.when_due
            and not any(
                one.tool == tool.name and one.say.get(language) for one in self.skill.examples
            )
        ]
        assert not missing, f"no example of: {', '.join(missing)}"

    def test_its_sentences_are_understood(self) -> None:
        """Each sentence is taken for the call its example says, and for no other."""
        told = misunderstood(self.skill.examples)
        if told:
            pytest.fail("\n".join(told), pytrace=False)

    def test_its_examples_run(self) -> None:
        """The arguments fit, the tool runs, and the answer holds what the example promises."""
        rows = asyncio.run(run_trials(self._spec(), clock=FakeClock(), world=self.world))
        failed = [f"{row.said!r} ({row.language}): {row.reason}" for row in rows if row.reason]
        if failed:
            pytest.fail("\n".join(failed), pytrace=False)

    def test_wrong_arguments_are_refused_in_one_line(self) -> None:
        """A model that makes arguments up reads what is wrong; nothing is done."""
        asyncio.run(self._call_wrongly())

    def test_people_do_not_see_each_other(self) -> None:
        """The tools answer a person the same, whatever they did for somebody else before."""
        asyncio.run(self._keep_apart())

    def _spec(self) -> AssistantSpec:
        return one_skill(self.skill, self.vocabulary)

    async def _call_wrongly(self) -> None:
        async with opened(self._spec(), clock=FakeClock(), world=self.world) as assistant:
            person = await assistant.people.of(_says(ANA))
            for bound in assistant.tools(person, "wrong"):
                result = await bound.call({"no_such_argument": "x"})
                assert not result.ok, f"{bound.name} takes an argument it does not have"
                assert "\n" not in result.text, f"{bound.name} refuses in more than one line"
                assert len(result.text) <= MAX_REFUSAL_CHARS

    async def _keep_apart(self) -> None:
        alone = await self._answers([LUIS])
        after = await self._answers([ANA, LUIS])
        for one, other in zip(alone, after, strict=True):
            if one != other:
                pytest.fail(f"after somebody else, {one!r} becomes {other!r}", pytrace=False)

    async def _answers(self, people: list[Address]) -> list[str]:
        """What the tools answer the last person, after all before did everything the same."""
        answers: list[str] = []
        async with opened(self._spec(), clock=FakeClock(), world=self.world) as assistant:
            for address in people:
                answers = []
                for number, trial in enumerate(t for e in self.skill.examples for t in trials(e)):
                    person = await assistant.people.of(_says(address))
                    speaking = replace(person, language=trial.language)
                    for bound in assistant.tools(speaking, f"{address.sender}-{number}"):
                        if bound.name == trial.expected.tool:
                            answers.append((await bound.call(trial.expected.arguments)).text)
        return answers


ANA = Address("console", "ana")
LUIS = Address("console", "luis")


def _says(address: Address) -> Message:
    return Message("update-1", address, address.sender, "")
