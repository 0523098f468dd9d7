"""The story of stage 3: a learning rate that nobody wrote down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from course_debug.options import Parser, picture_file
from course_debug.stage_command import tell_stage
from course_debug.text import translate

if TYPE_CHECKING:
    from course_debug.script import Run
    from course_debug.show import Story

CLASSES = 3
RATE = 5e-5
TRAIN_ON_STEPS = 40


def tell(story: Story) -> None:
    """Break, look, find, mend, prove."""
    from course_debug import checks, exhibits
    from course_debug.curves import drawn

    chance = checks.expected_first_loss(CLASSES)
    symptom = story.symptom("loss-stays-at-chance")

    story.chapter("break")
    story.say("break.intro")
    story.code(story.room / "broken.py")
    broken = story.run("broken.py", symptom)
    story.finding(
        "break.result",
        steps=len(broken.losses),
        first=f"{broken.first_loss:.3f}",
        last=f"{broken.last_loss:.3f}",
        classes=CLASSES,
        chance=f"{chance:.4f}",
    )
    before = exhibits.validate(story, broken, "broken")
    story.say("break.predicted", accuracy=f"{before.accuracy:.2f}")
    exhibits.show_predictions(story, before)

    story.chapter("look")
    batch = next(iter(broken.names["train_dataset"]))
    story.say("look.data")
    exhibits.show_batch(story, batch)
    story.say("look.sample")
    exhibits.show_samples(story, batch, [0, 1], broken.names["tokenizer"])
    first = f"{broken.first_loss:.3f}"
    story.say("look.first_loss", classes=CLASSES, chance=f"{chance:.4f}", first=first)

    story.chapter("find")
    story.say("find.intro")
    exhibits.show_settings(story, broken.names["model"].optimizer)
    rate = story.evidence["settings"]["learning_rate"]
    story.finding("find.cause", rate=rate, name="adam")

    story.chapter("mend")
    story.say("mend.reload")
    last = _train_on(story, broken)
    stuck = last > chance - 0.05
    story.finding("mend.not_reloaded" if stuck else "mend.reloaded_anyway", last=f"{last:.3f}")
    story.say("mend.diff")
    story.diff()
    story.say("mend.better")

    story.chapter("prove")
    fixed = story.run("fixed.py", symptom)
    after = exhibits.validate(story, fixed, "fixed")
    losses = {"broken.py": broken.losses, "fixed.py": fixed.losses}
    story.say("prove.curves")
    story.chart(drawn, losses, chance, translate("show.plot.chance", classes=CLASSES))
    proven = fixed.last_loss < broken.last_loss - 0.1 and after.accuracy > before.accuracy
    story.holds &= proven
    story.finding(
        "prove.holds" if proven else "prove.fails",
        first=f"{fixed.first_loss:.3f}",
        last=f"{fixed.last_loss:.3f}",
        accuracy_before=f"{before.accuracy:.2f}",
        accuracy_after=f"{after.accuracy:.2f}",
        steps=len(fixed.losses),
    )
    if story.options.sweep:
        from course_debug.stage3.sweep import sweep

        sweep(story, fixed, chance)
    elif story.options.plot:
        exhibits.save_curves(story, story.options.plot, losses, chance)
    story.remember()


def _train_on(story: Story, broken: Run) -> float:
    """Give the ruined model a good rate, train on, and return the last loss."""
    model = broken.names["model"]
    model.optimizer.learning_rate.assign(RATE)
    run = story.train(
        model, broken.names["train_dataset"], min(TRAIN_ON_STEPS, story.options.steps)
    )
    story.evidence["not_reloaded"] = {"steps": len(run.losses), "last_loss": run.last_loss}
    return run.last_loss


def add_options(parser: Parser) -> None:
    """Add what only this stage has."""
    parser.add_argument(
        "--plot", type=picture_file, metavar="FILE", help=translate("stage3.help.plot")
    )
    parser.add_argument("--sweep", action="store_true", help=translate("stage3.help.sweep"))


if __name__ == "__main__":
    tell_stage("stage3", tell, add_options)
