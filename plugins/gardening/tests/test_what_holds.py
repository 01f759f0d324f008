"""What holds now of a garden: told, moved and corrected through whole turns with the stand-in."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cloche.assembly import open_assistant
from cloche.memory.ranking import is_current
from cloche.messages import Address, Message
from cloche.plugins import Host
from cloche.settings import Settings


class Bench:
    """Sprout on a fresh home; a day passes with every message."""

    def __init__(self, home: Path, installed: Host) -> None:
        self.installed = installed
        self.settings = Settings(home=home, time_zone="UTC")
        self.now = datetime(2026, 5, 4, 8, 0, tzinfo=UTC)

    async def told(self, *texts: str) -> tuple[list[str], list[str], list[str]]:
        """What holds, what is history, and what the stand-in answered."""
        assistant = await open_assistant(
            self.installed, "gardening", self.settings, clock=lambda: self.now
        )
        numbers, answers = itertools.count(1), []
        for text in texts:
            self.now += timedelta(days=1)
            message = Message(f"{next(numbers)}", Address("console", "mo"), "mo", text)
            turn = await assistant.handle(message)
            await turn.afterwards()
            answers.append(turn.reply.text)
        records = sorted(
            await assistant.memory.store.iterate("console_-mo"),
            key=lambda record: record.validity.created_at,
        )
        said = [record for record in records if record.kind != "summary"]
        await assistant.close()
        return (
            [record.text for record in said if is_current(record, self.now)],
            [record.text for record in said if not is_current(record, self.now)],
            answers,
        )


@pytest.fixture
def bench(tmp_path: Path, installed: Host) -> Bench:
    return Bench(tmp_path, installed)


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("The fig is by the back wall.", "The fig is in the south bed.", None),
        (
            "The fig is by the back wall.",
            "No, the fig is in the south bed.",
            "the fig is in the south bed.",
        ),
        ("The fig is by the back wall.", "No, it's in the south bed.", "it's in the south bed."),
        ("La higuera está junto al muro del fondo.", "La higuera está en el bancal sur.", None),
        (
            "La higuera está junto al muro del fondo.",
            "no, la higuera está en el bancal sur",
            "la higuera está en el bancal sur",
        ),
        ("无花果种在后墙边。", "无花果在南边的花坛。", None),
        ("无花果种在后墙边。", "不对，无花果在南边的花坛", "无花果在南边的花坛"),
        ("The fig is in the south bed.", "The fig is in the north bed.", None),
        ("La higuera está en el bancal sur.", "La higuera está en el bancal norte.", None),
        ("无花果在南边的花坛。", "无花果在北边的花坛。", None),
        ("I only use organic fertilizer.", "I never use organic fertilizer.", None),
        ("Solo uso abono orgánico.", "Nunca uso abono orgánico.", None),
        ("我只用有机肥。", "我从不用有机肥。", None),
        ("The fig is by the back wall.", "La higuera está en el bancal sur.", None),
    ],
)
async def test_a_plant_that_moved_is_in_one_place(
    bench: Bench, before: str, after: str, kept: str | None
) -> None:
    holds, history, _ = await bench.told(before, after)
    assert (holds, history) == ([kept or after], [before])


@pytest.mark.parametrize(
    ("before", "correction", "question", "there", "gone"),
    [
        (
            "The fig is by the back wall.",
            "No, the fig is in the south bed.",
            "Where is the fig?",
            "south bed",
            "back wall",
        ),
        (
            "La higuera está junto al muro del fondo.",
            "No, la higuera está en el bancal sur.",
            "¿Dónde está la higuera?",
            "bancal sur",
            "muro del fondo",
        ),
        (
            "无花果种在后墙边。",
            "不对，无花果在南边的花坛。",
            "无花果在哪里？",
            "南边的花坛",
            "后墙",
        ),
    ],
)
async def test_asked_where_it_is_sprout_names_the_new_place_only(
    bench: Bench, before: str, correction: str, question: str, there: str, gone: str
) -> None:
    _, _, answers = await bench.told(before, correction, question)
    assert there in answers[-1]
    assert gone not in answers[-1]


@pytest.mark.parametrize(
    ("one", "again"),
    [
        ("I only use organic fertilizer.", "I use only organic fertilizer!"),
        ("The fig is by the back wall.", "The fig stands next to the back wall."),
        ("La higuera está en el bancal sur.", "La higuera está en el bancal del sur."),
        ("无花果在南边的花坛。", "无花果种在南边的花坛里。"),
        ("The fig is in the south bed.", "La higuera está en el bancal sur."),
    ],
)
async def test_what_is_said_again_is_kept_once(bench: Bench, one: str, again: str) -> None:
    holds, history, _ = await bench.told(one, again)
    assert (holds, history) == ([one], [])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I grow tomatoes in the south bed.", "I grow basil in the south bed."),
        ("We have tomatoes in the south bed.", "We have tomatoes in the north bed."),
        ("El bancal sur es arenoso.", "El bancal norte es arenoso."),
        ("我在阳台种了番茄。", "我在阳台种了罗勒。"),
    ],
)
async def test_two_plants_and_two_beds_stay_two(bench: Bench, one: str, other: str) -> None:
    holds, history, _ = await bench.told(one, other)
    assert (holds, history) == ([one, other], [])
