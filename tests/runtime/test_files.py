"""Files through the runtime's own process: sent by a platform, kept, read, and sent back.

The processes are real, and so are their ends; what a session's machine had at hand is gone with it.
"""

from __future__ import annotations

import base64
import io
import json
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import PIL.Image
import pytest

from cloche.agents.openclaw.installation import find_installation, installation_folder
from cloche.runtime.session import runtime_session_id
from cloche.settings import OpenClawSettings
from cloche.testing import TelegramServer
from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.pdfs import pdf_of
from cloche.testing.script import Answer, Asked, call, say
from cloche.testing.telegram import NO_FLOOD_CONTROL
from cloche.testing.transcription import TranscriptionServer
from cloche.workspace.s3 import s3_client

from .processes import Process, until

if TYPE_CHECKING:
    from conftest import Site

    from cloche.testing.telegram import Person

HAIKU = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
SONNET = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
FOLDER = str(installation_folder(OpenClawSettings()))
THERE = find_installation(OpenClawSettings(folder=FOLDER)) is not None
BUCKET = "of-people"
SECRET = "telegram-says-so"
PLAN = "四月种两棵无花果。"
PAPER = "Prune the fig in February."
SPOKEN = "El limonero está en el balcón."
SEEN = "A navy field."
MARKS = (PLAN, PAPER, SPOKEN)
VOICE = b"OggS\x00\x02" + bytes(40)
PDF = pdf_of(PAPER)
EVERYTHING = (
    ("read_file", {"name": "计划.txt"}),
    ("read_file", {"name": "paper.pdf"}),
    ("read_file", {"name": "recording"}),
    ("read_file", {"name": "picture", "question": "Which colour?"}),
    ("send_file", {"name": "计划.txt"}),
    ("send_file", {"name": "paper.pdf"}),
)


def picture() -> bytes:
    buffer = io.BytesIO()
    PIL.Image.new("RGB", (60, 40), "navy").save(buffer, "JPEG")
    return buffer.getvalue()


def script(asked: Asked) -> Answer:
    """Tells what it was given, asks for every file when that is wanted, and learns nothing."""
    if "You look at a picture" in asked.system:
        return say(SEEN)
    if "You are Tea" not in asked.system:
        return call(asked.tools[0], statements=[])
    if asked.results:
        return say("\n".join(asked.results))
    if "everything" in asked.words:
        named = {name.rpartition("__")[2]: name for name in asked.tools}
        return [call(named[tool], **arguments) for tool, arguments in EVERYTHING]
    found = [mark for mark in MARKS if mark in asked.words]
    return say(" ".join(("I read:", *found, *asked.images)))


class Bot:
    """People of Telegram, and what an ingress forwards of them to whichever process there is."""

    def __init__(self, server: TelegramServer) -> None:
        self.server, self._taken = server, 0

    def forward(self, one: Process) -> None:
        """Everything that was sent since, as one list of one conversation."""
        updates = self.server.world.history[self._taken :]
        self._taken += len(updates)
        (chat,) = {update["message"]["chat"]["id"] for update in updates}
        requests = [
            {
                "headers": {"X-Telegram-Bot-Api-Secret-Token": SECRET},
                "body": base64.b64encode(json.dumps(update).encode()).decode(),
            }
            for update in updates
        ]
        told = one.invoke(
            {"kind": "channel", "channel": "telegram", "requests": requests},
            runtime_session_id("telegram", str(chat)),
        )
        assert told == (200, {"accepted": len(updates), "done": True})

    def documents(self, who: Person) -> list[tuple[str, bytes]]:
        """Names and bytes of what the bot sent somebody as files."""
        files = self.server.world.files
        return [
            (each["document"]["file_name"], files[each["document"]["file_id"]].data)
            for each in self.server.sent
            if "document" in each and each["chat"]["id"] == who.id
        ]

    def send_all(self, who: Person) -> None:
        """A text, a document, a recording and a picture."""
        who.sends_document(PLAN.encode(), "计划.txt", "text/plain", caption="Keep these.")
        who.sends_document(PDF, "paper.pdf", "application/pdf")
        who.sends_voice(VOICE)
        who.sends_photo(picture())


@pytest.fixture
def models() -> Iterator[BedrockEndpoint]:
    with BedrockEndpoint(script) as server:
        yield server


