"""For all suites of the repository: say what was skipped, and take no skip for a pass in CI."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadFileScheduling

    from cloche.plugins import Host

CI = os.environ.get("CI", "") == "true"
TRIED_IN_VAIN = "Skipped: "

# How long an example takes depends on what else the machine does. In CI the same ones are tried
# each time.
settings.register_profile("repository", deadline=None, derandomize=CI)
settings.load_profile("repository")

# Tests have no account: a profile of whoever runs them names keys and regions of theirs.
for _name in [each for each in os.environ if each.startswith("AWS_")]:
    del os.environ[_name]


@pytest.fixture(autouse=True)
def _by_words_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that names no embedder has none, whatever is installed here."""
    monkeypatch.setattr("cloche.embedding.choice.is_installed", lambda: False)


@pytest.fixture(autouse=True)
def _no_gateway_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that names no folder of OpenClaw's has none, whatever is installed here."""
    from cloche.agents.openclaw import installation

    find = installation.find_installation
    monkeypatch.setattr(
        installation, "find_installation", lambda asked: find(asked) if asked.folder else None
    )


@pytest.fixture(scope="session")
def installed() -> Host:
    """What is installed, read once for all tests that change nothing in it."""
    from cloche.plugins import Host
    from cloche.plugins.discovery import discover

    return Host(discover())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays, half a million objects: nobody looks through them for garbage.

    That took a fifth of the time of all tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


FIRST = (
    "tests/e2e/test_a_year.py",
    "tests/repository/test_wheels.py",
    "tests/repository/test_docs.py",
    "tests/runtime/",
    "tests/cli/",
    "tests/channels/web/",
    "plugins/",
)
"""What takes longest of all, few tests though they are: last, they would keep one process busy."""
APART = ("tests/repository/test_docs.py",)
"""Files whose tests have nothing in common and take long: each is run by whoever is free."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long."""
    of = {prefix: at for at, prefix in enumerate(FIRST)}
    items.sort(
        key=lambda item: next(
            (at for prefix, at in of.items() if item.nodeid.startswith(prefix)), len(of)
        )
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """For ``--dist loadfile``: in that order, and the tests of some files one by one."""
    if config.option.dist != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Sharing(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return nodeid if nodeid.startswith(APART) else super()._split_scope(nodeid)

    config.option.loadscopereorder = False
    return Sharing(config, log)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI everything that tests need is installed, so a skip is a failure there."""
    if CI and _skipped(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """One sentence at the end: what was skipped for want of what."""
    reasons = _skipped(config)
    if not reasons:
        terminalreporter.write_line("Nothing was skipped.")
        return
    wants = "; ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items()))
    terminalreporter.write_line(f"Skipped for want of something: {wants}.", yellow=True)
    if CI:
        terminalreporter.write_line("In CI a skip is a failure.", red=True)


def _skipped(config: pytest.Config) -> dict[str, int]:
    """How many tests were skipped, by reason."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    counts: dict[str, int] = {}
    for report in reporter.stats.get("skipped", []) if reporter else []:
        reason = _reason(report)
        counts[reason] = counts.get(reason, 0) + 1
    return counts


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return re.sub(r"\.$", "", text.removeprefix(TRIED_IN_VAIN).strip())
