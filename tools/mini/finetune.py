"""Fine-tuning exactly as a reader does it, with the numbers that the checks need."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import datasets
import numpy as np
import tensorflow as tf
from tf_keras.callbacks import Callback
from tf_keras.optimizers import Adam
from transformers import (
    AutoTokenizer,
    DataCollatorWithPadding,
    TFAutoModelForSequenceClassification,
)

BOTH = ("premise", "hypothesis")
STRING_LOSS = "sparse_categorical_crossentropy"


class Losses(Callback):
    """The loss and the seconds of each batch; Keras itself reports the running mean."""

    def __init__(self) -> None:
        super().__init__()
        self.losses: list[float] = []
        self.seconds: list[float] = []
        self._sum = self._began = 0.0

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        """Keras starts its mean anew with every epoch."""
        self._sum = 0.0
        self._seen = 0

    def on_train_batch_begin(self, batch: int, logs: dict[str, float] | None = None) -> None:
        """Starts the clock of this batch."""
        self._began = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: dict[str, float]) -> None:
        """Takes the batch's own loss out of the mean."""
        self.seconds.append(time.perf_counter() - self._began)
        self._seen += 1
        total = logs["loss"] * self._seen
        self.losses.append(total - self._sum)
        self._sum = total


def load(folder: Path, columns: Sequence[str] = BOTH) -> tuple[datasets.DatasetDict, Any]:
    """The tokenized training and validation splits of these columns, and the tokenizer."""
    tokenizer = AutoTokenizer.from_pretrained(str(folder / "checkpoint"))
    names = ("train", "validation_matched", "validation_mismatched")
    files = {name: str(folder / "data" / f"{name}.parquet") for name in names}
    with_parquet = {
        name: datasets.Dataset.from_parquet(file, keep_in_memory=True)
        for name, file in files.items()
    }
    tokenized = {
        name: rows.map(
            lambda batch: tokenizer(*(batch[column] for column in columns), truncation=True),
            batched=True, keep_in_memory=True, load_from_cache_file=False,
        )
        for name, rows in with_parquet.items()
    }  # fmt: skip
    return datasets.DatasetDict(tokenized), tokenizer


def fine_tune(
    folder: Path,
    rows: datasets.DatasetDict,
    tokenizer: Any,
    seed: int,
    optimizer: Any,
    steps: int = 300,
    loss: str | None = None,
) -> dict[str, Any]:
    """Trains on `steps` batches of 16 and measures both validation splits.

    Returns losses, accuracies by split, the standard deviation of the logits over the validation
    rows, and the median seconds of a step, tracing left out.
    """
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(seed)
    model = TFAutoModelForSequenceClassification.from_pretrained(
        str(folder / "checkpoint"), num_labels=3
    )
    collator = DataCollatorWithPadding(tokenizer, return_tensors="tf")

    def batches(split: str, size: int, train: bool) -> tf.data.Dataset:
        apart = {"label_cols": "labels"} if loss and train else {}
        columns = ["attention_mask", "input_ids"] + ([] if apart or not train else ["label"])
        return rows[split].to_tf_dataset(
            columns=columns, batch_size=size, shuffle=train, collate_fn=collator, **apart
        )

    model.compile(optimizer=Adam(optimizer) if isinstance(optimizer, float) else optimizer,
                  **({"loss": loss} if loss else {}))  # fmt: skip
    seen = Losses()
    train = batches("train", 16, True)
    model.fit(train.take(steps), epochs=1, verbose=0, callbacks=[seen])
    result: dict[str, Any] = {
        "losses": [round(float(value), 4) for value in seen.losses],
        "step_seconds": round(float(np.median(seen.seconds[5:])), 4) if steps > 10 else None,
    }
    if steps < 50:
        return result
    for split in ("validation_matched", "validation_mismatched"):
        logits = model.predict(batches(split, 100, False), verbose=0).logits
        right = logits.argmax(-1) == np.array(rows[split]["label"])
        result[split] = round(float(right.mean()), 4)
        result["spread"] = round(float(logits.std(0).mean()), 5)
    return result


def overfit(
    folder: Path, rows: datasets.DatasetDict, tokenizer: Any, seed: int, epochs: int = 60
) -> list[float]:
    """The loss of every epoch on one batch of 16 that holds all labels, dropout on, Adam(5e-5)."""
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(seed)
    model = TFAutoModelForSequenceClassification.from_pretrained(
        str(folder / "checkpoint"), num_labels=3
    )
    collator = DataCollatorWithPadding(tokenizer, return_tensors="tf")
    at = int(np.random.default_rng(seed).integers(0, 290)) * 16
    one = rows["train"].select(range(at, at + 16))
    assert set(one["label"]) == {0, 1, 2}
    batch = one.to_tf_dataset(
        columns=["attention_mask", "input_ids", "label"], batch_size=16, collate_fn=collator
    ).cache()
    model.compile(optimizer=Adam(5e-5))
    history = model.fit(batch, epochs=epochs, verbose=0).history["loss"]
    return [round(float(value), 4) for value in history]
