"""Slots of meaning: which value of a premise supports, leaves open or contradicts a hypothesis."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

SUPPORTED, UNSAID, CONTRADICTED = 0, 1, 2


def _always(first: str, second: str) -> bool:
    return first != second


@dataclass(frozen=True)
class Slot:
    """One question a text can answer, such as "where?".

    parents: every value, mapped to the wider value that it implies, or to None.
    excludes: whether two values, neither of which implies the other, cannot both hold.
    wide: share of hypotheses that use a wider value where the slot has one.
    favourite: a value and its share of the hypotheses. One that excludes all others would else
        give contradictions away: it would mostly stand in their premises.
    """

    parents: Mapping[str, str | None]
    excludes: Callable[[str, str], bool] = _always
    wide: float = 0.3
    favourite: tuple[str, float] | None = None

    @cached_property
    def wider(self) -> list[str]:
        """The values that other values imply, in a fixed order."""
        return list(dict.fromkeys(p for p in self.parents.values() if p))

    @cached_property
    def leaves(self) -> list[str]:
        """The values that no other value implies, in a fixed order."""
        return [value for value in self.parents if value not in self.wider]

    def implies(self, narrow: str, wide: str) -> bool:
        """Whether saying the first also says the second."""
        return narrow == wide or self.parents.get(narrow) == wide

    def relation(self, said: str, asked: str) -> int | None:
        """SUPPORTED, UNSAID or CONTRADICTED; None where people would not agree."""
        if self.implies(said, asked):
            return SUPPORTED
        if self.implies(asked, said):
            return UNSAID
        return CONTRADICTED if self.excludes(said, asked) else None

    def draw(self, rng: random.Random) -> str:
        """A value for a hypothesis, drawn without knowing the label."""
        if self.favourite and rng.random() < self.favourite[1]:
            return self.favourite[0]
        if self.wider and rng.random() < self.wide:
            return rng.choice(self.wider)
        return rng.choice(self.leaves)

    def answer(self, rng: random.Random, asked: str, relation: int) -> str | None:
        """A value for the premise that stands in this relation; None if there is none.

        UNSAID gives the wider value of a narrow question ("somewhere outside" for "in the
        garden"), the one way of leaving a question open while speaking of it.
        """
        if relation == UNSAID:
            return self.parents.get(asked)
        if relation == SUPPORTED:
            below = [leaf for leaf in self.leaves if self.implies(leaf, asked)]
            return asked if asked not in below and rng.random() < 0.15 else rng.choice(below)
        against = [leaf for leaf in self.leaves if self.relation(leaf, asked) == CONTRADICTED]
        near = [leaf for leaf in against if self.parents[leaf] == self.parents.get(asked, "")]
        if near and rng.random() < 0.6:
            return rng.choice(near)
        return rng.choice(against) if against else None


def family(**groups: str) -> dict[str, str | None]:
    """Values by their wider value: ``family(fruit="apple pear")``; ``_`` stands for a space."""
    parents: dict[str, str | None] = {}
    for wide, narrow in groups.items():
        for value in narrow.split():
            parents[value.replace("_", " ")] = wide.replace("_", " ")
    for wide in groups:
        parents[wide.replace("_", " ")] = None
    return parents


def flat(values: str) -> Slot:
    """A slot of values that exclude one another; ``_`` stands for a space."""
    return Slot({value.replace("_", " "): None for value in values.split()})


def opposites(pairs: str) -> Slot:
    """A slot of ``this/that`` pairs: only the two of one pair exclude each other."""
    of = {word: pair for pair in pairs.split() for word in pair.split("/")}
    return Slot(
        {word.replace("_", " "): None for word in of},
        lambda a, b: of[a.replace(" ", "_")] == of[b.replace(" ", "_")],
    )


def same_parent(parents: Mapping[str, str | None]) -> Slot:
    """A slot whose values exclude each other only under one and the same wider value."""
    return Slot(
        parents,
        lambda a, b: parents.get(a) is not None and parents.get(a) == parents.get(b),
        wide=0.2,
    )
