"""Bounds in seconds, on a machine that may be busy with something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
TRIES = 3


def within(seconds: float, run: Callable[[], Result], took: Callable[[Result], float]) -> Result:
    """Run up to three times and return the first result that `took` fewer than `seconds`.

    A promise of so many seconds is broken only where three tries in a row break it.
    """
    times = []
    for _ in range(TRIES):
        result = run()
        times.append(took(result))
        if times[-1] < seconds:
            return result
    raise AssertionError(f"wanted under {seconds} seconds, took {times}")
