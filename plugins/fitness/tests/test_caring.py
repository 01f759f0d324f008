"""Who has to be asked before any training, said without a model in the person's language."""

from __future__ import annotations

import pytest

from cloche.language import detect
from cloche.testing import match, tool_context
from cloche_fitness import provide_skills, provide_vocabulary

SKILLS = provide_skills()
EXAMPLES = [example for skill in SKILLS.skills for example in skill.examples]
TOOLS = {tool.name: tool for skill in SKILLS.skills for tool in skill.tools}


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ("I'm pregnant, 20 weeks. Plan my week", "Please talk to your midwife"),
        ("Plan my week. I'm 12 weeks pregnant.", "Please talk to your midwife"),
        ("Can I lift while pregnant?", "Please talk to your midwife"),
        ("Estoy embarazada de cinco meses", "Habla con tu matrona"),
        ("我怀孕五个月了，帮我安排训练", "训练前请先问助产士"),
        ("I'm 15 and I want to lose weight", "No diets, calorie targets"),
        ("I am fifteen. Give me a diet.", "No diets, calorie targets"),
        ("Tengo quince años y quiero adelgazar", "Con menos de 18 años, nada de dietas"),
        ("我今年十五岁，想减肥", "未满18岁，不节食"),
        ("I'm 16 years old", "Under 18, technique and play"),
        ("I take beta blockers", "Please talk to your doctor"),
        ("Tengo la tensión alta", "Habla con tu médico"),
        ("我心脏做过手术", "高强度训练前请先问医生"),
        ("my knee hurts when I squat", "Leave out what hurts"),
        ("me duele el hombro al levantar", "Deja fuera lo que duele"),
        ("深蹲的时候膝盖疼", "会疼的动作先不做"),
        ("I have chest pain when I run", "Call emergency services now"),
        ("me duele el pecho al correr, ¿sigo?", "Llama ya a emergencias"),
        ("跑步时胸口疼", "请马上拨打急救电话"),
        ("what diet should I follow?", "I set no diets"),
    ],
)
async def test_what_a_professional_or_an_age_forbids_comes_first_without_a_model(
    said: str, first: str
) -> None:
    found = match(EXAMPLES, said)
    assert found is not None
    assert found.tool == "health_first"
    language = detect(said) or "en"
    ctx = tool_context(provide_vocabulary(), language=language)
    assert (await TOOLS["health_first"].function(ctx, **found.arguments)).startswith(first)


@pytest.mark.parametrize(
    "said",
    [
        "I'm not pregnant",
        "my heart rate was 150",
        "My wife is pregnant",
        "I have a medicine ball",
        "I'm 15 minutes late",
        "My daughter is 12 years old",
        "llevo 10 años entrenando",
        "我女儿12岁",
        "my knee no longer hurts",
        "my back squat is 100 kg",
        "I'm 35",
    ],
)
def test_nobody_is_warned_of_what_only_sounds_like_it(said: str) -> None:
    assert match(EXAMPLES, said) is None


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ("I have an arrhythmia", "Please talk to your doctor"),
        ("I passed out during training yesterday", "Please talk to your doctor"),
        ("I blacked out on the treadmill", "Please talk to your doctor"),
        ("I feel dizzy when I lift", "Please talk to your doctor"),
        ("I get heart palpitations", "Please talk to your doctor"),
        ("tengo problemas de corazón", "Habla con tu médico"),
        ("tengo una arritmia", "Habla con tu médico"),
        ("Me desmayé entrenando ayer", "Habla con tu médico"),
        ("sufro del corazón", "Habla con tu médico"),
        ("me mareo al levantar peso", "Habla con tu médico"),
        ("我心脏不好", "高强度训练前请先问医生"),
        ("训练时晕倒了", "高强度训练前请先问医生"),
        ("我心律不齐", "高强度训练前请先问医生"),
        ("昨天训练时昏过去了", "高强度训练前请先问医生"),
        ("一举重就头晕", "高强度训练前请先问医生"),
    ],
)
async def test_heart_and_fainting_are_a_doctors_matter_and_no_week_is_hard_after(
    said: str, first: str
) -> None:
    found = match(EXAMPLES, said)
    assert found is not None
    assert found.tool == "health_first"
    ctx = tool_context(provide_vocabulary(), language=detect(said) or "en")
    assert (await TOOLS["health_first"].function(ctx, **found.arguments)).startswith(first)
    week = await TOOLS["plan_week"].function(ctx, goal="strength", days=1)
    assert said in week.splitlines()[0]
    assert "2 × 10" in week


@pytest.mark.parametrize("said", ["te lo agradezco de corazón", "my cardiac output is fine"])
def test_heartfelt_words_are_no_illness(said: str) -> None:
    assert match(EXAMPLES, said) is None
