"""Every number that the course relies on, measured by fine-tuning as a reader does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import finetune
import numpy as np

STEPS = 300
RIGHT_RATE = 5e-5
# The U curve of stage 3, on one seed; the right rate and 1e-3 come from the seeds themselves.
CURVE = (1e-5, 2e-5, 1e-4, 2e-4, 3e-4)


def measure(folder: Path, seeds: Sequence[int], say: Callable[[str], None]) -> dict[str, Any]:
    """Runs every check on every seed and returns the numbers, a list by seed for each."""
    rows, tokenizer = finetune.load(folder)

    def run(name: str, seed: int, *rest: Any, **more: Any) -> dict[str, Any]:
        result = finetune.fine_tune(folder, more.pop("rows", rows), tokenizer, seed, *rest, **more)
        losses = result["losses"]
        result["last"] = round(float(np.mean(losses[-50:])), 4)
        say(
            f"{name}, seed {seed}: first loss {losses[0]:.3f}, last 50 {result['last']:.3f}, "
            f"accuracy {result.get('validation_matched', float('nan')):.3f}"
        )
        return result

    measured: dict[str, Any] = {"seeds": list(seeds), "steps": STEPS}
    right = [run("Adam(5e-5)", seed, RIGHT_RATE) for seed in seeds]
    measured["right"] = {
        "first": [r["losses"][0] for r in right],
        "steps_100_to_150": [round(float(np.mean(r["losses"][100:150])), 4) for r in right],
        "last": [r["last"] for r in right],
        "matched": [r["validation_matched"] for r in right],
        "mismatched": [r["validation_mismatched"] for r in right],
    }
    default = [run('"adam"', seed, "adam") for seed in seeds]
    measured["default"] = {
        "last": [r["last"] for r in default],
        "matched": [r["validation_matched"] for r in default],
        "spread": [r["spread"] for r in default],
    }
    strings = [
        run("string loss", seed, RIGHT_RATE, 1, finetune.STRING_LOSS)["losses"][0] for seed in seeds
    ]
    measured["string_first"] = strings
    measured["overfit_lowest"] = []
    for seed in seeds:
        say(f"One batch, 60 epochs, seed {seed} ...")
        epochs = finetune.overfit(folder, rows, tokenizer, seed)
        measured["overfit_lowest"].append(min(epochs))
        measured.setdefault("overfit_last", []).append(epochs[-1])
    for half in ("hypothesis", "premise"):
        only, _ = finetune.load(folder, (half,))
        measured[f"{half}_only"] = [
            run(f"{half} only", seed, RIGHT_RATE, rows=only)["validation_matched"] for seed in seeds
        ]
    measured["step_ms"] = step_milliseconds(folder, seeds, say)
    measured["curve"] = {
        f"{rate:g}": run(f"Adam({rate:g})", seeds[0], rate)["last"] for rate in CURVE
    } | {"5e-05": right[0]["last"], "0.001": default[0]["last"]}
    measured["curve"] = dict(sorted(measured["curve"].items(), key=lambda item: float(item[0])))
    return measured


def step_milliseconds(
    folder: Path, seeds: Sequence[int], say: Callable[[str], None]
) -> list[float]:
    """The median step of 45 for each seed, tracing left out; means little on a busy machine."""
    rows, tokenizer = finetune.load(folder)
    found = []
    for seed in seeds:
        result = finetune.fine_tune(folder, rows, tokenizer, seed, RIGHT_RATE, 45)
        found.append(round(1000 * result["step_seconds"], 1))
        say(f"Seed {seed}: {found[-1]} ms a step.")
    return found
