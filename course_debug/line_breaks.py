"""Where a Chinese line may break: rich breaks only at blanks, and Chinese text has few."""

from __future__ import annotations

import re

from rich.cells import cell_len

# What is never torn: a Han character or a Latin word, the opening marks before it, the closing
# marks and the blank behind it.
PIECE = re.compile(
    r"[“‘（《「]*(?:[\u4e00-\u9fff]|[^\s\u4e00-\u9fff\u3000-\u303f\uff00-\uffef“”‘’]+)?"
    r"[，。：；？！、）》」”’]* ?|\s"
)


def with_breaks(text: str, width: int) -> str:
    """Return a text with line breaks, so that no line is wider than ``width`` terminal cells.

    Text without Chinese characters is returned as it is.
    """
    if not re.search(r"[\u4e00-\u9fff]", text):
        return text
    return "\n".join(_broken(line, width) for line in text.split("\n"))


def _broken(text: str, width: int) -> str:
    lines, line = [], ""
    for piece in PIECE.findall(text):
        if line and cell_len((line + piece).rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece
    return "\n".join([*lines, line.rstrip()])
