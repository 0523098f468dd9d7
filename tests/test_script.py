"""A learner's script runs as it stands, is listened to, and leaves what it made."""

import math

from course_debug.script import Run, listening, message_head, message_lines, run_script
import pytest

TRAINS = """
import numpy as np
import tf_keras

model = tf_keras.Sequential([tf_keras.layers.Dense(3, input_shape=(4,))])
model.compile(optimizer="sgd", loss=tf_keras.losses.SparseCategoricalCrossentropy(True))
x, y = np.eye(4, dtype="float32").repeat(8, axis=0), np.arange(32) % 3
history = model.fit(x, y, batch_size=4, shuffle=False, epochs={epochs})
"""


@pytest.fixture
def script(tmp_path):
    def write(source):
        path = tmp_path / "script.py"
        path.write_text(source, encoding="utf-8")
        return path

    return write


def test_losses_of_single_steps_average_to_what_keras_reports(keras, script):
    keras.utils.set_random_seed(1)
    run = run_script(script(TRAINS.format(epochs=2)))

    assert len(run.losses) == 16
    reported = run.names["history"].history["loss"]
    assert math.isclose(sum(run.losses[:8]) / 8, reported[0], rel_tol=1e-4)
    assert math.isclose(sum(run.losses[8:]) / 8, reported[1], rel_tol=1e-4)
    assert run.first_loss == run.losses[0]


def test_run_ends_after_the_steps_asked_for(keras, script):
    seen = []
    run = run_script(
        script(TRAINS.format(epochs=3)), steps=5, on_step=lambda done, _: seen.append(done)
    )

    assert len(run.losses) == 5
    assert seen == [1, 2, 3, 4, 5]
    assert run.error is None
    assert run.training_seconds > 0


def test_exception_is_kept_with_what_the_script_made_before_it(keras, script):
    run = run_script(script("made = 1\nraise ValueError('no such thing')\n"))

    assert run.names["made"] == 1
    assert isinstance(run.error, ValueError)
    assert run.traceback.endswith("ValueError: no such thing\n")
    assert run.measured()["exception"] == "ValueError"
    assert run.measured()["first_loss"] is None


def test_keras_is_as_it_was_after_a_run(keras, script):
    fit, compile_ = keras.Model.fit, keras.Model.compile
    run_script(script("raise RuntimeError('stop')"))

    assert keras.Model.fit is fit
    assert keras.Model.compile is compile_


@pytest.mark.parametrize(("asked", "compiled"), [(True, True), (False, False), (None, None)])
def test_xla_is_set_only_where_it_is_asked_for(keras, script, asked, compiled):
    source = (
        "import tf_keras\nmodel = tf_keras.Sequential([tf_keras.layers.Dense(1)])\nmodel.compile()"
    )
    assert run_script(script(source), xla=asked).names["model"].jit_compile is compiled


def test_interrupt_is_not_swallowed(keras, script):
    with pytest.raises(KeyboardInterrupt):
        run_script(script("raise KeyboardInterrupt"))


def test_listening_hears_a_fit_that_no_script_made(keras, script, tmp_path):
    names = run_script(script(TRAINS.format(epochs=1))).names
    run = Run(tmp_path)
    with listening(run, steps=3):
        names["model"].fit(names["x"], names["y"], batch_size=4)

    assert len(run.losses) == 3


def test_sentence_is_found_behind_what_frameworks_put_around_it():
    wrapped = ValueError(
        'in user code:\n\n    File "a.py", line 1, in f\n        return g(x)\n\n'
        "    ValueError: No gradients provided for any variable: (['w:0'],).\n"
    )
    operation = RuntimeError(
        "Exception encountered when calling layer 'm' (type M).\n\n"
        "{{function_node __wrapped__X_device_/CPU:0}} Received a label value of 2 which is wrong.\n"
        "\nCall arguments received by layer 'm' (type M):\n  \u2022 inputs=None"
    )

    assert message_head(wrapped) == "No gradients provided for any variable: (['w:0'],)."
    assert message_head(operation) == "Received a label value of 2 which is wrong."
    assert "No gradients provided for any variable: (['w:0'],)." in message_lines(wrapped)
    assert message_head(ValueError("x" * 400), width=10) == "x" * 10 + " ..."
    assert message_head(ValueError()) == "ValueError"
