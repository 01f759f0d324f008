"""A question whose answer is a typed value: asked once more when it is not, else given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from pydantic import BaseModel

from cloche.errors import ModelError
from cloche.llm.calls import usage_of_run
from cloche.llm.estimates import counted
from cloche.llm.ledger import Ledger

if TYPE_CHECKING:
    from pydantic_ai import Agent

    from cloche.llm.providers import ChosenModel

MAX_REQUESTS: Final = 2
"""An answer outside the schema is asked for once more."""

Answered = TypeVar("Answered", bound=BaseModel)


class TypedQuestion(Generic[Answered]):
    """A question a model is asked again and again, each time about something else."""

    def __init__(
        self, chosen: ChosenModel, kind: type[Answered], instructions: str, ledger: Ledger
    ) -> None:
        """Take the model, what it fills in, the question, and where what it takes is noted."""
        self._chosen, self._kind, self._ledger = chosen, kind, ledger
        self._instructions = instructions
        self._agent: Agent[None, Answered] | None = None

    async def ask(self, about: str, actor: str) -> Answered:
        """The answer.

        Raises:
            ModelError: the model cannot be asked, or its answer was outside the schema twice.
        """
        from pydantic_ai.exceptions import UnexpectedModelBehavior, UsageLimitExceeded
        from pydantic_ai.usage import RunUsage, UsageLimits

        spent = RunUsage()
        try:
            with counted(spent, self._instructions, about):
                result = await self._typed().run(
                    about, usage=spent, usage_limits=UsageLimits(request_limit=MAX_REQUESTS)
                )
        except (UnexpectedModelBehavior, UsageLimitExceeded) as error:
            raise ModelError("the answer was outside its schema twice.", cause="invalid") from error
        except Exception as error:
            from cloche.llm.failures import translate

            raise translate(error) from error
        finally:
            self._ledger.add(actor, usage_of_run(self._chosen, spent))
        return result.output

    def _typed(self) -> Agent[None, Answered]:
        """The typed agent, built when first needed."""
        from pydantic_ai import Agent

        if self._agent is None:
            self._agent = Agent(
                self._chosen.model,
                output_type=self._kind,
                instructions=self._instructions,
                model_settings=self._chosen.settings,
                retries=1,
            )
        return self._agent
