"""What a person meets at the prompt: the listing, refusals, Ctrl-C, all without TensorFlow."""

import json
import os
import signal
import subprocess
import sys
import time

from course_debug.stages import STAGES
import pytest

PYTHON = sys.executable


def ask(*arguments, **environment):
    return subprocess.run(
        [PYTHON, "-m", *arguments],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


def quickest(*arguments):
    """Return the best wall seconds of five runs: the machine may be busy, the program may not."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        ask(*arguments)
        times.append(time.perf_counter() - start)
    return min(times)


def test_listing_names_every_stage_in_order_and_what_to_run_next():
    result = ask("course_debug")

    assert result.returncode == 0
    places = [result.stdout.index(stage + " ") for stage in STAGES]
    assert places == sorted(places)
    assert f"Next: python -m course_debug.{STAGES[0]}" in result.stdout


def test_listing_goes_on_from_what_was_told(tmp_path):
    (tmp_path / "progress.json").write_text(json.dumps({"told": ["stage1"]}))
    result = ask("course_debug", "--json", COURSE_DEBUG_HOME=str(tmp_path))

    listing = json.loads(result.stdout)
    assert listing["next"] == "python -m course_debug.stage2"
    assert [row["told"] for row in listing["stages"]] == [True, False, False, False]


def test_listing_survives_a_damaged_progress_file(tmp_path):
    (tmp_path / "progress.json").write_text("{not json")

    assert ask("course_debug", COURSE_DEBUG_HOME=str(tmp_path)).returncode == 0


@pytest.mark.parametrize(
    "command",
    [("course_debug",), ("course_debug", "--help"), ("course_debug.stage3", "--help")],
)
def test_listing_and_help_answer_in_half_a_second(command):
    assert quickest(*command) < 0.5


@pytest.mark.parametrize("module", ["course_debug", "course_debug.stage3"])
def test_listing_and_help_never_import_tensorflow(module):
    options = () if module == "course_debug" else ("--help",)
    result = ask(module, *options, PYTHONVERBOSE="1")

    assert result.returncode == 0
    assert "import 'tensorflow" not in result.stderr
    assert "import 'numpy" not in result.stderr


@pytest.mark.parametrize("language", ["en", "zh", "ru"])
@pytest.mark.parametrize("module", ["course_debug", *(f"course_debug.{s}" for s in STAGES)])
def test_help_is_there_in_every_language(module, language):
    result = ask(module, "--help", "--lang", language)

    assert result.returncode == 0
    assert "--lang" in result.stdout
    assert ("Usage:" in result.stdout) == (language == "en")


REFUSALS = [
    (("course_debug.stage99",), "stage99"),
    (("course_debug", "stage99"), "stage99"),
    (("course_debug.stage3.brokn",), "brokn"),
    (("course_debug.stage3", "--colour"), "--colour"),
    (("course_debug", "--colour"), "--colour"),
    (("course_debug.stage3", "--steps", "many"), "many"),
    (("course_debug.stage3", "--steps", "0"), "0"),
    (("course_debug.stage3", "--seed", "-1"), "-1"),
    (("course_debug.stage3", "--steps"), "--steps"),
    (("course_debug.stage3", "--lang", "de"), "de"),
    (("course_debug.stage3", "--plot", "curve.doc"), "curve.doc"),
    (("course_debug.stage3", "--plot", "no/such/folder/curve.png"), "folder"),
    (("course_debug.stage3", "extra"), "extra"),
]


@pytest.mark.parametrize(("command", "named"), REFUSALS)
@pytest.mark.parametrize("language", ["en", "zh", "ru"])
def test_wrong_command_is_one_sentence_with_status_2(command, named, language):
    options = () if "--lang" in command else ("--lang", language)
    result = ask(*command, *options)

    assert result.returncode == 2
    assert named in result.stderr
    assert "python -m course_debug" in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""


def test_wrong_command_is_refused_in_half_a_second():
    assert quickest("course_debug.stage99") < 0.5
    assert quickest("course_debug.stage3", "--colour") < 0.5


@pytest.mark.parametrize(
    "command", [("stage1", "--help"), ("1", "--help"), ("--lang", "en", "stage1", "--help")]
)
def test_stage_can_be_named_after_the_package(command):
    result = ask("course_debug", *command)

    assert result.returncode == 0
    assert "--today" in result.stdout


@pytest.mark.skipif(os.name == "nt", reason="signals are sent differently there")
def test_ctrl_c_is_calm():
    process = subprocess.Popen(
        [PYTHON, "-u", "-m", "course_debug.stage3", "--lang", "en"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "Running" in line:
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)

    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "Stopped" in errors


def test_first_line_comes_before_tensorflow_is_loaded():
    process = subprocess.Popen(
        [PYTHON, "-m", "course_debug.stage3", "--lang", "en"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    start = time.perf_counter()
    first = process.stdout.readline()
    waited = time.perf_counter() - start
    process.kill()
    process.communicate()

    assert first.startswith("Stage 3")
    assert waited < 1.5
