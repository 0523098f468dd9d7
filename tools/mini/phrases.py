"""How a value is said. A marked span, ``<slot|words>``, remembers which slot the words answer."""

from __future__ import annotations

import random
import re
from typing import Any

import lexicon as lex

MARK = re.compile(r"<(\w+)\|([^<>|]*)>")
Facts = dict[str, str]
Context = dict[str, Any]
PRONOUNS = {"she": ("her", "herself"), "he": ("his", "himself")}


def plain(text: str) -> str:
    """The text without its marks."""
    return MARK.sub(r"\2", text)


def sentence(text: str) -> str:
    """One sentence: the first visible letter made a capital, a full stop at the end."""
    at = next(
        m.start() for m in re.finditer(r"[A-Za-z]", text) if not _inside_name(text, m.start())
    )
    text = text[:at] + text[at].upper() + text[at + 1 :]
    return text if text[-1] in ".!?" else text + "."


def _inside_name(text: str, at: int) -> bool:
    opening = text.rfind("<", 0, at)
    return opening >= 0 and "|" not in text[opening:at] and ">" not in text[opening:at]


def join(*parts: str) -> str:
    """The parts that are not empty, with single spaces between them."""
    return " ".join(part for part in parts if part)


def article(words: str) -> str:
    """The words with "a" or "an" before them."""
    return ("an " if words[0] in "aeiou" else "a ") + words


def said(rng: random.Random, slot: str, value: str, who: str = "she") -> str:
    """The value, or a synonym of it, marked."""
    words = rng.choice(lex.SYNONYMS.get(value, [value])).replace("POSS", PRONOUNS[who][0])
    return f"<{slot}|{words}>"


def act(rng: random.Random, value: str, who: str = "she") -> str:
    """A verb phrase in -ing: "reading a <act|novel>"."""
    group = lex.ACT_OF.get(value)
    if value == "sleeping":
        return said(rng, "act", value)
    if value == "cooking":
        return "preparing some <act|food>"
    if group is None:
        words = "vegetables" if value == "vegetable" else value
        return f"{lex.WIDE_ACTS[value]} <act|{words}>"
    verb = lex.HOUSEWORK.get(value) or lex.ACT_GROUPS[group][0]
    verb = {"bread": "baking", "rice": "cooking"}.get(value, verb)
    if group in ("fruit", "vegetable"):
        return f"{verb} {article(value).replace(value, f'<act|{value}>')}"
    return f"{verb} <act|{value}>"


def passive(value: str) -> tuple[str, str] | None:
    """Subject and participle of the passive of an act, or None where it would sound forced."""
    group = lex.ACT_OF.get(value)
    if group == "instrument":
        return f"the <act|{value}>", "played"
    if group == "reading":
        return f"the <act|{value}>", "read"
    if group == "vehicle":
        return f"the <act|{value}>", "driven"
    if group == "animal":
        return f"the <act|{value}>", "fed"
    return None


def place(rng: random.Random, value: str) -> str:
    """Where: "in the <place|garden>" or "<place|outside>"."""
    if value in lex.PLACE.wider:
        return said(rng, "place", value)
    return f"in the <place|{value}>"


def company(rng: random.Random, value: str, who: str) -> str:
    """With whom: "with her <company|brother>", "<company|alone>"."""
    if value == "alone":
        return said(rng, "company", value, who)
    if value == "company":
        return "with <company|somebody>"
    return f"with {PRONOUNS[who][0]} <company|{value}>"


def clothes(value: str) -> str:
    """What somebody is wearing: "a <clothes|red> <garment|coat>"."""
    colour, _, garment = value.rpartition(" ")
    return f"a <clothes|{colour}> <clothes|{garment}>" if colour else f"a <clothes|{garment}>"
