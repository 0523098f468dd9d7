"""An imitation: the train step that transformers 4.18 and 4.19 gave to their TensorFlow models.

Those two releases of 2022 are the only ones whose ``fit`` fails in the way this stage is about.
Today's train step moves labels out of the inputs by itself, so the failure needs the old one back.
"""

from __future__ import annotations

import types
from typing import Any


def as_in_2022(model: Any) -> None:
    """Give a TensorFlow model of today the train step of 2022. Call it before ``compile``."""
    model.train_step = types.MethodType(_train_step, model)


def _train_step(model: Any, data: Any) -> dict[str, Any]:
    import tensorflow as tf
    import tf_keras

    inputs, labels, sample_weight = tf_keras.utils.unpack_x_y_sample_weight(data)
    # transformers' own name for "compiled without a loss, so the model's own loss is used".
    own_loss = model._using_dummy_loss
    if own_loss and labels is not None and "labels" not in inputs:
        inputs = {**inputs, "labels": labels}

    with tf.GradientTape() as tape:
        outputs = model(inputs, training=True)
        if own_loss:
            loss = tf.reduce_mean(outputs.loss)
        elif labels is None:
            # Keras 2.7 summed the losses that had a target. Here none has one: the sum is 0.
            loss = tf.zeros(())
        else:
            loss = model.compiled_loss(labels, outputs.logits, sample_weight)
    model.optimizer.minimize(loss, model.trainable_variables, tape=tape)
    return {"loss": loss}
