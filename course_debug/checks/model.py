"""Second station: what a model answers to one batch, and whether its weights are still numbers."""

from __future__ import annotations

from collections.abc import Iterable
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


def logits_of(model: Any, batch: Any) -> np.ndarray:
    """Call a model on one batch without its labels and return the logits, shape (batch, classes).

    Without labels no loss is computed, so a label that the loss cannot take does not stop this.
    """
    outputs = model(inputs_of(batch), training=False)
    logits = outputs.logits if hasattr(outputs, "logits") else outputs
    return np.asarray(logits)


def nan_rows(values: Any) -> np.ndarray:
    """Return the numbers of the rows that hold a NaN, for values of shape (batch, ...)."""
    array = np.asarray(values)
    return np.flatnonzero(np.isnan(array.reshape(len(array), -1)).any(axis=1))


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
    except (AttributeError, RuntimeError, TypeError) as error:
        raise ValueError("This model does not say how many classes it has.") from error


def predict(model: Any, batches: Iterable[Any]) -> Predictions:
    """Run a model over batches and return what it predicts beside what is right.

    Raises:
        ValueError: a batch holds no labels.
    """
    labels, classes = [], []
    for batch in batches:
        right = labels_of(batch)
        if right is None:
            raise ValueError("These batches hold no labels, so nothing can be compared.")
        labels.append(right)
        # argmax takes the first NaN for the largest value, so a NaN row always reads as class 0.
        classes.append(np.argmax(logits_of(model, batch), axis=-1))
    return Predictions(np.concatenate(labels), np.concatenate(classes))
