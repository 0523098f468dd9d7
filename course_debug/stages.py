"""The road: which stages there are, in the order in which they are walked."""

from __future__ import annotations

from pathlib import Path

from course_debug.refusal import Refusal

PACKAGE = Path(__file__).resolve().parent

# One line a stage. Its room is the package of this name, its text the catalog of this name.
STAGES = ("stage1", "stage2", "stage3", "stage4")


def unknown(name: str) -> Refusal:
    """Return the refusal of a stage, or of a script of a stage, that does not exist."""
    stage, _, script = name.partition(".")
    if stage in STAGES and script:
        names = [path.stem for path in sorted((PACKAGE / stage).glob("*.py")) if _is_script(path)]
        return Refusal("cli.unknown_script", name=script, stage=stage, scripts=", ".join(names))
    return Refusal("cli.unknown_stage", name=name, stages=", ".join(STAGES))


def _is_script(path: Path) -> bool:
    """Whether a file of a room is one that learners run: those take their model from pipeline."""
    return "import CHECKPOINT" in path.read_text(encoding="utf-8")


def next_command(stage: str) -> str:
    """Return what to run after a stage: the next one, or the list of all after the last."""
    place = STAGES.index(stage) + 1
    return "python -m course_debug" + (f".{STAGES[place]}" if place < len(STAGES) else "")
