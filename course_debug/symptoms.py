"""What each fault shows, as records: read from ``symptoms.toml``, and compared with real runs.

A symptom is either an exception (its class, and how a line of its message begins) or bounds on
measured numbers. ``stack`` says which versions show it: ``today`` (the pinned ones),
``2022-imitated`` (the pinned ones with the train step of 2022, see stage 1) or ``2022``. ``device``
is ``cpu``, ``xla`` (a CPU under XLA) or ``gpu``. ``source`` is ``run`` (shown by a run on this
machine), ``recorded`` or ``report`` (what others say; not verified by us). ``without`` names a
function that does nothing during the run, such as an imitation of older versions.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any
from unittest import mock

from course_debug.script import Run, message_lines, run_script
from course_debug.stages import PACKAGE

HERE_STACKS = ("today", "2022-imitated")
HERE_DEVICES = {"cpu": False, "xla": True}


@dataclass(frozen=True)
class Bound:
    """One condition on one measured quantity; a quantity that was not measured meets none."""

    quantity: str
    above: float | None = None
    below: float | None = None
    is_nan: bool | None = None

    def holds(self, measured: dict[str, Any]) -> bool:
        """Whether the measured value lies strictly within the bound."""
        value = measured.get(self.quantity)
        if value is None:
            return False
        if self.is_nan is not None:
            return math.isnan(value) == self.is_nan
        return (self.above is None or value > self.above) and (
            self.below is None or value < self.below
        )


@dataclass(frozen=True)
class Symptom:
    """One row of a stage's ``symptoms.toml``."""

    id: str
    stack: str
    device: str
    source: str
    script: str = "broken.py"
    without: str = ""
    origin: str = ""
    exception: str | None = None
    message: str | None = None
    measured: tuple[Bound, ...] = ()

    @property
    def mended_script(self) -> str:
        """The script of the same room in which the fault is mended."""
        return "fixed.py" if self.script == "broken.py" else self.script.replace(".", "_fixed.")

    @property
    def runs_here(self) -> bool:
        """Whether this machine, with the pinned versions and no GPU, can show it."""
        here = self.stack in HERE_STACKS and self.device in HERE_DEVICES
        return self.source == "run" and here


def symptoms_of(stage: str) -> list[Symptom]:
    """Return the records of a stage's room."""
    rows = tomllib.loads((PACKAGE / stage / "symptoms.toml").read_text(encoding="utf-8"))
    return [
        Symptom(**{**row, "measured": tuple(Bound(**b) for b in row.get("measured", ()))})
        for row in rows["symptom"]
    ]


def shows(symptom: Symptom, measured: dict[str, Any]) -> bool:
    """Whether the measurements of one run are those of a symptom."""
    if symptom.exception is not None:
        lines = measured.get("message_lines") or []
        return measured.get("exception") == symptom.exception and any(
            line.startswith(symptom.message or "") for line in lines
        )
    return all(bound.holds(measured) for bound in symptom.measured)


def measure(run: Run) -> dict[str, Any]:
    """Return all that symptoms may speak of for one run."""
    from course_debug.checks import LabelPlace, label_place

    measured = run.measured()
    measured["message_lines"] = message_lines(run.error) if run.error else []
    if "train_dataset" in run.names:
        batch = next(iter(run.names["train_dataset"]))
        measured["labels_inside"] = int(label_place(batch) is LabelPlace.INSIDE)
    return measured


def provoke(
    stage: str,
    symptom: Symptom,
    script: str | None = None,
    *,
    steps: int | None = None,
    on_step: Callable[[int, float], None] | None = None,
) -> Run:
    """Run a script of a stage (by default the symptom's own) on the symptom's stack and device.

    Raises:
        ValueError: this machine cannot show the symptom.
    """
    if not symptom.runs_here:
        raise ValueError(f"{stage}: {symptom.id} cannot be run on this machine.")
    without = mock.patch(symptom.without, return_value=None) if symptom.without else nullcontext()
    with without:
        return run_script(
            PACKAGE / stage / (script or symptom.script),
            steps=steps,
            xla=HERE_DEVICES[symptom.device],
            on_step=on_step,
        )
