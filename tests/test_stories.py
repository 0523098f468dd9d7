"""Each story, told as a reader tells it: from the installed wheel, judged by its evidence."""

import json
import math

from course_debug.stages import PACKAGE, STAGES
import pytest

CHANCE = math.log(3)


@pytest.fixture(scope="module")
def evidence(elsewhere, tmp_path_factory):
    """Return each stage's evidence at a seed that is not the default; every story runs once."""
    told = {}

    def of(stage):
        if stage not in told:
            home = str(tmp_path_factory.mktemp("home"))
            options = ("--json", "--seed", "23")
            result = elsewhere("-m", f"course_debug.{stage}", *options, COURSE_DEBUG_HOME=home)
            assert result.returncode == 0, result.stderr
            told[stage] = json.loads(result.stdout)
        return told[stage]

    return of


@pytest.mark.parametrize("stage", STAGES)
def test_story_shows_its_symptom_and_mends_it(evidence, stage):
    told = evidence(stage)

    assert told["holds"] is True
    assert told["broken"]["shown"] is True
    assert told["fixed"]["shown"] is False
    assert told["model"] == told["data"] == "mini"
    assert told["seed"] == 23


@pytest.mark.parametrize("stage", STAGES)
def test_diff_is_the_lesson_and_no_more(evidence, stage):
    changed = [line for line in evidence(stage)["diff"] if not line.startswith(("---", "+++"))]

    assert 1 <= len(changed) <= 3


def test_stage1_names_where_the_labels_are_and_counts_missing_gradients(evidence):
    told = evidence("stage1")

    assert told["batch"]["labels"] == "inside"
    assert told["dry_step"]["loss"] == 0
    assert told["dry_step"]["without_gradient"] == told["dry_step"]["variables"] > 50
    assert told["dry_step_fixed"]["without_gradient"] == 0
    assert told["today"]["shown"] is True
    assert told["today"]["exception"] is None


def test_stage2_finds_the_rows_with_nan_and_their_label(evidence):
    told = evidence("stage2")

    assert told["spoiled"]["nan_rows"] == 16
    assert 0 < len(told["reloaded"]["nan_rows"]) < 16
    assert told["labels"] == {"of_nan_rows": [2], "of_the_others": [0, 1]}
    assert told["num_labels"] == 2
    assert told["cpu"]["exception"] == "InvalidArgumentError"
    assert "label value of 2" in told["cpu"]["message"]


def test_stage3_finds_the_default_and_shows_that_reloading_matters(evidence):
    told = evidence("stage3")

    assert told["settings"]["learning_rate"] == 0.001
    assert told["not_reloaded"]["last_loss"] > CHANCE - 0.05
    assert told["fixed"]["last_loss"] < told["broken"]["last_loss"] - 0.15
    assert told["fixed"]["accuracy"] > told["broken"]["accuracy"] + 0.15


def test_stage4_is_judged_by_first_loss_gradient_and_the_fixed_run(evidence):
    told = evidence("stage4")

    assert told["settings"]["from_logits"] is False
    assert told["broken"]["first_loss"] > 1.8
    assert abs(told["fixed"]["first_loss"] - CHANCE) < 0.25
    start = told["start"]
    assert start["string_loss"]["gradient_norm"] > 2 * start["from_logits"]["gradient_norm"]
    assert start["from_logits"]["rows_without_gradient"] == 0
    assert told["fixed"]["last_loss"] < told["broken"]["last_loss"] - 0.15


def test_today_alone_takes_the_short_way(elsewhere):
    told = elsewhere("-m", "course_debug.stage1", "--today", "--json")

    assert told.returncode == 0, told.stderr
    evidence = json.loads(told.stdout)
    assert evidence["today"]["first_loss"] > 1.8
    assert "broken" not in evidence


def test_story_is_told_in_the_readers_language(elsewhere):
    told = elsewhere("-m", "course_debug.stage1", "--today", "--lang", "zh")

    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("第 1 关")
    assert "=> " in told.stdout
    assert "\x1b" not in told.stdout


@pytest.mark.parametrize("stage", STAGES)
def test_learners_code_is_short_and_says_what_it_imports_of_ours(stage):
    for script in (PACKAGE / stage).glob("*.py"):
        if script.name in ("__init__.py", "__main__.py", "imitation.py", "sweep.py"):
            continue
        lines = script.read_text(encoding="utf-8").splitlines()
        assert 10 <= len(lines) <= 40
        assert max(map(len, lines)) <= 92
        ours = {line.split()[1] for line in lines if line.startswith("from course_debug")}
        assert ours <= {"course_debug.pipeline", "course_debug.stage1.imitation"}
