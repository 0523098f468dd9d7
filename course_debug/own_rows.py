"""The rows of one split of the reader's own, read and checked with pyarrow alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from course_debug.refusal import Refusal
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

LABELS = ("entailment", "neutral", "contradiction")
TEXTS = ("premise", "hypothesis")
COLUMNS = (*TEXTS, "label")
UNLABELLED = -1
DELIMITERS = ",;\t"
SHOWN = 5
FEATURES = {
    "premise": {"dtype": "string", "_type": "Value"},
    "hypothesis": {"dtype": "string", "_type": "Value"},
    "label": {"names": list(LABELS), "_type": "ClassLabel"},
    "idx": {"dtype": "int32", "_type": "Value"},
}
SCHEMA = pa.schema(
    [
        ("premise", pa.string()),
        ("hypothesis", pa.string()),
        ("label", pa.int64()),
        ("idx", pa.int32()),
    ],
    metadata={"huggingface": json.dumps({"info": {"features": FEATURES}})},
)


def checked_rows(files: list[Path], split: str) -> pa.Table:
    """Return the rows of `files`, which together are one split, with the schema of MNLI.

    Labels may be whole numbers 0, 1, 2 or the names entailment, neutral, contradiction; -1 only
    in splits named test.

    Raises:
        Refusal: as `own_data.prepared`.
    """
    tables = [_checked(file, split) for file in files]
    table = pa.concat_tables(tables)
    idx = pa.array(range(table.num_rows), pa.int32())
    return pa.table([*table.columns, idx], schema=SCHEMA)


def _checked(file: Path, split: str) -> pa.Table:
    try:
        if file.stat().st_size == 0:
            raise Refusal("pipeline.refused.data_empty", path=file)
        table = _csv(file) if file.suffix.lower() == ".csv" else _parquet(file)
    except (OSError, pa.ArrowException, ValueError) as error:
        raise Refusal(
            "pipeline.refused.data_unreadable",
            path=file,
            kind=file.suffix.lower()[1:],
            reason=_reason(error),
        ) from error
    if table.num_rows == 0:
        raise Refusal("pipeline.refused.data_no_rows", path=file)
    texts = [_text(table[name], name, file) for name in TEXTS]
    label = _label(table, file, unlabelled_allowed=split.startswith("test"))
    return pa.table([*texts, label], names=list(COLUMNS))


def _reason(error: BaseException) -> str:
    strerror = getattr(error, "strerror", None)
    return str(strerror or (str(error).strip().splitlines() or [type(error).__name__])[0])[:160]


def _csv(file: Path) -> pa.Table:
    with file.open("rb") as stream:
        header = stream.readline(1 << 16)
    # Spreadsheets in much of Europe write semicolons.
    first = header.decode("utf-8-sig", errors="replace")
    delimiter = max(DELIMITERS, key=first.count)
    reader = pyarrow.csv.open_csv(
        file,
        read_options=pyarrow.csv.ReadOptions(block_size=1 << 24),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
    )
    _all_there(reader.schema.names, file)
    return pyarrow.csv.read_csv(
        file,
        read_options=pyarrow.csv.ReadOptions(block_size=1 << 24),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            include_columns=list(COLUMNS),
            column_types={name: pa.string() for name in COLUMNS},
            # A text may be the word "NA" or "null"; only a cell with nothing in it is missing.
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _parquet(file: Path) -> pa.Table:
    opened = pyarrow.parquet.ParquetFile(file)
    _all_there(opened.schema_arrow.names, file)
    return opened.read(columns=list(COLUMNS))


def _all_there(names: list[str], file: Path) -> None:
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise Refusal(
            "pipeline.refused.data_no_column",
            path=file,
            missing=", ".join(missing),
            found=", ".join(names[:20]) or "-",
        )
    twice = [name for name in COLUMNS if names.count(name) > 1]
    if twice:
        raise Refusal("pipeline.refused.data_column_twice", path=file, column=twice[0])


def _text(column: pa.ChunkedArray, name: str, file: Path) -> pa.ChunkedArray:
    column = _plain(column)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise Refusal(
            "pipeline.refused.data_not_text", path=file, column=name, kind=str(column.type)
        )
    if column.null_count:
        raise Refusal(
            "pipeline.refused.data_null",
            path=file,
            column=name,
            count=column.null_count,
            row=_first(pc.is_null(column)),
        )
    return column.cast(pa.string())


def _label(table: pa.Table, file: Path, unlabelled_allowed: bool) -> pa.ChunkedArray:
    column = _plain(table["label"])
    if column.null_count:
        raise Refusal(
            "pipeline.refused.data_null",
            path=file,
            column="label",
            count=column.null_count,
            row=_first(pc.is_null(column)),
        )
    numbers = _numbers(column, table.schema, file)
    bad = pc.or_(pc.less(numbers, UNLABELLED), pc.greater_equal(numbers, len(LABELS)))
    if pc.any(bad).as_py():
        raise _label_refusal("data_label_range", numbers, bad, file)
    kind = file.suffix.lower()[1:]
    unlabelled = pc.equal(numbers, UNLABELLED)
    if not unlabelled_allowed and pc.any(unlabelled).as_py():
        raise Refusal(
            "pipeline.refused.data_unlabelled",
            path=file,
            count=pc.sum(unlabelled).as_py(),
            rows=len(numbers),
            row=_first(unlabelled),
            file=str(file),
            labelled=f"labelled{file.suffix.lower()}",
            reader=f"read_{kind}",
            writer=f"to_{kind}",
        )
    return numbers


def _numbers(column: pa.ChunkedArray, schema: pa.Schema, file: Path) -> pa.ChunkedArray:
    """The labels as int64 in the course's order, whatever they were written as."""
    kind = column.type
    if pa.types.is_integer(kind):
        numbers = column.cast(pa.int64())
        order = _own_order(schema)
        return _mapped(numbers, order) if order else numbers
    if pa.types.is_floating(kind):
        bad = pc.or_(pc.not_equal(column, pc.floor(column)), pc.invert(pc.is_finite(column)))
        if pc.any(bad).as_py():
            raise _label_refusal("data_label_kind", column, bad, file)
        return column.cast(pa.int64(), safe=False)
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise Refusal(
            "pipeline.refused.data_label_kind",
            path=file,
            values=str(kind),
            count=len(column),
            row=0,
        )
    words = pc.utf8_lower(pc.utf8_trim_whitespace(column))
    named = pc.index_in(words, value_set=pa.array(LABELS, words.type))
    whole = pc.match_substring_regex(words, r"^[+-]?\d{1,15}(\.0*)?$")
    bad = pc.and_(pc.is_null(named), pc.invert(whole))
    if pc.any(bad).as_py():
        raise _label_refusal("data_label_kind", column, bad, file)
    digits = pc.if_else(whole, pc.replace_substring_regex(words, r"^\+|\..*$", ""), "0")
    return pc.coalesce(named.cast(pa.int64()), digits.cast(pa.int64()))


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


def _mapped(numbers: pa.ChunkedArray, order: list[int]) -> pa.ChunkedArray:
    at = pc.index_in(numbers, value_set=pa.array(range(len(order)), pa.int64()))
    return pc.coalesce(
        pa.chunked_array([pa.array(order, pa.int64()).take(at.combine_chunks())]), numbers
    )


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column


def _first(flags: pa.ChunkedArray) -> int:
    return int(pc.index(flags, pa.scalar(True)).as_py())


def _label_refusal(key: str, column: Any, bad: Any, file: Path) -> Refusal:
    values = [value.as_py() for value in pc.unique(column.filter(bad))]
    shown = ", ".join(str(value)[:30] for value in values[:SHOWN])
    return Refusal(
        f"pipeline.refused.{key}",
        path=file,
        values=shown + (", ..." if len(values) > SHOWN else ""),
        count=pc.sum(bad).as_py(),
        row=_first(bad),
    )
