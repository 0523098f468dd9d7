"""Which stages a reader has been told to the end: a plain file of their own, written atomically."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

HOME_VARIABLE = "COURSE_DEBUG_HOME"


def progress_file() -> Path:
    """Return where progress is kept: in COURSE_DEBUG_HOME, or ~/.course-debug without it."""
    home = os.environ.get(HOME_VARIABLE)
    return (Path(home) if home else Path.home() / ".course-debug") / "progress.json"


def stages_told() -> list[str]:
    """Return the stages told so far; a file that is not there or not readable counts as none."""
    try:
        told = json.loads(progress_file().read_text(encoding="utf-8"))["told"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [stage for stage in told if isinstance(stage, str)] if isinstance(told, list) else []


def note_told(stage: str) -> None:
    """Note that a stage was told to its end. A folder that cannot be written is no error."""
    told = stages_told()
    if stage in told:
        return
    file = progress_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=file.parent, delete=False, encoding="utf-8"
        ) as partial:
            json.dump({"told": [*told, stage]}, partial)
        Path(partial.name).replace(file)
    except OSError:
        return
