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
    """Return the labels of a batch, wherever they stand; None where it has none.

    The shape is (batch,); labels with more than one number a row, one-hot ones or one a token,
    keep the shape they have.
    """
    inputs, beside = _parts(batch)
    labels = beside
    if isinstance(beside, Mapping):
        # Keras lets a single output have a name of its own.
        only = next(iter(beside.values())) if len(beside) == 1 else None
        labels = next((beside[key] for key in LABEL_KEYS if key in beside), only)
    if labels is None and isinstance(inputs, Mapping):
        labels = next((inputs[key] for key in LABEL_KEYS if key in inputs), None)
    if labels is None:
        return None
    values = _values(labels)
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


def label_place(batch: Any) -> LabelPlace:
    """Say where the labels are: a loss given to ``compile`` looks only beside the inputs."""
    inputs, beside = _parts(batch)
    inside = isinstance(inputs, Mapping) and any(key in inputs for key in LABEL_KEYS)
    has_beside = beside is not None and not (isinstance(beside, Mapping) and not beside)
    if inside:
        return LabelPlace.BOTH if has_beside else LabelPlace.INSIDE
    return LabelPlace.BESIDE if has_beside else LabelPlace.NOWHERE


def look_at_batch(batch: Any) -> list[Entry]:
    """List every array of a batch with its shape, type and range (NaN where it has none).

    Args:
        batch: what a ``tf.data.Dataset`` yields: a dict, a tensor, or a tuple of inputs and labels.
    """
    inputs, beside = _parts(batch)
    return [
        entry
        for part, content in (("inputs", inputs), ("labels", beside))
        if content is not None
        for entry in _entries(part, content)
    ]


def _entries(name: str, content: Any) -> list[Entry]:
    if isinstance(content, Mapping):
        return [e for key, item in content.items() for e in _entries(f'{name}["{key}"]', item)]
    if isinstance(content, tuple | list):
        return [e for at, item in enumerate(content) for e in _entries(f"{name}[{at}]", item)]
    values = _values(content)
    lowest = highest = np.nan
    # Text has no range.
    if values.size and values.dtype.kind in "biuf":
        lowest, highest = float(values.min()), float(values.max())
    return [Entry(name, values.shape, str(values.dtype), lowest, highest)]


def label_range(batch: Any, num_labels: int) -> LabelRange:
    """Compare the labels of a batch with the number of classes of a model.

    Raises:
        ValueError: the batch holds no labels, or labels that are not whole numbers.
    """
    labels = labels_of(batch)
    if labels is None or labels.size == 0:
        raise ValueError("This batch holds no labels: neither inside its inputs nor beside them.")
    if not np.all(np.isfinite(labels)) or not np.array_equal(labels, np.trunc(labels)):
        raise ValueError(f"These labels are not whole numbers: {labels[:8]}.")
    outside = np.unique(np.nonzero((labels < 0) | (labels >= num_labels))[0])
    return LabelRange(int(labels.min()), int(labels.max()), num_labels, outside)


def decode_sample(batch: Any, row: int, tokenizer: Any) -> str:
    """Turn one row's ``input_ids`` back into text, padding left out, separators kept.

    Raises:
        KeyError: the batch has no ``input_ids``.
    """
    inputs = inputs_of(batch)
    # A model of one input may be fed the ids themselves.
    ids = _values(inputs["input_ids"] if isinstance(inputs, Mapping) else inputs)[row]
    text: str = tokenizer.decode([i for i in ids.tolist() if i != tokenizer.pad_token_id])
    return text
