"""Second station: what a model answers to one batch, and whether its weights are still numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from course_debug.checks.data import inputs_of, labels_of
import numpy as np


@dataclass(frozen=True)
class Predictions:
    """Labels and predicted classes of a split, both of shape (rows,)."""

    labels: np.ndarray
    classes: np.ndarray

    @property
    def accuracy(self) -> float:
        """The share of rows whose predicted class is the label."""
        return float(np.mean(self.labels == self.classes))

    def counts(self, num_labels: int) -> list[int]:
        """Return how often each class was predicted; one class alone is a sign of collapse."""
        return np.bincount(self.classes, minlength=num_labels).tolist()


def outputs_of(model: Any, batch: Any) -> Any:
    """Call a model on one batch without its labels; return its one output, a tensor.

    Without labels no loss is computed, so a label that the loss cannot take does not stop this.

    Raises:
        ValueError: the model has several outputs, and none is called logits.
    """
    outputs = model(inputs_of(batch), training=False)
    if isinstance(outputs, Mapping):
        if "logits" in outputs:
            return outputs["logits"]
        outputs = list(outputs.values())
    if isinstance(outputs, tuple | list):
        if len(outputs) != 1:
            raise ValueError(f"This model has {len(outputs)} outputs, and none is called logits.")
        return outputs[0]
    return outputs


def logits_of(model: Any, batch: Any) -> np.ndarray:
    """Return what a model answers to one batch, shape (batch, classes).

    Logits, or probabilities where the model itself ends in a softmax.

    Raises:
        ValueError: as `outputs_of`.
    """
    return np.asarray(outputs_of(model, batch))


def nan_rows(values: Any) -> np.ndarray:
    """Return the numbers of the rows that hold a NaN, for values of shape (batch, ...)."""
    array = np.asarray(values)
    return np.flatnonzero(np.isnan(array).any(axis=tuple(range(1, array.ndim))))


def nan_variables(model: Any) -> list[str]:
    """Return the names of a model's weights that hold at least one NaN."""
    return [weight.name for weight in model.weights if np.isnan(weight.numpy()).any()]


def num_labels_of(model: Any) -> int:
    """Return how many classes a model tells apart.

    Raises:
        ValueError: it has neither a transformers configuration nor a known output shape.
    """
    num_labels = getattr(getattr(model, "config", None), "num_labels", None)
    if num_labels is not None:
        return int(num_labels)
    try:
        return int(model.output_shape[-1])
    except (AttributeError, KeyError, RuntimeError, TypeError) as error:
        raise ValueError("This model does not say how many classes it has.") from error


def predict(model: Any, batches: Iterable[Any]) -> Predictions:
    """Run a model over batches and return what it predicts beside what is right.

    Raises:
        ValueError: there is no batch, a batch holds no labels, or the model has a single number to
            a row, which names no class.
    """
    labels, classes = [], []
    for batch in batches:
        right = labels_of(batch)
        if right is None:
            raise ValueError("These batches hold no labels, so nothing can be compared.")
        logits = logits_of(model, batch)
        if logits.shape[-1] < 2:
            raise ValueError("This model answers with one number a row, which names no class.")
        one_hot = right.shape == logits.shape
        labels.append(np.argmax(right, axis=-1) if one_hot else right)
        # argmax takes the first NaN for the largest value, so a NaN row always reads as class 0.
        classes.append(np.argmax(logits, axis=-1))
    if not labels:
        raise ValueError("There are no batches here, so nothing can be compared.")
    return Predictions(np.concatenate(labels), np.concatenate(classes))
