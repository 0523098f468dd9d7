"""Letters to a friend about holidays, work and homes (matched)."""

from __future__ import annotations

import random

import lexicon as lex
from kinds import Kind
from phrases import PRONOUNS, Context, Facts, article, company, join, sentence

OPENINGS = (
    "Dear Tom,", "Dear friend,", "Guess what:", "By the way,", "Thank you for your letter.",
    "You asked me for news.", "I have some news for you.", "Here all is well.",
)  # fmt: skip
HOLIDAY_SLOTS = {
    "city": lex.CITY, "transport": lex.TRANSPORT, "month": lex.MONTH, "stay": lex.STAY,
    "lodging": lex.LODGING, "company": lex.COMPANY,
}  # fmt: skip
WORK_SLOTS = {
    "job": lex.JOB, "city": lex.CITY, "commute": lex.COMMUTE, "home": lex.HOME,
    "liking": lex.LIKING, "married": lex.MARRIED,
}  # fmt: skip


def _relative(rng: random.Random) -> Context:
    word = rng.choice(list(lex.RELATIVES))
    return {"name": f"my {word}", "who": lex.RELATIVES[word]}


def _elsewhere(rng: random.Random, context: Context) -> Context:
    while True:
        other = _relative(rng)
        if other["name"] != context["name"]:
            return context | other


def _opened(rng: random.Random, text: str, premise: bool) -> str:
    """The text, in the premise sometimes after the opening of a letter."""
    if not premise or rng.random() < 0.4:
        return text
    opening = rng.choice(OPENINGS)
    if opening.endswith("."):
        return f"{opening} {text}"
    return f"{opening} {text[0].lower()}{text[1:]}"


def _holiday_context(rng: random.Random) -> Context:
    return _relative(rng) | {"past": rng.random() < 0.5}


def _holiday_clause(rng: random.Random, slot: str, value: str, subject: str, c: Context) -> str:
    """One clause about the one holiday that premise and hypothesis are about."""
    her, past = PRONOUNS[c["who"]][0], c["past"]
    negated = c.get("negated")
    there = "there" if c.get("city_told") else ""

    def verb(before: str, base: str) -> str:
        if negated:
            return f"did not {base}" if past else f"is not going to {base}"
        return before if past else f"{rng.choice(('is going to', 'will'))} {base}"

    if slot == "city":
        return join(subject, verb("spent", "spend"), f"{her} holiday in <city|{value}>")
    if slot == "transport":
        if value == "plane" and rng.random() < 0.4 and not negated:
            return join(subject, verb("<transport|flew>", "<transport|fly>"), there)
        return join(subject, verb("travelled", "travel"), join(there, f"by <transport|{value}>"))
    if slot == "month":
        return join(subject, verb("travelled", "travel"), f"in <month|{value}>")
    if slot == "stay":
        count, weeks = value.split()
        return join(subject, verb("stayed", "stay"), f"for <stay|{count}> {weeks}")
    if slot == "lodging":
        return join(subject, verb("slept", "sleep"), f"in a <lodging|{value}>")
    return join(subject, verb("travelled", "travel"), company(rng, value, c["who"]))


def _tell_holiday(rng: random.Random, facts: Facts, context: Context, premise: bool) -> str:
    """The city leads where it is told; when and with whom may join it."""
    slots = list(facts)
    rng.shuffle(slots)
    slots.sort(key=lambda slot: slot != "city")
    clauses: list[str] = []
    context = context | {"city_told": "city" in facts}
    for number, slot in enumerate(slots):
        value = facts[slot]
        if number and slot in ("month", "company") and " in " not in clauses[-1][-14:]:
            clauses[-1] += " " + (
                f"in <month|{value}>" if slot == "month" else company(rng, value, context["who"])
            )
            continue
        subject = context["name"] if number == 0 else context["who"]
        clauses.append(_holiday_clause(rng, slot, value, subject, context))
    return _opened(rng, _sentences(rng, clauses), premise)


def _sentences(rng: random.Random, clauses: list[str]) -> str:
    """The clauses as sentences; two of them may be joined by "and"."""
    if len(clauses) > 1 and rng.random() < 0.5:
        clauses = [f"{clauses[0]}, and {clauses[1]}", *clauses[2:]]
    return " ".join(sentence(clause) for clause in clauses)


def _work_clause(slot: str, value: str, subject: str, context: Context) -> str:
    her = PRONOUNS[context["who"]][0]
    if slot == "job":
        return f"{subject} works as {article(value).replace(value, f'<job|{value}>')}"
    if slot == "city":
        return f"{subject} lives in <city|{value}>"
    if slot == "commute":
        way = "on <commute|foot>" if value == "foot" else f"by <commute|{value}>"
        return f"{subject} goes to work {way}"
    if slot == "home":
        return f"{subject} lives in a small <home|{value}>"
    if slot == "liking":
        return f"{subject} <liking|{value}> {her} job"
    return f"{subject} is <married|{value}>"


def _tell_work(rng: random.Random, facts: Facts, context: Context, premise: bool) -> str:
    slots = list(facts)
    rng.shuffle(slots)
    clauses = [
        _work_clause(slot, facts[slot], context["name" if number == 0 else "who"], context)
        for number, slot in enumerate(slots)
    ]
    if len(clauses) > 1 and rng.random() < 0.4:
        first, second = clauses[:2]
        clauses = [first + " and" + second.removeprefix(context["who"]), *clauses[2:]]
    return _opened(rng, _sentences(rng, clauses), premise)


HOLIDAY = Kind(
    "holiday", HOLIDAY_SLOTS, _holiday_context, _elsewhere, lambda facts: True, _tell_holiday,
    {"city": 2.0, "company": 0.7}, negatable=True,
)  # fmt: skip
WORK = Kind(
    "work", WORK_SLOTS, _relative, _elsewhere, lambda facts: True, _tell_work,
    {"job": 1.5, "city": 1.5},
)  # fmt: skip
