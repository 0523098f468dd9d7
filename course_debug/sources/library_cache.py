"""Whether the libraries can keep their files: asked before they are loaded, told in a sentence.

`load_dataset` writes what it read, `map` what it made, and a download what it fetched. A folder
that cannot be written ends all three in a traceback of theirs, after seconds of loading.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from course_debug.refusal import Refusal, first_line

FOLDERS = {"datasets": "HF_DATASETS_CACHE", "hub": "HF_HUB_CACHE"}


def must_be_writable(name: str) -> None:
    """Return if the libraries' folder `name` takes a file: "datasets", or "hub" for downloads.

    Raises:
        Refusal: it does not.
    """
    variable = FOLDERS[name]
    own = os.environ.get(variable)
    folder = Path(os.path.expanduser(own)) if own else _home() / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Permission bits tell little of a full disk, a network share or a container's root.
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"1")
    except OSError as error:
        raise Refusal(
            "pipeline.refused.cannot_write_cache",
            path=folder,
            reason=first_line(error),
            variable=variable if own else "HF_HOME",
        ) from error


def _home() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or os.path.join(base, "huggingface")
    return Path(os.path.expanduser(os.path.expandvars(home)))
