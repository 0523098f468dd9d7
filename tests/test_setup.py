"""`tools/setup.sh` on machines that lack something: fake Pythons on a PATH, nothing installed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="make and sh are not Windows' own")

ROOT = Path(__file__).parents[1]
# What the script may call, besides the Pythons that a test provides.
COMMANDS = "awk cat chmod cksum cp df dirname grep mkdir rm sed sh tail touch uname".split()

# Stands for a system's Python: answers the probe and makes a .venv around INSIDE.
SYSTEM = """#!/bin/sh
case "$*" in
*find_spec*) echo "{version} {venv}" ;;
"-m venv .venv") mkdir -p .venv/bin && cp inside .venv/bin/python && chmod +x .venv/bin/python ;;
*) exit 9 ;;
esac
"""
# Stands for the Python within .venv: notes how pip was called.
INSIDE = """#!/bin/sh
case "$*" in
"-m pip download"*) exit {download} ;;
"-m pip install"*) echo "$*" >>installs; echo "{error}" >>.venv/setup.log; exit {install} ;;
esac
"""
UV = """#!/bin/sh
case "$*" in
"venv "*) mkdir -p .venv/bin && cp inside .venv/bin/python && chmod +x .venv/bin/python ;;
"pip install "*) echo "$*" >>installs ;;
esac
"""


class Machine:
    """A clone in a folder with a space in its name, and a PATH with what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.clone = folder / "a clone"
        self.path = folder / "bin"
        (self.clone / "tools").mkdir(parents=True)
        self.path.mkdir()
        shutil.copy(ROOT / "tools" / "setup.sh", self.clone / "tools")
        shutil.copy(ROOT / "pyproject.toml", self.clone)
        for command in COMMANDS:
            (self.path / command).symlink_to(shutil.which(command))
        self.inside()
        self.command("df", "#!/bin/sh\necho head; echo disk 9 9 99000000 9% /\n")
        self.command("uname", "#!/bin/sh\necho Linux\n")

    def command(self, name: str, text: str) -> None:
        file = self.path / name
        file.unlink(missing_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def python(self, name: str, version: str, venv: str = "venv") -> None:
        self.command(name, SYSTEM.format(version=version.replace(".", " "), venv=venv))

    def inside(self, download: int = 0, install: int = 0, error: str = "") -> None:
        text = INSIDE.format(download=download, install=install, error=error)
        (self.clone / "inside").write_text(text)

    def setup(self, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "tools/setup.sh", *options],
            cwd=self.clone,
            env={"PATH": str(self.path), **environment},
            capture_output=True,
            text=True,
            timeout=20,
        )

    def installs(self) -> int:
        notes = self.clone / "installs"
        return len(notes.read_text().splitlines()) if notes.exists() else 0


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_a_fitting_python_is_used_and_the_second_run_only_says_ready(machine):
    machine.python("python3.12", "3.12")
    first, second, silent = machine.setup(), machine.setup(), machine.setup("--if-needed")
    assert first.stdout.startswith("Setting up the course in .venv")
    assert "Using Python 3.12" in first.stdout
    assert "MB to download" in first.stdout
    assert second.stdout == "The environment in .venv is ready.\n"
    assert silent.stdout == ""
    assert [run.returncode for run in (first, second, silent)] == [0, 0, 0]
    assert machine.installs() == 1


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_each_supported_version_is_found_under_the_plain_name_too(machine, version):
    machine.python("python3", version)
    assert f"Using Python {version}" in machine.setup().stdout


def test_a_name_on_path_that_does_not_run_is_passed_over(machine):
    machine.command("python3.12", "#!/bin/sh\necho 'no such version' >&2\nexit 127\n")
    machine.python("python3.11", "3.11")
    assert "Using Python 3.11" in machine.setup().stdout


def test_a_python_of_the_readers_choice_wins(machine):
    machine.python("python3.12", "3.12")
    machine.python("mine", "3.13")
    assert "Using Python 3.13" in machine.setup(PYTHON="mine").stdout


def test_a_python_without_venv_is_passed_over_for_one_that_has_it(machine):
    machine.python("python3.12", "3.12", "bare")
    machine.python("python3", "3.11")
    assert "Using Python 3.11" in machine.setup().stdout


def test_uv_steps_in_where_no_python_fits(machine):
    machine.python("python3", "3.14")
    machine.command("uv", UV)
    run = machine.setup()
    assert run.returncode == 0
    assert "Using uv" in run.stdout
    assert machine.installs() == 1


