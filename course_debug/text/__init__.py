"""What the course says to people, in three languages.

One folder a language, one TOML file a subject. The key ``stage3.find.cause`` is the entry ``cause``
of the table ``[find]`` in ``stage3.toml``; its value is a ``str.format`` template.
"""

from __future__ import annotations

import functools
import locale
import os
import tomllib
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "zh", "ru")
FOLDER = Path(__file__).resolve().parent

_spoken: str | None = None


def reader_language() -> str:
    """Return the language of the reader's locale, ``en`` where it is none of ours."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return _known(value)
    return _known(locale.getlocale()[0] or "")


def _known(name: str) -> str:
    code = name.lower()
    for language, starts in {"zh": ("zh", "chinese"), "ru": ("ru", "russian")}.items():
        if code.startswith(starts):
            return language
    return "en"


def speak(language: str | None) -> None:
    """Choose the language of every message from here on; None means the reader's locale."""
    global _spoken
    _spoken = language


def spoken() -> str:
    """Return the language in use."""
    return _spoken or reader_language()


@functools.cache
def catalog(language: str, subject: str) -> dict[str, str]:
    """Return the messages of one file as ``{"table.entry": template}``.

    Raises:
        FileNotFoundError: there is no such subject in this language.
    """
    with (FOLDER / language / f"{subject}.toml").open("rb") as file:
        return dict(_flat(tomllib.load(file)))


def _flat(table: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{prefix}{name}.")
        else:
            rows.append((prefix + name, value.strip()))
    return rows


def translate(key: str, /, **values: object) -> str:
    """Return the message ``subject.table.entry`` in the language in use, its placeholders filled.

    Raises:
        KeyError: no such message, or a placeholder without a value.
    """
    subject, _, entry = key.partition(".")
    return catalog(spoken(), subject)[entry].format(**values)
