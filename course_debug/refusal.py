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
