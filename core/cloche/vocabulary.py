"""The metadata keys an assistant uses: types, closed or open values, aliases in any language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from anyascii import anyascii

from cloche.errors import PluginError
from cloche.memory.records import Tag

MAX_KEYS: Final = 20
"""AgentCore's MetadataSchema takes 1-20 entries (CloudFormation, AWS::BedrockAgentCore::Memory)."""
MAX_INDEXED: Final = 10
"""AgentCore indexes at most 10 keys of a memory, for filters."""
MAX_CLOSED_VALUES: Final = 10
"""AgentCore's ``allowedValues`` holds at most 10 strings."""
MAX_HOST_SET: Final = 3
"""AgentCore holds at most 3 keys STRICTLY_CONSISTENT, each of them indexed."""
MAX_SLUG_CHARS: Final = 64
"""AgentCore's ``stringListValue`` items have at most 64 characters, all ASCII."""

_KEY: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")
_SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_CJK_RANGES: Final = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
CJK: Final = re.compile(f"[{_CJK_RANGES}]")
"""One character of a script that is written without spaces between words."""
_LETTER: Final = rf"[^\W{_CJK_RANGES}]"
"""A word's character in any other script: a word ends where CJK text begins."""

KeyType = Literal["string", "string_list", "number", "time"]


def slug(label: str) -> str:
    """The one ASCII spelling of a label: lower case, words joined by "-", at most 64 characters.

    Deterministic and language-blind (anyascii): ``Jardín sur`` -> ``jardin-sur``, ``番茄`` ->
    ``fanqie``. Empty when nothing of the label can be spelled.
    """
    ascii_text = anyascii(unicodedata.normalize("NFKC", label)).lower()
    words = re.findall(r"[a-z0-9]+", ascii_text.replace("'", ""))
    return "-".join(words)[:MAX_SLUG_CHARS].strip("-")


def fold(text: str) -> str:
    """Text as it is compared: NFKC, case folded, without combining marks."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def bare_words(text: str) -> str:
    """Folded words without punctuation: what two spellings of one sentence share."""
    return " ".join(re.findall(r"\w+", fold(text)))


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a key: an ASCII id, a label to show, and what people write for it.

    ``labels`` has what is shown for it by language, where that is not the label.
    """

    id: str
    label: str = ""
    aliases: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict, compare=False)

    def shown(self, language: str) -> str:
        """What stands for it on a page in that language."""
        return self.labels.get(language) or self.label or self.id.replace("-", " ")

    @property
    def tag(self) -> Tag:
        """The value as metadata carries it."""
        return Tag(self.id, self.label or self.id)

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every way to write it: id, label, aliases."""
        written = (self.id.replace("-", " "), self.label, *self.aliases)
        return tuple(dict.fromkeys(spelling for spelling in written if spelling.strip()))


@dataclass(frozen=True)
class MetadataKey:
    """One key of a vocabulary.

    Attributes:
        id: ``[a-z][a-z0-9_]*``, at most 32 characters.
        description: What it means, for the model that extracts; 1-1,000 characters.
        type: What its values are.
        closed: True when only ``values`` are allowed; else they are known examples with aliases.
        values: Known values; at most 10 when closed.
        aliases: What people call the key itself ("plants", "plantas", "植物").
        indexed: True when search may filter on it.
        inventory: True when a record with this key belongs to the inventory, which is recalled
            for a picture without words and for a question that names the key.
        other_words: Words that hold the spelling of a value and name none ("ice cream" is no ice).
        host_set: True when the host sets it, from the turn's ``scope_keys`` of the same name, and
            nothing else does: no model, no tool, no correction. Strictly consistent: statements
            of two values stand side by side, whatever they say.
        labels: What is shown for the key, by language: English stands in for one that is missing.
    """

    id: str
    description: str
    type: KeyType = "string_list"
    closed: bool = False
    values: tuple[Value, ...] = ()
    aliases: tuple[str, ...] = ()
    indexed: bool = True
    inventory: bool = False
    other_words: tuple[str, ...] = ()
    host_set: bool = False
    labels: Mapping[str, str] = field(default_factory=dict, compare=False)

    def shown(self, language: str) -> str:
        """What stands for the key on a page in that language."""
        return self.labels.get(language) or self.labels.get("en") or self.id.replace("_", " ")

    def value_shown(self, tag: Tag, language: str) -> str:
        """What stands for a value there: a known one's label, any other as the person said it."""
        known = self._values.get(tag.id)
        return known.shown(language) if known else tag.label

    def mentions(self, text: str) -> tuple[Tag, ...]:
        """Known values that a text names, in the order of ``values``.

        Where spellings overlap, only the longest counts: "ice cream" does not name "ice".
        """
        if self._values_pattern is None:
            return ()
        found = {match.group() for match in self._values_pattern.finditer(fold(text))}
        named = {self._owners[spelling] for spelling in found if spelling in self._owners}
        return tuple(value.tag for value in self.values if value.id in named)

    def is_spelling(self, folded: str) -> bool:
        """True when a folded text is a spelling of one of the values, and nothing more."""
        return folded in self._owners

    def named_in(self, text: str) -> bool:
        """True when a text names the key itself."""
        return bool(self._own_pattern and self._own_pattern.search(fold(text)))

    def tag(self, text: str) -> Tag | None:
        """What a written value stands for; None when a closed key does not have it."""
        wanted = fold(text.strip())
        for value in self.values:
            if any(fold(spelling) == wanted for spelling in value.spellings):
                return value.tag
        if self.closed:
            return None
        made = slug(text)
        return Tag(made, text.strip()) if made else None

    @cached_property
    def _values(self) -> Mapping[str, Value]:
        return {value.id: value for value in self.values}

    @cached_property
    def _owners(self) -> Mapping[str, str]:
        return {fold(text): value.id for value in self.values for text in value.spellings}

    @cached_property
    def _values_pattern(self) -> re.Pattern[str] | None:
        spellings = tuple(text for value in self.values for text in value.spellings)
        return _any_of((*spellings, *self.other_words)) if spellings else None

    @cached_property
    def _own_pattern(self) -> re.Pattern[str] | None:
        return _any_of((self.id.replace("_", " "), *self.aliases))


