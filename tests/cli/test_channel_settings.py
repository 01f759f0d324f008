"""Settings of channels: a slip of the pen is refused, a broken plugin's are only warned about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from pydantic import SecretStr

from cloche.cli.choosing import check_channel_settings
from cloche.errors import SettingsError
from cloche.settings import Settings

if TYPE_CHECKING:
    from conftest import Commands, Site


def settings_for(channel: str) -> Settings:
    return Settings(channels={channel: {"token": SecretStr("t")}})


def test_settings_of_a_channel_that_nobody_brings_are_refused(site: Site) -> None:
    with pytest.raises(SettingsError, match=r"no channel named 'consle' \(did you mean"):
        check_channel_settings(settings_for("consle"), site.host())


def test_settings_of_a_channel_whose_plugin_is_set_aside_are_warned_about(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.plugin("matrix", "raise RuntimeError('needs another Python')")
    check_channel_settings(settings_for("matrix"), site.host())
    assert "channels.matrix is not used: the channel's plugin is set aside." in (
        capsys.readouterr().err
    )


BELL = """
from cloche import Channel, hookimpl
from cloche.channels import Secret

class Bell(Channel):
    name = "bell"
    secrets = (Secret("token", "what it rings with"),)

    def parse(self, request):
        return ()

    async def send(self, part):
        pass

    async def check(self):
        if self.context.secret("token") == "odd":
            raise OSError("https://bell.example/odd")
        return [(True, "it rings"), (False, "one string is torn")]

@hookimpl
def provide_channels():
    return [Bell]
"""


def test_settings_of_a_channel_that_is_there_say_nothing(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.plugin("bell", BELL)
    check_channel_settings(settings_for("bell"), site.host())
    assert capsys.readouterr().err == ""


def test_a_slip_in_a_channels_key_is_refused_with_the_nearest(site: Site) -> None:
    site.plugin("bell", BELL)
    settings = Settings(channels={"bell": {"tokken": SecretStr("t")}})
    with pytest.raises(SettingsError, match=r"mean CLOCHE_CHANNELS__BELL__TOKEN\?"):
        check_channel_settings(settings, site.host())


def test_plugins_lists_the_channels_each_brings(site: Site, cloche: Commands) -> None:
    site.plugin("bell", BELL)
    rows = cloche.plugins()
    assert rows["bell"]["channels"] == ["bell"]
    assert rows["console"]["channels"] == ["console"]
    assert rows["embedders"]["channels"] == []


def test_doctor_shows_how_a_channel_is_served_and_what_its_platform_says(
    site: Site, cloche: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.plugin("bell", BELL)
    monkeypatch.setenv("CLOCHE_CHANNELS__BELL__TOKEN", "ring-0123456789")
    rows = [
        (row["area"], row["status"], row["value"])
        for row in json.loads(cloche("doctor", "--json", code=1))
        if row["name"] == "channel bell"
    ]
    assert rows == [
        ("configured", "ok", "webhook at this machine"),
        ("reachable", "ok", "it rings"),
        ("reachable", "failed", "one string is torn"),
    ]


def test_doctor_tells_a_channels_failure_without_what_the_error_says(
    site: Site, cloche: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.plugin("bell", BELL)
    monkeypatch.setenv("CLOCHE_CHANNELS__BELL__TOKEN", "odd")
    told = cloche("doctor", code=1)
    assert "OSError" in told
    assert "bell.example" not in told + cloche.error
