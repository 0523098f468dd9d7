"""One step of a training loop written by hand."""

from course_debug.pipeline import CHECKPOINT
import tensorflow as tf
from transformers import TFAutoModelForSequenceClassification

model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
optimizer = tf.keras.optimizers.Adam(5e-5)
batch = {"input_ids": tf.constant([[101, 102]]), "labels": tf.constant([1])}

with tf.GradientTape() as tape:
    outputs = model(batch)
    loss = tf.reduce_mean(outputs.loss)
gradients = tape.gradient(loss, model.trainable_variables)
optimizer.apply_gradients(zip(gradients, model.trainable_variables))
