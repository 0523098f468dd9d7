"""The text kinds whose pairs share one mechanism: a subject, and slots that a text may fill."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from phrases import Context, Facts
from slots import Slot


@dataclass(frozen=True)
class Kind:
    """One kind of text.

    slots: what a text of this kind can say, by name.
    context: draws what premise and hypothesis have in common (subject, tense, anchor).
    elsewhere: the same context about another subject, which leaves every question open.
    fits: whether these facts can be told together without sounding odd.
    tell: the marked text; the flag says whether it is the premise.
    weights: how often each slot is asked about (1 where not named).
    never_asked: slots that only fill premises, because they are not about the subject.
    hints: whether what is told makes an unsaid fact that is asked too likely to be neutral.
    negatable: whether ``context["negated"]`` is understood by ``tell``.
    """

    name: str
    slots: Mapping[str, Slot]
    context: Callable[[random.Random], Context]
    elsewhere: Callable[[random.Random, Context], Context]
    fits: Callable[[Facts], bool]
    tell: Callable[[random.Random, Facts, Context, bool], str]
    weights: Mapping[str, float]
    negatable: bool = False
    never_asked: tuple[str, ...] = ()
    hints: Callable[[Facts, Facts], bool] = lambda asked, told: False
