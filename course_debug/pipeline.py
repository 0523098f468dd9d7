"""The script's four parts, and where its model and data come from.

Three sources, one code path: `mini` (files in this package, the default), `hub`
(`distilbert-base-uncased` and GLUE/MNLI) or a path of the reader's own. A learner's script says

    from course_debug.pipeline import CHECKPOINT, MNLI
    raw_datasets = load_dataset(**MNLI)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)

and otherwise calls the real libraries. Importing this module imports none of them.
"""

from __future__ import annotations

import copy
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from course_debug import mini
from course_debug.refusal import Refusal, first_line
from course_debug.sources import hub, library_cache

if TYPE_CHECKING:
    import tensorflow as tf
    from datasets import Dataset, DatasetDict
    from transformers import PreTrainedTokenizerBase, TFPreTrainedModel

    CHECKPOINT: str
    MNLI: dict[str, Any]

MODEL_VARIABLE = "COURSE_DEBUG_MODEL"
DATA_VARIABLE = "COURSE_DEBUG_DATA"


@dataclass(frozen=True)
class Source:
    """Where a run takes its model and its data from.

    `checkpoint` goes to `from_pretrained`, `mnli` holds the keyword arguments of `load_dataset`.
    `model_name` and `data_name` are "mini", "hub" or the path the reader gave. Where not all pairs
    are in use, `kept` says how many are trained on (of the hub's: at most), and `found`, for pairs
    of the reader's own, how many there were.
    """

    checkpoint: str
    mnli: dict[str, Any]
    model_name: str
    data_name: str
    kept: int | None = None
    found: int | None = None


_current: Source | None = None
_announced = False


def choose(
    model: str | None = None, data: str | None = None, most_rows: int | None = None
) -> Source:
    """Turn what the reader asked for into a `Source`, checked as far as TensorFlow is not needed.

    Each of `model` and `data` is "mini", "hub", a path, or None: then the environment variable
    COURSE_DEBUG_MODEL or COURSE_DEBUG_DATA decides, and without it "mini".

    With `most_rows`, train has at most so many rows and each other split at most 2,000: a random
    sample of pairs of the reader's own, drawn with a fixed seed, and of the hub's the first ones.

    Raises:
        Refusal: the path, the file's contents or the hub cannot serve this course; or a name is
            "" (an environment variable may be, and then says nothing).
    """
    for option, value in (("--model", model), ("--data", data)):
        if value == "":
            # A variable of the reader's shell that is not set; the default would hide that.
            raise Refusal("pipeline.refused.no_name", option=option)
    model = model or os.environ.get(MODEL_VARIABLE) or "mini"
    data = data or os.environ.get(DATA_VARIABLE) or "mini"
    checkpoint = mini.CHECKPOINT
    mnli: dict[str, Any] = {"path": "parquet", "data_files": dict(mini.DATA)}
    if model == "hub":
        checkpoint = hub.MODEL
    elif model != "mini":
        from course_debug.sources import own_checkpoint

        checkpoint = own_checkpoint.checked(model)
    kept = found = None
    if data == "hub":
        mnli = {"path": hub.DATA[0], "name": hub.DATA[1]}
        if most_rows is not None:
            kept = most_rows
            mnli["split"] = hub.first_rows(most_rows)
    elif data != "mini":
        from course_debug.sources import own_data

        own = own_data.prepared(data, most_rows)
        mnli = {"path": "parquet", "data_files": own.files}
        if own.sampled:
            kept, found = own.kept, own.found
    if "hub" in (model, data):
        hub.within_reach(model=model == "hub", data=data == "hub")
    return Source(checkpoint, mnli, model, data, kept, found)


def use(source: Source, announce: bool = True) -> None:
    """Make `source` what CHECKPOINT and MNLI stand for in this process from now on.

    With the hub, whatever the cache lacks is downloaded here, so that a broken download ends in
    a sentence and not inside somebody's script. `announce=False` leaves out the line on stderr
    that the first access to CHECKPOINT or MNLI otherwise prints.

    Raises:
        Refusal: the hub could not deliver, or the libraries' cache folder cannot be written.
    """
    global _current, _announced
    library_cache.must_be_writable("datasets")
    _stop_counting()
    if "hub" in (source.model_name, source.data_name):
        hub.fetched(model=source.model_name == "hub", data=source.data_name == "hub")
    _current = source
    _announced = not announce


def _stop_counting() -> None:
    # `load_dataset` reports each use of a builder, "parquet" too, to a server, and waits for it.
    os.environ["HF_UPDATE_DOWNLOAD_COUNTS"] = "0"
    if "datasets" in sys.modules:
        sys.modules["datasets"].config.HF_UPDATE_DOWNLOAD_COUNTS = False


