"""Groups, counts and comparisons (matched): labels by logic instead of by slots."""

from __future__ import annotations

import random

import lexicon as lex
from phrases import act, sentence
from slots import CONTRADICTED, SUPPORTED, UNSAID

Trio = tuple[str, list[str]]
Sides = tuple[tuple[str, str, str], ...]
GROUPS = "boys girls teachers nurses farmers tourists".split()
SHARED_GROUPS = ("instrument", "ball game", "reading", "fruit", "vegetable", "carrying", "sleep")
SHARED_ACTS = [w for w, g in lex.ACT_OF.items() if g in SHARED_GROUPS and w != "piano"]
WIDE_SHARED = [group for group in SHARED_GROUPS if group in lex.WIDE_ACTS]
# Quantifiers of the premise by (hypothesis, label): "same" is about the asked activity, "other"
# about one that excludes it. The shares make each quantifier equally frequent under each label.
PLANS = {
    ("all", SUPPORTED): ((1.0, "all", "same"),),
    ("all", CONTRADICTED): ((0.5, "all", "other"), (0.3, "none", "same"), (0.2, "one", "other")),
    ("one", SUPPORTED): ((0.3, "all", "same"), (0.7, "one", "same")),
    ("one", CONTRADICTED): ((0.5, "none", "same"), (0.5, "all", "other")),
    ("none", SUPPORTED): ((0.8, "none", "same"), (0.2, "all", "other")),
    ("none", CONTRADICTED): ((0.5, "one", "same"), (0.5, "all", "same")),
}
COUNTED = {
    "dogs cats horses goats ducks": "yard garden field",
    "chairs tables lamps boxes bags": "hall kitchen classroom",
}
PEOPLE_SIDES: Sides = (
    ("taller", "shorter", "tall"), ("older", "younger", "old"), ("faster", "slower", "fast"),
    ("richer", "poorer", "rich"), ("stronger", "weaker", "strong"),
)  # fmt: skip
THING_SIDES: Sides = (
    ("heavier", "lighter", "heavy"), ("bigger", "smaller", "big"), ("older", "newer", "old"),
    ("cheaper", "more expensive", "cheap"),
)  # fmt: skip
THINGS = "box bag suitcase basket lamp chair".split()


def _quantified(rng: random.Random, quantifier: str, group: str, where: str, doing: str) -> str:
    spoken = act(rng, doing)
    if quantifier == "all":
        start, be = rng.choice(
            ((f"all of the {group}", "are"), (f"every one of the {group}", "is"))
        )
    elif quantifier == "one":
        start, be = f"at least one of the {group}", "is"
    else:
        start, be = rng.choice((("none of the " + group, "are"), ("not one of the " + group, "is")))
    claim = start.replace("of the", "of the", 1)
    first, rest = claim.split(" of the ")
    return f"<claim|{first}> of the {rest} {where} {be} {spoken.replace('<act', '<claim')}"


def quantifiers(rng: random.Random) -> Trio:
    """All, none or at least one of a group."""
    group, quantifier = rng.choice(GROUPS), rng.choice(("all", "one", "none"))
    asked = rng.choice(WIDE_SHARED) if rng.random() < 0.2 else rng.choice(SHARED_ACTS)
    where = f"in the {rng.choice(('hall', 'garden', 'park', 'yard'))}"
    hypothesis = sentence(_quantified(rng, quantifier, group, where, asked))
    premises = []
    for label in (SUPPORTED, UNSAID, CONTRADICTED):
        about, crowd, doing = "same", group, asked
        if label == UNSAID and rng.random() < 0.25:
            # One who reads says nothing of the others, and not whether somebody else sleeps.
            said, about = "one", "same" if quantifier == "all" else "other"
        elif label == UNSAID:
            said = rng.choices(("all", "one", "none"), (1.5, 0.7, 0.8))[0]
            crowd = rng.choice([other for other in GROUPS if other != group])
            about = rng.choice(("same", "other"))
        else:
            plan = PLANS[quantifier, label]
            _, said, about = rng.choices(plan, [share for share, *_ in plan])[0]
        if about == "other":
            doing = _excluded(rng, asked)
        elif asked in lex.WIDE_ACTS and said != "none":
            doing = rng.choice([word for word in SHARED_ACTS if lex.ACT.implies(word, asked)])
        text = _quantified(rng, said, crowd, where, doing)
        premises.append(sentence(text) + _aside(rng))
    return hypothesis, premises


