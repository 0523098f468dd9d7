"""What a reader gets who installs the wheel and never sees the repository."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import course_debug
from course_debug.stages import STAGES
import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = Path(course_debug.__file__).parent


def run(command, folder, **environment):
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    built = run(build, folder)
    assert built.returncode == 0, built.stdout + built.stderr
    (file,) = folder.glob("course_debug-*.whl")
    return file


@pytest.fixture(scope="module")
def elsewhere(wheel, tmp_path_factory):
    """Run Python where the wheel is installed and the clone cannot be imported.

    The libraries are borrowed: a folder named in a .pth file is searched, but .pth files in it,
    such as the one that points at the clone, are not read.
    """
    folder = tmp_path_factory.mktemp("somebody elses folder")
    assert run([sys.executable, "-m", "venv", "fresh"], folder).returncode == 0
    python = folder / "fresh" / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = ["-m", "pip", "install", "--no-deps", "--no-index", "--quiet", wheel]
    installed = run([python, *install], folder)
    assert installed.returncode == 0, installed.stderr
    site = run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], folder)
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (Path(site.stdout.strip()) / "borrowed.pth").write_text("\n".join(sorted(borrowed)) + "\n")

    def python_elsewhere(*arguments):
        # No hub at this address: the embedded default must not miss it.
        return run([python, *arguments], folder, HF_ENDPOINT="http://127.0.0.1:9", PYTHONPATH="")

    found = python_elsewhere("-c", "import course_debug; print(course_debug.__file__)").stdout
    assert str(folder) in found
    return python_elsewhere


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    inside = {name for name in names if not name.split("/")[0].endswith(".dist-info")}
    on_disk = {
        path.relative_to(PACKAGE.parent).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert inside == on_disk
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_wheel_holds_pairs_weights_catalogs_symptoms_and_scripts(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    endings = {name.removeprefix("course_debug/") for name in names}
    assert {"mini/data/train.parquet", "mini/checkpoint/tf_model.h5"} <= endings
    assert {f"{stage}/{part}" for stage in STAGES for part in ("broken.py", "fixed.py")} <= endings
    assert {f"{stage}/symptoms.toml" for stage in STAGES} <= endings
    for language in ("en", "zh", "ru"):
        assert f"text/{language}/cli.toml" in endings


def test_the_listing_runs_from_the_wheel(elsewhere):
    listing = elsewhere("-m", "course_debug")
    assert listing.returncode == 0, listing.stderr
    for stage in STAGES:
        assert f"\n{stage} " in listing.stdout


@pytest.mark.parametrize("stage", STAGES)
def test_each_story_runs_to_its_last_chapter_from_the_wheel(elsewhere, stage):
    story = elsewhere("-m", f"course_debug.{stage}", "--steps", "10", "--lang", "en")
    assert "6/6" in story.stdout, story.stderr[-3000:]
    assert "Traceback" not in story.stderr
    # Ten steps are too few for some symptoms to show; the story then says so, with status 1.
    assert story.returncode in (0, 1)
