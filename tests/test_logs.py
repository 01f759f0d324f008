"""What is logged, where to, and that it holds no secret."""

import io
import logging
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from cloche.log_text import OWN_LOGGERS
from cloche.logs import LogHandler, OncePerCause, set_up_logging
from cloche.settings import ModelSettings, Settings

SETTINGS = Settings(model=ModelSettings(api_key=SecretStr("hush-hush")))


@pytest.fixture(autouse=True)
def _levels_and_handlers_as_before() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in ("", *OWN_LOGGERS)]
    levels = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)
    for handler in list(logging.root.handlers):
        if isinstance(handler, LogHandler):
            logging.root.removeHandler(handler)


def test_lines_go_to_the_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging(SETTINGS)
    logging.getLogger("cloche.x").warning("spool=<%s> | waiting", 3)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith("WARNING cloche.x: spool=<3> | waiting\n")


def test_a_secret_is_neither_in_a_message_nor_in_a_traceback() -> None:
    stream = io.StringIO()
    set_up_logging(SETTINGS, stream)
    try:
        raise ValueError("refused for hush-hush")
    except ValueError:
        logging.getLogger("cloche").exception("key=<%s>", "hush-hush")
    assert "hush" not in stream.getvalue()
    first, kind, place = stream.getvalue().splitlines()
    assert first.endswith("ERROR cloche: key=<[secret]>")
    assert kind == "  ValueError"
    assert place.startswith(f"    at {__file__}:")


@pytest.mark.parametrize(
    ("level", "own", "libraries"),
    [
        ("debug", ["debug", "info", "warning", "error"], ["warning", "error"]),
        ("info", ["info", "warning", "error"], ["warning", "error"]),
        ("warning", ["warning", "error"], ["warning", "error"]),
        ("error", ["error"], ["error"]),
    ],
)
def test_the_level_is_the_hosts_and_libraries_stay_quiet_below_warnings(
    level: str, own: list[str], libraries: list[str]
) -> None:
    for name, heard in (("cloche.memory", own), ("httpx", libraries)):
        stream = io.StringIO()
        set_up_logging(Settings.model_validate({"log_level": level}), stream)
        for each in ("debug", "info", "warning", "error"):
            getattr(logging.getLogger(name), each)(each)
        assert [line.split()[2].lower() for line in stream.getvalue().splitlines()] == heard


def test_setting_it_up_twice_says_nothing_twice() -> None:
    first, second = io.StringIO(), io.StringIO()
    set_up_logging(SETTINGS, first)
    set_up_logging(SETTINGS, second)
    logging.getLogger("cloche").warning("once")
    assert first.getvalue() == ""
    assert len(second.getvalue().splitlines()) == 1


def test_a_cause_is_told_once_and_another_once_more(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="cloche.test")
    notices = OncePerCause(logging.getLogger("cloche.test"))
    told = [notices.warn(cause, "cause=<%s>", cause) for cause in ("auth", "auth", "slow", "auth")]
    assert told == [True, False, True, False]
    assert [(each.levelname, each.getMessage()) for each in caplog.records] == [
        ("WARNING", "cause=<auth>"),
        ("DEBUG", "cause=<auth>"),
        ("WARNING", "cause=<slow>"),
        ("DEBUG", "cause=<auth>"),
    ]
