"""Pairs of sentences with labels that are right by construction.

The hypothesis is drawn first, without a label in sight; then one premise is built for each of
the three labels. So each hypothesis occurs once with every label, and whatever a model reads in
the hypothesis alone, it is right one time in three, exactly.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import letters
import lexicon as lex
import logic
import public
import scenes
from kinds import Kind
from phrases import MARK, Context, Facts, plain
from slots import CONTRADICTED, SUPPORTED, UNSAID

LABELS = ("entailment", "neutral", "contradiction")
# Kind of text -> share. The mismatched kinds are in no training split.
MATCHED = {
    "scene": 0.45, "holiday": 0.15, "work": 0.12, "quantifiers": 0.1, "counts": 0.06,
    "comparisons": 0.12,
}  # fmt: skip
MISMATCHED = {"talk": 0.4, "damage": 0.15, "opening": 0.1, "notice": 0.2, "market": 0.15}
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        scenes.SCENE, scenes.TALK, letters.HOLIDAY, letters.WORK,
        public.DAMAGE, public.OPENING, public.NOTICE, public.MARKET,
    )
}  # fmt: skip
LOGIC = {
    "quantifiers": logic.quantifiers, "counts": logic.counts, "comparisons": logic.comparisons,
}  # fmt: skip
STOP_WORDS = set("a an the of in on".split())
CAN_NEGATE = {"act", "place", "posture", "city", "transport", "stay", "lodging"}


@dataclass(frozen=True)
class Pair:
    """A premise, a hypothesis, the label, the kind, and what each marked word of the hypothesis is.

    words: word -> SUPPORTED, UNSAID or CONTRADICTED, the labels' own numbers.
    """

    premise: str
    hypothesis: str
    label: int
    kind: str
    words: dict[str, int]


def trios(seed: int, shares: dict[str, float]) -> Iterator[list[Pair]]:
    """Endless groups of three pairs, one for each label, that share their hypothesis."""
    rng = random.Random(seed)
    names, weights = list(shares), list(shares.values())
    while True:
        name = rng.choices(names, weights)[0]
        yield _logic_trio(rng, name) if name in LOGIC else _slot_trio(rng, KINDS[name])


def distinct(groups: Iterator[list[Pair]], count: int, taken: set[tuple[str, str]]) -> list[Pair]:
    """The first `count` pairs of whole groups that share no pair with `taken`; adds them to it."""
    chosen: list[Pair] = []
    while len(chosen) < count:
        group = next(groups)
        keys = {key(pair) for pair in group}
        told_back = any(premise == hypothesis for premise, hypothesis in keys)
        if len(keys) == 3 and not keys & taken and not told_back:
            taken |= keys
            chosen += group
    return chosen[:count]


def key(pair: Pair) -> tuple[str, str]:
    """What makes two pairs the same: their texts in lower case."""
    return pair.premise.lower(), pair.hypothesis.lower()


def _logic_trio(rng: random.Random, name: str) -> list[Pair]:
    hypothesis, premises = LOGIC[name](rng)
    return [
        Pair(plain(premise), plain(hypothesis), label, name, _words(hypothesis, {"claim": label}))
        for label, premise in enumerate(premises)
    ]


def _slot_trio(rng: random.Random, kind: Kind) -> list[Pair]:
    while True:
        context = kind.context(rng)
        asked = _draw(rng, kind, rng.choice((1, 1, 2)))
        negated = (
            kind.negatable and len(asked) == 1 and set(asked) <= CAN_NEGATE and rng.random() < 0.15
        )
        told = context | ({"negated": True} if negated else {})
        hypothesis = kind.tell(rng, asked, told, False)
        trio = [_pair(rng, kind, context, asked, hypothesis, label, negated) for label in range(3)]
        if all(trio):
            return [pair for pair in trio if pair]


def _draw(rng: random.Random, kind: Kind, count: int) -> Facts:
    """Facts for a hypothesis: slots by weight, values by the slot's own draw."""
    while True:
        facts: Facts = {}
        while len(facts) < count:
            slots = [s for s in kind.slots if s not in facts and s not in kind.never_asked]
            slot = rng.choices(slots, [kind.weights.get(s, 1.0) for s in slots])[0]
            facts[slot] = kind.slots[slot].draw(rng)
        if kind.fits(facts):
            return facts


