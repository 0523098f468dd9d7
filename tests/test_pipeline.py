from __future__ import annotations

import re
import shutil
import string
from collections.abc import Iterator
from pathlib import Path

from course_debug import mini, pipeline, text
from course_debug.refusal import Refusal
import pytest
from guarded_child import run_child
from hub_stand_in import model_files
from unhurried import within

PACKAGE = Path(pipeline.__file__).parent

MINI = """
from transformers.models.auto import modeling_tf_auto as tf_auto
from course_debug.sources.own_checkpoint import KINDS
assert set(tf_auto.TF_MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES) == KINDS
from datasets import load_dataset
from transformers import AutoTokenizer, TFAutoModelForSequenceClassification
from course_debug.pipeline import CHECKPOINT, MNLI
raw = load_dataset(**MNLI)
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
print({name: split.num_rows for name, split in raw.items()})
print(raw["train"].features["label"].names)

from course_debug import pipeline
source = pipeline.current()
small = raw["train"].select(range(20))
rows = pipeline.tokenized(small, tokenizer)
inside = list(pipeline.batches(rows, tokenizer, shuffle=False))
outside = list(pipeline.batches(rows, tokenizer, shuffle=False, labels="outside"))
assert [batch["labels"].shape[0] for batch in inside] == [16, 4]
assert set(inside[0]) == {"input_ids", "attention_mask", "labels"}
assert set(outside[0][0]) == {"input_ids", "attention_mask"}
assert outside[0][1].numpy().tolist() == small[:16]["label"]
assert model(inside[0]).logits.shape == (16, 3)
fixed = pipeline.tokenized(small, tokenizer, max_length=40)
assert {len(row) for row in fixed["input_ids"]} == {40}
"""


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(pipeline, "_current", None)
    monkeypatch.setattr(pipeline, "_announced", False)
    monkeypatch.delenv(pipeline.MODEL_VARIABLE, raising=False)
    monkeypatch.delenv(pipeline.DATA_VARIABLE, raising=False)
    monkeypatch.setenv("HF_UPDATE_DOWNLOAD_COUNTS", "0")
    text.speak("en")
    yield
    text.speak(None)


def checkpoint(folder: Path, **contents: bytes | None) -> Path:
    """Copy the embedded checkpoint; `contents` replaces files, None removes them."""
    shutil.copytree(mini.CHECKPOINT, folder)
    for name, content in contents.items():
        file = folder / name.replace("__", ".")
        if content is None:
            file.unlink(missing_ok=True)
        else:
            file.write_bytes(content)
    return folder


def test_the_embedded_default_runs_and_no_connection_is_tried(tmp_path: Path) -> None:
    ended = run_child(MINI, tmp_path, strict=False)
    assert ended.status == 0, ended.err
    assert "'train': 4800, 'validation_matched': 600" in ended.out
    assert "['entailment', 'neutral', 'contradiction']" in ended.out
    assert ended.err.count("In use:") == 1


def test_importing_the_pipeline_imports_no_heavy_library(tmp_path: Path) -> None:
    code = """
import sys
import course_debug.pipeline
heavy = {"tensorflow", "tf_keras", "transformers", "datasets", "pyarrow", "huggingface_hub"}
print(heavy & set(sys.modules))
"""
    assert run_child(code, tmp_path).out == "set()\n"


def test_without_a_word_the_embedded_default_is_chosen() -> None:
    source = pipeline.choose()
    assert source == pipeline.choose("mini", "mini")
    assert source.checkpoint == mini.CHECKPOINT
    assert source.mnli == {"path": "parquet", "data_files": mini.DATA}


def test_the_environment_decides_where_no_option_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = checkpoint(tmp_path / "own")
    monkeypatch.setenv(pipeline.MODEL_VARIABLE, str(folder))
    assert pipeline.choose().checkpoint == str(folder)
    assert pipeline.choose("mini").checkpoint == mini.CHECKPOINT
    monkeypatch.setenv(pipeline.MODEL_VARIABLE, "")
    assert pipeline.choose().checkpoint == mini.CHECKPOINT


