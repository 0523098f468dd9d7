"""What several test files share: importing course_debug first, so that TensorFlow meets Keras 2."""

import functools
import warnings

import course_debug  # noqa: F401
from course_debug.symptoms import measure, provoke
import pytest


@pytest.fixture(autouse=True)
def reader(monkeypatch, tmp_path):
    """Let every test speak English and keep its progress to itself."""
    monkeypatch.setenv("COURSE_DEBUG_HOME", str(tmp_path / "home"))
    for variable in ("LC_ALL", "LC_MESSAGES", "COURSE_DEBUG_MODEL", "COURSE_DEBUG_DATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")


@pytest.fixture(scope="session")
def keras():
    """Return tf_keras; its import warns about things that are none of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import datasets
        import tf_keras
        import transformers
    datasets.disable_progress_bars()
    transformers.logging.set_verbosity_error()
    return tf_keras


@pytest.fixture(scope="session")
def measured(keras):
    """Return a function that runs a script as a symptom asks, once a session, and measures it."""
    from course_debug import pipeline

    pipeline.use(pipeline.choose("mini", "mini"), announce=False)

    @functools.cache
    def run(stage, symptom, script, steps, seed=0):
        keras.utils.set_random_seed(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return measure(provoke(stage, symptom, script, steps=steps))

    return run
