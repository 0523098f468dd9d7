from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from course_debug import mini, text
from course_debug.refusal import Refusal
from course_debug.sources import own_data
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

HEADER = "premise,hypothesis,label\n"
ROWS = "A dog runs.,An animal moves.,0\nA man eats.,He is full.,1\nIt is day.,It is night.,2\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    text.speak("en")
    yield
    text.speak(None)


def csv(tmp_path: Path, content: str | bytes, name: str = "pairs.csv") -> str:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def parquet(tmp_path: Path, metadata: Any = None, **columns: Any) -> str:
    told = {"premise": ["a", "b", "c"], "hypothesis": ["d", "e", "f"], "label": [0, 1, 2]}
    table = pa.table({**told, **columns})
    path = tmp_path / "pairs.parquet"
    pq.write_table(table.replace_schema_metadata(metadata), path)
    return str(path)


def rows(prepared: dict[str, str]) -> list[dict[str, Any]]:
    """All rows of all splits, in the order of the reader's file."""
    tables = [pq.read_table(path) for path in prepared.values()]
    return sorted(
        (row for table in tables for row in table.to_pylist()), key=lambda row: row["idx"]
    )


def labels(prepared: dict[str, str]) -> list[int]:
    return [row["label"] for row in rows(prepared)]


def refusal(path: str) -> Refusal:
    with pytest.raises(Refusal) as caught:
        own_data.prepared(path)
    sentences = set()
    for language in text.LANGUAGES:
        text.speak(language)
        sentences.add(text.translate(caught.value.key, **caught.value.values))
    assert len(sentences) == len(text.LANGUAGES)
    text.speak("en")
    return caught.value


def sentence(path: str) -> str:
    refused = refusal(path)
    return text.translate(refused.key, **refused.values)


@pytest.mark.parametrize(
    "content",
    [
        HEADER + ROWS,
        HEADER + ROWS.replace(",0\n", ",entailment\n").replace(",2\n", ", Contradiction \n"),
        HEADER + ROWS.replace(",1\n", ",1.0\n"),
        (HEADER + ROWS).replace(",", ";"),
        (HEADER + ROWS).replace(",", "\t"),
        "\ufeff" + HEADER + ROWS,
        (HEADER + ROWS).replace("\n", "\r\n"),
        "idx,genre," + HEADER + "".join(f"9,x,{row}\n" for row in ROWS.splitlines()),
    ],
    ids=["numbers", "names", "floats", "semicolons", "tabs", "mark", "windows", "more columns"],
)
def test_csv_in_its_many_shapes_becomes_the_same_pairs(tmp_path: Path, content: str) -> None:
    got = rows(own_data.prepared(csv(tmp_path, content)).files)
    assert [list(row.values()) for row in got] == [
        ["A dog runs.", "An animal moves.", 0, 0],
        ["A man eats.", "He is full.", 1, 1],
        ["It is day.", "It is night.", 2, 2],
    ]


def test_a_text_may_be_the_word_null_or_span_lines(tmp_path: Path) -> None:
    path = csv(tmp_path, HEADER + 'NA,null,0\n"one, two\nthree","",2\n')
    first, second = rows(own_data.prepared(path).files)
    assert (first["premise"], first["hypothesis"]) == ("NA", "null")
    assert (second["premise"], second["hypothesis"]) == ("one, two\nthree", "")


@pytest.mark.parametrize(
    "label",
    [
        pa.array([0, 1, 2], pa.int8()),
        pa.array([0.0, 1.0, 2.0]),
        pa.array(["entailment", "neutral", "contradiction"], pa.large_string()),
        pa.array(["0", "1", "2"]),
        pa.array(["entailment", "neutral", "contradiction"]).dictionary_encode(),
    ],
    ids=lambda label: str(label.type)[:20],
)
def test_parquet_labels_of_any_sensible_type_become_0_1_2(tmp_path: Path, label: Any) -> None:
    assert labels(own_data.prepared(parquet(tmp_path, label=label)).files) == [0, 1, 2]


