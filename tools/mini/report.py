"""The measured numbers as a table, the verdict on them, and the table's place in the card."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
CHANCE = 1 / 3


def _all(low: float, high: float) -> Callable[[list[float]], bool]:
    return lambda values: all(low <= value <= high for value in values)


INFORMATION = "for information"
# What is measured, where it stands, the bounds, and whether the course depends on it.
Row = tuple[str, Callable[[dict[str, Any]], list[float]], str, Callable[[list[float]], bool], bool]
ROWS: tuple[Row, ...] = (
    ("Adam(5e-5): mean loss of the last 50 of 300 steps", lambda m: m["right"]["last"],
     "at most 0.75", _all(0, 0.75), True),
    ("Adam(5e-5): accuracy, validation_matched", lambda m: m["right"]["matched"],
     "at least 0.75", _all(0.75, 1), True),
    ("Adam(5e-5): accuracy, validation_mismatched", lambda m: m["right"]["mismatched"],
     INFORMATION, _all(0, 1), False),
    ("`\"adam\"` (1e-3): mean loss of the last 50 steps", lambda m: m["default"]["last"],
     "1.08 to 1.13", _all(1.08, 1.13), True),
    ("`\"adam\"` (1e-3): accuracy, validation_matched", lambda m: m["default"]["matched"],
     "chance, 0.28 to 0.38", _all(0.28, 0.38), True),
    ("Hypothesis alone: accuracy", lambda m: m["hypothesis_only"],
     "within 5 points of 0.333", _all(CHANCE - 0.05, CHANCE + 0.05), True),
    ("Premise alone: accuracy", lambda m: m["premise_only"],
     "within 10 points of 0.333", _all(CHANCE - 0.1, CHANCE + 0.1), True),
    ("String loss on logits: loss of the first batch", lambda m: m["string_first"],
     "at least 1.8", _all(1.8, 99), True),
    ("Milliseconds a step (median, tracing left out)", lambda m: m["step_ms"],
     "under 150 where nothing else runs", _all(0, 150), False),
    ("First loss, fresh head, dropout on", lambda m: m["right"]["first"],
     "1.04 to 1.16", _all(1.04, 1.16), False),
    ("One batch of 16, Adam(5e-5), dropout on: lowest loss in 60 epochs",
     lambda m: m["overfit_lowest"], "below 0.3", _all(0, 0.3), False),
    ("Adam(5e-5): mean loss of steps 100 to 150", lambda m: m["right"]["steps_100_to_150"],
     "at most 0.85", _all(0, 0.85), False),
)  # fmt: skip


def table(measured: dict[str, Any]) -> str:
    """A Markdown table of every row by seed, and the loss at every learning rate."""
    seeds = ", ".join(str(seed) for seed in measured["seeds"])
    lines = [
        f"Seeds {seeds}; {measured['steps']} steps of 16; one number for each seed.",
        "",
        "| What | Wanted | Measured | Holds |",
        "|---|---|---|---|",
    ]
    for name, numbers, wanted, inside, _ in ROWS:
        values = numbers(measured)
        shown = ", ".join(f"{value:.1f}" if value > 20 else f"{value:.3f}" for value in values)
        verdict = "-" if wanted == INFORMATION else "yes" if inside(values) else "no"
        lines.append(f"| {name} | {wanted} | {shown} | {verdict} |")
    curve = measured["curve"]
    low = min(curve, key=lambda rate: curve[rate])
    lines += [
        "",
        f"Mean loss of the last 50 of {measured['steps']} steps by learning rate, "
        f"seed {measured['seeds'][0]}; lowest at {low}:",
        "",
        "| " + " | ".join(curve) + " |",
        "|" + "---|" * len(curve),
        "| " + " | ".join(f"{loss:.3f}" for loss in curve.values()) + " |",
    ]
    return "\n".join(lines)


def holds(measured: dict[str, Any]) -> bool:
    """Whether every number that the course depends on is within its bounds."""
    return all(inside(numbers(measured)) for _, numbers, _, inside, must in ROWS if must)


def into_card(card: Path, text: str) -> None:
    """Puts the table between the two marks of the card; does nothing where there is no card."""
    if not card.exists():
        return
    old = card.read_text(encoding="utf-8")
    before, rest = old.split(BEGIN)
    after = rest.split(END)[1]
    card.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def from_file(path: Path) -> dict[str, Any]:
    """The numbers that were measured last."""
    measured: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return measured
