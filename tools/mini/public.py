"""Short news, notices and market calls: the kinds of the mismatched splits only."""

from __future__ import annotations

import random

import lexicon as lex
from kinds import Kind
from phrases import Context, Facts, join, sentence

DAMAGE_SLOTS = {"cause": lex.CAUSE, "day": lex.DAY, "hurt": lex.HURT, "cost": lex.PRICE}
OPENING_SLOTS = {"opener": lex.OPENER, "day": lex.DAY, "cost": lex.PRICE}
NOTICE_SLOTS = {
    "day": lex.DAY, "hour": lex.HOUR, "room": lex.ROOM, "fee": lex.FEE, "audience": lex.AUDIENCE,
}  # fmt: skip
MARKET_SLOTS = {
    "origin": lex.CITY, "price": lex.PRICE, "quality": lex.QUALITY, "size": lex.SIZE,
}  # fmt: skip


def _news_context(rng: random.Random) -> Context:
    return {"building": rng.choice(lex.BUILDINGS), "town": rng.choice(lex.TOWNS)}


def _news_elsewhere(rng: random.Random, context: Context) -> Context:
    towns = [town for town in lex.TOWNS if town != context["town"]]
    return context | {"town": rng.choice(towns)}


def _event(rng: random.Random, agent: str, verb: str, thing: str, when: str) -> str:
    """Active or passive; passive where nobody is named."""
    if not agent:
        return join(thing, "was", verb, when)
    if rng.random() < 0.5:
        return join(thing, "was", verb, "by", agent, when)
    return join(agent, verb, thing, when)


def _tell_event(
    rng: random.Random, facts: Facts, context: Context, premise: bool, verb: str
) -> str:
    thing = f"the {'old' if verb == 'damaged' else 'new'} {context['building']}"
    thing += f" in {context['town']}"
    day, cost, hurt = (facts.get(slot) for slot in ("day", "cost", "hurt"))
    agent = ""
    if "cause" in facts:
        agent = f"a <cause|{facts['cause']}>"
    elif "opener" in facts:
        agent = f"the <opener|{facts['opener']}>"
    clauses = []
    if premise or agent or day:
        main = _event(rng, agent, verb, thing, f"on <day|{day}>" if day else "")
        if premise and rng.random() < 0.5:
            main += rng.choice((", the newspaper said", ", people said", ", the radio said"))
        clauses.append(main)
    if hurt:
        number = {"nobody": "nobody was", "people": "some people were"}.get(
            hurt, f"{hurt} people were"
        )
        word, rest = number.split(" ", 1)
        where = "" if clauses else f" when {thing} was {verb}"
        clauses.append(f"<hurt|{word}> {rest} hurt{where}")
    if cost:
        work = "the repair" if verb == "damaged" else "it"
        where = "" if clauses else f" of {thing}" if verb == "damaged" else ""
        subject = thing if verb == "opened" and not clauses else work + where
        clauses.append(
            f"{subject} {'will cost' if verb == 'damaged' else 'cost'} <cost|{cost}> million euros"
        )
    return " ".join(sentence(clause) for clause in clauses)


def _tell_damage(rng: random.Random, facts: Facts, context: Context, premise: bool) -> str:
    return _tell_event(rng, facts, context, premise, "damaged")


def _tell_opening(rng: random.Random, facts: Facts, context: Context, premise: bool) -> str:
    return _tell_event(rng, facts, context, premise, "opened")


def _notice_context(rng: random.Random) -> Context:
    return {"course": rng.choice(lex.COURSES)}


def _notice_elsewhere(rng: random.Random, context: Context) -> Context:
    return {"course": rng.choice([c for c in lex.COURSES if c != context["course"]])}


def _fee(value: str) -> str:
    if value == "free":
        return "<fee|free>"
    return "<fee|not> free" if value == "paid" else f"<fee|{value}> euros a month"


def _tell_notice(rng: random.Random, facts: Facts, context: Context, premise: bool) -> str:
    course = context["course"]
    day, hour, room, fee, audience = (facts.get(slot) for slot in NOTICE_SLOTS)
    if not premise:
        subject = f"the {course} course"
        parts = [
            f"for <audience|{audience}>" if audience else "",
            f"in the <room|{room}>" if room else "",
            f"on <day|{day}>" if day else "",
            f"at <hour|{hour}> o'clock" if hour else "",
        ]
        if fee and not any(parts):
            return sentence(f"{subject} {'is' if fee in ('free', 'paid') else 'costs'} {_fee(fee)}")
        main = f"{subject} is " + " and is ".join(part for part in parts if part)
        if fee:
            main += f" and {'is' if fee in ('free', 'paid') else 'costs'} {_fee(fee)}"
        return sentence(main)
    head = f"{course} course" + (f" for <audience|{audience}>" if audience else "")
    parts = [
        f"every <day|{day}>" if day else "",
        f"at <hour|{hour}> o'clock" if hour else "",
        f"in the <room|{room}>" if room else "",
    ]
    text = rng.choice(("Notice: ", "New: ", "")) + sentence(head).rstrip(".")
    if any(parts):
        text += ": " + join(*parts)
    text += "."
    if fee:
        text += " " + sentence(("price: " if fee not in ("free", "paid") else "it is ") + _fee(fee))
    return text + rng.choice(("", " All are welcome.", " Please come early."))


def _market_context(rng: random.Random) -> Context:
    seller = f"{rng.choice(('Mr', 'Mrs'))} {rng.choice(lex.SELLERS)}"
    return {"product": rng.choice(lex.PRODUCTS), "name": seller}


def _market_elsewhere(rng: random.Random, context: Context) -> Context:
    products = [product for product in lex.PRODUCTS if product != context["product"]]
    return context | {"product": rng.choice(products)}


def _tell_market(rng: random.Random, facts: Facts, context: Context, premise: bool) -> str:
    product, name = context["product"], context["name"]
    quality, origin, price, size = (
        facts.get(slot) for slot in ("quality", "origin", "price", "size")
    )
    if not premise:
        subject = f"{name}'s {product}"
        clauses = [
            f"are <quality|{quality}>" if quality else "",
            f"come from <origin|{origin}>" if origin else "",
            f"cost <price|{price}> euros a kilo" if price else "",
            f"are <size|{size}>" if size else "",
        ]
        return sentence(f"{subject} {' and '.join(clause for clause in clauses if clause)}")
    call = join(
        f"<size|{size}>" if size else "", f"<quality|{quality}>" if quality else "", product,
        f"from <origin|{origin}>" if origin else "", f"at {name}'s stall",
    )  # fmt: skip
    text = rng.choice(("Today at the market: ", "Come and buy: ", "")) + sentence(call)
    if price:
        text += rng.choice(
            (f" A kilo costs <price|{price}> euros.", f" Only <price|{price}> euros a kilo!")
        )
    return text


def _anything(facts: Facts) -> bool:
    return True


DAMAGE = Kind("damage", DAMAGE_SLOTS, _news_context, _news_elsewhere, _anything, _tell_damage, {})
OPENING = Kind(
    "opening", OPENING_SLOTS, _news_context, _news_elsewhere, _anything, _tell_opening, {}
)
NOTICE = Kind(
    "notice", NOTICE_SLOTS, _notice_context, _notice_elsewhere, _anything, _tell_notice, {}
)
MARKET = Kind(
    "market", MARKET_SLOTS, _market_context, _market_elsewhere, _anything, _tell_market,
    {"quality": 1.5},
)  # fmt: skip