def test_a_dataset_that_numbers_the_classes_otherwise_is_renumbered(tmp_path: Path) -> None:
    names = ["contradiction", "entailment", "neutral"]
    features = {"label": {"names": names, "_type": "ClassLabel"}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    assert labels(own_data.prepared(parquet(tmp_path, metadata)).files) == [2, 0, 1]


def test_one_file_is_split_and_nothing_is_lost_or_in_both(tmp_path: Path) -> None:
    content = HEADER + "".join(f"p{n},h{n},{n % 3}\n" for n in range(200))
    path = csv(tmp_path, content)
    prepared = own_data.prepared(path).files
    assert list(prepared) == ["train", "validation_matched"]
    assert pq.read_metadata(prepared["validation_matched"]).num_rows == 20
    got = rows(prepared)
    assert [row["premise"] for row in got] == [f"p{n}" for n in range(200)]
    assert [row["idx"] for row in got] == list(range(200))
    held_out = pq.read_table(prepared["validation_matched"])
    assert held_out["idx"].to_pylist() != list(range(180, 200))
    for file in prepared.values():
        Path(file).unlink()
    assert pq.read_table(own_data.prepared(path).files["validation_matched"]) == held_out


def test_most_rows_keeps_a_random_sample_of_train_and_says_of_how_many(tmp_path: Path) -> None:
    path = csv(tmp_path, HEADER + "".join(f"p{n},h{n},{n % 3}\n" for n in range(200)))
    few = own_data.prepared(path, 50)
    train = pq.read_table(few.files["train"])
    drawn = train["idx"].to_pylist()
    assert (few.kept, few.found, few.sampled, len(drawn)) == (50, 200, True, 50)
    assert drawn == sorted(set(drawn))
    assert drawn[-1] > 150
    assert train["premise"].to_pylist() == [f"p{n}" for n in drawn]
    held_out = pq.read_table(few.files["validation_matched"])["idx"].to_pylist()
    assert len(held_out) == 20
    assert not set(held_out) & set(drawn)
    for file in few.files.values():
        Path(file).unlink()
    assert pq.read_table(own_data.prepared(path, 50).files["train"]) == train


def test_most_rows_takes_nothing_from_a_smaller_file(tmp_path: Path) -> None:
    path = csv(tmp_path, HEADER + ROWS)
    all_rows, same = own_data.prepared(path), own_data.prepared(path, 50)
    assert rows(same.files) == rows(all_rows.files)
    assert (same.kept, same.found, same.sampled) == (2, 3, False)


def test_most_rows_leaves_two_thousand_rows_of_other_splits(tmp_path: Path) -> None:
    csv(tmp_path, HEADER + ROWS, "train.csv")
    for name in ("dev", "test"):
        csv(tmp_path, HEADER + ROWS * 700, f"{name}.csv")
    prepared = own_data.prepared(str(tmp_path), 50)
    sizes = [pq.read_metadata(file).num_rows for file in prepared.files.values()]
    assert sorted(sizes) == [3, 2000, 2000]
    assert not prepared.sampled


def test_a_bad_row_outside_the_sample_is_refused_all_the_same(tmp_path: Path) -> None:
    path = csv(tmp_path, HEADER + ROWS * 50 + "x,y,7\n")
    with pytest.raises(Refusal) as caught:
        own_data.prepared(path, 2)
    assert caught.value.key == "pipeline.refused.data_label_range"


def test_a_cache_that_cannot_be_written_does_not_stop_the_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert labels(own_data.prepared(csv(tmp_path, HEADER + ROWS)).files) == [0, 1, 2]
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    assert refusal(csv(tmp_path, HEADER + ROWS * 2)).key == "pipeline.refused.cannot_write"


def test_a_folder_gives_a_split_for_each_file_named_after_one(tmp_path: Path) -> None:
    for name in ("train-00000-of-00002", "train-00001-of-00002", "dev_matched", "notes"):
        csv(tmp_path, HEADER + ROWS, f"{name}.csv")
    csv(tmp_path, HEADER + ROWS.replace(",0\n", ",-1\n"), "test_matched.csv")
    prepared = own_data.prepared(str(tmp_path)).files
    sizes = {split: pq.read_metadata(path).num_rows for split, path in prepared.items()}
    assert sizes == {"train": 6, "validation_matched": 3, "test_matched": 3}
    assert pq.read_table(prepared["test_matched"])["label"].to_pylist() == [-1, 1, 2]


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = csv(tmp_path, HEADER + ROWS)
    assert len(rows(own_data.prepared(path).files)) == 3
    assert own_data.prepared(path).files == own_data.prepared(path).files
    csv(tmp_path, HEADER + ROWS + ROWS)
    assert len(rows(own_data.prepared(path).files)) == 6


def test_the_embedded_files_pass_as_somebodys_own() -> None:
    prepared = own_data.prepared(str(Path(mini.DATA["train"]).parent)).files
    assert set(prepared) == set(mini.DATA)


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"", "data_empty"),
        (HEADER, "data_no_rows"),
        (b"\x00\xff\xfe\x80" * 50, "data_unreadable"),
        (b"PAR1" * 9, "data_unreadable"),
        (HEADER + "one,two\n", "data_unreadable"),
        ((HEADER + ROWS).encode("utf-16"), "data_unreadable"),
        (HEADER + "на,дворе,0\n".encode("cp1251").decode("latin-1"), None),
        ("premise,text,label\nx,y,0\n", "data_no_column"),
        ("premise,hypothesis,label,label\nx,y,0,0\n", "data_column_twice"),
        (HEADER + ROWS + "x,,0\n", "data_null"),
        (HEADER + ROWS + "x,y,\n", "data_null"),
        (HEADER + ROWS + "x,y,3\n", "data_label_range"),
        (HEADER + ROWS + "x,y,-2\n", "data_label_range"),
        (HEADER + ROWS + "x,y,1.5\n", "data_label_kind"),
        (HEADER + ROWS + "x,y,maybe\n", "data_label_kind"),
        (HEADER + ROWS + "x,y,99999999999999999999\n", "data_label_kind"),
        (HEADER + ROWS + "x,y,-1\n", "data_unlabelled"),
        (HEADER + "x,y,0\n", "data_too_few"),
    ],
)
def test_csv_that_cannot_serve_is_refused(tmp_path: Path, content: Any, key: str | None) -> None:
    path = csv(tmp_path, content)
    if key is None:
        own_data.prepared(csv(tmp_path, content + ROWS))
        return
    assert refusal(path).key == f"pipeline.refused.{key}"
    assert path in sentence(path)


