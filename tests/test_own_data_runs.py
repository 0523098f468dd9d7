from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from guarded_child import run_child
from hub_stand_in import model_files
from unhurried import within

PAIRS = """premise,hypothesis,label
A dog runs.,An animal moves.,0
A man eats.,He is full.,1
It is day.,It is night.,contradiction
"""


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_393_thousand_rows_are_checked_in_three_seconds_without_tensorflow(
    tmp_path: Path, kind: str
) -> None:
    count = 393_000
    sentences = pa.array(
        [f"A sentence of some length, number {n}, is said here." for n in range(999)]
    )
    column = sentences.take(pa.array([n % 999 for n in range(count)]))
    label = pa.array([n % 3 for n in range(count - 1)] + [3])
    table = pa.table({"premise": column, "hypothesis": column, "label": label})
    path = tmp_path / f"pairs.{kind}"
    write = pyarrow.csv.write_csv if kind == "csv" else pq.write_table
    write(table, path)
    code = f"""
import sys
from course_debug import pipeline
from course_debug.refusal import Refusal
try:
    pipeline.choose(None, {str(path)!r})
except Refusal as refusal:
    print(refusal.values["row"], {{"tensorflow", "datasets", "pandas"}} & set(sys.modules))
"""
    ended = within(3, lambda: run_child(code, tmp_path), lambda ended: ended.seconds)
    assert ended.out == f"{count - 1} set()\n", ended.err


OWN = """
from course_debug import mini, pipeline
source = pipeline.choose("own", "pairs.csv")
pipeline.use(source)
raw, tokenizer = pipeline.raw(source), pipeline.tokenizer(source)
assert raw["train"].features["label"].names == ["entailment", "neutral", "contradiction"]
assert raw.num_rows == {"train": 54, "validation_matched": 6}, raw
rows = pipeline.tokenized(raw, tokenizer)
batch = next(iter(pipeline.batches(rows["train"], tokenizer)))
assert batch["labels"].shape == (16,)
model = pipeline.model(source)
assert model(batch).loss.shape == (16,)
embedded = pipeline.model(pipeline.choose("mini", "mini"))
inputs = {name: batch[name] for name in ("input_ids", "attention_mask")}
apart = model.distilbert(inputs)[0] - embedded.distilbert(inputs)[0]
assert abs(apart.numpy()).max() < 1e-5
"""


def test_own_pytorch_checkpoint_and_own_pairs_train_without_a_connection(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    for name, content in model_files().items():
        (tmp_path / "own" / name).write_bytes(content)
    header, *rows = PAIRS.splitlines(keepends=True)
    (tmp_path / "pairs.csv").write_text(header + "".join(rows) * 20, encoding="utf-8")
    ended = run_child(OWN, tmp_path, strict=False)
    assert ended.status == 0, ended.err
