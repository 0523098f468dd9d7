"""The story of stage 4, the challenge: a loss that takes logits for probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from course_debug.stage_command import tell_stage
from course_debug.text import translate

if TYPE_CHECKING:
    from course_debug.script import Run
    from course_debug.show import Story

CLASSES = 3
ROWS = 3
LOSSES = ("string_loss", "from_logits")


def tell(story: Story) -> None:
    """Break, look, find, mend, prove."""
    from course_debug import checks

    story.chapter("break")
    story.say("break.intro")
    story.code(story.room / "broken.py")
    broken = story.run("broken.py", story.symptom("loss-starts-too-high"))
    story.finding(
        "break.result",
        first=f"{broken.first_loss:.3f}",
        last=f"{broken.last_loss:.3f}",
        classes=CLASSES,
        chance=f"{checks.expected_first_loss(CLASSES):.4f}",
        steps=len(broken.losses),
    )
    batch = next(iter(broken.names["train_dataset"]))
    _look(story, broken, batch)
    _find(story, broken, batch)

    story.chapter("mend")
    story.say("mend.intro")
    story.diff()
    _prove(story, broken)
    story.remember()


def _look(story: Story, broken: Run, batch: Any) -> None:
    from course_debug import checks

    story.chapter("look")
    story.say("look.intro")
    model = broken.names["model"]
    place = checks.label_place(batch)
    labels = checks.label_range(batch, checks.num_labels_of(model))
    rate = checks.plain(model.optimizer.learning_rate.numpy())
    span = {"lowest": labels.lowest, "highest": labels.highest, "num_labels": labels.num_labels}
    story.evidence["cleared"] = {
        "labels": place.name.lower(),
        "label_range": span,
        "learning_rate": rate,
    }
    story.table(
        ("suspect", "value"),
        [
            (story.text("look.suspect_labels"), translate(f"show.place.{place.name.lower()}")),
            (story.text("look.suspect_range"), story.text("look.range", **span)),
            (story.text("look.suspect_rate"), rate),
        ],
    )
    story.finding("look.cleared")


def _find(story: Story, broken: Run, batch: Any) -> None:
    from course_debug import checks, exhibits, pipeline
    from tensorflow.keras.losses import SparseCategoricalCrossentropy

    story.chapter("find")
    story.say("find.logits_hint")
    model = pipeline.model(pipeline.current(), num_labels=CLASSES)
    story.lines(str(checks.logits_of(model, batch)[:ROWS].round(3)))
    story.say("find.logits")
    story.say("find.loss_hint")
    exhibits.show_settings(story, broken.names["model"].loss)
    story.finding("find.cause", from_logits=story.evidence["settings"]["from_logits"])

    story.say("find.damage")
    string = _measure(model, broken.names["model"].loss, batch)
    mended = _measure(model, SparseCategoricalCrossentropy(from_logits=True), batch)
    left = checks.rows_without_gradient(broken.names["model"], batch)
    story.evidence["start"] = {"string_loss": string, "from_logits": mended}
    story.evidence["end"] = {"rows_without_gradient": len(left)}
    story.finding(
        "find.rows" if string["rows_cut_off"] else "find.no_rows",
        cut=string["rows_cut_off"],
        cost=f"{string['loss_of_cut_rows']:.1f}",
        stuck=string["rows_without_gradient"],
        rows=string["rows"],
        norm=f"{string['gradient_norm']:.1f}",
        norm_fixed=f"{mended['gradient_norm']:.1f}",
    )
    if len(left):
        story.finding("find.rows_end", stuck=len(left), rows=string["rows"])


def _measure(model: Any, loss: Any, batch: Any) -> dict[str, Any]:
    """Measure a loss on one batch of a clean model: value, gradient, rows cut off, silent rows."""
    from course_debug import checks
    import numpy as np

    model.compile(optimizer="sgd", loss=loss)
    step = checks.dry_step(model, batch)
    logits, labels = checks.logits_of(model, batch), checks.labels_of(batch)
    cut = np.flatnonzero(logits[np.arange(len(logits)), labels] <= 0)
    costs = checks.per_sample_loss(model, batch)[cut]
    return {
        "first_loss": step.loss,
        "gradient_norm": checks.gradient_norm(step),
        "rows": len(logits),
        "rows_cut_off": len(cut),
        "loss_of_cut_rows": float(costs.mean()) if len(cut) else 0.0,
        "rows_without_gradient": len(checks.rows_without_gradient(model, batch)),
    }


def _prove(story: Story, broken: Run) -> None:
    from course_debug import checks, exhibits
    from course_debug.curves import drawn

    story.chapter("prove")
    fixed = story.run("fixed.py", story.symptom("loss-starts-too-high"))
    before = exhibits.validate(story, broken, "broken").accuracy
    after = exhibits.validate(story, fixed, "fixed").accuracy
    story.say("prove.curves")
    losses = {"broken.py": broken.losses, "fixed.py": fixed.losses}
    chance = checks.expected_first_loss(CLASSES)
    story.chart(drawn, losses, chance, translate("show.plot.chance", classes=CLASSES))
    norms = {name: story.evidence["start"][name]["gradient_norm"] for name in LOSSES}
    story.table(
        ("run", "first_loss", "gradient_norm", "last_loss", "accuracy"),
        [
            ("broken.py", broken.first_loss, norms["string_loss"], broken.last_loss, before),
            ("fixed.py", fixed.first_loss, norms["from_logits"], fixed.last_loss, after),
        ],
    )
    proven = (
        fixed.last_loss < broken.last_loss - 0.1 and norms["from_logits"] < norms["string_loss"]
    )
    story.holds &= proven
    story.finding(
        "prove.holds" if proven else "prove.fails",
        first=f"{fixed.first_loss:.3f}",
        last=f"{fixed.last_loss:.3f}",
        first_before=f"{broken.first_loss:.3f}",
        last_before=f"{broken.last_loss:.3f}",
        steps=len(fixed.losses),
    )
    story.say(
        "prove.accuracy",
        accuracy_before=f"{before:.2f}",
        accuracy=f"{after:.2f}",
    )


if __name__ == "__main__":
    tell_stage("stage4", tell)