def test_a_csv_in_another_encoding_is_refused(tmp_path: Path) -> None:
    content = HEADER.encode() + "на дворе трава,трава зелёная,0\n".encode("cp1251")
    assert "UTF-8" in sentence(csv(tmp_path, content))


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ({"label": pa.array([0, 1, 3])}, "data_label_range"),
        ({"label": pa.array([0, 1, 2**62], pa.uint64())}, "data_label_range"),
        ({"label": pa.array([0, 1, 2**64 - 1], pa.uint64())}, "data_label_range"),
        ({"label": pa.array([0.0, 1.0, float("nan")])}, "data_label_kind"),
        ({"label": pa.array([0.0, 1.0, 1e300])}, "data_label_range"),
        ({"label": pa.array([0, 1, None])}, "data_null"),
        ({"label": pa.array([True, False, True])}, "data_label_kind"),
        ({"label": pa.array([[0], [1], [2]])}, "data_label_kind"),
        ({"premise": pa.array(["a", None, "b"])}, "data_null"),
        ({"hypothesis": pa.array([1, 2, 3])}, "data_not_text"),
        ({"hypothesis": pa.array([None, None, None])}, "data_null"),
    ],
)
def test_parquet_that_cannot_serve_is_refused(
    tmp_path: Path, columns: dict[str, Any], key: str
) -> None:
    assert refusal(parquet(tmp_path, **columns)).key == f"pipeline.refused.{key}"


@pytest.mark.parametrize("content", [b"garbage", b"PAR1" * 9, b"PAR1\x00\x00\x00\x00PAR1"])
def test_parquet_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    assert refusal(csv(tmp_path, content, "pairs.parquet")).key.endswith("data_unreadable")


def test_what_is_not_there_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    assert refusal(str(tmp_path / "no.csv")).key.endswith("data_not_there")
    assert refusal(csv(tmp_path, ROWS, "pairs.xlsx")).key.endswith("data_other_kind")
    (tmp_path / "folder").mkdir()
    assert refusal(str(tmp_path / "folder")).key.endswith("data_empty_folder")
    csv(tmp_path / "folder", HEADER + ROWS, "other.csv")
    assert "other.csv" in sentence(str(tmp_path / "folder"))


def test_refusals_name_columns_values_and_the_first_bad_row(tmp_path: Path) -> None:
    path = csv(tmp_path, "premise,conclusion\na,b\n")
    assert "lacks these columns: hypothesis, label. Found: premise, conclusion." in sentence(path)
    path = csv(tmp_path, HEADER + ROWS + "x,y,7\nx,y,8\nx,y,7\n")
    assert "out of range: 7, 8 (rows: 3, the first is row 3" in sentence(path)


def test_the_advice_for_unlabelled_rows_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = csv(tmp_path, HEADER + ROWS + "x,y,-1\n")
    told = sentence(path)
    assert "(-1): 1 of 4" in told
    advice = told[told.index("import pandas") : told.index(". Then give")]
    monkeypatch.chdir(tmp_path)
    exec(advice, {})
    assert labels(own_data.prepared("labelled.csv").files) == [0, 1, 2]
