"""A path as the reader wrote it, found in the file system or refused in a sentence."""

from __future__ import annotations

from pathlib import Path

from course_debug.refusal import Refusal, first_line


def found(path: str, absent: str) -> Path:
    """Return the absolute path of the file or folder that is at `path`; `~` is a home folder.

    Raises:
        Refusal: nothing is there, by the sentence `absent`; or it may not be looked at.
    """
    try:
        whole = Path(path).expanduser().resolve()
        # Not `exists`: what that does with an error differs between versions of Python.
        whole.stat()
    except PermissionError as error:
        raise unreadable(path, error) from error
    except (OSError, RuntimeError) as error:
        # No home for `~name`, links in a circle, a name longer than any can be: nothing is there.
        raise Refusal(absent, path=path) from error
    return whole


def unreadable(path: str | Path, error: OSError) -> Refusal:
    """Return the refusal for a file or folder that is there and may not be read."""
    return Refusal("pipeline.refused.unreadable", path=path, reason=first_line(error))
