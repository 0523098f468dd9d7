"""The one exception that reaches a reader as a sentence instead of a traceback."""

from __future__ import annotations


class Refusal(Exception):
    """Something the reader asked for cannot be done, and a catalog sentence says why and what next.

    `key` names the sentence ("pipeline.refused.no_column"), `values` fill its placeholders. The
    layer that talks to the reader renders it in their language and ends with exit status 2.
    """

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values: dict[str, object] = values

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        return f"{self.key} ({shown})" if shown else self.key


def first_line(error: BaseException, most: int = 160) -> str:
    """Return what `error` says, cut to one line of `most` characters and without a full stop.

    What the system says of a file comes without the number and the path; an error without words is
    named by its type.
    """
    lines = str(getattr(error, "strerror", None) or error).strip().splitlines()
    return lines[0].rstrip(".")[:most] if lines else type(error).__name__
