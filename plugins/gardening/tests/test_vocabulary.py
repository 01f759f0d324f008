"""What Sprout takes a gardener's words for, in English, Spanish and Chinese."""

from __future__ import annotations

import pytest

from cloche import Vocabulary
from cloche_gardening import provide_namespaces, provide_vocabulary


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return provide_vocabulary()


def named(vocabulary: Vocabulary, key: str, text: str) -> list[str]:
    return [tag.id for tag in vocabulary[key].mentions(text)]


@pytest.mark.parametrize(
    ("text", "plants"),
    [
        ("Two rows of tomatoes and one Tomato by the door", ["tomato"]),
        ("las TOMATERAS crecen junto a la albahaca", ["tomato", "basil"]),
        ("un limonero y dos CALABACINES", ["courgette", "lemon"]),
        ("番茄和西红柿是一样的", ["tomato"]),
        ("阳台上有薄荷、迷迭香，还有一棵无花果", ["mint", "rosemary", "fig"]),
        ("Cherry tomatoes, sweet potatoes and snow peas", ["tomato", "sweet-potato", "pea"]),
        ("樱桃番茄不是樱桃", ["tomato", "cherry"]),
        ("Mexican petunias in a Corten steel bed", ["mexican-petunia"]),
        ("petunias mexicanas y petunias", ["petunia", "mexican-petunia"]),
        ("墨西哥矮牵牛，不是牵牛花", ["mexican-petunia", "morning-glory"]),
        ("矮牵牛", ["petunia"]),
        ("土豆和四季豆", ["potato", "bean"]),
        ("Our raspberry canes, the fig trees and the grapevine", ["raspberry", "grape", "fig"]),
        ("peonías, hortensias y jazmín", ["hydrangea", "peony", "jasmine"]),
        ("我种了basil和rosemary", ["basil", "rosemary"]),
        ("a configuration of leeks", ["leek"]),
        ("mi papá pintó la valla de color rosa", []),
        ("The dog slept all day", []),
        ("The walnut by the gate", ["walnut"]),
        ("el nogal y el melocotonero", ["walnut", "peach"]),
        ("核桃树和桃树", ["walnut", "peach"]),
        ("核桃树", ["walnut"]),
        ("squash bugs on the beans", ["bean"]),
        ("squash and bugs", ["pumpkin"]),
        ("sweet peas and peas", ["sweet-pea", "pea"]),
        ("guisantes de olor", ["sweet-pea"]),
        ("香豌豆", ["sweet-pea"]),
        ("figs, quinces and medlars", ["fig", "quince", "medlar"]),
        ("higos, membrillos y nísperos", ["fig", "quince", "loquat"]),
        ("枫树、兰花和蓝莓", ["maple", "orchid", "blueberry"]),
        ("two maples, an orchid and blueberries", ["maple", "orchid", "blueberry"]),
        ("orange tulips", ["tulip"]),
        ("salsa, sauce, I'll do it: lo haré", []),
    ],
)
def test_plants_are_known_by_plural_accent_and_script(
    vocabulary: Vocabulary, text: str, plants: list[str]
) -> None:
    assert sorted(named(vocabulary, "plants", text)) == sorted(plants)


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("They stand in the South Bed and on the balcony.", ["south-bed", "balcony"]),
        ("en el bancal norte y en el INVERNADERO", ["north-bed", "greenhouse"]),
        ("南边的花坛和阳台", ["south-bed", "balcony"]),
        ("a Corten steel bed", ["steel-bed"]),
        ("el balcon", ["balcony"]),
        ("está cerca de la casa", []),
    ],
)
def test_places_are_known_in_three_languages(
    vocabulary: Vocabulary, text: str, sections: list[str]
) -> None:
    assert named(vocabulary, "section", text) == sections


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("We planted leeks", ["plant"]),
        ("planté ajos", ["plant"]),
        ("我种了大蒜", ["plant"]),
        ("heavy clay, and the raised beds dry out", ["bed", "soil"]),
        ("suelo arcilloso a media sombra", ["soil", "sun"]),
        ("下午有阳光，土壤偏沙", ["soil", "sun"]),
        ("Only organic, please", ["method"]),
        ("solo productos ecológicos", ["method"]),
        ("只用有机肥料", ["method"]),
        ("aphids again", ["problem"]),
        ("hay pulgones", ["problem"]),
        ("又有蚜虫了", ["problem"]),
        ("cosechamos mucho", ["harvest"]),
        ("I lent out the wheelbarrow", ["tool"]),
        ("tengo dos gatos y una niña", ["household"]),
        ("家里养猫，还有小孩", ["household"]),
        ("mis vecinos son amables", []),
        ("There are voles and deer", ["problem"]),
        ("hay topillos y jabalíes", ["problem"]),
        ("有田鼠和野猪", ["problem"]),
        ("squash bugs", ["problem"]),
    ],
)
def test_the_type_of_a_statement_shows_in_its_verbs_and_things(
    vocabulary: Vocabulary, text: str, types: list[str]
) -> None:
    assert named(vocabulary, "type", text) == types


def test_the_vocabulary_is_three_keys_and_plants_are_the_inventory(vocabulary: Vocabulary) -> None:
    assert [key.id for key in vocabulary.keys] == ["type", "section", "plants"]
    assert [key.id for key in vocabulary.inventory] == ["plants"]
    assert vocabulary["type"].closed
    assert len(vocabulary["type"].values) <= 10
    assert len(vocabulary["plants"].values) >= 60


@pytest.mark.parametrize("text", ["the other plants", "las otras plantas", "其他的植物"])
def test_a_question_names_the_inventory_in_three_languages(
    vocabulary: Vocabulary, text: str
) -> None:
    assert vocabulary["plants"].named_in(text)


def test_every_value_has_words_in_all_three_languages(vocabulary: Vocabulary) -> None:
    for key in vocabulary.keys:
        for value in key.values:
            words = value.spellings
            assert any("\u4e00" <= char <= "\u9fff" for word in words for char in word), value.id
            assert len(words) >= 3, value.id


def test_the_namespaces_are_the_agreed_ones() -> None:
    templates = [scope.template for scope in provide_namespaces().all_scopes]
    assert templates == [
        "sprout/{actorId}/long_term/",
        "sprout/{actorId}/episodic/{sessionId}/",
    ]
