"""``python -m course_debug.stageN.broken`` fails as a learner would see it; ``.fixed`` trains."""

import os
import re
import subprocess
import sys

import pytest

TRAINS = [
    ("stage1", "fixed"),
    ("stage2", "broken"),
    ("stage2", "fixed"),
    ("stage3", "broken"),
    ("stage3", "fixed"),
    ("stage4", "broken"),
    ("stage4", "fixed"),
]


@pytest.fixture(scope="module")
def few_pairs(tmp_path_factory):
    """Return a csv with pairs for 20 full batches: a shorter last one would compile XLA anew."""
    from course_debug import mini
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(mini.DATA["train"]).slice(0, 355).to_pandas()
    path = tmp_path_factory.mktemp("pairs") / "few.csv"
    table.to_csv(path, index=False)
    return path


def run_alone(stage, script, pairs):
    return subprocess.run(
        [sys.executable, "-m", f"course_debug.{stage}.{script}"],
        env={
            **os.environ,
            "COURSE_DEBUG_DATA": str(pairs),
            "XDG_CACHE_HOME": str(pairs.parent / "cache"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=240,
    )


def test_stage1_broken_ends_with_the_real_traceback(few_pairs):
    result = run_alone("stage1", "broken", few_pairs)

    assert result.returncode == 1
    assert "Traceback (most recent call last)" in result.stderr
    assert "ValueError: No gradients provided for any variable: " in result.stderr
    assert "embedded model" in result.stderr


@pytest.mark.parametrize(("stage", "script"), TRAINS)
def test_script_trains_and_shows_its_loss(few_pairs, stage, script):
    result = run_alone(stage, script, few_pairs)

    assert result.returncode == 0, result.stderr[-2000:]
    losses = re.findall(r"loss: (nan|[\d.]+)", result.stdout)
    assert losses
    assert (losses[-1] == "nan") == ((stage, script) == ("stage2", "broken"))


def test_refused_data_is_a_sentence_and_no_traceback(tmp_path):
    result = run_alone("stage3", "broken", tmp_path / "nowhere.csv")

    assert result.returncode == 2
    assert "nowhere.csv" in result.stderr
    assert "Traceback" not in result.stderr
