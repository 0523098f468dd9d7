"""Third station: the loss of one batch, row by row, and the gradients that come back from it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

from course_debug.checks.data import labels_of
from course_debug.checks.model import logits_of
import numpy as np


@dataclass(frozen=True)
class Step:
    """One training step, stopped before any weight moved.

    Attributes:
        loss: what the step would minimise, in nats.
        gradients: variable name -> gradient as a dense array, or None where the loss does not
            depend on that variable.
    """

    loss: float
    gradients: dict[str, np.ndarray | None]


def expected_first_loss(num_labels: int) -> float:
    """Return the cross-entropy of a model that knows nothing: ln(num_labels), in nats."""
    return math.log(num_labels)


def per_sample_loss(model: Any, batch: Any) -> np.ndarray:
    """Return the loss of every row of a batch, shape (batch,), in nats.

    It is computed under XLA, which, as on a GPU, does not check labels: a row whose label the model
    cannot name gives NaN here where the plain CPU kernel raises. The weights are not touched.

    Raises:
        ValueError: the batch holds no labels.
    """
    import tensorflow as tf

    labels = labels_of(batch)
    if labels is None:
        raise ValueError("This batch holds no labels, so it has no loss.")
    compute = tf.function(_loss_function(model), jit_compile=True)
    losses = compute(tf.constant(labels.astype(np.int32)), tf.constant(logits_of(model, batch)))
    return np.asarray(losses).reshape(-1)


def rows_without_gradient(model: Any, batch: Any) -> np.ndarray:
    """Return the numbers of the rows that teach nothing: their loss has no slope in any logit.

    Raises:
        ValueError: the batch holds no labels.
    """
    import tensorflow as tf

    labels = labels_of(batch)
    if labels is None:
        raise ValueError("This batch holds no labels, so it has no loss.")
    logits = tf.constant(logits_of(model, batch))
    with tf.GradientTape() as tape:
        tape.watch(logits)
        losses = _loss_function(model)(tf.constant(labels.astype(np.int32)), logits)
    slopes = np.asarray(tf.convert_to_tensor(tape.gradient(losses, logits)))
    return np.flatnonzero(np.all(slopes == 0, axis=-1))


def _loss_function(model: Any) -> Callable[[Any, Any], Any]:
    """Return the per-row loss (labels, outputs) that ``fit`` averages for this model."""
    import tf_keras

    given = getattr(model, "loss", None)
    own = getattr(model, "hf_compute_loss", None)
    # transformers puts a placeholder into `loss` where compile was given none.
    if own and (given is None or getattr(model, "_using_dummy_loss", False)):
        return own
    loss = tf_keras.losses.get(given)
    if loss is None:
        raise ValueError("This model has no loss yet: call model.compile(...) first.")
    # A Loss object's own call averages; its `call` gives one value a row, as the functions do.
    return loss.call if isinstance(loss, tf_keras.losses.Loss) else loss


def dry_step(model: Any, batch: Any) -> Step:
    """Run the model's own train step on one batch and stop it where the optimizer would act.

    What it returns is what ``fit`` would see, dropout included, whatever train step the model has.

    Raises:
        ValueError: the model is not compiled.
    """
    import tensorflow as tf

    if getattr(model, "optimizer", None) is None:
        raise ValueError("This model is not compiled: call model.compile(...) first.")
    seen: dict[str, Any] = {}

    def look(loss: Any, variables: Any, *args: Any, tape: Any = None, **kwargs: Any) -> None:
        seen["loss"] = float(loss)
        seen["gradients"] = {
            variable.name: None if gradient is None else tf.convert_to_tensor(gradient).numpy()
            for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True)
        }

    tensors = tf.nest.map_structure(tf.convert_to_tensor, batch)
    with mock.patch.object(model.optimizer, "minimize", look):
        model.train_step(tensors)
    if hasattr(model, "reset_metrics"):
        model.reset_metrics()
    return Step(**seen)


def variables_without_gradient(step: Step) -> list[str]:
    """Return the names of the variables on which the loss of a step does not depend."""
    return [name for name, gradient in step.gradients.items() if gradient is None]


def gradient_norm(step: Step) -> float:
    """Return the length of all gradients of a step taken as one vector; missing ones count as 0."""
    squares = [float(np.sum(np.square(g))) for g in step.gradients.values() if g is not None]
    return math.sqrt(sum(squares))
