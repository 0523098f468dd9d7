"""The rows of one split of the reader's own, read and checked with pyarrow alone."""

from __future__ import annotations

import json
from pathlib import Path

from course_debug.refusal import Refusal, first_line
from course_debug.sources import LABELS
from course_debug.sources.own_labels import checked_labels, first_row, int_array
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

TEXTS = ("premise", "hypothesis")
COLUMNS = (*TEXTS, "label")
DELIMITERS = ",;\t"
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
    idx = int_array(range(table.num_rows), pa.int32())
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
            reason=first_line(error),
        ) from error
    if table.num_rows == 0:
        raise Refusal("pipeline.refused.data_no_rows", path=file)
    texts = [_text(table[name], name, file) for name in TEXTS]
    label = checked_labels(table, file, unlabelled_allowed=split.startswith("test"))
    return pa.table([*texts, label], names=list(COLUMNS))


def _csv(file: Path) -> pa.Table:
    with file.open("rb") as stream:
        header = stream.readline(1 << 16)
    # Spreadsheets in much of Europe write semicolons.
    first = header.decode("utf-8-sig", errors="replace")
    delimiter = max(DELIMITERS, key=first.count)
    parsing = pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    reader = pyarrow.csv.open_csv(
        file,
        parse_options=parsing,
    )
    _all_there(reader.schema.names, file)
    return pyarrow.csv.read_csv(
        file,
        read_options=pyarrow.csv.ReadOptions(block_size=1 << 24),
        parse_options=parsing,
        convert_options=pyarrow.csv.ConvertOptions(
            include_columns=list(COLUMNS),
            column_types={
                **{name: pa.string() for name in TEXTS},
                "label": pa.dictionary(pa.int32(), pa.string()),
            },
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
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.null_count:
        raise Refusal(
            "pipeline.refused.data_null",
            path=file,
            column=name,
            count=column.null_count,
            row=first_row(pc.is_null(column)),
        )
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise Refusal(
            "pipeline.refused.data_not_text", path=file, column=name, kind=str(column.type)
        )
    return column.cast(pa.string())
