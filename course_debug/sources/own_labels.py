"""The labels of the reader's own pairs, read as 0, 1, 2 whatever they were written as."""

from __future__ import annotations

import array
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from course_debug.refusal import Refusal
from course_debug.sources import LABELS
import pyarrow as pa
import pyarrow.compute as pc

UNLABELLED = -1
SHOWN = 5


def checked_labels(table: pa.Table, file: Path, unlabelled_allowed: bool) -> pa.ChunkedArray:
    """Return the column label of `table` as int64, 0..2 in the order of `LABELS`.

    `file` is what a refusal names. With `unlabelled_allowed`, -1 passes too.

    Raises:
        Refusal: a label is missing, no whole number and no name of a class, or out of range.
    """
    column = table["label"]
    if column.null_count:
        raise Refusal(
            "pipeline.refused.data_null",
            path=file,
            column="label",
            count=column.null_count,
            row=first_row(pc.is_null(column)),
        )
    numbers = _numbers(column, table.schema, file)
    unlabelled = pc.equal(numbers, int_scalar(UNLABELLED))
    if not unlabelled_allowed and pc.any(unlabelled).as_py():
        kind = file.suffix.lower()[1:]
        options = ", keep_default_na=False" if kind == "csv" else ""
        raise Refusal(
            "pipeline.refused.data_unlabelled",
            path=file,
            count=pc.sum(unlabelled).as_py(),
            rows=len(numbers),
            row=first_row(unlabelled),
            read=f"read_{kind}({str(file)!r}{options})",
            write=f"to_{kind}('labelled.{kind}', index=False)",
        )
    return numbers


def first_row(flags: pa.ChunkedArray) -> int:
    """Return the index of the first true value of `flags`, which has one."""
    return int(pc.indices_nonzero(flags)[0].as_py())


def int_array(values: Iterable[int], kind: pa.DataType) -> pa.Array:
    """Return `values` as an array of int32 or int64.

    `pa.array` and `pa.scalar` would import pandas, which takes longer than the checks themselves.
    """
    plain = array.array("i" if kind == pa.int32() else "q", values)
    return pa.Array.from_buffers(kind, len(plain), [None, pa.py_buffer(plain)])


def int_scalar(value: int) -> pa.Scalar:
    """Return `value` as an int64 scalar, without pandas as well."""
    return int_array([value], pa.int64())[0]


def _numbers(column: pa.ChunkedArray, schema: pa.Schema, file: Path) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_dictionary(kind) and not _is_text(kind.value_type):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_integer(kind):
        numbers = _in_range(column, file).cast(pa.int64())
        order = _own_order(schema)
        # -1 stays what it is.
        return (
            int_array([UNLABELLED, *order], pa.int64()).take(pc.add(numbers, int_scalar(1)))
            if order
            else numbers
        )
    if pa.types.is_floating(kind):
        column = column.cast(pa.float64())
        bad = pc.or_(pc.not_equal(column, pc.floor(column)), pc.invert(pc.is_finite(column)))
        if pc.any(bad).as_py():
            raise _refusal("data_label_kind", column, bad, file)
        return _in_range(column, file).cast(pa.int64())
    if pa.types.is_dictionary(kind) or _is_text(kind):
        return _words_read(column, file)
    raise Refusal(
        "pipeline.refused.data_label_kind", path=file, values=str(kind), count=len(column), row=0
    )


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _words_read(column: pa.ChunkedArray, file: Path) -> pa.ChunkedArray:
    # Few different words in many rows: each word is read once.
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    encoded = column.unify_dictionaries().combine_chunks()
    read = [_read(word) for word in encoded.dictionary.to_pylist()]
    at = pa.chunked_array([encoded.indices])
    bad = pc.equal(
        int_array([number is None for number in read], pa.int64()).take(at), int_scalar(1)
    )
    if pc.any(bad).as_py():
        raise _refusal("data_label_kind", column, bad, file)
    return _in_range(int_array([number or 0 for number in read], pa.int64()).take(at), file)


def _read(word: str) -> int | None:
    word = word.strip().lower()
    if word in LABELS:
        return LABELS.index(word)
    whole = re.fullmatch(r"([+-]?\d{1,15})(\.0*)?", word, re.ASCII)
    return int(whole[1]) if whole else None


def _in_range(numbers: pa.ChunkedArray, file: Path) -> pa.ChunkedArray:
    # Compared as what they are: 2**63 and 1e300 would not survive a cast.
    bad = pc.greater_equal(numbers, int_scalar(len(LABELS)).cast(numbers.type))
    if not pa.types.is_unsigned_integer(numbers.type):
        bad = pc.or_(bad, pc.less(numbers, int_scalar(UNLABELLED).cast(numbers.type)))
    if pc.any(bad).as_py():
        raise _refusal("data_label_range", numbers, bad, file)
    return numbers


def _own_order(schema: pa.Schema) -> list[int] | None:
    """Where a dataset names our labels in another order: for each of its numbers, ours."""
    told = (schema.metadata or {}).get(b"huggingface")
    try:
        names = json.loads(told)["info"]["features"]["label"]["names"] if told else None
    except (ValueError, KeyError, TypeError):
        return None
    names = [str(name).lower() for name in names or []]
    if sorted(names) != sorted(LABELS) or names == list(LABELS):
        return None
    return [LABELS.index(name) for name in names]


def _refusal(key: str, column: pa.ChunkedArray, bad: Any, file: Path) -> Refusal:
    values = [value.as_py() for value in pc.unique(column.filter(bad))]
    shown = ", ".join(str(value)[:30] for value in values[:SHOWN])
    return Refusal(
        f"pipeline.refused.{key}",
        path=file,
        values=shown + (", ..." if len(values) > SHOWN else ""),
        count=pc.sum(bad).as_py(),
        row=first_row(bad),
    )
