"""What every channel must do: inherited by the tests of a channel."""

from __future__ import annotations

from cloche.testing.channels.declared import DeclaredCases
from cloche.testing.channels.files import FileCases
from cloche.testing.channels.requests import RequestCases
from cloche.testing.channels.sending import SendingCases
from cloche.testing.channels.texts import TextCases
from cloche.testing.inherited import KeepsInheritedTests


class ChannelConformance(
    DeclaredCases, RequestCases, TextCases, SendingCases, FileCases, KeepsInheritedTests
):
    """Everything a channel must do, as tests.

    A channel's author inherits it, names the class and gives requests of the platform::

        from cloche.channels import ChannelRequest
        from cloche.testing import ChannelConformance

        class TestMine(ChannelConformance):
            channel = MyChannel
            samples = (ChannelRequest(b'{"id": 1, ...}'),)

    It needs no account and no network: whatever address the channel asks, a platform on loopback
    answers (``accepted``, ``throttled`` say how), and fails, as platforms do.
    """
