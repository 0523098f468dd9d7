"""Pairs of the reader's own, checked with pyarrow alone and laid out as MNLI's.

Whatever the file looked like, a script finds what it would find in MNLI: splits named as GLUE
names them, columns premise, hypothesis, label (ClassLabel) and idx. `idx` is the row of the
reader's file, counted from 0, so that a bad row can be found again.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from course_debug.refusal import Refusal, first_line
from course_debug.sources import OTHER_SPLITS_MOST, own_path

if TYPE_CHECKING:
    import pyarrow as pa

EXTENSIONS = (".csv", ".parquet")
HELD_OUT_SPLIT = "validation_matched"
HELD_OUT_SHARE = 10
HELD_OUT_MOST = 2000
FEWEST_ROWS = 2
LAYOUT = 2
SPLIT_NAMES = {
    "train": "train",
    "training": "train",
    "validation": HELD_OUT_SPLIT,
    "valid": HELD_OUT_SPLIT,
    "val": HELD_OUT_SPLIT,
    "dev": HELD_OUT_SPLIT,
    "validation_matched": HELD_OUT_SPLIT,
    "dev_matched": HELD_OUT_SPLIT,
    "validation_mismatched": "validation_mismatched",
    "dev_mismatched": "validation_mismatched",
    "test": "test_matched",
    "test_matched": "test_matched",
    "test_mismatched": "test_mismatched",
}


@dataclass(frozen=True)
class Prepared:
    """A reader's pairs, laid out as MNLI's.

    `files` names one parquet file a split. `kept` of the `found` rows of the reader's own training
    file are in use; `found` counts what was held out of it, and `kept` counts what training sees.
    """

    files: dict[str, str]
    kept: int
    found: int
    sampled: bool


def prepared(path: str, most_rows: int | None = None) -> Prepared:
    """Check the csv or parquet file, or the folder, at `path`, and lay its pairs out as MNLI's.

    A folder gives one split for each file named after it (train.csv, validation_matched.parquet,
    dev.csv, train-00000-of-00002.parquet, ...). Where nothing is held out for validation, a tenth
    of the rows of train is, at most 2,000, drawn with a fixed seed. In splits named test the label
    may be -1, as in GLUE. The parquet files lie in this course's cache folder and are made anew
    when the reader's files change.

    Every row is checked. With `most_rows`, train then keeps a random sample of so many rows, drawn
    with a fixed seed, in the order of the file, and each other split one of at most 2,000.

    Raises:
        Refusal: a file is missing, empty, unreadable or of another kind; a column, a text or a
            label is missing; a label is none of 0, 1, 2 or their names.
    """
    files = _files(path)
    folder = _cache() / _fingerprint(files, most_rows)
    done = folder / "prepared.json"
    try:
        before = Prepared(**json.loads(done.read_text(encoding="utf-8")))
        if all(Path(file).is_file() for file in before.files.values()):
            return before
    except (OSError, ValueError, TypeError):
        pass
    from course_debug.sources.own_rows import checked_rows

    tables = {split: checked_rows(parts, split) for split, parts in files.items()}
    found = tables["train"].num_rows
    if HELD_OUT_SPLIT not in tables:
        tables["train"], tables[HELD_OUT_SPLIT] = _hold_out(tables["train"], path)
    sampled = most_rows is not None and tables["train"].num_rows > most_rows
    if most_rows is not None:
        for split, table in tables.items():
            most = most_rows if split == "train" else OTHER_SPLITS_MOST
            if table.num_rows > most:
                tables[split] = _apart(table, _draw(table, most))[1]
    written = _written(tables, folder)
    result = Prepared(written, tables["train"].num_rows, found, sampled)
    _write_done(result, done)
    return result


def _files(path: str) -> dict[str, list[Path]]:
    given = own_path.found(path, "pipeline.refused.data_not_there")
    if not given.is_dir():
        if given.suffix.lower() not in EXTENSIONS:
            raise Refusal("pipeline.refused.data_other_kind", path=path)
        return {"train": [given]}
    splits: dict[str, list[Path]] = {}
    try:
        found = sorted(
            file for file in given.iterdir() if file.suffix.lower() in EXTENSIONS and file.is_file()
        )
    except OSError as error:
        raise own_path.unreadable(path, error) from error
    for file in found:
        stem = re.sub(r"-\d+-of-\d+$", "", file.stem.lower())
        if stem in SPLIT_NAMES:
            splits.setdefault(SPLIT_NAMES[stem], []).append(file)
    if not found:
        raise Refusal("pipeline.refused.data_empty_folder", path=path)
    if "train" not in splits:
        names = ", ".join(file.name for file in found[:8])
        raise Refusal("pipeline.refused.data_no_train", path=path, found=names)
    return splits


def _hold_out(train: pa.Table, path: str) -> tuple[pa.Table, pa.Table]:
    rows = train.num_rows
    if rows < FEWEST_ROWS:
        raise Refusal("pipeline.refused.data_too_few", path=path, rows=rows, least=FEWEST_ROWS)
    return _apart(train, _draw(train, min(max(1, rows // HELD_OUT_SHARE), HELD_OUT_MOST)))


def _draw(table: pa.Table, count: int) -> list[int]:
    return random.Random(0).sample(range(table.num_rows), count)


def _apart(table: pa.Table, rows: Iterable[int]) -> tuple[pa.Table, pa.Table]:
    """Split `table` into all other rows and `rows`, both in the order they had."""
    from course_debug.sources.own_labels import int_scalar
    import pyarrow as pa
    import pyarrow.compute as pc

    flags = bytearray(table.num_rows)
    for row in rows:
        flags[row] = 1
    out = pa.Array.from_buffers(pa.uint8(), table.num_rows, [None, pa.py_buffer(flags)])
    zero = int_scalar(0).cast(pa.uint8())
    return table.filter(pc.equal(out, zero)), table.filter(pc.not_equal(out, zero))


def _cache() -> Path:
    """A folder that can be written: the user's cache, or one that lasts until the next restart."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    else:
        base = os.environ.get("XDG_CACHE_HOME")
    folder = Path(base or os.path.expanduser("~/.cache"), "course-debug", "data")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    try:
        return Path(tempfile.mkdtemp(prefix="course-debug-"))
    except OSError as error:
        raise _cannot_write(folder, error) from error


def _fingerprint(files: dict[str, list[Path]], most_rows: int | None) -> str:
    told = [f"layout {LAYOUT}", f"most rows {most_rows}"]
    for split, parts in sorted(files.items()):
        for part in parts:
            state = part.stat()
            told.append(f"{split} {part} {state.st_size} {state.st_mtime_ns}")
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:20]


def _written(tables: dict[str, pa.Table], folder: Path) -> dict[str, str]:
    import pyarrow.parquet

    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = {}
        for split, table in tables.items():
            file = folder / f"{split}.parquet"
            # Written beside and moved: two commands may prepare the same data at once.
            beside = folder / f"{split}.{os.getpid()}.tmp"
            pyarrow.parquet.write_table(table, beside)
            beside.replace(file)
            written[split] = str(file)
    except OSError as error:
        raise _cannot_write(folder, error) from error
    return written


def _write_done(result: Prepared, done: Path) -> None:
    beside = done.with_suffix(f".{os.getpid()}.tmp")
    try:
        beside.write_text(json.dumps(asdict(result)), encoding="utf-8")
        beside.replace(done)
    except OSError as error:
        raise _cannot_write(done.parent, error) from error


def _cannot_write(folder: Path, error: OSError) -> Refusal:
    return Refusal("pipeline.refused.cannot_write", path=folder, reason=first_line(error))
