"""Pretraining in TensorFlow: fill in words, tag the hypothesis, guess the connective from [CLS]."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
from corpus import Pair
from tf_keras.optimizers import AdamW
from transformers import DistilBertConfig, DistilBertTokenizerFast, TFDistilBertModel
from wordpiece import CONNECTIVES, MAX_LENGTH

WIDTH, LAYERS, HEADS = 128, 4, 4
SEPARATOR, MASK, FIRST_WORD = 102, 103, 104
BATCH, CHUNK = 64, 50
NO_TAG = -1
Row = tuple[list[int], list[int], int]


@dataclass(frozen=True)
class Plan:
    """How long and how hard to train; shares are of the loss, rates per step."""

    steps: int = 2400
    rate: float = 1e-3
    warm_up: int = 150
    flat_until: float = 0.55
    fill_in: float = 0.5
    tags: float = 1.0
    noise: float = 0.05


def config(words: int) -> DistilBertConfig:
    """DistilBERT's architecture, 128 wide, with DistilBERT's own dropout for fine-tuning."""
    return DistilBertConfig(
        vocab_size=words, dim=WIDTH, n_layers=LAYERS, n_heads=HEADS, hidden_dim=4 * WIDTH,
        max_position_embeddings=MAX_LENGTH, dropout=0.1, attention_dropout=0.1,
        seq_classif_dropout=0.2, pad_token_id=0,
    )  # fmt: skip


def encode(pairs: Sequence[Pair], folder: Path) -> list[Row]:
    """Ids, a tag for every id (NO_TAG where none), and the label, pair by pair."""
    tokenizer = DistilBertTokenizerFast.from_pretrained(folder)
    ids = tokenizer([p.premise for p in pairs], [p.hypothesis for p in pairs])["input_ids"]
    rows = []
    for pair, row in zip(pairs, ids, strict=True):
        of = {tokenizer.vocab[word]: tag for word, tag in pair.words.items()}
        start = row.index(SEPARATOR)
        tags = [NO_TAG] * start + [of.get(i, NO_TAG) for i in row[start:]]
        rows.append((row, tags, pair.label))
    return rows


def batches(
    rows: Sequence[Row], plan: Plan, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Endless batches of texts of similar length: masked ids, ids, tags, connectives.

    The second half of each batch has 15 % of its words hidden; the first half is whole, because
    the connective and the tags are asked of whole texts.
    """
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    while True:
        order = list(range(len(rows)))
        rng.shuffle(order)
        for start in range(0, len(order) - BATCH * CHUNK + 1, BATCH * CHUNK):
            chunk = sorted(order[start : start + BATCH * CHUNK], key=lambda i: len(rows[i][0]))
            groups = [chunk[at : at + BATCH] for at in range(0, len(chunk), BATCH)]
            rng.shuffle(groups)
            for group in groups:
                rng.shuffle(group)
                yield _batch([rows[i] for i in group], plan, numbers)