REFUSALS = {
    "too new": ("3.14", "venv", "found only: 3.14.", "no package for Python 3.14"),
    "too old": ("3.10", "venv", "found only: 3.10.", "need 3.11 at least"),
    "no venv": ("3.11", "bare", "without its venv", "sudo apt install python3.11-venv"),
}


@pytest.mark.parametrize(("version", "venv", "what", "why"), REFUSALS.values(), ids=REFUSALS)
def test_a_python_that_cannot_serve_is_named_with_what_to_do(machine, version, venv, what, why):
    machine.python("python3", version, venv)
    run = machine.setup()
    assert run.returncode == 1
    assert "make setup stopped" in run.stderr
    assert what in run.stderr
    assert why in run.stderr
    assert not (machine.clone / ".venv").exists()


def test_no_python_at_all_is_said(machine):
    run = machine.setup()
    assert run.returncode == 1
    assert "found no Python on PATH" in run.stderr


def test_a_chosen_python_that_does_not_run_is_said(machine):
    machine.python("python3.12", "3.12")
    run = machine.setup(PYTHON="/nowhere/python")
    assert run.returncode == 1
    assert "PYTHON=/nowhere/python does not run" in run.stderr


def test_too_little_disk_is_said_before_anything_is_installed(machine):
    machine.python("python3.12", "3.12")
    machine.command("df", "#!/bin/sh\necho head; echo disk 9 9 1024000 9% /\n")
    run = machine.setup()
    assert run.returncode == 1
    assert "this disk has 1000 MB free" in run.stderr
    assert not (machine.clone / ".venv").exists()


def test_a_mac_with_an_intel_processor_is_told_so(machine):
    machine.python("python3.12", "3.12")
    machine.command("uname", '#!/bin/sh\n[ "$1" = -s ] && echo Darwin || echo x86_64\n')
    run = machine.setup()
    assert run.returncode == 1
    assert "no package for Macs with an Intel processor" in run.stderr


def test_an_unreachable_registry_is_said_and_a_mirror_named(machine):
    machine.python("python3.12", "3.12")
    machine.inside(download=1)
    run = machine.setup()
    assert run.returncode == 1
    assert "registry could not be reached" in run.stderr
    assert "PIP_INDEX_URL" in run.stderr
    assert machine.installs() == 0


def test_a_failed_install_shows_its_reason_and_does_not_count_as_done(machine):
    machine.python("python3.12", "3.12")
    machine.inside(install=1, error="2026-01-01T10:00:00,000 ERROR: No matching distribution")
    failed = machine.setup()
    assert failed.returncode == 1
    assert "    No matching distribution\n" in failed.stderr
    machine.inside()
    assert "Ready. Next: make demo\n" in machine.setup("--if-needed").stdout
    assert machine.installs() == 2


def test_a_disk_that_fills_up_while_installing_is_said(machine):
    machine.python("python3.12", "3.12")
    machine.inside(install=1, error="ERROR: [Errno 28] No space left on device")
    assert "the disk filled up" in machine.setup().stderr


def damage_nothing(clone: Path) -> None:
    """A change of the checks' settings asks for no new environment."""
    with (clone / "pyproject.toml").open("a") as file:
        file.write("\n[tool.extra]\nkey = 1\n")


def damage_stamp(clone: Path) -> None:
    (clone / ".venv" / "course-debug-ready").unlink()


def damage_python(clone: Path) -> None:
    (clone / ".venv" / "bin" / "python").unlink()


def damage_dependencies(clone: Path) -> None:
    file = clone / "pyproject.toml"
    file.write_text(file.read_text().replace("evaluate==0.4.*", "evaluate==0.4.6"))


@pytest.mark.parametrize(
    ("damage", "again"),
    [(damage_nothing, 0), (damage_stamp, 1), (damage_python, 1), (damage_dependencies, 1)],
)
def test_the_environment_is_made_again_only_when_it_must_be(machine, damage, again):
    machine.python("python3.12", "3.12")
    machine.setup()
    damage(machine.clone)
    run = machine.setup()
    assert run.returncode == 0
    assert ("Removing the .venv that is there" in run.stdout) == bool(again)
    assert machine.installs() == 1 + again


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_plain_make_lists_every_target_with_its_purpose():
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in "setup demo test test-slow lint bench wheel clean".split():
        assert f"  make {target} " in listed