@pytest.fixture
def bot() -> Iterator[Bot]:
    with TelegramServer(flood=NO_FLOOD_CONTROL) as server:
        yield Bot(server)


@pytest.fixture
def begin(
    site: Site,
    start: Callable[..., Process],
    models: BedrockEndpoint,
    bot: Bot,
    tmp_path: Path,
    s3_url: str,
    aws: None,
) -> Iterator[Callable[..., Process]]:
    """Starts a process with a bot, models and ears; with ``s3`` people's files go to a bucket."""
    skills = site.folder / "cloche_tea" / "skills.json"
    skills.write_text('{"version": 1, "skills": ["files"]}', encoding="utf-8")
    mounted(tmp_path).mkdir()
    buckets = s3_client("eu-west-1")
    place = {"LocationConstraint": "eu-west-1"}
    buckets.create_bucket(Bucket=BUCKET, CreateBucketConfiguration=place)

    def run(*arguments: str, s3: bool = True, **more: str) -> Process:
        kept = {
            "CLOCHE_FILES__STORE": "s3",
            "CLOCHE_FILES__BUCKET": BUCKET,
            "CLOCHE_FILES__SESSION_STORAGE": str(mounted(tmp_path)),
            "AWS_ENDPOINT_URL_S3": s3_url,
            "AWS_REGION": "eu-west-1",
        }
        settings = {
            "CLOCHE_AGENT": "embedded",
            "CLOCHE_MODEL__PROVIDER": "bedrock",
            "CLOCHE_MODEL__BASE_URL": models.url,
            "CLOCHE_MODEL__REGION": "eu-north-1",
            "MODEL_ID": HAIKU,
            "VISION_MODEL_ID": SONNET,
            "AWS_ACCESS_KEY_ID": "loopback",
            "AWS_SECRET_ACCESS_KEY": "loopback",
            "AWS_EC2_METADATA_DISABLED": "true",
            "CLOCHE_CHANNELS__TELEGRAM__TOKEN": bot.server.token,
            "CLOCHE_CHANNELS__TELEGRAM__SECRET": SECRET,
            "CLOCHE_CHANNELS__TELEGRAM__API_URL": bot.server.url,
            "CLOCHE_DELIVERY__PACING": "false",
            "CLOCHE_TRANSCRIPTION__MODEL": "whisper-1",
            "CLOCHE_TRANSCRIPTION__BASE_URL": ears.base_url,
        }
        return start(*arguments, **{**settings, **(kept if s3 else {}), **more}).ready()

    with TranscriptionServer(lambda _: SPOKEN) as ears:
        yield run
    for each in in_bucket():
        buckets.delete_object(Bucket=BUCKET, Key=each)
    buckets.delete_bucket(Bucket=BUCKET)
    buckets.close()


def mounted(tmp_path: Path) -> Path:
    """Where the session storage is."""
    return tmp_path / "mnt"


def in_bucket() -> list[str]:
    """The keys of what the bucket has, without the hash that names a person."""
    buckets = s3_client("eu-west-1")
    try:
        return [one["Key"] for one in buckets.list_objects_v2(Bucket=BUCKET).get("Contents", ())]
    finally:
        buckets.close()


def names(keys: list[str]) -> list[str]:
    return sorted(key.split("/", 3)[3] for key in keys)


KEPT = [
    *("sent.words/paper.pdf", "sent.words/{day}.ogg"),
    *("sent/paper.pdf", "sent/{day}.jpg", "sent/{day}.ogg", "sent/计划.txt"),
]


def check_first_turn(bot: Bot, ana: Person) -> None:
    """All of what came together was read, by one model, and answered once."""
    (told,) = bot.server.texts(ana.id)
    for each in (*MARKS, "image/jpeg"):
        assert each in told
    assert bot.documents(ana) == []


def check_later_turns(
    one: Process, bot: Bot, ana: Person, ben: Person, models: BedrockEndpoint
) -> None:
    """Hers comes back to her as it was; somebody else who asks for the same has none of it."""
    models.requests.clear()
    ben.writes("Give me everything.")
    bot.forward(one)
    said = json.dumps([[each.body for each in models.requests], bot.server.texts(ben.id)])
    assert "read_file" in said
    ana.writes("Give me everything.")
    bot.forward(one)
    told = bot.server.texts(ana.id)[1]
    for each in (*MARKS, SEEN):
        assert each in told
        assert json.dumps(each)[1:-1] not in said
    assert bot.documents(ana) == [("计划.txt", PLAN.encode()), ("paper.pdf", PDF)]
    assert bot.documents(ben) == []


