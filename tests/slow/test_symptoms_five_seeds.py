"""Symptoms hold for seeds that nobody tuned for."""

from course_debug.stages import STAGES
from course_debug.symptoms import shows, symptoms_of
import pytest

pytestmark = pytest.mark.slow
SEEDS = (101, 102, 103, 104, 105)
STEPS = {"stage3": 130}
HERE = [
    pytest.param(stage, symptom, id=f"{stage}-{symptom.id}")
    for stage in STAGES
    for symptom in symptoms_of(stage)
    if symptom.runs_here
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("stage", "symptom"), HERE)
def test_broken_shows_it_and_fixed_does_not(measured, stage, symptom, seed):
    steps = STEPS.get(stage, 5)

    assert shows(symptom, measured(stage, symptom, symptom.script, steps, seed))
    assert not shows(symptom, measured(stage, symptom, symptom.mended_script, steps, seed))
