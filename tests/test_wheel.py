"""What a reader gets who installs the wheel and never sees the repository.

That every story runs from there is in test_stories.py, which tells them from the installed wheel.
"""

import zipfile
from pathlib import Path

import course_debug
from course_debug.stages import STAGES

PACKAGE = Path(course_debug.__file__).parent


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
