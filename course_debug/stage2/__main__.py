"""The story of stage 2: a label that the model has no class for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from course_debug.stage_command import tell_stage
from course_debug.text import translate

if TYPE_CHECKING:
    from course_debug.script import Run
    from course_debug.show import Story
    import numpy as np

BROKEN_STEPS = 8
SAMPLES = 3


def tell(story: Story) -> None:
    """Break, look, find, mend, prove."""
    story.chapter("break")
    story.say("break.intro")
    story.say("break.xla")
    story.code(story.room / "broken.py")
    broken = story.run(
        "broken.py", story.symptom("nan-under-xla"), steps=min(BROKEN_STEPS, story.options.steps)
    )
    first_nan = next((n for n, loss in enumerate(broken.losses, 1) if math.isnan(loss)), None)
    if first_nan:
        story.finding("break.result", step=first_nan)

    batch = next(iter(broken.names["train_dataset"]))
    model, rows = _look(story, broken, batch)
    if len(rows):
        _find(story, model, batch, rows, broken.names["tokenizer"])

    story.chapter("mend")
    story.say("mend.intro")
    story.diff()
    _prove(story)
    story.remember()


def _look(story: Story, broken: Run, batch: Any) -> tuple[Any, np.ndarray]:
    """Return the reloaded model and the rows whose loss is NaN."""
    from course_debug import checks, pipeline

    story.chapter("look")
    story.say("look.logits")
    spoiled = broken.names["model"]
    logits = checks.logits_of(spoiled, batch)
    story.lines(str(logits[:4]) + "\n...")
    variables = checks.nan_variables(spoiled)
    story.evidence["spoiled"] = {
        "nan_rows": len(checks.nan_rows(logits)),
        "nan_variables": len(variables),
        "variables": len(spoiled.weights),
    }
    story.finding(
        "look.spread" if variables else "look.not_spread",
        rows=len(checks.nan_rows(logits)),
        total_rows=len(logits),
        variables=len(variables),
        total_variables=len(spoiled.weights),
    )

    story.say("look.reload")
    model = pipeline.model(pipeline.current(), num_labels=checks.num_labels_of(spoiled))
    losses = checks.per_sample_loss(model, batch)
    rows = checks.nan_rows(losses)
    story.lines(str(losses.round(3)))
    story.evidence["reloaded"] = {"losses": losses, "nan_rows": rows}
    story.finding(
        "look.finite" if len(rows) else "look.no_rows",
        count=len(rows),
        rows=len(losses),
        indices=", ".join(map(str, rows)),
    )
    return model, rows


def _find(story: Story, model: Any, batch: Any, rows: np.ndarray, tokenizer: Any) -> None:
    from course_debug import checks, exhibits

    story.chapter("find")
    story.say("find.inputs")
    exhibits.show_samples(story, batch, rows[:SAMPLES].tolist(), tokenizer)
    story.say("find.normal")
    labels = checks.labels_of(batch)
    assert labels is not None
    story.lines(str(labels))
    of_rows = sorted(set(labels[rows].tolist()))
    others = sorted(set(labels.tolist()) - set(of_rows))
    story.evidence["labels"] = {"of_nan_rows": of_rows, "of_the_others": others}
    story.finding(
        "find.labels",
        labels=", ".join(map(str, of_rows)),
        other_labels=", ".join(map(str, others)),
    )
    story.say("find.num_labels")
    found = checks.label_range(batch, checks.num_labels_of(model))
    story.evidence["num_labels"] = found.num_labels
    story.finding(
        "find.cause",
        num_labels=found.num_labels,
        highest_known=found.num_labels - 1,
        highest=found.highest,
    )
    _compare_devices(story, model, batch)


def _compare_devices(story: Story, model: Any, batch: Any) -> None:
    """Call the reloaded model with its labels on this CPU, and set XLA and GPU beside it."""
    from course_debug.script import message_head, message_lines
    from course_debug.symptoms import shows

    symptom = story.symptom("label-refused-on-cpu")
    story.say("find.devices")
    measured: dict[str, Any] = {"exception": None, "message": ""}
    try:
        model(batch)
    except Exception as error:
        measured = {
            "exception": type(error).__name__,
            "message": message_head(error, len(symptom.message or "")),
            "message_lines": message_lines(error),
        }
    measured["shown"] = shows(symptom, measured)
    story.holds &= measured["shown"]
    measured.pop("message_lines", None)
    story.evidence["cpu"] = measured
    here, told = translate("show.source.run"), translate("show.source.report")
    nan = story.text("find.nan")
    story.table(
        ("where", "what", "source"),
        [
            (translate("show.device.cpu"), f"{measured['exception']}: {measured['message']}", here),
            (translate("show.device.xla"), nan, here),
            (translate("show.device.gpu"), nan, told),
        ],
    )
    story.say("find.devices_text")


def _prove(story: Story) -> None:
    from course_debug import exhibits

    story.chapter("prove")
    fixed = story.run("fixed.py", story.symptom("nan-under-xla"))
    accuracy = exhibits.validate(story, fixed, "fixed").accuracy
    falls = fixed.last_loss < fixed.first_loss
    story.finding(
        "prove.holds" if falls else "prove.fails",
        first=f"{fixed.first_loss:.3f}",
        last=f"{fixed.last_loss:.3f}",
        steps=len(fixed.losses),
        accuracy=f"{accuracy:.2f}",
    )


if __name__ == "__main__":
    tell_stage("stage2", tell, steps=40)
