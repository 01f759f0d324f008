"""A conformance class holds only when all of it is inherited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

_HERE: Final = __name__.rpartition(".")[0]


class KeepsInheritedTests:
    """Base of conformance classes: a test that is taken out or replaced fails by name.

    Who cannot pass a test yet says so, and why::

        @pytest.mark.xfail(reason="our server has no search yet")
        def test_something_inherited(self): ...
    """

    def test_no_inherited_test_is_removed_or_replaced(self) -> None:
        """Every test of the conformance class runs as it was written, or is marked xfail."""
        changed = sorted(
            name
            for name, inherited in _inherited_tests(type(self))
            if getattr(type(self), name, None) is not inherited
            and not _explained(getattr(type(self), name, None))
        )
        if changed:
            pytest.fail(
                f"{type(self).__name__} changes inherited tests: {', '.join(changed)}. "
                "Mark each with pytest.mark.xfail(reason=...), or leave it as it is.",
                pytrace=False,
            )


def _inherited_tests(cls: type) -> Iterator[tuple[str, object]]:
    """Tests that the conformance classes among the bases define."""
    for base in cls.__mro__:
        if base.__module__.startswith(f"{_HERE}."):
            for name, value in vars(base).items():
                if name.startswith("test"):
                    yield name, value


def _explained(test: object) -> bool:
    marks = getattr(test, "pytestmark", ())
    return any(mark.name == "xfail" and mark.kwargs.get("reason") for mark in marks)
