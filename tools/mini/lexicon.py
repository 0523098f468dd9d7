"""The words of the embedded texts, by meaning."""

from __future__ import annotations

from slots import Slot, family, flat, opposites, same_parent

WOMEN = "Anna Clara Emma Grace Julia Laura Maria Nina Olga Rosa Tina Mei".split()
MEN = "Ben Carl David Frank Henry Ivan Kevin Leo Nick Omar Paul Sam".split()
ROLES = "teacher doctor farmer driver singer student nurse baker".split()
RELATIVES = {
    "sister": "she", "aunt": "she", "niece": "she", "cousin": "she",
    "brother": "he", "uncle": "he", "nephew": "he", "boss": "he",
}  # fmt: skip
TOWNS = "Oakford Millbridge Lakeside Stonefield Greenhill Northport".split()
NUMBERS = "two three four five six seven eight nine ten".split()

# --- what somebody is doing at one moment: object -> verb phrase
ACT_GROUPS = {
    "instrument": ("playing the", "piano guitar violin flute"),
    "ball game": ("playing", "football tennis basketball volleyball"),
    "reading": ("reading a", "novel letter newspaper magazine"),
    "fruit": ("eating", "apple banana pear orange"),
    "vegetable": ("eating", "carrot cucumber potato radish"),
    "drink": ("drinking", "tea coffee milk juice"),
    "cooking": ("making", "soup pancakes bread rice"),
    "housework": ("", "dishes floor shirts bed"),
    "vehicle": ("driving a", "bus truck tractor taxi"),
    "animal": ("feeding the", "dog cat horse goat"),
    "carrying": ("carrying a", "basket suitcase ladder box"),
    "sleep": ("", "sleeping"),
}
HOUSEWORK = {
    "dishes": "washing the", "floor": "sweeping the",
    "shirts": "ironing", "bed": "making the",
}  # fmt: skip
WIDE_ACTS = {
    "instrument": "playing an", "ball game": "playing a", "fruit": "eating some",
    "vegetable": "eating some", "cooking": "preparing", "housework": "doing",
    "vehicle": "driving a", "animal": "feeding an",
}  # fmt: skip
BUSY = {"instrument", "ball game", "housework", "vehicle", "animal", "cooking", "reading", "sleep"}
ACT_OF = {word: group for group, (_, words) in ACT_GROUPS.items() for word in words.split()}
PLACED = {"instrument", "reading", "fruit", "vegetable", "drink", "carrying", "sleep"}
SEATED = {"reading", "fruit", "vegetable", "drink"}


def _acts_exclude(first: str, second: str) -> bool:
    one, two = (ACT_OF.get(value, value) for value in (first, second))
    if one == two or {one, two} == {"fruit", "vegetable"}:
        return True
    if "sleep" in (one, two):
        return True
    # One may well read while the soup is on the stove.
    return {one, two} <= BUSY and {one, two} != {"reading", "cooking"}


ACT = Slot(
    {word: (group if group in WIDE_ACTS else None) for word, group in ACT_OF.items()}
    | dict.fromkeys(WIDE_ACTS),
    _acts_exclude,
    favourite=("sleeping", 0.1),
)
PLACE = Slot(
    family(
        indoors="kitchen office library classroom hall living_room",
        outdoors="garden park forest field street yard",
    )
)
POSTURE = flat("sitting standing lying")
COLOURS = "red blue green yellow black white".split()
GARMENTS = "coat hat shirt scarf jacket".split()
CLOTHES = same_parent({f"{c} {g}": g for g in GARMENTS for c in COLOURS} | dict.fromkeys(GARMENTS))
STATE = opposites("happy/sad calm/nervous tired/rested hungry/full healthy/ill")
WEATHER = opposites("raining/dry cold/warm")
COMPANY = Slot(
    family(company="brother sister friend neighbour") | {"alone": None},
    lambda a, b: "alone" in (a, b),
    wide=0.45,
    favourite=("alone", 0.45),
)
SYNONYMS = {
    "happy": ["happy", "glad"], "sad": ["sad", "unhappy"], "ill": ["ill", "sick"],
    "rested": ["well rested"],
    "indoors": ["indoors", "inside"], "outdoors": ["outdoors", "outside"],
    "sleeping": ["sleeping", "asleep"], "alone": ["alone", "alone", "on POSS own"],
}  # fmt: skip

# --- holidays, jobs and homes, told in letters
CITY = Slot(
    family(Italy="Rome Milan", France="Paris Lyon", Spain="Madrid Seville", Germany="Berlin Munich")
)
TRANSPORT = flat("train bus plane car bicycle")
MONTH = Slot(
    family(
        spring="April May", summer="July August", autumn="October November",
        winter="January February",
    )
)  # fmt: skip
STAY = flat("one_week two_weeks three_weeks four_weeks")
LODGING = flat("hotel tent caravan hostel")
JOB = flat("nurse dentist teacher cook baker gardener lawyer singer")
COMMUTE = flat("train bus bicycle car foot")
HOME = opposites("flat/house")
LIKING = opposites("loves/hates")
MARRIED = opposites("married/single")

# --- public texts
BUILDINGS = "bridge library museum theatre station school".split()
DAY = flat("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
CAUSE = flat("storm fire flood truck")
OPENER = flat("mayor minister queen singer")
HURT = Slot(
    family(people="two three four five") | {"nobody": None},
)
COURSES = "painting dancing cooking drawing singing chess".split()
HOUR = flat("five six seven eight nine ten")
ROOM = flat("library classroom hall garden office")
FEE = Slot(family(paid="two three four five six") | {"free": None})
AUDIENCE = opposites("children/adults")
PRODUCTS = "apples pears plums cherries strawberries".split()
SELLERS = "Green Brown Baker Hill Stone King".split()
PRICE = flat("two three four five six")
QUALITY = opposites("sweet/sour fresh/old")
SIZE = flat("big small")
