"""What every assistant package must do: inherited by the package's tests."""

from __future__ import annotations

from cloche.testing.assistants.package import PackageCases
from cloche.testing.assistants.talk import TalkCases
from cloche.testing.inherited import KeepsInheritedTests


class AssistantConformance(PackageCases, TalkCases, KeepsInheritedTests):
    """Everything an assistant package must do, as tests.

    A package's author inherits it and names the package; nothing else is needed::

        from cloche.testing import AssistantConformance

        class TestMine(AssistantConformance):
            package = "cloche_x"

    It needs the package installed (``pip install -e .``), no account and no network.
    """
