"""The same function in other units, so that the usable learning rates are DistilBERT's.

An optimizer like Adam moves every weight by about the learning rate, whatever the weight's size.
How far that moves what the layer computes depends on the units in which the layer computes: in a
stream `scale` times larger, the weights that read it are `scale` times smaller, and one step of
the same size is felt `scale` times more. A layer six times wider feels it in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import tensorflow as tf
from transformers import TFDistilBertModel


@dataclass(frozen=True)
class Units:
    """The units that the shipped checkpoint is written in.

    scale: how much larger the stream between the layers becomes.
    last: how much larger the output of the last layer becomes; the only visible change.
    embeddings: how much smaller the embedding tables become; their layer norm undoes it.
    head: standard deviation of the random weights of a new classification head.
    """

    scale: float = 8.0
    last: float = 20.0
    embeddings: float = 2.0
    head: float = 0.007


def rescale(model: TFDistilBertModel, units: Units) -> float:
    """Changes the weights in place; returns the largest change of any output, relative."""
    probe = tf.constant(
        np.random.default_rng(0).integers(104, model.config.vocab_size, (4, 24)), tf.int32
    )
    before = model(probe).last_hidden_state.numpy() * units.last
    for weight in model.weights:
        weight.assign(weight * _factor(weight.name, model.config.n_layers, units))
    after = model(probe).last_hidden_state.numpy()
    return float(np.abs(after - before).max() / np.abs(before).max())


def _factor(name: str, layers: int, units: Units) -> float:
    scale = units.scale
    if "word_embeddings" in name or "position_embeddings" in name:
        return 1 / units.embeddings
    if "embeddings/LayerNorm" in name or "sa_layer_norm" in name or "lin2/" in name:
        return scale
    if "output_layer_norm" in name:
        layer = re.search(r"layer_\._(\d+)", name)
        return units.last if layer and int(layer[1]) == layers - 1 else scale
    if re.search(r"(q_lin|k_lin|lin1)/kernel", name):
        return 1 / scale
    if re.search(r"(v_lin|out_lin)/bias", name):
        return scale
    return 1.0


def centre(model: TFDistilBertModel, rows: Sequence[Sequence[int]]) -> float:
    """Shifts the last layer's output so that [CLS] has mean 0 over these rows of ids.

    A constant that any bias after it could undo. Without it a fresh head would give every text
    nearly the same logits, all of one sign with one seed in four, and what a loss on unnormalised
    outputs does depends on those signs. Returns the mean's share of the second moment before.
    """
    width = max(len(row) for row in rows)
    ids = np.zeros((len(rows), width), np.int32)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
    first = np.concatenate(
        [
            model(part, attention_mask=tf.cast(part > 0, tf.int32)).last_hidden_state.numpy()[:, 0]
            for part in tf.split(tf.constant(ids), -(-len(rows) // 64))
        ]
    )
    mean = first.mean(0)
    last = f"layer_._{model.config.n_layers - 1}/output_layer_norm/beta"
    bias = next(weight for weight in model.weights if last in weight.name)
    bias.assign_sub(mean)
    return float((mean**2).sum() / (first**2).sum(1).mean())
