"""Curves in a terminal need no colour; pictures are written whole or not at all."""

import argparse

from course_debug import curves, options
from course_debug.refusal import Refusal
import pytest

LOSSES = {"broken.py": [1.1] * 40, "fixed.py": [1.1 - step / 100 for step in range(40)]}
WORDS = {"x": "training step", "y": "training loss", "level": "chance"}


def test_running_mean_covers_the_last_steps_only():
    assert curves.smoothed([4.0, 2.0, 0.0, 0.0], width=2) == [4.0, 3.0, 1.0, 0.0]


def test_chart_tells_curves_apart_without_colour():
    chart = curves.drawn(LOSSES, 0.9, "chance", width=70)

    assert "\x1b" not in chart
    assert chart.splitlines()[0] == "xx broken.py   oo fixed.py   -- chance"
    assert all(mark in "\n".join(chart.splitlines()[1:]) for mark in "xo-")
    assert max(map(len, chart.splitlines())) <= 70


def test_chart_of_nan_losses_is_drawn():
    assert "xx broken.py" in curves.drawn({"broken.py": [float("nan")] * 5}, 1.1, "chance")


def test_sweep_chart_names_the_rates():
    chart = curves.sweep_drawn([1e-5, 1e-4, 1e-3], [0.9, 0.7, 1.1], 1.0986, "chance", width=60)

    assert "1e-05" in chart
    assert "0.001" in chart


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_picture_is_written_whole(tmp_path, kind):
    path = tmp_path / f"curve.{kind}"
    curves.picture(path, LOSSES, 1.0986, WORDS)
    curves.sweep_picture(path, [1e-5, 1e-4], [0.9, 0.7], 1.0986, WORDS)

    assert path.stat().st_size > 1000
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_picture_that_cannot_be_put_into_place_is_refused_and_leaves_nothing(tmp_path):
    (tmp_path / "curve.png").mkdir()
    with pytest.raises(Refusal) as caught:
        curves.picture(tmp_path / "curve.png", LOSSES, 1.0986, WORDS)

    assert caught.value.key == "show.picture_not_saved"
    assert [file.name for file in tmp_path.iterdir()] == ["curve.png"]


@pytest.mark.parametrize("name", ["d.png", "nowhere/e.png", f"{'n' * 300}.png", "e.gif"])
def test_name_that_no_picture_can_have_is_refused_before_anything_runs(tmp_path, name):
    (tmp_path / "d.png").mkdir()
    with pytest.raises(argparse.ArgumentTypeError):
        options.picture_file(str(tmp_path / name))


def test_folder_that_cannot_be_written_is_refused_before_anything_runs(tmp_path, monkeypatch):
    path = tmp_path / "e.png"
    assert options.picture_file(str(path)) == path
    monkeypatch.setattr(options.os, "access", lambda *arguments: False)
    with pytest.raises(argparse.ArgumentTypeError, match="cannot be written"):
        options.picture_file(str(path))
