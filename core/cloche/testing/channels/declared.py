"""What a channel says about its platform fits together."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Final

from cloche.channels import Pointers, SharedSecret, read_id
from cloche.ids import CHANNEL_PATTERN
from cloche.testing.channels.base import ChannelCases

_KEY: Final = re.compile(r"[a-z][a-z0-9_]*")


class DeclaredCases(ChannelCases):
    """The class variables, before anything is sent."""

    def test_its_name_and_limits_are_possible(self) -> None:
        """A name for addresses, and room for at least a short answer."""
        channel = self.channel
        assert CHANNEL_PATTERN.fullmatch(channel.name), "name: [a-z][a-z0-9-]*, at most 32"
        assert channel.limits.text >= 20, "limits.text: too little for an answer"
        assert channel.limits.text_bytes >= 80, "limits.text_bytes: too little for an answer"
        assert channel.limits.request_bytes >= 1000
        assert (
            min(
                getattr(channel.limits, each.name)
                for each in fields(channel.limits)
                if each.name != "unit"
            )
            >= 0
        )

    def test_its_settings_are_named_and_explained(self) -> None:
        """Each has a key that a setting can be called by, once, and says what it is."""
        keys = [secret.key for secret in self.channel.secrets]
        assert len(keys) == len(set(keys))
        for secret in self.channel.secrets:
            assert _KEY.fullmatch(secret.key), f"{secret.key!r}: [a-z][a-z0-9_]*"
            assert secret.about.strip(), f"{secret.key} does not say what it is"
        assert set(self.settings) <= set(keys), "settings that the channel does not declare"

    def test_it_can_be_reached(self) -> None:
        """Platforms deliver to it, or it asks them, or it has a loop of its own."""
        channel = self.channel
        ways = (channel.takes_requests(), channel.polls(), channel.capabilities.owner_only)
        assert any(ways), "declare authentication, or write poll"

    def test_its_secrets_are_asked_for(self) -> None:
        """What requests are authenticated with is a setting, needed where requests come in."""
        authentication, challenge = self.channel.authentication, self.channel.challenge
        needed = {each.key for each in self.channel.secrets if each.needed != "never"}
        if authentication is not None:
            assert authentication.secret in needed
            assert authentication.header == authentication.header.lower()
        if challenge is not None:
            assert authentication is not None, "a challenge without authentication"
            assert challenge.place == "body" or challenge.secret in needed

    def test_all_of_a_signed_request_is_signed(self) -> None:
        """The body, and the time where there is one: else an old request could be sent anew."""
        signature = self.channel.authentication
        if signature is None or isinstance(signature, SharedSecret):
            return
        assert signature.template.count("{body}") == 1
        if signature.timestamp:
            assert f"{{header:{signature.timestamp}}}" in signature.template

    def test_its_pointers_are_json_pointers(self) -> None:
        """Whoever takes requests says where their ids stand."""
        pointers = self.channel.pointers
        if self.channel.takes_requests():
            assert pointers is not None, "pointers: needed where requests come in"
        if pointers is not None:
            assert pointers.update
            assert pointers.conversation
            assert pointers.sender
            for each in fields(Pointers):
                read_id(getattr(pointers, each.name), {})

    def test_its_samples_are_messages(self) -> None:
        """Each of them, and the same each time it is read."""
        assert self.messages() == self.messages()
        for sample in self.ignored:
            assert self.read(sample) == (), f"a message was found in {sample.body[:300]!r}"
