import json

import bench
import pytest

RESULTS = {
    "machine": {
        "date": "2026-01-02",
        "platform": "Linux x86_64",
        "cores": 2,
        "python": "3.11.0",
        "versions": {"tensorflow": "2.21.0"},
    },
    "listing_ms": 123.4,
    "stories": {
        "stage1": {
            "wall_seconds": 31.26,
            "cpu_seconds": None,
            "first_line_seconds": 0.21,
            "training_share": 0.5,
        }
    },
    "step_seconds": {"mini, its own pairs": 0.046},
}


def test_a_program_is_timed_to_its_first_line_and_to_its_end():
    timed = bench.run_timed(["this"])
    assert "Zen" in timed["stdout"]
    assert 0 < timed["first_line"] <= timed["wall"]
    assert timed["cpu"] is None or timed["cpu"] > 0


def test_a_program_that_fails_ends_the_bench_with_its_own_words():
    with pytest.raises(RuntimeError, match="no_such_module"):
        bench.run_timed(["no_such_module"])


def test_bare_training_is_of_all_runs_the_steps_after_the_first():
    run = {"training_seconds": 9.0, "step_seconds": 0.5, "steps": 5, "losses": [1.1] * 5}
    failed = {"training_seconds": 2.0, "step_seconds": "nan", "steps": 0}
    evidence = {"broken": failed, "fixed": run, "sweep": [run, 3.0], "seconds": {"training": 20}}
    assert bench.bare_training(evidence) == 4.0


def test_a_story_is_run_with_a_home_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_DEBUG_HOME", "elsewhere")
    (tmp_path / "told.py").write_text("import os\nprint(os.environ['COURSE_DEBUG_HOME'])\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert bench.run_timed(["told"], "here")["stdout"] == "here\n"
    assert bench.run_timed(["told"])["stdout"] == "elsewhere\n"


def test_the_table_shows_every_measurement_within_80_characters(capsys):
    bench.print_table(RESULTS)
    table = capsys.readouterr().out
    for number in ("31.3", "0.21", "50%", "46", "123 ms"):
        assert number in table
    assert max(map(len, table.splitlines())) <= 80


def test_recorded_seconds_keep_the_date_and_versions_they_belong_to(tmp_path):
    file = tmp_path / "recorded" / "seconds.json"
    bench.record(RESULTS, file)
    stored = json.loads(file.read_text())
    assert stored["seconds"] == {"stage1": 31.3}
    assert stored["machine"]["versions"] == {"tensorflow": "2.21.0"}
