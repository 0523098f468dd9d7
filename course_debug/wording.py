"""Catalog sentences for code that has to speak by itself, with no story around it."""

from __future__ import annotations

from typing import Any


def say(key: str, **values: Any) -> str:
    """The sentence of `key` in the reader's language; the bare key where no catalog can be read."""
    try:
        from course_debug.text import translate
    except ImportError:
        return _english(key, values)
    return translate(key, **values)


def _english(key: str, values: dict[str, Any]) -> str:
    from pathlib import Path

    catalog, *names = key.split(".")
    path = Path(__file__).parent / "text" / "en" / f"{catalog}.toml"
    try:
        import tomllib

        entry: Any = tomllib.loads(path.read_text(encoding="utf-8"))
        for name in names:
            entry = entry[name]
        return str(entry).format(**values)
    except (ImportError, OSError, KeyError):
        # Python 3.9 has no tomllib: the scripts still run there, from source, on the old stack.
        return f"{key} {values}"