def test_one_line_tells_what_is_in_use_and_only_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = str(checkpoint(tmp_path / "own"))
    text.speak("ru")
    pipeline.use(pipeline.choose(folder))
    assert folder == pipeline.CHECKPOINT
    assert pipeline.MNLI["path"] == "parquet"
    assert capsys.readouterr().err == (
        f"Используется: ваша модель из {folder}; встроенные пары (mini).\n"
    )
    pipeline.use(pipeline.choose(), announce=False)
    assert mini.CHECKPOINT == pipeline.CHECKPOINT
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_the_line_says_how_many_pairs_are_in_use_where_not_all_are(
    language: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "pairs.csv"
    path.write_text("premise,hypothesis,label\n" + "a,b,0\n" * 2500)
    text.speak(language)
    line = pipeline.in_use(pipeline.choose(data=str(path), most_rows=1200))
    assert {"1200", "2500"} <= set(re.findall(r"\d+", line.replace(",", "")))
    assert pipeline.choose(data=str(path), most_rows=2500).kept is None
    monkeypatch.setattr(pipeline.hub, "within_reach", lambda model, data: None)
    source = pipeline.choose(data="hub", most_rows=1200)
    assert source.mnli["split"]["train"] == "train[:1200]"
    assert "1200" in pipeline.in_use(source).replace(",", "")


@pytest.mark.parametrize("variable", ["HF_HOME", "HF_DATASETS_CACHE"])
def test_a_library_cache_that_cannot_be_written_is_a_sentence(
    variable: str, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("a file where a folder must be")
    taken = str(tmp_path / "taken")
    code = "from course_debug.pipeline import MNLI"
    ended = within(
        3, lambda: run_child(code, tmp_path, **{variable: taken}), lambda ended: ended.seconds
    )
    assert ended.status == 2
    assert ended.err.count("\n") == 1
    assert taken in ended.err
    assert f"set {variable} to a folder" in ended.err


def test_what_a_script_does_to_its_arguments_does_not_reach_the_next_script() -> None:
    pipeline.MNLI["data_files"]["train"] = "elsewhere"
    pipeline.MNLI.clear()
    assert pipeline.MNLI["data_files"] == mini.DATA


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="CHECKPOINTS"):
        pipeline.CHECKPOINTS  # noqa: B018


def test_labels_are_inside_or_outside() -> None:
    with pytest.raises(ValueError, match="sideways"):
        pipeline.batches(None, None, labels="sideways")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("contents", "key"),
    [
        ({"config__json": None}, "model_no_config"),
        ({"config__json": b"{not json"}, "model_bad_config"),
        ({"config__json": b"\xff\xfe\x00"}, "model_bad_config"),
        ({"config__json": b"[1, 2]"}, "model_bad_config"),
        ({"config__json": b"{}"}, "model_bad_config"),
        ({"config__json": b'{"model_type": "t5"}'}, "model_other_kind"),
        ({"tf_model__h5": None}, "model_no_weights"),
        ({"tf_model__h5": b"version https://git-lfs.github.com/spec/v1"}, "model_bad_weights"),
        ({"tf_model__h5": None, "model__safetensors": b"short"}, "model_bad_weights"),
        ({"tf_model__h5": None, "pytorch_model__bin": b"PK"}, "model_needs_torch"),
        ({"tokenizer__json": None, "vocab__txt": None}, "model_no_tokenizer"),
        (
            {
                "config__json": b'{"model_type": "distilbert", "architectures": '
                b'["DistilBertForSequenceClassification"]}'
            },
            "model_other_head",
        ),
    ],
)
def test_a_folder_that_is_no_checkpoint_is_refused(
    tmp_path: Path, contents: dict[str, bytes | None], key: str
) -> None:
    folder = checkpoint(tmp_path / "own", **contents)
    with pytest.raises(Refusal) as caught:
        pipeline.choose(str(folder))
    assert caught.value.key == f"pipeline.refused.{key}"
    assert str(folder) in text.translate(caught.value.key, **caught.value.values)


def test_a_safetensors_file_cut_short_is_refused(tmp_path: Path) -> None:
    whole = model_files()["model.safetensors"]
    folder = checkpoint(tmp_path / "own", tf_model__h5=None, model__safetensors=whole)
    assert pipeline.choose(str(folder)).checkpoint == str(folder)
    (folder / "model.safetensors").write_bytes(whole[:-1])
    with pytest.raises(Refusal, match="model_bad_weights"):
        pipeline.choose(str(folder))


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="model_not_there"):
        pipeline.choose(str(tmp_path / "distilbert"))
    folder = checkpoint(tmp_path / "own")
    with pytest.raises(Refusal) as caught:
        pipeline.choose(str(folder / "config.json"))
    assert caught.value.key == "pipeline.refused.model_no_folder"
    assert caught.value.values["folder"] == folder


def test_refusing_a_checkpoint_takes_no_tensorflow_and_under_three_seconds(tmp_path: Path) -> None:
    code = """
import sys
from course_debug import pipeline
from course_debug.refusal import Refusal
try:
    pipeline.choose("nowhere")
except Refusal as refusal:
    print(refusal.key, "tensorflow" in sys.modules)
"""
    ended = within(3, lambda: run_child(code, tmp_path), lambda ended: ended.seconds)
    assert ended.out == "pipeline.refused.model_not_there False\n", ended.err


def placeholders(template: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(template) if name)


def test_each_sentence_of_the_pipeline_exists_in_each_language_with_the_same_placeholders() -> None:
    catalogs = {language: text.catalog(language, "pipeline") for language in text.LANGUAGES}
    english = {key: placeholders(template) for key, template in catalogs["en"].items()}
    for catalog in catalogs.values():
        assert {key: placeholders(template) for key, template in catalog.items()} == english


def test_each_refusal_that_the_code_names_has_a_sentence() -> None:
    sources = [PACKAGE / "pipeline.py", *sorted((PACKAGE / "sources").glob("*.py"))]
    code = "".join(source.read_text(encoding="utf-8") for source in sources)
    named = set(re.findall(r'"pipeline\.(refused\.\w+)"', code))
    named |= {f"refused.{name}" for name in re.findall(r'_refusal\("(data\w+)"', code)}
    named |= {"refused.model_unusable", "refused.tokenizer_unusable"}
    told = {key for key in text.catalog("en", "pipeline") if key.startswith("refused.")}
    assert named == told