def _pair(
    rng: random.Random,
    kind: Kind,
    context: Context,
    asked: Facts,
    hypothesis: str,
    label: int,
    negated: bool,
) -> Pair | None:
    """One premise for this label, or None where none was found."""
    wanted = {SUPPORTED: CONTRADICTED, CONTRADICTED: SUPPORTED}.get(label, label)
    wanted = wanted if negated else label
    for _ in range(30):
        size = max(rng.choice((2, 2, 3)), len(asked))
        relations = dict.fromkeys(asked, SUPPORTED)
        about = context
        if wanted == UNSAID and rng.random() < 0.2:
            about = kind.elsewhere(rng, context)
            relations = dict.fromkeys(asked, UNSAID)
            facts = {s: kind.slots[s].answer(rng, v, SUPPORTED) for s, v in asked.items()}
            if rng.random() < 0.5:
                facts = dict(_draw(rng, kind, len(asked)))
            open_asked: Facts = {}
        else:
            if wanted != SUPPORTED:
                focus = rng.choice(list(asked))
                relations[focus] = wanted
            facts = _answers(rng, kind, asked, relations)
            open_asked = asked
        if any(value is None for value in facts.values()):
            continue
        told = _fill(rng, kind, facts, open_asked, size)
        if told is None:
            continue
        premise = kind.tell(rng, told, about, True)
        words = _words(hypothesis, relations)
        return Pair(plain(premise), plain(hypothesis), label, kind.name, words)
    return None


def _answers(
    rng: random.Random, kind: Kind, asked: Facts, relations: dict[str, int]
) -> dict[str, str | None]:
    """The premise's values for the asked slots; an unsaid one is missing, or said more widely."""
    facts: dict[str, str | None] = {}
    for slot, value in asked.items():
        if relations[slot] == UNSAID:
            wider = kind.slots[slot].answer(rng, value, UNSAID)
            if wider is not None and rng.random() < 0.25:
                facts[slot] = wider
        else:
            facts[slot] = kind.slots[slot].answer(rng, value, relations[slot])
    return facts


def _fill(
    rng: random.Random, kind: Kind, facts: dict[str, str | None], asked: Facts, size: int
) -> Facts | None:
    """The facts with others added up to the size, or None where they do not fit together."""
    told = {slot: value for slot, value in facts.items() if value is not None}
    if told and not kind.fits(asked | told):
        return None
    for _ in range(40):
        if len(told) >= size:
            break
        free = [slot for slot in kind.slots if slot not in told and slot not in asked]
        if not free:
            return None
        slot = rng.choices(free, [kind.weights.get(s, 1.0) for s in free])[0]
        drawn = kind.slots[slot]
        more = told | {slot: drawn.draw(rng) if rng.random() < 0.2 else rng.choice(drawn.leaves)}
        # What the hypothesis asks must stay thinkable: nobody asks whether a driver stands.
        if kind.fits(asked | more):
            told = more
    return told if len(told) >= size and not kind.hints(asked, told) else None


def _words(hypothesis: str, relations: dict[str, int]) -> dict[str, int]:
    return {
        word: relations[slot]
        for slot, words in MARK.findall(hypothesis)
        for word in words.lower().split()
        if word not in STOP_WORDS
    }


def mixed(pairs: Sequence[Pair], seed: int) -> list[Pair]:
    """The pairs in a random order."""
    out = list(pairs)
    random.Random(seed).shuffle(out)
    return out


assert lex.NUMBERS
