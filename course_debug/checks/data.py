"""First station: what is in a batch, where its labels are, and whether they can be right."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

LABEL_KEYS = ("labels", "label")


class LabelPlace(enum.Enum):
    """Where a batch carries its labels."""

    INSIDE = "inside the inputs"
    BESIDE = "beside the inputs"
    BOTH = "inside and beside the inputs"
    NOWHERE = "nowhere"


@dataclass(frozen=True)
class Entry:
    """One array of a batch. ``name`` says where it stands, e.g. ``inputs["input_ids"]``."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    lowest: float
    highest: float


@dataclass(frozen=True)
class LabelRange:
    """The labels of a batch against the classes that a model can name.

    ``rows_outside`` are the row numbers whose label is below 0 or not below ``num_labels``.
    """

    lowest: int
    highest: int
    num_labels: int
    rows_outside: np.ndarray

    @property
    def fits(self) -> bool:
        """Whether every label is one of the classes 0 .. num_labels - 1."""
        return len(self.rows_outside) == 0


def _parts(batch: Any) -> tuple[Any, Any]:
    """Split a batch as ``fit`` does: (inputs, labels or None); sample weights are left out."""
    if isinstance(batch, tuple | list):
        return (batch[0], batch[1]) if len(batch) > 1 else (batch[0], None)
    return batch, None


def _values(array: Any) -> np.ndarray:
    return np.asarray(array.numpy() if hasattr(array, "numpy") else array)


def inputs_of(batch: Any) -> Any:
    """Return what the model is called with, without any labels that stand inside it."""
    inputs, _ = _parts(batch)
    if isinstance(inputs, Mapping):
        return {name: value for name, value in inputs.items() if name not in LABEL_KEYS}
    return inputs


def labels_of(batch: Any) -> np.ndarray | None:
    """Return the labels of a batch, shape (batch,), wherever they stand; None where it has none."""
    inputs, beside = _parts(batch)
    if isinstance(beside, Mapping):
        beside = next((beside[key] for key in LABEL_KEYS if key in beside), None)
    if beside is None and isinstance(inputs, Mapping):
        beside = next((inputs[key] for key in LABEL_KEYS if key in inputs), None)
    return None if beside is None else _values(beside).reshape(-1)


def label_place(batch: Any) -> LabelPlace:
    """Say where the labels are: a loss given to ``compile`` looks only beside the inputs."""
    inputs, beside = _parts(batch)
    inside = isinstance(inputs, Mapping) and any(key in inputs for key in LABEL_KEYS)
    has_beside = beside is not None and not (isinstance(beside, Mapping) and not beside)
    if inside:
        return LabelPlace.BOTH if has_beside else LabelPlace.INSIDE
    return LabelPlace.BESIDE if has_beside else LabelPlace.NOWHERE


def look_at_batch(batch: Any) -> list[Entry]:
    """List every array of a batch with its shape, type and range.

    Args:
        batch: what a ``tf.data.Dataset`` yields: a dict, a tensor, or a tuple of inputs and labels.
    """
    inputs, beside = _parts(batch)
    entries = []
    for part, content in (("inputs", inputs), ("labels", beside)):
        if content is None:
            continue
        named = content.items() if isinstance(content, Mapping) else [(None, content)]
        for key, array in named:
            values = _values(array)
            name = part if key is None else f'{part}["{key}"]'
            lowest, highest = (values.min(), values.max()) if values.size else (np.nan, np.nan)
            entries.append(
                Entry(name, values.shape, str(values.dtype), float(lowest), float(highest))
            )
    return entries


def label_range(batch: Any, num_labels: int) -> LabelRange:
    """Compare the labels of a batch with the number of classes of a model.

    Raises:
        ValueError: the batch holds no labels, or labels that are not whole numbers.
    """
    labels = labels_of(batch)
    if labels is None or labels.size == 0:
        raise ValueError("This batch holds no labels: neither inside its inputs nor beside them.")
    if not np.array_equal(labels, labels.astype(np.int64)):
        raise ValueError(f"These labels are not whole numbers: {labels[:8]}.")
    outside = np.flatnonzero((labels < 0) | (labels >= num_labels))
    return LabelRange(int(labels.min()), int(labels.max()), num_labels, outside)


def decode_sample(batch: Any, row: int, tokenizer: Any) -> str:
    """Turn one row's ``input_ids`` back into text, padding left out, separators kept.

    Raises:
        KeyError: the batch has no ``input_ids``.
    """
    inputs = inputs_of(batch)
    ids = _values(inputs["input_ids"])[row]
    text: str = tokenizer.decode([i for i in ids.tolist() if i != tokenizer.pad_token_id])
    return text