def current() -> Source:
    """The source in use; the first call without a `use` before it chooses by the environment.

    Raises:
        Refusal: as `choose` and `use`.
    """
    if _current is None:
        use(choose())
    assert _current is not None
    return _current


def in_use(source: Source) -> str:
    """Return one line in the reader's language: which model and which data `source` is."""
    from course_debug.text import translate

    def part(kind: str, name: str, kept: int | None = None) -> str:
        known = name if name in ("mini", "hub") else "own"
        some = "" if kept is None else "_some"
        return translate(
            f"pipeline.in_use.{kind}_{known}{some}", path=name, kept=kept, found=source.found
        )

    return translate(
        "pipeline.in_use.line",
        model=part("model", source.model_name),
        data=part("data", source.data_name, source.kept),
    )


def __getattr__(name: str) -> Any:
    global _announced
    if name not in ("CHECKPOINT", "MNLI"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        source = current()
    except Refusal as refusal:
        # A script that runs by itself has nobody above it to turn the refusal into a sentence.
        from course_debug.text import translate

        print(translate(refusal.key, **refusal.values), file=sys.stderr)
        raise SystemExit(2) from None
    if not _announced:
        _announced = True
        print(in_use(source), file=sys.stderr)
    return source.checkpoint if name == "CHECKPOINT" else copy.deepcopy(source.mnli)


def raw(source: Source) -> DatasetDict:
    """Return the pairs of `source` as they are, splits named as GLUE/MNLI names them.

    Columns: premise and hypothesis (text), label (ClassLabel; 0..2, -1 in test splits), idx.
    """
    _stop_counting()
    from datasets import load_dataset

    return load_dataset(**source.mnli)


def tokenizer(source: Source) -> PreTrainedTokenizerBase:
    """The tokenizer that lies beside the checkpoint of `source`.

    Raises:
        Refusal: the library cannot make a tokenizer of what lies there.
    """
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(source.checkpoint)
    except Exception as error:
        raise _unusable("tokenizer", source, error) from error


def tokenized(
    raw: DatasetDict, tokenizer: PreTrainedTokenizerBase, max_length: int | None = None
) -> DatasetDict:
    """`raw` with the columns input_ids and attention_mask added to each split.

    Rows keep their own lengths, at most what the model takes. With `max_length`, a number of
    tokens, each row is cut or padded to exactly that: XLA compiles anew for each batch width.
    """

    def tokenize(examples: dict[str, list[str]]) -> Any:
        return tokenizer(
            examples["premise"],
            examples["hypothesis"],
            truncation=True,
            max_length=max_length,
            padding="max_length" if max_length else False,
        )

    return raw.map(tokenize, batched=True)


def batches(
    tokenized_split: Dataset,
    tokenizer: PreTrainedTokenizerBase,
    batch_size: int = 16,
    shuffle: bool = True,
    labels: Literal["inside", "outside"] = "inside",
) -> tf.data.Dataset:
    """Batches of one tokenized split, each padded to its longest row.

    With labels "inside" an element is a dict of int64 tensors: input_ids and attention_mask of
    shape (batch, length), labels of shape (batch,). With "outside" it is the pair of that dict
    without labels, and the labels. The last batch holds what is left over. A global seed set
    before this call freezes the shuffled order for all epochs.

    Raises:
        ValueError: `labels` is neither word.
    """
    if labels not in ("inside", "outside"):
        raise ValueError(f"labels must be 'inside' or 'outside', not {labels!r}")
    from transformers import DataCollatorWithPadding

    columns = ["attention_mask", "input_ids"]
    return tokenized_split.to_tf_dataset(
        columns=[*columns, "label"] if labels == "inside" else columns,
        label_cols=None if labels == "inside" else "label",
        batch_size=batch_size,
        shuffle=shuffle,
        collate_fn=DataCollatorWithPadding(tokenizer, return_tensors="tf"),
    )


def model(source: Source, num_labels: int = 3, **kwargs: Any) -> TFPreTrainedModel:
    """The checkpoint of `source` with a fresh head of `num_labels` outputs, weights reloaded.

    `kwargs` go to `from_pretrained`. The logits have shape (batch, num_labels).

    Raises:
        Refusal: the library cannot make a TensorFlow classifier of what lies there.
    """
    from transformers import TFAutoModelForSequenceClassification

    try:
        return TFAutoModelForSequenceClassification.from_pretrained(
            source.checkpoint, num_labels=num_labels, **kwargs
        )
    except Exception as error:
        raise _unusable("model", source, error) from error


def _unusable(part: str, source: Source, error: Exception) -> Refusal:
    return Refusal(
        f"pipeline.refused.{part}_unusable", path=source.checkpoint, reason=first_line(error, 200)
    )
