"""What a person may choose with a command: time zone, language, private memories in groups."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final
from zoneinfo import ZoneInfo

from cloche.people import People, Person
from cloche.texts import languages, say
from cloche.zones import zones_like

_LANGUAGE_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "en": ("english", "ingles", "inglés", "英语", "英文", "英語"),
    "es": ("spanish", "español", "espanol", "castellano", "西班牙语", "西班牙文"),
    "zh": ("chinese", "chino", "中文", "汉语", "漢語"),
}
_ON: Final = ("on", "yes", "sí", "si", "开", "開", "开启")
_OFF: Final = ("off", "no", "关", "關", "关闭")


async def choose_time_zone(argument: str, person: Person, people: People) -> str:
    """Set the zone that is named, by its IANA name or its city; without one, tell which it is."""
    if not argument:
        return say("command_timezone", person.language, zone=person.zone.key)
    found, near = zones_like(argument, person.language)
    if len(found) != 1:
        offered = found or near
        return say(
            "command_timezone_near" if offered else "command_timezone_unknown",
            person.language,
            zone=argument,
            near=", ".join(offered),
        )
    await people.choose(person.actor, time_zone=found[0], zone_told=True)
    local = person.now.astimezone(ZoneInfo(found[0]))
    return say("command_timezone_set", person.language, zone=found[0], time=f"{local:%H:%M}")


async def choose_language(argument: str, person: Person, people: People) -> str:
    """Set the language that is named, by code or name; without one, tell which it is."""
    wanted = unicodedata.normalize("NFC", argument).casefold()
    primary = re.split(r"[-_]", wanted, maxsplit=1)[0]
    for code in languages():
        if primary == code or wanted in _LANGUAGE_NAMES.get(code, ()):
            await people.choose(person.actor, language=code)
            return say("command_language_set", code)
    known = ", ".join(languages())
    if wanted:
        return say("command_language_unknown", person.language, name=argument, known=known)
    return say("command_language", person.language, code=person.language, known=known)


async def choose_groups(argument: str, person: Person, people: People) -> str:
    """Switch private memories on or off in groups; without either, tell how it is."""
    wanted = argument.casefold()
    if wanted not in (*_ON, *_OFF):
        on = person.settings.private_in_groups
        return say("command_groups_are_on" if on else "command_groups_are_off", person.language)
    on = wanted in _ON
    await people.choose(person.actor, private_in_groups=on)
    return say("command_groups_on" if on else "command_groups_off", person.language)
