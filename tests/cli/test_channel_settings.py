"""Settings of channels: a slip of the pen is refused, a broken plugin's are only warned about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pydantic import SecretStr

from cloche.cli.choosing import check_channel_settings
from cloche.errors import SettingsError
from cloche.settings import Settings

if TYPE_CHECKING:
    from conftest import Site


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


def test_settings_of_a_channel_that_is_there_say_nothing(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    check_channel_settings(settings_for("console"), site.host())
    assert capsys.readouterr().err == ""
