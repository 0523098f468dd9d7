"""Run what the README shows, and put its output and picture into place.

    python tools/record.py          record, then fill README.md, README.zh.md and README.ru.md
    python tools/record.py --fill   only fill the READMEs from what was recorded before

A README holds pairs of marks, <!-- recorded: NAME --> and <!-- end of recorded -->; what stands
between them comes from docs/recorded/NAME.LANG.txt and is never edited by hand.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "docs" / "recorded"
READMES = {"en": "README.md", "zh": "README.zh.md", "ru": "README.ru.md"}
RUNS = {
    "listing": ["course_debug"],
    "stage3": ["course_debug.stage3", "--quiet", "--plot", "{picture}"],
}
BLOCK = re.compile(r"(<!-- recorded: (\w+) -->\n).*?(<!-- end of recorded -->)", re.DOTALL)


def record(name: str, language: str) -> None:
    """Run one command as a newcomer would and keep what it printed.

    Raises:
        RuntimeError: it failed.
    """
    print(f"Recording {name} in {language}; a story takes about a minute.", flush=True)
    picture = (RECORDED / f"{name}.{language}.png").relative_to(ROOT)
    arguments = [part.format(picture=picture) for part in RUNS[name]]
    with tempfile.TemporaryDirectory() as home:
        run = subprocess.run(
            [sys.executable, "-m", *arguments, "--lang", language],
            cwd=ROOT,
            env={**os.environ, "COURSE_DEBUG_HOME": home},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
    if run.returncode != 0:
        raise RuntimeError(f"python -m {' '.join(arguments)} ended with status {run.returncode}.")
    text = "\n".join(line.rstrip() for line in run.stdout.strip().splitlines())
    (RECORDED / f"{name}.{language}.txt").write_text(text + "\n", encoding="utf-8")


def filled(readme: str, language: str) -> str:
    """Return a README with its recorded blocks as they were last recorded."""

    def block(match: re.Match[str]) -> str:
        text = (RECORDED / f"{match[2]}.{language}.txt").read_text(encoding="utf-8")
        return f"{match[1]}```text\n{text}```\n{match[3]}"

    return BLOCK.sub(block, readme)


def main() -> None:
    """Record, unless told not to, and fill."""
    parser = argparse.ArgumentParser(description="Record what the READMEs show.")
    parser.add_argument("--fill", action="store_true", help="fill from what was recorded before")
    RECORDED.mkdir(parents=True, exist_ok=True)
    if not parser.parse_args().fill:
        for language in READMES:
            for name in RUNS:
                record(name, language)
    for language, name in READMES.items():
        path = ROOT / name
        path.write_text(filled(path.read_text(encoding="utf-8"), language), encoding="utf-8")


if __name__ == "__main__":
    main()