@pytest.mark.parametrize("s3", [False, True], ids=["folder", "s3"])
def test_what_somebody_sends_is_read_and_comes_back_from_another_process(
    begin: Callable[..., Process], bot: Bot, models: BedrockEndpoint, tmp_path: Path, s3: bool
) -> None:
    ana, ben = bot.server.person("Ana"), bot.server.person("Ben")
    one = begin(s3=s3)
    bot.send_all(ana)
    bot.forward(one)
    check_first_turn(bot, ana)
    assert one.end() == 0
    day = f"{bot.server.world.clock():%Y-%m-%d}"
    if s3:
        keys = in_bucket()
        assert names(keys) == sorted(each.format(day=day) for each in KEPT)
        assert not any("ana" in key.lower() or str(ana.id) in key for key in keys)
        assert list(mounted(tmp_path).rglob("计划.txt"))
        shutil.rmtree(mounted(tmp_path) / "tea")  # another machine's session storage is empty
    two = begin(s3=s3)
    check_later_turns(two, bot, ana, ben, models)
    assert two.end() == 0
    for process in (one, two):
        out, err = process.process.communicate()
        assert "Traceback" not in out + err
        assert not [mark for mark in MARKS if json.dumps(mark)[1:-1] in err or mark in err]
        assert bot.server.token not in out + err


def test_what_could_not_be_saved_is_saved_by_the_next_process(
    begin: Callable[..., Process], bot: Bot, tmp_path: Path
) -> None:
    ana = bot.server.person("Ana")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        away = f"http://127.0.0.1:{taken.getsockname()[1]}"
    one = begin(AWS_ENDPOINT_URL_S3=away)
    ana.sends_document(PDF, "paper.pdf", "application/pdf", caption="Keep it.")
    bot.forward(one)
    assert PAPER in bot.server.texts(ana.id)[0]  # nobody's answer waits for a bucket
    ana.writes("Give me everything.")
    bot.forward(one)
    assert bot.documents(ana) == [("paper.pdf", PDF)]
    one.process.kill()
    _, err = one.process.communicate(timeout=10)
    assert sum("files wait to be saved" in line for line in err.splitlines()) == 1
    assert in_bucket() == []
    (spool,) = mounted(tmp_path).rglob("spool.jsonl")
    assert spool.read_text().count("paper.pdf") == 2  # it, and its words
    two = begin()
    ana.writes("Hello again.")
    bot.forward(two)
    until(lambda: not spool.exists() or not spool.read_text())
    assert names(in_bucket()) == ["sent.words/paper.pdf", "sent/paper.pdf"]
    assert two.end() == 0


@pytest.mark.gateway
@pytest.mark.timeout(400)
@pytest.mark.skipif(not THERE, reason="OpenClaw (make openclaw)")
def test_the_same_through_the_gateway(
    begin: Callable[..., Process], bot: Bot, models: BedrockEndpoint, tmp_path: Path
) -> None:
    gateway = {"CLOCHE_AGENT": "openclaw", "CLOCHE_OPENCLAW__FOLDER": FOLDER}
    ana, ben = bot.server.person("Ana"), bot.server.person("Ben")
    one = begin(**gateway)  # nobody waits for its start: the embedded agent answers meanwhile
    bot.send_all(ana)
    bot.forward(one)
    check_first_turn(bot, ana)
    assert one.end() == 0
    shutil.rmtree(mounted(tmp_path) / "tea")
    two = begin("--dev", **gateway)
    until(lambda: agent_of(two) == "openclaw", 240, every=2)
    check_later_turns(two, bot, ana, ben, models)
    chats = [str(each.body["system"]) for each in models.requests]
    chats = [system for system in chats if "You are Tea" in system]
    assert len(chats) == 4  # each asked, and told what the tools said
    assert all("OpenClaw" in system for system in chats)
    assert two.end() == 0


def agent_of(one: Process) -> str:
    """Who answers the owner just now."""
    status, told = one.invoke({"kind": "message", "text": "Hello."})
    assert (status, told["failure"]) == (200, "")
    return str(told["agent"])
