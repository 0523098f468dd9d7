"""Everyday scenes (matched) and the same scenes told in a short talk (mismatched)."""

from __future__ import annotations

import random

import lexicon as lex
from kinds import Kind
from phrases import (
    Context,
    Facts,
    act,
    clothes,
    company,
    join,
    passive,
    place,
    said,
    sentence,
)

MOMENTS = (
    "when the phone rang", "when the bell rang", "when I arrived", "when the music stopped",
    "at noon", "at midnight", "at seven o'clock", "at the moment of the photo",
)  # fmt: skip
WEATHER_WORDS = {
    "raining": "it {be} <weather|raining>", "dry": "the weather {be} <weather|dry>",
    "cold": "the weather {be} <weather|cold>", "warm": "the weather {be} <weather|warm>",
}  # fmt: skip
SLOTS = {
    "act": lex.ACT, "place": lex.PLACE, "posture": lex.POSTURE, "clothes": lex.CLOTHES,
    "state": lex.STATE, "weather": lex.WEATHER, "company": lex.COMPANY,
}  # fmt: skip


def _subject(rng: random.Random) -> tuple[str, str]:
    if rng.random() < 0.25:
        return f"the {rng.choice(lex.ROLES)}", rng.choice(("she", "he"))
    if rng.random() < 0.5:
        return rng.choice(lex.WOMEN), "she"
    return rng.choice(lex.MEN), "he"


def _context(rng: random.Random) -> Context:
    name, who = _subject(rng)
    moment = rng.choice(MOMENTS) if rng.random() < 0.45 else ""
    return {"name": name, "who": who, "moment": moment, "be": "was" if moment else "is"}


def _elsewhere(rng: random.Random, context: Context) -> Context:
    while True:
        name, who = _subject(rng)
        if name != context["name"] and name.startswith("the") == context["name"].startswith("the"):
            return context | {"name": name, "who": who}


def fits(facts: Facts) -> bool:
    """Nobody washes the dishes in the forest, and nobody sleeps standing."""
    value = facts.get("act")
    if value is None:
        return True
    group = lex.ACT_OF.get(value, value)
    where = facts.get("place")
    outside = where is not None and lex.PLACE.implies(where, "outdoors")
    if (
        where is not None
        and group not in lex.PLACED
        and not (group in ("ball game", "animal") and outside)
    ):
        return False
    if value == "piano" and outside:
        return False
    if "posture" in facts and group not in lex.SEATED:
        return False
    return group != "sleep" or not {"state", "clothes", "company"} & set(facts)


def hints(asked: Facts, told: Facts) -> bool:
    """Where somebody plays tennis or feeds a goat, a reader guesses: hardly in the library."""
    group = lex.ACT_OF.get(told.get("act", ""), told.get("act"))
    return "place" in asked and "place" not in told and group in ("ball game", "animal")


def _main(rng: random.Random, facts: Facts, context: Context, subject: str) -> str:
    """The first clause, said of the subject; takes what it says out of the facts."""
    be, who = context["be"] + (" not" if context.get("negated") else ""), context["who"]
    doing = facts.pop("act", None)
    where = facts.pop("place", None)
    placed = place(rng, where) if where else ""
    shared = company(rng, facts.pop("company"), who) if "company" in facts else ""
    if "posture" in facts:
        stance = f"<posture|{facts.pop('posture')}>"
        if "lying" in stance and not placed:
            stance += " down"
        tail = f"{rng.choice((',', ' and'))} {act(rng, doing, who)}" if doing else ""
        return join(subject, be, stance, placed, shared) + tail
    if doing:
        turned = passive(doing)
        if turned and subject == context["name"] and not shared and rng.random() < 0.15:
            return join(turned[0], be, "being", turned[1], "by", subject, placed)
        return join(subject, be, act(rng, doing, who), placed, shared)
    if placed or shared:
        return join(subject, be, placed, shared)
    if "clothes" in facts:
        return join(subject, be, "wearing", clothes(facts.pop("clothes")))
    if "state" in facts:
        return join(subject, be, said(rng, "state", facts.pop("state")))
    return _weather(rng, facts.pop("weather"), context["be"])


def _weather(rng: random.Random, value: str, be: str) -> str:
    return WEATHER_WORDS[value].format(be=be)


def _rest(rng: random.Random, facts: Facts, context: Context) -> list[str]:
    """One clause for every fact that the main clause left."""
    who, be = context["who"], context["be"]
    clauses = []
    for slot, value in facts.items():
        if slot == "clothes":
            clauses.append(f"{who} {be} wearing {clothes(value)}")
        elif slot == "state":
            clauses.append(f"{who} {be} {said(rng, 'state', value)}")
        else:
            clauses.append(_weather(rng, value, be))
    rng.shuffle(clauses)
    return clauses


def tell(rng: random.Random, facts: Facts, context: Context, premise: bool) -> str:
    """One to three sentences about somebody at one moment."""
    left = dict(facts)
    first = _main(rng, left, context, context["name"])
    moment = context["moment"]
    if moment:
        first = f"{moment}, {first}" if rng.random() < 0.6 else f"{first} {moment}"
    clauses = _rest(rng, left, context)
    if len(clauses) == 1 and rng.random() < 0.5 and not (moment and first.endswith(moment)):
        return sentence(f"{first}, and {clauses[0]}")
    if len(clauses) == 2:
        return sentence(first) + " " + sentence(" and ".join(clauses))
    return " ".join(sentence(part) for part in (first, *clauses))


def tell_talk(rng: random.Random, facts: Facts, context: Context, premise: bool) -> str:
    """The premise as a question and its answer; the hypothesis as in a scene."""
    if not premise:
        return tell(rng, facts, context, premise)
    left, be, who, name = dict(facts), context["be"], context["who"], context["name"]
    only = set(left) & {"act", "place", "posture", "company"}
    if only == {"place"} and rng.random() < 0.6:
        question = f"where {be} {name}?"
    elif "act" in only and rng.random() < 0.6:
        question = f"what {be} {name} doing?"
    else:
        question = rng.choice((f"do you see {name}?", f"is there any news of {name}?"))
    answer = _main(rng, left, context, who)
    sentences = [sentence(answer), *(sentence(c) for c in _rest(rng, left, context))]
    opening = rng.choice(("", "Yes, ", "Oh, ")) if question.startswith(("do", "is")) else ""
    if opening:
        sentences[0] = opening + sentences[0][0].lower() + sentences[0][1:]
    return f'"{sentence(question)}" "{" ".join(sentences)}"'


def _now(rng: random.Random) -> Context:
    return _context(rng) | {"moment": "", "be": "is"}


WEIGHTS = {"weather": 0.5, "act": 2.5, "place": 1.5, "posture": 0.6, "company": 0.8}
SCENE = Kind(
    "scene",
    SLOTS,
    _context,
    _elsewhere,
    fits,
    tell,
    WEIGHTS,
    negatable=True,
    never_asked=("weather",),
    hints=hints,
)
TALK = Kind(
    "talk", SLOTS, _now, _elsewhere, fits, tell_talk, WEIGHTS, never_asked=("weather",), hints=hints
)
