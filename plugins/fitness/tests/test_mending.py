"""An entry of the log is corrected and deleted in everyday words, and nothing else is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from cloche import ToolError
from cloche.testing import FakeToolStorage, match, tool_context
from cloche_fitness import provide_skills, provide_vocabulary
from cloche_fitness.training.mending import heard_correction, heard_deletion

SKILLS = provide_skills()
EXAMPLES = [example for skill in SKILLS.skills for example in skill.examples]
TOOLS = {tool.name: tool for skill in SKILLS.skills for tool in skill.tools}


class Talk:
    """What one person says about the log, minute by minute."""

    def __init__(self) -> None:
        self.storage, self.now = FakeToolStorage(), datetime(2026, 3, 2, 9, tzinfo=UTC)

    async def say(self, text: str) -> str:
        self.now += timedelta(minutes=1)
        found = match(EXAMPLES, text)
        assert found is not None, text
        ctx = tool_context(
            provide_vocabulary(),
            storage=self.storage,
            call_id=f"{self.now:%H%M}".rjust(20, "0"),
            clock=lambda: self.now,
        )
        return await TOOLS[found.tool].function(ctx, **found.arguments)


@pytest.mark.parametrize(
    ("logged", "said", "work"),
    [
        ("bench 60 kg 3x8", "That bench press was 65 kg", "3 × 8 · 65 kg"),
        ("bench 60 kg 3x8", "That was 65 kg, not 60", "3 × 8 · 65 kg"),
        ("bench 60 kg 3x8", "No, it was 65 kg", "3 × 8 · 65 kg"),
        ("bench 60 kg 3x8", "I meant 65 kg", "3 × 8 · 65 kg"),
        ("bench 60 kg 3x8", "that was 10 reps, not 8", "3 × 10 · 60 kg"),
        ("bench 60 kg 8, 70 kg 6", "that was 80 kg, not 70", "8 · 60 kg, 6 · 80 kg"),
        ("deadlift 100 kg 5x5", "Change the deadlift to 235 lb", "5 × 5 · 106.6 kg"),
        ("ran 5 km in 27:30", "that run was 5.2 km", "5.2 km · 27:30"),
        ("ran 5 km in 27:30", "It was 28 minutes, not 27:30", "5 km · 28:00"),
        ("sentadilla 3x8 60 kg", "eran 65 kg, no 60", "3 × 8 · 65 kg"),
        ("sentadilla 3x8 60 kg", "la sentadilla era de 65 kg", "3 × 8 · 65 kg"),
        ("peso muerto 5x5 100 kg", "cambia el peso muerto a 110 kg", "5 × 5 · 110 kg"),
        ("深蹲3组8次60公斤", "那是65公斤，不是60公斤", "3 × 8 · 65 kg"),
        ("深蹲3组8次60公斤", "刚才的深蹲是65公斤", "3 × 8 · 65 kg"),
        ("深蹲3组8次60公斤", "把深蹲改成70公斤", "3 × 8 · 70 kg"),
    ],
)
async def test_a_slip_is_corrected_in_the_entry_it_is_about(
    logged: str, said: str, work: str
) -> None:
    talk = Talk()
    await talk.say(logged)
    assert work in await talk.say(said)
    assert len(talk.storage.documents) == 1
    assert work in await talk.say("show my log")


@pytest.mark.parametrize(
    ("logged", "said"),
    [
        ("bench 60 kg 8, 70 kg 6", "that was 80 kg"),
        ("bench 60 kg 3x8", "That was 65 kg, not 55"),
        ("bench 60 kg 3x8", "that was 5 km"),
        ("bench 60 kg 3x8", "that was 6500 kg"),
        ("ran 5 km in 27:30", "that was 80 kg"),
        ("ran 5 km in 27:30", "that was 5 minutes"),
    ],
)
async def test_what_cannot_be_meant_changes_nothing_and_is_said(logged: str, said: str) -> None:
    talk = Talk()
    await talk.say(logged)
    before = dict(talk.storage.documents)
    assert "Nothing was changed." in await talk.say(said)
    assert talk.storage.documents == before


@pytest.mark.parametrize(
    "said",
    [
        "Delete the last entry", "Delete the 5 km run", "remove my last workout", "delete my run",
        "Borra el último entrenamiento", "Borra la carrera de 5 km", "elimina la última sesión",
        "删除最后一条训练记录", "删掉最近的训练记录", "删除5公里跑步",
    ],
)  # fmt: skip
async def test_an_entry_is_deleted_by_what_it_is(said: str) -> None:
    talk = Talk()
    if "5" in said or "run" in said:
        await talk.say("ran 5 km in 27:30")
        await talk.say("squat 3x8 60 kg")
        assert "5 km" in await talk.say(said)
        assert len(talk.storage.documents) == 1
        return
    await talk.say("squat 3x8 60 kg")
    await talk.say(said)
    assert talk.storage.documents == {}
    with pytest.raises(ToolError):
        await talk.say(said)


async def test_a_run_of_another_length_stays() -> None:
    talk = Talk()
    await talk.say("ran 8 km in 44 min")
    assert "Nothing was changed." in await talk.say("Delete the 5 km run")
    assert len(talk.storage.documents) == 1


@pytest.mark.parametrize(
    "said",
    [
        "That was my sister, not my mum", "change the meeting to 5 pm", "it was 5 years ago",
        "my train was 20 minutes late", "eran mis padres, no mis tíos", "那是我姐姐，不是我妈妈",
        "the concert was 3 hours long",
    ],
)  # fmt: skip
def test_other_words_are_no_correction(said: str) -> None:
    assert heard_correction(said) is None


@pytest.mark.parametrize(
    "said",
    ["delete the meeting", "delete everything", "delete my run reminder", "borra la reunión",
     "borra el recordatorio de correr", "删除会议", "删除所有记录", "删除提醒"],
)  # fmt: skip
def test_other_things_are_no_entry(said: str) -> None:
    assert heard_deletion(said) is None
