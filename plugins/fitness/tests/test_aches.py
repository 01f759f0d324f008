"""What hurts and what is well again, told in one breath: in doubt the joint is spared."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import cloche_fitness
from cloche import MemoryRecord
from cloche.memory.records import Source, Tag, Validity
from cloche_fitness import provide_vocabulary
from cloche_fitness.training.caring import cares
from cloche_fitness.training.knowing import known_of
from cloche_fitness.training.tables import read_words

WORDS = read_words(
    Path(cloche_fitness.__file__).parent / "skills" / "training-plan" / "movements.toml"
)


def _told(*texts: str) -> list[MemoryRecord]:
    """What somebody said, a day apart, with the types that the vocabulary finds in it."""
    types = provide_vocabulary()["type"]
    return [
        MemoryRecord(
            id=f"r{day}",
            actor="a_-b",
            scope="long_term",
            kind="fact",
            text=text,
            metadata={"type": tuple(Tag(tag.id, tag.id) for tag in types.mentions(text))},
            source=Source(type="session"),
            validity=Validity(
                created_at=datetime(2026, 1, day, tzinfo=UTC),
                updated_at=datetime(2026, 1, day, tzinfo=UTC),
            ),
        )
        for day, text in enumerate(texts, 1)
    ]


def _aching(*texts: str) -> set[str]:
    return set(known_of(_told(*texts), WORDS).aching)


@pytest.mark.parametrize(
    "said",
    [
        "My knee hasn't healed yet",
        "My knee hasn’t healed yet",
        "My knee has not recovered",
        "My knee is not healed",
        "My knee never recovered",
        "My knee has almost recovered",
        "I hope my knee has healed by June",
        "I am not pain-free in my knee",
        "Is my knee healed?",
        "My knee has not, sadly, recovered",
        "My knee has healed, but it still hurts when I run",
        "My knee is fine now, but only when I walk",
        "I haven't recovered from my torn ACL",
        "My knee still hurts and the coffee is gone",
        "My right knee hurts, my left knee is fine now",
        "My knee healed badly",
        "My knee has healed 80%",
        "My knee has yet to be pain-free",
        "Nobody says my knee has healed",
        "La rodilla no se me ha curado",
        "cuando la rodilla esté curada",
        "膝盖好了再说",
        "膝盖好了就去跑步",
        "mi rodilla todavía no está recuperada",
        "la rodilla casi está recuperada",
        "espero que la rodilla esté recuperada pronto",
        "膝盖还没好",
        "膝盖没有恢复",
        "膝盖还没完全恢复了",
        "膝盖恢复了一点",
        "膝盖什么时候好了就好了吗",
    ],
)
def test_a_joint_is_spared_until_it_is_well_beyond_doubt(said: str) -> None:
    assert "knee" in _aching("My knee hurts", said)


@pytest.mark.parametrize(
    "said",
    [
        "My knee is fine now",
        "My knee has healed",
        "the knee pain is gone",
        "My torn ACL has healed",
        "My knee has healed and the coffee is gone",
        "My knee has healed completely, no pain at all",
        "My knee is 100% healed",
        "ya no tengo dolor de rodilla",
        "膝盖没事了",
        "My knee hurt last week, but it is fine now",
        "I have no pain in my knee anymore",
        "it's my shoulder that hurts, my knee is fine now",
        "mi rodilla ya no me duele",
        "la rodilla está curada",
        "ya me he recuperado de la rodilla",
        "膝盖好了",
        "膝盖已经不疼了",
        "膝盖之前疼，现在好了",
    ],
)
def test_a_joint_that_is_well_again_is_trained(said: str) -> None:
    assert "knee" not in _aching("My knee hurts", said)


@pytest.mark.parametrize(
    "said",
    [
        "My knee is fine now, but my shoulder hurts",
        "My shoulder hurts; the knee pain is gone",
        "My knee is fine now and my shoulder hurts",
        "la rodilla ya no me duele, pero me duele el hombro",
        "膝盖好了，但是肩膀疼",
    ],
)
def test_of_two_joints_only_the_one_that_is_well_is_freed(said: str) -> None:
    assert _aching("My knee and my shoulder hurt", said) == {"shoulder"}
    assert _aching(said) == {"shoulder"}
    assert list(cares(said, WORDS)) == ["ache"]


@pytest.mark.parametrize(
    "said",
    [
        "My knee and my shoulder are fine now",
        "膝盖和肩膀都好了",
        "la rodilla y el hombro ya no me duelen",
    ],
)
def test_two_joints_in_one_breath_are_both_well(said: str) -> None:
    assert _aching("My knee and my shoulder hurt", said) == set()


@pytest.mark.parametrize(
    ("said", "spared"),
    [
        ("I have carpal tunnel", {"wrist"}),
        ("tengo túnel carpiano", {"wrist"}),
        ("我有腕管综合征", {"wrist"}),
        ("I broke my collarbone", {"shoulder"}),
        ("me rompí la clavícula", {"shoulder"}),
        ("我锁骨骨折了", {"shoulder"}),
        ("my rib is broken", {"back", "shoulder"}),
        ("tengo una costilla rota", {"back", "shoulder"}),
        ("我肋骨疼", {"back", "shoulder"}),
        ("torn calf", {"ankle"}),
        ("me duele el gemelo", {"ankle"}),
        ("小腿拉伤了", {"ankle"}),
        ("My thigh hurts", {"hip", "knee"}),
        ("me duele el muslo", {"hip", "knee"}),
        ("大腿拉伤了", {"hip", "knee"}),
        ("patellar tendinitis", {"knee"}),
        ("tendinitis rotuliana", {"knee"}),
        ("髌腱炎，很疼", {"knee"}),
    ],
)
def test_an_injury_spares_the_joints_it_hangs_on_and_is_cared_for(
    said: str, spared: set[str]
) -> None:
    assert _aching(said) == spared
    assert "ache" in cares(said, WORDS)


def test_one_side_that_is_well_says_nothing_of_the_other() -> None:
    for both in ("My knees hurt", "me duelen las rodillas", "我两个膝盖都疼"):
        assert _aching(both, "My left knee is fine now") == {"knee"}
        assert _aching(both, "My knees are fine now") == set()
    assert _aching("My right knee hurts", "mi rodilla izquierda está curada") == {"knee"}
    assert _aching("My left knee hurts", "我左膝盖好了") == set()
    assert _aching("My knee hurts", "My left knee is fine now") == set()


def test_a_joint_that_is_well_ends_no_injury_beside_it() -> None:
    assert _aching("My thigh hurts", "My knee is fine now") == {"hip", "knee"}
    assert _aching("My thigh hurts", "My thigh is fine now") == set()


@pytest.mark.parametrize(
    "said",
    [
        "I have chest pain. My knee is fine now",
        "The chest pain is not gone",
        "me duele el pecho, pero la rodilla está recuperada",
        "胸口疼，膝盖好了",
    ],
)
def test_a_joint_that_is_well_ends_no_emergency(said: str) -> None:
    assert list(cares(said, WORDS)) == ["emergency"]
    assert known_of(_told(said), WORDS).emergency == (said,)


def test_chest_pain_that_is_gone_is_no_emergency() -> None:
    assert not known_of(_told("I had chest pain", "My chest pain is gone"), WORDS).emergency


@pytest.mark.parametrize("said", ["My back squat is not 100 kg", "I like my knee sleeves"])
def test_a_joint_without_pain_is_no_matter_for_a_warning(said: str) -> None:
    assert not cares(said, WORDS)
