"""Who a message is from and in which session: actor, settings, language, time zone."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from datetime import date, datetime, timedelta
from typing import Literal, TypeAlias, TypedDict, Unpack
from zoneinfo import ZoneInfo

from cloche.clock import DAY_STARTS, Clock
from cloche.errors import MemoryUnavailableError
from cloche.ids import actor_id, conversation_id, session_id
from cloche.language import detect
from cloche.links import Links
from cloche.logs import OncePerCause
from cloche.messages import Address, Message
from cloche.slash import parse_command
from cloche.state.store import Json, StateStore
from cloche.texts import FALLBACK, known_language
from cloche.zones import find_zone

SESSION_KEPT = timedelta(days=3)
SPOKE_KEPT = timedelta(days=365)
GROUP_WORDS = 20

Units: TypeAlias = Literal["metric", "imperial"]


@dataclass(frozen=True, slots=True)
class Home:
    """Where a person lives, as they told it.

    Attributes:
        name: As it is shown to them.
        latitude: Degrees north, WGS84.
        longitude: Degrees east, WGS84.
        country: ISO 3166-1 alpha-2 code; "" = not known.
    """

    name: str
    latitude: float
    longitude: float
    country: str = ""


@dataclass(frozen=True, slots=True)
class PersonSettings:
    """What a person chose; "" = not chosen.

    Attributes:
        language: BCP 47 primary subtag.
        time_zone: IANA name.
        zone_told: True once the guessed zone was stated to them.
        private_in_groups: True when their private memories may be used in groups.
        place: Name of where they live; with it go latitude, longitude and country (``Home``).
        latitude: Degrees north.
        longitude: Degrees east.
        country: ISO 3166-1 alpha-2 code.
        town: Where they said they live, while it is not yet known where on earth that is.
        units: ``metric`` or ``imperial``.
        quiet: When nothing is sent by itself, ``22:00-07:00`` in their zone.
    """

    language: str = ""
    time_zone: str = ""
    zone_told: bool = False
    private_in_groups: bool = False
    place: str = ""
    latitude: float = 0.0
    longitude: float = 0.0
    country: str = ""
    town: str = ""
    units: str = ""
    quiet: str = ""


class Choices(TypedDict, total=False):
    """Settings to change; see ``PersonSettings``."""

    language: str
    time_zone: str
    zone_told: bool
    private_in_groups: bool
    place: str
    latitude: float
    longitude: float
    country: str
    town: str
    units: str
    quiet: str


@dataclass(frozen=True, slots=True)
class Person:
    """Who a turn acts for, where, and when it is there.

    Attributes:
        actor: The person a memory belongs to.
        address: Channel and sender.
        conversation: Id of the conversation.
        group: True when others are in it.
        session: Id of the session.
        settings: What they chose.
        language: What they chose, else what the words are in, else what they spoke last, else what
            the platform says they read.
        zone: Their time zone.
        now: The present instant in that zone.
        place: The conversation and its thread, as ``cloche.messages.place_of`` names them.
    """

    actor: str
    address: Address
    conversation: str
    group: bool
    session: str
    settings: PersonSettings
    language: str
    zone: ZoneInfo
    now: datetime
    place: str = ""

    @property
    def may_recall_anywhere(self) -> bool:
        """False in a group, unless the person switched their private memories on there."""
        return not self.group or self.settings.private_in_groups


class People:
    """Looks people up in the StateStore; without it, everybody has default settings."""

    def __init__(
        self, state: StateStore, clock: Clock, *, default_zone: str, notices: OncePerCause
    ) -> None:
        """Take the store and the zone that holds for people who chose none."""
        self._state, self._clock, self._notices = state, clock, notices
        self._default_zone = default_zone
        self.links = Links(state, clock)

    async def of(self, message: Message) -> Person:
        """The person a message is from. Never fails for want of the store.

        Raises:
            ValueError: the address has no channel or sender.
        """
        actor = await self.actor_of(message.address)
        conversation = conversation_id(message.address.channel, message.place)
        settings = await self.settings(actor)
        zone = find_zone(settings.time_zone) or self.default_zone
        now = self._clock().astimezone(zone)
        day = (now - DAY_STARTS).date()
        counter = await self._counter(counter_key(actor, conversation, message.group, day))
        return Person(
            actor=actor,
            address=message.address,
            conversation=conversation,
            group=message.group,
            session=session_id(conversation, day, counter),
            settings=settings,
            language=settings.language or await self._language(actor, message),
            zone=zone,
            now=now,
            place=message.place,
        )

    async def actor_of(self, address: Address) -> str:
        """Whose memory an address uses: its person's where it is linked.

        When the links cannot be read it is the address's own, whatever was known before: a link
        may have been undone, and nobody gets another person's memory by a guess.

        Raises:
            ValueError: the address has no channel or sender.
        """
        try:
            return await self.links.person_of(address)
        except MemoryUnavailableError as error:
            self._notices.warn(f"links {error.cause}", "nobody's doors are linked: %s", error)
            return actor_id(address)

    @property
    def default_zone(self) -> ZoneInfo:
        """The zone of people who chose none, which the host's days are counted in, too."""
        return find_zone(self._default_zone) or ZoneInfo("UTC")

    async def settings(self, actor: str) -> PersonSettings:
        """What a person chose; defaults when nothing is stored or the store is away."""
        try:
            item = await self._state.get(settings_key(actor))
        except MemoryUnavailableError as error:
            self._notices.warn(f"state {error.cause}", "state store: %s", error)
            return PersonSettings()
        return settings_from_json(item.value) if item else PersonSettings()

    async def choose(self, actor: str, **changes: Unpack[Choices]) -> PersonSettings:
        """Change some of a person's settings and return all of them.

        Raises:
            MemoryUnavailableError: the store is away; nothing was changed.
        """
        while True:
            item = await self._state.get(settings_key(actor))
            chosen = replace(settings_from_json(item.value if item else None), **changes)
            version = item.version if item else 0
            if await self._state.compare_and_set(
                settings_key(actor), asdict(chosen), version=version
            ):
                return chosen

    async def heard(self, person: Person, message: Message) -> None:
        """Keep which language a person spoke last, for words that do not tell; never fails."""
        command = parse_command(message.text)
        if language := command.language if command else detect(message.text):
            try:
                key = f"{person_prefix(person.actor)}spoke"
                await self._state.put(key, language, ttl=SPOKE_KEPT)
            except MemoryUnavailableError as error:
                self._notices.warn(f"state {error.cause}", "state store: %s", error)

    async def new_session(self, person: Person) -> None:
        """Begin a new session in the person's conversation from the next message on.

        Raises:
            MemoryUnavailableError: the store is away; the session goes on.
        """
        day = (person.now - DAY_STARTS).date()
        key = counter_key(person.actor, person.conversation, person.group, day)
        await self._state.increment(key, ttl=SESSION_KEPT)

    async def _language(self, actor: str, message: Message) -> str:
        """What the words are in, else what was spoken last, else what the platform says is read.

        Of a command only the name tells: who writes "/forget all" need not speak English.
        """
        command = parse_command(message.text)
        told = command.language if command else detect(message.text)
        told = told or await self._spoke(actor) or known_language(message.language)
        return told or (detect(command.argument) if command else "") or FALLBACK

    async def _spoke(self, actor: str) -> str:
        try:
            item = await self._state.get(f"{person_prefix(actor)}spoke")
        except MemoryUnavailableError:
            return ""
        return item.value if item and isinstance(item.value, str) else ""

    async def _counter(self, key: str) -> int:
        try:
            item = await self._state.get(key)
        except MemoryUnavailableError as error:
            self._notices.warn(f"state {error.cause}", "state store: %s", error)
            return 1
        return 1 + (item.value if item and isinstance(item.value, int) else 0)