@dataclass(frozen=True)
class Vocabulary:
    """The keys of one assistant, in order.

    Raises:
        PluginError: keys or values break a rule; the reason names the key and the rule.
    """

    keys: tuple[MetadataKey, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what stores could not hold, with every fault in one message."""
        faults = [*_vocabulary_faults(self), *(f for key in self.keys for f in _key_faults(key))]
        if faults:
            raise PluginError("vocabulary", "; ".join(faults) + ".", hook="provide_vocabulary")

    def __getitem__(self, key_id: str) -> MetadataKey:
        """The key of that id; KeyError when there is none."""
        return self._by_id[key_id]

    def __contains__(self, key_id: str) -> bool:
        """True when the vocabulary has the key."""
        return key_id in self._by_id

    @property
    def inventory(self) -> tuple[MetadataKey, ...]:
        """The keys whose records make the inventory."""
        return tuple(key for key in self.keys if key.inventory)

    @cached_property
    def extracted(self) -> Vocabulary:
        """The keys whose values come from what is said: all but those that the host sets."""
        return Vocabulary(tuple(key for key in self.keys if not key.host_set))

    def host_set(self, scope_keys: Mapping[str, str]) -> dict[str, tuple[Tag, ...]]:
        """What the host sets, from a turn's scope keys."""
        return {
            key.id: (tag,)
            for key in self.keys
            if key.host_set and (tag := key.tag(scope_keys.get(key.id, "")))
        }

    def mentions(self, text: str) -> dict[str, tuple[Tag, ...]]:
        """Known values of every key that a text names."""
        found = {key.id: key.mentions(text) for key in self.keys}
        return {key_id: tags for key_id, tags in found.items() if tags}

    @cached_property
    def _by_id(self) -> Mapping[str, MetadataKey]:
        return {key.id: key for key in self.keys}


def _any_of(spellings: tuple[str, ...]) -> re.Pattern[str] | None:
    """A pattern for any of the spellings, the longest first: whole words, but CJK anywhere."""
    parts = sorted({fold(s) for s in spellings if s.strip()}, key=lambda s: (-len(s), s))
    if not parts:
        return None
    never = r"(?!)"
    anywhere = "|".join(re.escape(part) for part in parts if CJK.search(part)) or never
    whole = "|".join(re.escape(part) for part in parts if not CJK.search(part)) or never
    return re.compile(f"(?<!{_LETTER})(?:{whole})(?!{_LETTER})|(?:{anywhere})")


def _vocabulary_faults(vocabulary: Vocabulary) -> list[str]:
    ids = [key.id for key in vocabulary.keys]
    faults = [f"key {twice!r} is declared twice" for twice in sorted(_repeated(ids))]
    if len(ids) > MAX_KEYS:
        faults.append(f"{len(ids)} keys, at most {MAX_KEYS} are allowed")
    indexed = sum(key.indexed for key in vocabulary.keys)
    if indexed > MAX_INDEXED:
        faults.append(f"{indexed} indexed keys, at most {MAX_INDEXED} are allowed")
    host_set = sum(key.host_set for key in vocabulary.keys)
    if host_set > MAX_HOST_SET:
        faults.append(f"{host_set} keys set by the host, at most {MAX_HOST_SET} are allowed")
    return faults


def _key_faults(key: MetadataKey) -> list[str]:
    faults = []
    if not _KEY.fullmatch(key.id):
        faults.append(f"key {key.id!r} must match {_KEY.pattern}")
    if not 1 <= len(key.description) <= 1000:
        faults.append(f"key {key.id!r} needs a description of 1-1,000 characters")
    if key.closed and not 1 <= len(key.values) <= MAX_CLOSED_VALUES:
        faults.append(
            f"closed key {key.id!r} has {len(key.values)} values, 1-{MAX_CLOSED_VALUES} are allowed"
        )
    if key.values and key.type in ("number", "time"):
        faults.append(f"key {key.id!r} of type {key.type} cannot list values")
    for value in key.values:
        if len(value.id) > MAX_SLUG_CHARS or not _SLUG.fullmatch(value.id):
            faults.append(f"value {value.id!r} of {key.id!r} is not an ASCII slug (a-z, 0-9, '-')")
    faults += [f"value {v!r} of {key.id!r} twice" for v in _repeated([v.id for v in key.values])]
    return [*faults, *_host_set_faults(key), *_spelling_faults(key)]


def _host_set_faults(key: MetadataKey) -> list[str]:
    if key.host_set and not (key.indexed and key.type in ("string", "string_list")):
        return [f"key {key.id!r}, which the host sets, must be indexed and hold strings"]
    return []


def _spelling_faults(key: MetadataKey) -> list[str]:
    faults: list[str] = []
    owners: dict[str, str] = {}
    for value in key.values:
        for spelling in {fold(s) for s in value.spellings if s.strip()}:
            if owners.setdefault(spelling, value.id) != value.id:
                faults.append(
                    f"{spelling!r} stands for both {owners[spelling]!r} and {value.id!r} "
                    f"of {key.id!r}"
                )
    return faults


def _repeated(names: list[str]) -> set[str]:
    return {name for name in names if names.count(name) > 1}