def _excluded(rng: random.Random, asked: str) -> str:
    against = [w for w in SHARED_ACTS if lex.ACT.relation(w, asked) == CONTRADICTED]
    near = [w for w in against if lex.ACT_OF[w] == lex.ACT_OF.get(asked)]
    return rng.choice(near if near and rng.random() < 0.6 else against)


def _aside(rng: random.Random) -> str:
    if rng.random() < 0.6:
        return ""
    return " " + sentence(
        rng.choice(("it is raining", "the weather is cold", "the weather is warm"))
    )


def counts(rng: random.Random) -> Trio:
    """How many of one thing there are, in a premise that counts two."""
    things, places = (words.split() for words in rng.choice(list(COUNTED.items())))
    thing = rng.choice(things)
    where = f"in the {rng.choice(places)}"
    number = rng.randrange(len(lex.NUMBERS))
    wording = rng.choice(("exactly", "exactly", "more", "fewer"))
    if wording == "more":
        number = rng.randrange(1, len(lex.NUMBERS) - 2)
    elif wording == "fewer":
        number = rng.randrange(2, len(lex.NUMBERS) - 1)
    word = {"exactly": "exactly", "more": "more than", "fewer": "fewer than"}[wording]
    hypothesis = f"there are <claim|{word} {lex.NUMBERS[number]} {thing}> {where}"
    above = range(number + 1, len(lex.NUMBERS))
    below = range(number)
    right = {"exactly": [number], "more": list(above), "fewer": list(below)}[wording]
    wrong = [n for n in range(len(lex.NUMBERS)) if n not in right]
    premises = []
    for label in (SUPPORTED, UNSAID, CONTRADICTED):
        others = rng.sample([t for t in things if t != thing], 2)
        many = lex.NUMBERS[rng.choice(wrong if label == CONTRADICTED else right)]
        pair = [f"{many} {others.pop() if label == UNSAID else thing}"]
        pair.append(f"{rng.choice(lex.NUMBERS)} {others.pop()}")
        rng.shuffle(pair)
        text = rng.choice(
            (
                f"there are {pair[0]} and {pair[1]} {where}",
                f"{where} there are {' and '.join(pair)}",
            )
        )
        premises.append(sentence(text) + _aside(rng))
    return sentence(hypothesis), premises


def comparisons(rng: random.Random) -> Trio:
    """Who or what is taller, older, heavier; every premise makes two comparisons."""
    if rng.random() < 0.6:
        names = rng.sample(lex.WOMEN + lex.MEN, 4)
        sides = PEOPLE_SIDES
    else:
        kind = rng.choice(THINGS)
        names = [f"the {colour} {kind}" for colour in rng.sample(lex.COLOURS, 4)]
        sides = THING_SIDES
    side = rng.choice(sides)
    first, second = names[:2]
    way = rng.randrange(2)
    hypothesis = sentence(_marked(first, side[way], second))
    premises = []
    for label in (SUPPORTED, UNSAID, CONTRADICTED):
        main = _comparison(rng, first, second, side, way, label == CONTRADICTED)
        if label == UNSAID:
            side_ = rng.choice([other for other in sides if other != side])
            pair = [first, second]
            if rng.random() < 0.4:
                side_, pair = side, [first, names[2]]
            rng.shuffle(pair)
            main = _comparison(rng, pair[0], pair[1], side_, rng.randrange(2), False)
        other = rng.choice([s for s in sides if s != side])
        aside = _comparison(rng, names[3], names[2], other, rng.randrange(2), rng.random() < 0.5)
        both = [main, aside]
        rng.shuffle(both)
        premises.append(sentence(rng.choice((" and ", ", but ")).join(both)))
    return hypothesis, premises


def _marked(first: str, word: str, second: str) -> str:
    return f"{first} is <claim|{word}> than {second}"


def _comparison(
    rng: random.Random, first: str, second: str, side: tuple[str, str, str], way: int, against: bool
) -> str:
    """A clause that says (or denies, if against) that the first is more so than the second."""
    if against:
        first, second = second, first
    if rng.random() < 0.5:
        return f"{first} is {side[way]} than {second}"
    return f"{second} is {side[1 - way]} than {first}"
