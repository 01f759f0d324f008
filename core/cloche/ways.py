"""Which channels are served and how: by webhooks, by polling, or by a loop of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from cloche.channels import Channel, Secret
from cloche.documents import did_you_mean
from cloche.errors import SettingsError
from cloche.settings import Settings, variable

if TYPE_CHECKING:
    from pydantic import SecretStr

Way: TypeAlias = Literal["webhook", "polling", "loop"]

CONSOLE: Final = "console"
"""Opened by ``cloche chat`` and never served: it needs a keyboard."""


def choose_channels(
    there: Mapping[str, type[Channel]], named: Sequence[str], settings: Settings
) -> Mapping[str, type[Channel]]:
    """The channels that are named, else those that are configured, by name.

    Raises:
        SettingsError: one of them is not there or cannot be served, or none is configured.
    """
    served = {name: channel for name, channel in there.items() if name != CONSOLE}
    for name in named:
        if name == CONSOLE:
            raise SettingsError("The console is not served: `cloche chat` opens it.")
        if name not in served:
            raise SettingsError(no_channel(name, served))
    chosen = {name: served[name] for name in named or served}
    if not named:
        chosen = {name: one for name, one in chosen.items() if is_configured(one, settings)}
    if not chosen:
        others = "; ".join(f"`--channel {name}`{_needs(one)}" for name, one in served.items())
        raise SettingsError(f"No channel is configured. There are: {others or 'none'}.")
    return chosen


def no_channel(name: str, there: Collection[str]) -> str:
    """Says that there is no such channel, which name is near, and which there are."""
    near = did_you_mean(name, there)
    return f"There is no channel named {name!r}{near} There are: {', '.join(there) or 'none'}."


def is_configured(channel: type[Channel], settings: Settings) -> bool:
    """Whether the operator set something for a channel, and all that it always needs."""
    given = given_to(channel.name, settings)
    return bool(given) and not [one for one in _missing(channel, given) if one.needed == "always"]


def ways_of(channels: Mapping[str, type[Channel]], settings: Settings) -> Mapping[str, Way]:
    """How each channel is served: webhooks where platforms can reach this machine.

    Raises:
        SettingsError: a secret is missing: nothing starts, whatever else could.
    """
    ways = {name: way_of(channel, settings) for name, channel in channels.items()}
    wrong = [line for name, one in channels.items() for line in lacking(one, ways[name], settings)]
    if wrong:
        raise SettingsError("\n".join(wrong))
    return ways


def lacking(channel: type[Channel], way: Way, settings: Settings) -> Iterator[str]:
    """One sentence for each setting without which a channel cannot be served this way."""
    for secret in _missing(channel, given_to(channel.name, settings)):
        if secret.needed == "always" or (secret.needed == "webhook" and way == "webhook"):
            name = variable(f"channels.{channel.name}.{secret.key}")
            yield f"{channel.name} needs {name}: {secret.about}."


def given_to(name: str, settings: Settings) -> Mapping[str, SecretStr]:
    """What the operator set for a channel, by key; what is empty is not set."""
    given = settings.channels.get(name, {})
    return {key: value for key, value in given.items() if value.get_secret_value()}


def keys_of(channels: Mapping[str, type[Channel]]) -> Mapping[str, tuple[str, ...]]:
    """The keys each channel takes, by its name."""
    return {name: tuple(one.key for one in channel.secrets) for name, channel in channels.items()}


def _missing(channel: type[Channel], given: Mapping[str, SecretStr]) -> list[Secret]:
    return [secret for secret in channel.secrets if secret.key not in given]


def way_of(channel: type[Channel], settings: Settings) -> Way:
    """How a channel is served with these settings."""
    if channel.capabilities.owner_only:
        return "loop"
    if channel.polls() and not (channel.takes_requests() and settings.serve.public_url):
        return "polling"
    return "webhook"


def _needs(channel: type[Channel]) -> str:
    names = [
        variable(f"channels.{channel.name}.{secret.key}")
        for secret in channel.secrets
        if secret.needed == "always"
    ]
    return f" needs {', '.join(names)}" if names else ""
