"""What tools reach in tests: the loopback weather, and nothing else."""

from __future__ import annotations

import aiohttp
import pytest

from cloche.testing import WeatherServer, offline_http, tool_context


@pytest.mark.parametrize("host", ["api.open-meteo.com", "geocoding-api.open-meteo.com"])
async def test_open_meteo_is_answered_by_the_loopback_server(host: str) -> None:
    async with WeatherServer() as server, offline_http(server) as session:
        async with session.get(f"https://{host}/v1/search", params={"name": "Oslo"}) as response:
            found = await response.json()
        assert found["results"][0]["country_code"] == "NO"
        assert [one.path for one in server.requests] == ["/v1/search"]


async def test_every_other_host_is_out_of_reach() -> None:
    async with WeatherServer() as server, offline_http(server) as session:
        with pytest.raises(aiohttp.ClientConnectionError, match="not asked in tests"):
            await session.get("https://weather.example/v1/forecast")
        assert server.requests == []


def test_a_tool_that_asks_a_server_fails_in_a_test_that_gives_none() -> None:
    with pytest.raises(AssertionError, match="give tool_context an http"):
        tool_context().http()
