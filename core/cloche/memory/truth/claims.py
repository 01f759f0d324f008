"""What a statement claims, in parts that can be compared: about what, and what of it.

A statement is read into tokens in their order. Words that only carry the sentence are dropped;
negation, quantifiers, numbers with their units, times, sides, places, likes and dislikes get kinds
of their own, and what the vocabulary knows is its value there, in whichever language it was said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from cloche.memory.truth.figures import numbers_that_name
from cloche.memory.truth.lexicon import lexicon
from cloche.memory.truth.tokens import CORE, Token

__all__ = ["CORE", "NAMING", "Reading", "Token"]

NAMING: Final = CORE | {"number", "time", "side"}
"""Kinds that name something that can be denied ("not Eva", "not 3", "not the south")."""


@dataclass(frozen=True)
class Reading:
    """A statement, read.

    Attributes:
        language: Whose words it was read by.
        key: All its words: what has the same is the same statement.
        tokens: What is left of them, in order.
        corrects: True when it begins by saying that something was wrong.
        thing: What it is about or what is liked, as it was written; "" when that cannot be told.
        firm: True when it corrects for sure; "actually" alone may tell mere news.
        rather: For "..., not X": the statement without that, read, and what X stands for.
        past: True when it tells of an act that is over.
        hedged: True when its speaker is not sure.
    """

    language: str
    key: tuple[str, ...]
    tokens: tuple[Token, ...]
    corrects: bool = False
    thing: str = ""
    firm: bool = False
    rather: tuple[Reading, frozenset[str]] | None = None
    past: bool = False
    hedged: bool = False

    def of(self, *kinds: str) -> tuple[str, ...]:
        """Values of the tokens of some kinds, in order."""
        return tuple(token.value for token in self.tokens if token.kind in kinds)

    def has(self, *kinds: str) -> bool:
        """True when a token is of one of the kinds."""
        return any(token.kind in kinds for token in self.tokens)

    @cached_property
    def literal(self) -> Reading:
        """The same where places are told apart as they were written: for one language alone.

        Two words for one value of the vocabulary ("patio", "terrace") may be two places.
        """
        if not self.has("tag"):
            return self
        tokens = tuple(
            Token(t.kind, f"{t.value} {t.written}", t.written) if t.kind == "tag" else t
            for t in self.tokens
        )
        rather = self.rather and (self.rather[0].literal, self.rather[1])
        return replace(self, tokens=tokens, rather=rather)

    @cached_property
    def named(self) -> frozenset[str]:
        """What stands in it that can be denied."""
        return frozenset(
            t.value for t in self.tokens if t.kind in NAMING or t.kind.startswith("class.")
        )

    @cached_property
    def core(self) -> tuple[Token, ...]:
        """What it is about and what happens, without times, numbers, places' relations, sides."""
        return tuple(token for token in self.tokens if token.kind in CORE)

    @cached_property
    def valence(self) -> float:
        """1 = likes it, -1 = does not, 0.5 = does not dislike it, 0 = says nothing of liking."""
        stances = self.of("stance")
        if not stances:
            return 0.0
        likes = stances[0] != "dislike"
        if self.negations % 2:
            return -1.0 if likes else 0.5
        return 1.0 if likes else -1.0

    @cached_property
    def negations(self) -> int:
        """How often it says no."""
        against = [
            value for value in self.of("quantifier") if value in ("never", "none", "nolonger")
        ]
        plain = self.has("not")
        # "No ... nunca" and "don't ... any more" say no once.
        return 1 if against or (plain and len(self.of("not")) == 1) else len(self.of("not"))

    @property
    def denies(self) -> bool:
        """True when it says that something is not so (dislike is a matter of its own)."""
        return bool(self.negations % 2) and not self.has("stance")

    @cached_property
    def quantifiers(self) -> frozenset[str]:
        """Only, never, always, all, ...; "no longer" counts as a no."""
        return frozenset(value for value in self.of("quantifier") if value != "nolonger")

    @cached_property
    def split(self) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
        """The tokens before what is said of them ("the gate | is by the road"), and the rest."""
        at = next((i for i, t in enumerate(self.tokens) if t.kind == "be"), None)
        if at is None:
            at = next((i for i, t in enumerate(self.tokens) if t.kind == "at"), None)
        if at is None and self.ends_in_property:
            at = len(self.tokens) - 1
        if at is None:
            return self.tokens, ()
        head, rest = self.tokens[:at], self.tokens[at:]
        if rest[0].kind == "be" and not any(token.kind in CORE for token in head):
            # "There is a gate by the road": the thing follows the verb.
            place = next((i for i, t in enumerate(rest) if t.kind == "at"), None)
            if place:
                return rest[:place], rest[place:]
        return head, rest

    @property
    def ends_in_property(self) -> bool:
        """True for "the gate red" where a language needs no verb for that."""
        last = self.tokens[-1].kind if len(self.tokens) > 1 else ""
        return self.language == "zh" and last.startswith("class.")

    @cached_property
    def head(self) -> tuple[str, ...]:
        """What it is about: core words and sides before the verb of place or being."""
        kinds = CORE | {"side"} | {t.kind for t in self.split[0] if t.kind.startswith("class.")}
        named = self.numbered
        return tuple(
            token.value
            for token in self.split[0]
            if token.kind in kinds or (token.kind == "number" and token.value in named)
        )

    @cached_property
    def numbered(self) -> frozenset[str]:
        """Numbers that are names of what it is about ("pot 3", "bus 12", "3号花盆")."""
        head = self.split[0]
        if not any(token.kind == "number" for token in head):
            return frozenset()
        at = self.tokens.index(head[0]) if head else 0
        return numbers_that_name(self.tokens[at:], len(head), self.language)

    @cached_property
    def place(self) -> frozenset[tuple[str, str]]:
        """Where it says the thing is; empty when it does not say so in a form that can be told."""
        rest = [
            t
            for t in self.split[1]
            if t.kind not in ("be", "locate", "def", "indef", "now", "not", "who")
        ]
        rest = [t for t in rest if t.kind != "quantifier"]
        if not rest or rest[0].kind != "at":
            return frozenset()
        kinds = (*CORE, "side", "number", "at")
        return frozenset((t.kind, t.value) for t in rest if t.kind in kinds)

    @cached_property
    def singular(self) -> bool:
        """True when the thing can be in one place only, as it is told: that thing, not some."""
        head = self.split[0]
        if any(token.kind in ("indef", "quantifier") for token in head):
            return False
        counted = any(t.kind == "number" and t.value not in self.numbered for t in head)
        if counted or self.plural or self.exists:
            return False
        told = self.has("be", "live") or bool({"keep", "move"} & set(self.of("locate")))
        # "I read in the kitchen", "I plant beans in the yard" say where something happens, not
        # where something is; Chinese needs no other verb than its "in".
        return told or (self.language == "zh" and not self.has("who"))

    @cached_property
    def named_by_number(self) -> frozenset[str]:
        """The same wherever it stands in the statement ("basil is in pot 3")."""
        return numbers_that_name(self.tokens, len(self.tokens), self.language)

    @cached_property
    def goes_on(self) -> bool:
        """True when it tells of another thing, too ("..., and my other brother in Rome")."""
        joined = [i for i, token in enumerate(self.split[1]) if token.kind == "and"]
        for i in joined:
            rest = self.split[1][i + 1 :]
            at = next((n for n, token in enumerate(rest) if token.kind in ("at", "be")), 0)
            if any(token.kind in CORE for token in rest[:at]):
                return True
        return False

    @cached_property
    def plural(self) -> bool:
        """True when it speaks of several things ("the figs are ...")."""
        told = any(t.kind in CORE - {"live", "stance"} for t in self.split[0])
        return told and not lexicon(self.language).plural.isdisjoint(self.key)

    @cached_property
    def stands(self) -> bool:
        """True when it says where one certain thing is, not where there is some of a kind."""
        certain = self.has("be", "live") or any(t.kind == "def" for t in self.split[0])
        held = "have" in self.of("known") or self.exists or self.plural
        return bool(self.place) and (certain or self.language == "zh") and not held

    @cached_property
    def exists(self) -> bool:
        """True for "there is basil in ...": there may be more of it elsewhere."""
        first = next((t.kind for t in self.tokens if t.kind in {*CORE, "be", "def", "who"}), "")
        return first == "be" and not any(t.kind == "def" for t in self.split[0])

    @property
    def moves(self) -> bool:
        """True when it says that something is brought elsewhere, or that somebody moved."""
        return "move" in self.of("locate", "live")
