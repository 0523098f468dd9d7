"""What a story prints, and what its evidence looks like as data."""

import json
from argparse import Namespace

from course_debug import progress
from course_debug.line_breaks import with_breaks
from course_debug.show import Story, as_json, shown
import numpy as np
import pytest
from rich.cells import cell_len


def story(**options):
    usual = {"json": False, "quiet": False, "pause": False, "seed": 1, "steps": 5}
    return Story("stage3", Namespace(**{**usual, **options}), 130)


def test_quiet_story_keeps_findings_and_drops_explanations(capsys):
    told = story(quiet=True)
    told.chapter("break")
    told.say("break.intro")
    told.code(told.room / "broken.py")
    told.finding("sweep.result", loss="0.5", rate="5e-05")
    printed = capsys.readouterr().out

    assert "=> The lowest last loss is 0.5, at 5e-05." in printed
    assert "Nothing in this script raises" not in printed
    assert "import" not in printed


def test_json_story_prints_evidence_and_nothing_else(capsys):
    told = story(json=True)
    told.chapter("break")
    told.say("break.intro")
    told.waiting("waiting")
    told.evidence["losses"] = np.array([1.0, np.nan])
    status = told.end()
    captured = capsys.readouterr()

    assert status == 0
    evidence = json.loads(captured.out)
    assert evidence["losses"] == [1.0, "nan"]
    assert evidence["holds"] is True
    assert captured.err.strip() == "... waiting"


def test_story_that_did_not_hold_says_so_and_ends_with_status_1(capsys):
    told = story()
    told.holds = False

    assert told.end() == 1
    assert "did not show" in capsys.readouterr().out


def test_end_of_a_story_is_noted_as_told():
    story(quiet=True).end()

    assert progress.stages_told() == ["stage3"]


def test_home_that_cannot_be_written_is_no_error(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COURSE_DEBUG_HOME", str(tmp_path / "file"))
    progress.note_told("stage1")

    assert progress.stages_told() == []


@pytest.mark.parametrize("content", ["", "[]", '{"told": 3}', '{"told": [1, "stage2"]}', "{"])
def test_damaged_progress_counts_as_what_can_be_read(monkeypatch, tmp_path, content):
    monkeypatch.setenv("COURSE_DEBUG_HOME", str(tmp_path))
    (tmp_path / "progress.json").write_text(content)

    assert set(progress.stages_told()) <= {"stage2"}
    progress.note_told("stage4")
    assert "stage4" in progress.stages_told()


def test_piped_story_is_plain_text(capsys):
    told = story()
    told.chapter("break")
    told.code(told.room / "broken.py")
    told.diff()
    told.table(("row", "value"), [(1, 0.123456), (2, float("nan"))])
    printed = capsys.readouterr().out

    assert "\x1b" not in printed
    assert "0.1235" in printed
    assert "+model.compile(optimizer=Adam(5e-5))" in printed


def test_numbers_in_tables_are_short():
    assert [shown(value) for value in (1.09861228, float("nan"), 3, (16, 76))] == [
        "1.099",
        "nan",
        "3",
        "(16, 76)",
    ]


def test_evidence_is_json_whatever_it_holds():
    value = {"a": np.float32(1.5), "b": (np.int64(2), float("inf")), "c": np.array([[1]])}

    assert json.loads(json.dumps(as_json(value), allow_nan=False)) == {
        "a": 1.5,
        "b": [2, "inf"],
        "c": [[1]],
    }


@pytest.mark.parametrize("width", [20, 40, 100])
def test_chinese_lines_fit_and_never_begin_with_a_closing_mark(width):
    text = (
        "更好的做法是让学习率先升后降：transformers 的 create_optimizer 就能做到，权重衰减也有了。"
        * 3
    )
    lines = with_breaks(text, width).splitlines()

    assert all(cell_len(line) <= width for line in lines)
    assert not [line for line in lines if line[0] in "，。：；？！、）》”"]
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_text_without_chinese_is_left_to_the_terminal():
    assert with_breaks("Nothing to break here. " * 20, 20) == "Nothing to break here. " * 20
