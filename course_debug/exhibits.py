"""What the checks find, put before the reader and into the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_debug import pipeline
from course_debug.checks import (
    Predictions,
    decode_sample,
    hidden_defaults,
    label_place,
    labels_of,
    look_at_batch,
    predict,
)
from course_debug.show import shown
from course_debug.sources import LABELS
from course_debug.text import catalog, spoken, translate

if TYPE_CHECKING:
    from course_debug.script import Run
    from course_debug.show import Story

VALIDATION_ROWS = 600


def show_batch(story: Story, batch: Any) -> None:
    """Show each array of a batch: where it stands, its shape, type and range."""
    entries = look_at_batch(batch)
    story.evidence["batch"] = {
        "labels": label_place(batch).name.lower(),
        "entries": {entry.name: list(entry.shape) for entry in entries},
    }
    story.table(
        ("entry", "shape", "type", "lowest", "highest"),
        [(e.name, e.shape, e.dtype, e.lowest, e.highest) for e in entries],
    )


def show_samples(story: Story, batch: Any, rows: Sequence[int], tokenizer: Any) -> None:
    """Show rows of a batch as text beside their labels."""
    labels = labels_of(batch)
    assert labels is not None
    samples: list[dict[str, Any]] = [
        {"row": int(row), "label": int(labels[row]), "text": decode_sample(batch, row, tokenizer)}
        for row in rows
    ]
    story.evidence["samples"] = samples
    story.table(
        ("row", "label", "text"),
        [(s["row"], label_name(s["label"]), s["text"]) for s in samples],
    )


def label_name(label: int) -> str:
    """Return a label as number and name, e.g. ``2 contradiction``."""
    return f"{label} {LABELS[label]}" if 0 <= label < len(LABELS) else str(label)


def show_settings(story: Story, thing: Any) -> None:
    """Show every setting of an optimizer or a loss, and who chose it."""
    # The learning rate first: of an optimizer's dozen settings it is the one that decides most.
    settings = sorted(hidden_defaults(thing), key=lambda setting: setting.name != "learning_rate")
    story.evidence["settings"] = {setting.name: setting.value for setting in settings}
    who = {True: translate("show.who.library"), False: translate("show.who.you")}
    story.table(
        ("setting", "value", "who"),
        [(s.name, shown(s.value), who[s.is_default]) for s in settings],
    )


def validate(story: Story, run: Run, name: str) -> Predictions:
    """Let the model that a run left answer pairs it has not seen, and show how often each class.

    At most 600 rows of validation_matched. ``name`` is the run's name in the evidence.
    """
    story.waiting(translate("show.validating"))
    split = run.names["encoded"]["validation_matched"]
    split = split.select(range(min(VALIDATION_ROWS, len(split))))
    batches = pipeline.batches(split, run.names["tokenizer"], batch_size=64, shuffle=False)
    predictions = predict(run.names["model"], batches)
    story.evidence[name]["accuracy"] = predictions.accuracy
    story.evidence[name]["predicted"] = predictions.counts(len(LABELS))
    return predictions


def show_predictions(story: Story, predictions: Predictions) -> None:
    """Show how often each class is predicted beside how often it is right."""
    predicted = predictions.counts(len(LABELS))
    right = [int((predictions.labels == label).sum()) for label in range(len(LABELS))]
    rows = [(label_name(n), predicted[n], right[n]) for n in range(len(LABELS))]
    story.table(("class", "predicted", "right"), rows)


def save_curves(
    story: Story, path: Path, losses: Mapping[str, Sequence[float]], level: float
) -> None:
    """Write loss curves as a picture and say where it is."""
    from course_debug.curves import picture

    picture(path, losses, level, plot_labels("step"))
    story.saved(path)


def plot_labels(x: str) -> dict[str, str]:
    """Return the words on a picture's axes; in English where no font has Chinese characters."""
    from course_debug.curves import chinese_font

    words = catalog("en" if spoken() == "zh" and not chinese_font() else spoken(), "show")
    return {
        "x": words[f"plot.{x}"],
        "y": words["plot.loss"],
        "level": words["plot.chance"].format(classes=len(LABELS)),
    }