def _batch(
    rows: Sequence[Row], plan: Plan, numbers: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    longest = max(len(row) for row, _, _ in rows)
    # Few distinct widths, so that the compiled step is traced and tuned for few of them.
    width = -(-longest // 8) * 8
    ids = np.zeros((len(rows), width), np.int32)
    tags = np.full((len(rows), width), NO_TAG, np.int32)
    for number, (row, marks, _) in enumerate(rows):
        ids[number, : len(row)] = row
        tags[number, : len(marks)] = marks
    labels = np.array([label for _, _, label in rows])
    lost = numbers.random(len(rows)) < plan.noise
    labels = np.where(lost, numbers.integers(0, 3, len(rows)), labels)
    connectives = (labels * 3 + numbers.integers(0, 3, len(rows))).astype(np.int32)
    half = len(rows) // 2
    tags[half:] = NO_TAG
    hidden = (numbers.random(ids.shape) < 0.15) & (ids >= FIRST_WORD)
    hidden[:half] = False
    targets = np.where(hidden, ids, 0)
    masked = np.where(hidden & (numbers.random(ids.shape) < 0.85), MASK, ids)
    return masked.astype(np.int32), targets.astype(np.int32), tags, connectives


def start(model: TFDistilBertModel, seed: int) -> None:
    """Random weights that find equal words early: each head compares a word with itself."""
    numbers = np.random.default_rng(seed)
    for weight in model.weights:
        name, shape = weight.name, weight.shape
        if "word_embeddings" in name:
            weight.assign(numbers.normal(0, 0.05, shape))
        elif "position_embeddings" in name:
            weight.assign(numbers.normal(0, 0.015, shape))
        elif len(shape) == 2:
            value = numbers.normal(0, int(shape[0]) ** -0.5, shape)
            weight.assign(value * (0.5 if "out_lin" in name or "lin2" in name else 1.0))
    by_name = {weight.name: weight for weight in model.weights}
    for name, weight in by_name.items():
        if name.endswith("q_lin/kernel:0"):
            by_name[name.replace("q_lin", "k_lin")].assign(weight)


def pretrain(
    rows: Sequence[Row], words: int, plan: Plan, seed: int,
    say: Callable[[str], None],
) -> TFDistilBertModel:  # fmt: skip
    """A headless model trained on the rows of `encode`; the pretraining heads are dropped."""
    tf.keras.utils.set_random_seed(seed)
    still = config(words)
    still.dropout = still.attention_dropout = 0.0
    model = TFDistilBertModel(still)
    model(tf.constant([[101, 102]]))
    start(model, seed)
    dense = tf.keras.layers.Dense
    word = tf.keras.Sequential(
        [dense(WIDTH, activation="gelu"), tf.keras.layers.LayerNormalization(), dense(words)]
    )
    tag, connective = dense(3), dense(len(CONNECTIVES))
    for head in (word, tag, connective):
        head.build((None, WIDTH))
    weights = [w for part in (model, word, tag, connective) for w in part.trainable_variables]
    optimizer = AdamW(plan.rate, weight_decay=0.01, beta_2=0.98)
    cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    integers = tf.TensorSpec([None, None], tf.int32)

    @tf.function(input_signature=[integers, integers, integers, tf.TensorSpec([None], tf.int32)])
    def step(masked, targets, tags, connectives):  # type: ignore[no-untyped-def]
        with tf.GradientTape() as tape:
            states = model(
                input_ids=masked, attention_mask=tf.cast(masked > 0, tf.int32), training=True
            )[0]
            guess = connective(states[:, 0])
            joined = cross_entropy(connectives, guess)
            filled = cross_entropy(targets[targets > 0], word(states[targets > 0]))
            marks = tag(states[tags >= 0])
            tagged = cross_entropy(tags[tags >= 0], marks)
            loss = joined + plan.fill_in * filled + plan.tags * tagged
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, weights), 1.0)
        optimizer.apply_gradients(zip(gradients, weights, strict=True))
        half = tf.shape(guess)[0] // 2
        hit = tf.equal(tf.argmax(guess[:half], -1) // 3, tf.cast(connectives[:half] // 3, tf.int64))
        right = tf.equal(tf.argmax(marks, -1), tf.cast(tags[tags >= 0], tf.int64))
        share = [tf.reduce_mean(tf.cast(t, tf.float32)) for t in (hit, right)]
        return tf.stack([joined, filled, tagged, *share])

    seen, began = [], time.time()
    for number, batch in enumerate(batches(rows, plan, seed)):
        done = number / plan.steps
        if done >= 1:
            break
        fall = min(1.0, max(0.02, (1 - done) / (1 - plan.flat_until)))
        optimizer.learning_rate.assign(plan.rate * min(1.0, (number + 1) / plan.warm_up) * fall)
        seen.append(step(*(tf.constant(part) for part in batch)).numpy())
        if (number + 1) % 100 == 0:
            joined, filled, tagged, hit, right = np.mean(seen, axis=0)
            seen = []
            say(
                f"step {number + 1} of {plan.steps}, {time.time() - began:.0f} s: "
                f"connective {joined:.3f} (right {hit:.3f}), words {filled:.3f}, "
                f"tags {tagged:.3f} (right {right:.3f})"
            )
    model.config.dropout = model.config.attention_dropout = 0.1
    return model
