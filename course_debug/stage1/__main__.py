"""The story of stage 1: labels that stand where the loss does not look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from course_debug.options import Parser
from course_debug.stage_command import tell_stage
from course_debug.text import translate

if TYPE_CHECKING:
    from course_debug.script import Run
    from course_debug.show import Story

CLASSES = 3
TODAY_STEPS = 12


def tell(story: Story) -> None:
    """The 2022 failure and its repair, then today's versions, then the message in the wild."""
    if story.options.today:
        story.chapters = ("today", "remember")
    else:
        story.chapters = ("break", "look", "find", "mend", "prove", "today", "wild", "remember")
        broken = _break_and_look(story)
        _find(story, broken)
        _mend_and_prove(story)
    _today(story)
    if not story.options.today:
        _wild(story)
    story.remember()


def _break_and_look(story: Story) -> Run:
    from course_debug import checks, exhibits
    from course_debug.script import message_head

    story.chapter("break")
    story.say("break.intro")
    story.say("break.imitation")
    story.code(story.room / "broken.py")
    broken = story.run("broken.py", story.symptom("no-gradients"))
    if broken.error:
        message = message_head(broken.error, 160)
        story.finding("break.result", exception=type(broken.error).__name__, message=message)
        story.say("break.length", length=len(str(broken.error)))

    story.chapter("look")
    story.say("look.intro")
    batch = next(iter(broken.names["train_dataset"]))
    exhibits.show_batch(story, batch)
    place = checks.label_place(batch)
    story.finding("look.place", place=translate(f"show.place.{place.name.lower()}"))
    return broken


def _find(story: Story, broken: Run) -> None:
    from course_debug import checks

    story.chapter("find")
    story.say("find.intro")
    batch = next(iter(broken.names["train_dataset"]))
    step = checks.dry_step(broken.names["model"], batch)
    without = checks.variables_without_gradient(step)
    story.evidence["dry_step"] = {
        "loss": step.loss,
        "variables": len(step.gradients),
        "without_gradient": len(without),
    }
    story.finding("find.cause", loss=step.loss, without=len(without), total=len(step.gradients))


def _mend_and_prove(story: Story) -> None:
    from course_debug import checks

    story.chapter("mend")
    story.say("mend.intro")
    story.diff()

    story.chapter("prove")
    fixed = story.run("fixed.py", story.symptom("no-gradients"))
    batch = next(iter(fixed.names["train_dataset"]))
    step = checks.dry_step(fixed.names["model"], batch)
    without = len(checks.variables_without_gradient(step))
    story.evidence["dry_step_fixed"] = {
        "variables": len(step.gradients),
        "without_gradient": without,
    }
    first, last = f"{fixed.first_loss:.3f}", f"{fixed.last_loss:.3f}"
    story.finding(
        "prove.first",
        with_gradient=len(step.gradients) - without,
        total=len(step.gradients),
        first=first,
        classes=CLASSES,
        chance=f"{checks.expected_first_loss(CLASSES):.4f}",
    )
    falls = fixed.last_loss < fixed.first_loss
    outcome = "prove.holds" if falls else "prove.fails"
    story.finding(outcome, steps=len(fixed.losses), first=first, last=last)


def _today(story: Story) -> None:
    from course_debug import checks
    import transformers

    story.chapter("today")
    story.say("today.intro", version=transformers.__version__)
    run = story.run(
        "broken.py",
        story.symptom("wrong-without-a-word"),
        name="today",
        steps=min(TODAY_STEPS, story.options.steps),
    )
    story.finding(
        "today.result",
        first=f"{run.first_loss:.3f}",
        classes=CLASSES,
        chance=f"{checks.expected_first_loss(CLASSES):.4f}",
    )
    story.say("today.quiet")


def _wild(story: Story) -> None:
    from course_debug.script import message_head

    story.chapter("wild")
    story.say("wild.intro")
    story.code(story.room / "in_the_wild.py")
    symptom = story.symptom("no-gradients-in-the-wild")
    wild = story.run(symptom.script, symptom, steps=1)
    if wild.error:
        message = message_head(wild.error, 160)
        story.finding("wild.result", exception=type(wild.error).__name__, message=message)
    story.say("wild.mend")
    story.diff(symptom.script, symptom.mended_script)
    story.run(symptom.mended_script, symptom, steps=1)
    story.say("wild.others")


def add_options(parser: Parser) -> None:
    """Add what only this stage has."""
    parser.add_argument("--today", action="store_true", help=translate("stage1.help.today"))


if __name__ == "__main__":
    tell_stage("stage1", tell, add_options, steps=40)
