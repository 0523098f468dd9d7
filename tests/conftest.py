"""What several test files share: importing course_debug first, so that TensorFlow meets Keras 2."""

import functools
import os
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path

import course_debug  # noqa: F401
from course_debug.symptoms import measure, provoke
import pytest

ROOT = Path(__file__).parents[1]
# Seconds a command may take. A story's goal is 60 on a quiet machine; a test machine is not quiet.
PATIENCE = 300


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


def _run(command, folder, **environment):
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    built = _run(build, folder)
    assert built.returncode == 0, built.stdout + built.stderr
    (file,) = folder.glob("course_debug-*.whl")
    return file


@pytest.fixture(scope="session")
def elsewhere(wheel, tmp_path_factory):
    """Run Python where the wheel is installed and the clone cannot be imported.

    The libraries are borrowed: a folder named in a .pth file is searched, but .pth files in it,
    such as the one that points at the clone, are not read.
    """
    folder = tmp_path_factory.mktemp("somebody elses folder")
    assert _run([sys.executable, "-m", "venv", "fresh"], folder).returncode == 0
    python = folder / "fresh" / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = ["-m", "pip", "install", "--no-deps", "--no-index", "--quiet", wheel]
    installed = _run([python, *install], folder)
    assert installed.returncode == 0, installed.stderr
    site = _run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], folder)
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (Path(site.stdout.strip()) / "borrowed.pth").write_text("\n".join(sorted(borrowed)) + "\n")

    def python_elsewhere(*arguments, **environment):
        # No hub at this address: the embedded default must not miss it.
        environment |= {"HF_ENDPOINT": "http://127.0.0.1:9", "PYTHONPATH": ""}
        return _run([python, *arguments], folder, **environment)

    found = python_elsewhere("-c", "import course_debug; print(course_debug.__file__)").stdout
    assert str(folder) in found
    return python_elsewhere