def person_prefix(actor: str) -> str:
    """Every key of the StateStore that belongs to one person starts with this.

    Raises:
        ValueError: the actor is empty.
    """
    if not actor:
        raise ValueError("an actor is needed; nobody is acted for without")
    return f"person/{actor}/"


def settings_key(actor: str) -> str:
    """Where a person's settings lie."""
    return f"{person_prefix(actor)}settings"


def counter_key(actor: str, conversation: str, group: bool, day: date) -> str:
    """Where the number of ``/new`` of a conversation's day lies: a group's belongs to nobody."""
    owner = f"group/{conversation}/" if group else f"{person_prefix(actor)}in/{conversation}/"
    return f"{owner}new/{day}"


def settings_from_json(value: Json) -> PersonSettings:
    """Settings as they were stored; what is unknown or of the wrong type counts as not chosen."""
    known = {field.name: field.default for field in fields(PersonSettings)}
    stored = value if isinstance(value, dict) else {}
    # A store may give 60.0 back as 60, and a place must not be moved to the equator for that.
    numbers = {k: float(v) for k, v in stored.items() if k in known and type(v) is int}
    return replace(
        PersonSettings(),
        **{
            k: v
            for k, v in {**stored, **numbers}.items()
            if k in known and type(v) is type(known[k])
        },
    )


def home_of(settings: PersonSettings) -> Home | None:
    """Where somebody with these settings lives; None = they did not tell."""
    if not settings.place:
        return None
    return Home(settings.place, settings.latitude, settings.longitude, settings.country)
