"""Third station: the loss of one batch, row by row, and the gradients that come back from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from unittest import mock

from course_debug.checks.data import inputs_of, labels_of
from course_debug.checks.model import outputs_of
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
    cannot name gives NaN here where the plain CPU kernel raises. Dropout is off, sample weights are
    left out, and the weights are not touched.

    Raises:
        ValueError: the batch holds no labels, or the model has no loss, or several.
    """
    return _losses_and_slopes(model, batch)[0]


def rows_without_gradient(model: Any, batch: Any) -> np.ndarray:
    """Return the numbers of the rows that teach nothing: their loss has no slope in any logit.

    A row whose slope is NaN, as with a label that the model cannot name, is none of them.

    Raises:
        ValueError: as `per_sample_loss`.
    """
    return np.flatnonzero(np.all(_losses_and_slopes(model, batch)[1] == 0, axis=1))


def _losses_and_slopes(model: Any, batch: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the loss of each row and its slopes in the row's outputs, (batch,) and (batch, n)."""
    import tensorflow as tf

    labels = labels_of(batch)
    if labels is None:
        raise ValueError("This batch holds no labels, so it has no loss.")
    loss = _loss_function(model)
    outputs = outputs_of(model, batch)
    if outputs.shape[-1] == 1 and labels.ndim == outputs.shape.rank - 1:
        labels = labels[..., None]
    if labels.dtype.kind in "iu":
        labels = labels.astype(np.int32)
    # Behind a softmax of its own Keras hands the loss the logits too, in this attribute.
    logits = getattr(outputs, "_keras_logits", outputs)

    @tf.function(jit_compile=True)
    def compute(labels: Any, outputs: Any, logits: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([outputs, logits])
            answered = tf.identity(outputs)
            if behind_softmax:
                answered._keras_logits = logits
            losses = loss(labels, answered)
        return losses, tape.gradient(
            losses, [outputs, logits], unconnected_gradients=tf.UnconnectedGradients.ZERO
        )

    behind_softmax = logits is not outputs
    losses, slopes = compute(tf.constant(labels), outputs, logits)
    rows = len(labels)
    flat = [np.asarray(tf.convert_to_tensor(slope)).reshape(rows, -1) for slope in slopes]
    # More than one loss a row: one a token, say.
    return np.asarray(losses).reshape(rows, -1).mean(axis=1), np.concatenate(flat, axis=1)


def _loss_function(model: Any) -> Callable[[Any, Any], Any]:
    """Return the per-row loss (labels, outputs) that ``fit`` averages for this model."""
    import tf_keras

    given = getattr(model, "loss", None)
    own = getattr(model, "hf_compute_loss", None)
    # transformers puts a placeholder into `loss` where compile was given none.
    if own and (given is None or getattr(model, "_using_dummy_loss", False)):
        return own
    if isinstance(given, dict | list | tuple):
        several = list(given.values()) if isinstance(given, dict) else list(given)
        if len(several) != 1:
            raise ValueError(f"This model has {len(several)} losses, one for each output.")
        given = several[0]
    loss = tf_keras.losses.get(given)
    if loss is None:
        raise ValueError("This model has no loss yet: call model.compile(...) first.")
    # A Loss object's own call averages; its `call` gives one value a row, as the functions do.
    return loss.call if isinstance(loss, tf_keras.losses.Loss) else loss


def dry_step(model: Any, batch: Any) -> Step:
    """Run the model's own train step on one batch and stop it where the optimizer would act.

    What it returns is what ``fit`` would see, dropout included, whatever train step the model has.
    Weights, the running means of a BatchNormalization among them, stay as they are; metrics are
    left reset.

    Raises:
        ValueError: the model is not compiled, or its train step never asks its optimizer.
    """
    import tensorflow as tf

    optimizer = getattr(model, "optimizer", None)
    if optimizer is None:
        raise ValueError("This model is not compiled: call model.compile(...) first.")
    if not model.built:
        model(inputs_of(batch), training=False)
    seen: dict[str, Any] = {}

    def minimize(loss: Any, variables: Any, *args: Any, tape: Any = None, **kwargs: Any) -> None:
        seen["loss"] = float(loss)
        apply(zip(tape.gradient(loss, variables), variables, strict=True))

    def apply(gradients: Any, *args: Any, **kwargs: Any) -> None:
        seen["gradients"] = _by_name(gradients)

    tensors = tf.nest.map_structure(
        lambda part: None if part is None else tf.convert_to_tensor(part), batch
    )
    # What a layer updates in its forward pass, without any optimizer.
    kept = [(weight, weight.numpy()) for weight in model.non_trainable_weights]
    model.reset_metrics()
    try:
        with (
            mock.patch.object(optimizer, "minimize", minimize),
            mock.patch.object(optimizer, "apply_gradients", apply),
        ):
            logs = model.train_step(tensors)
    finally:
        for weight, value in kept:
            weight.assign(value)
        model.reset_metrics()
    if "gradients" not in seen:
        raise ValueError("The train step of this model never asks its optimizer.")
    # A train step that calls apply_gradients itself tells its loss only here.
    return Step(seen.get("loss", float(logs.get("loss", math.nan))), seen["gradients"])


def _by_name(gradients: Iterable[tuple[Any, Any]]) -> dict[str, np.ndarray | None]:
    import tensorflow as tf

    named: dict[str, np.ndarray | None] = {}
    for gradient, variable in gradients:
        name, count = variable.name, 1
        # Two layers may give their variables the same name.
        while name in named:
            count += 1
            name = f"{variable.name} ({count})"
        named[name] = None if gradient is None else tf.convert_to_tensor(gradient).numpy()
    return named


def variables_without_gradient(step: Step) -> list[str]:
    """Return the names of the variables on which the loss of a step does not depend."""
    return [name for name, gradient in step.gradients.items() if gradient is None]


def gradient_norm(step: Step) -> float:
    """Return the length of all gradients of a step taken as one vector; missing ones count as 0."""
    squares = [float(np.sum(np.square(g))) for g in step.gradients.values() if g is not None]
    return math.sqrt(sum(squares))
