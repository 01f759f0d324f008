"""What /ping tells: busy while anything is under way, and since when that is so."""

from __future__ import annotations

import itertools

from cloche.runtime.busy import Busy


def test_the_time_changes_only_with_the_status() -> None:
    seconds = itertools.count(100)
    busy = Busy(lambda: next(seconds))
    assert busy.status.document == {"status": "Healthy", "time_of_last_update": 100}
    busy.tell("line", 0)
    assert busy.status.since == 100
    busy.tell("line", 1)
    assert busy.status.document == {"status": "HealthyBusy", "time_of_last_update": 101}
    busy.tell("line", 3)
    with busy.doing("invocations"):
        busy.tell("line", 0)
        assert busy.status.since == 101
    assert busy.status.document == {"status": "Healthy", "time_of_last_update": 102}


def test_what_happens_between_two_looks_is_told() -> None:
    seconds = itertools.count(0)
    busy = Busy(lambda: next(seconds))
    before = busy.status
    with busy.doing("invocations"):
        pass
    assert busy.status.busy is before.busy
    assert busy.status.since > before.since


def test_a_block_that_fails_is_over() -> None:
    busy = Busy()
    try:
        with busy.doing("invocations"):
            raise KeyError
    except KeyError:
        pass
    assert not busy.status.busy
