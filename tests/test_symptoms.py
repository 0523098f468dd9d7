"""Every recorded symptom is a fact: the broken script shows it, nothing else does."""

from course_debug.stages import STAGES
from course_debug.symptoms import Bound, Symptom, provoke, shows, symptoms_of
import pytest

ALL = [(stage, symptom) for stage in STAGES for symptom in symptoms_of(stage)]
HERE = [(stage, symptom) for stage, symptom in ALL if symptom.runs_here]
# Enough to tell: stage 3 is about a loss that does not fall, the others fail at once.
STEPS = {"stage3": 100}


def named(pairs):
    return [pytest.param(*pair, id=f"{pair[0]}-{pair[1].id}") for pair in pairs]


def steps_of(stage):
    return STEPS.get(stage, 5)


@pytest.mark.parametrize(("stage", "symptom"), named(HERE))
def test_broken_script_shows_its_symptom(measured, stage, symptom):
    assert shows(symptom, measured(stage, symptom, symptom.script, steps_of(stage)))


@pytest.mark.parametrize(("stage", "symptom"), named(HERE))
def test_fixed_script_does_not_show_it(measured, stage, symptom):
    result = measured(stage, symptom, symptom.mended_script, steps_of(stage))

    assert not shows(symptom, result)
    assert result["exception"] is None


@pytest.mark.parametrize(("stage", "symptom"), named(HERE))
def test_no_other_stage_shows_it(measured, stage, symptom):
    for other, theirs in HERE:
        if other != stage:
            result = measured(other, theirs, theirs.script, steps_of(other))
            assert not shows(symptom, result), (other, theirs.id)


@pytest.mark.parametrize("stage", STAGES)
def test_ids_within_a_stage_are_unique(stage):
    ids = [symptom.id for symptom in symptoms_of(stage)]

    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(("stage", "symptom"), named(ALL))
def test_record_says_what_it_shows_and_where_it_comes_from(stage, symptom):
    assert (symptom.exception is None) == bool(symptom.measured)
    assert (symptom.exception is None) == (symptom.message is None)
    assert symptom.source in ("run", "recorded", "report")
    assert symptom.source == "run" or symptom.origin


def test_symptom_of_another_stack_is_not_run_here():
    elsewhere = Symptom("x", "2022", "gpu", "report", measured=(Bound("last_loss", is_nan=True),))

    with pytest.raises(ValueError, match="cannot be run on this machine"):
        provoke("stage2", elsewhere)


@pytest.mark.parametrize(
    ("bound", "value", "holds"),
    [
        (Bound("loss", above=1.0), 1.5, True),
        (Bound("loss", above=1.0), 1.0, False),
        (Bound("loss", below=1.0), 0.5, True),
        (Bound("loss", above=1.0, below=2.0), 2.5, False),
        (Bound("loss", above=1.0), float("nan"), False),
        (Bound("loss", is_nan=True), float("nan"), True),
        (Bound("loss", is_nan=True), 1.0, False),
        (Bound("loss", below=1.0), None, False),
    ],
)
def test_bound_on_a_measured_number(bound, value, holds):
    assert bound.holds({"loss": value}) is holds


def test_message_may_stand_on_any_line():
    symptom = Symptom("x", "today", "cpu", "run", exception="ValueError", message="No gradients")
    lines = ["in user code:", "No gradients provided"]

    assert shows(symptom, {"exception": "ValueError", "message_lines": lines})
    assert not shows(symptom, {"exception": "TypeError", "message_lines": lines})
    assert not shows(symptom, {"exception": "ValueError", "message_lines": ["Target data"]})
