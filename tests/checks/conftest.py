"""Small models and batches that the checks are tried on."""

import numpy as np
import pytest

CLASSES = 3


@pytest.fixture(autouse=True)
def seeded(keras):
    keras.utils.set_random_seed(5)


@pytest.fixture
def rows():
    """Return six rows of four numbers and their labels."""
    values = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    return values, np.array([0, 1, 2, 2, 1, 0])


@pytest.fixture
def functional(keras):
    """Return a function that builds a model of two named inputs, 4 and 2 numbers wide."""

    def build(activation=None, dropout=0.0):
        first = keras.Input((4,), name="first")
        second = keras.Input((2,), name="second")
        x = keras.layers.Concatenate()([first, second])
        x = keras.layers.Dropout(dropout)(keras.layers.Dense(8, "relu", name="hidden")(x))
        out = keras.layers.Dense(CLASSES, activation, name="head")(x)
        return keras.Model({"first": first, "second": second}, out)

    return build


@pytest.fixture
def sequential(keras):
    """Return a function that builds a model of one tensor, 4 numbers wide."""

    def build(activation=None, dropout=0.0, outputs=CLASSES):
        layers = keras.layers
        return keras.Sequential(
            [
                layers.Input((4,)),
                layers.Dense(8, "relu", name="hidden"),
                layers.Dropout(dropout),
                layers.Dense(outputs, activation, name="head"),
            ]
        )

    return build


@pytest.fixture(scope="session")
def embedded(keras):
    """Return the embedded transformer's tokenizer, and its batches with labels by place."""
    from course_debug import pipeline

    source = pipeline.choose("mini", "mini")
    tokenizer = pipeline.tokenizer(source)
    raw = pipeline.raw(source)
    few = raw["train"].select(range(8))
    encoded = few.map(
        lambda pairs: tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True),
        batched=True,
    )
    batches = {
        place: next(iter(pipeline.batches(encoded, tokenizer, 8, shuffle=False, labels=place)))
        for place in ("inside", "outside")
    }
    return tokenizer, batches, few


@pytest.fixture
def transformer(keras):
    """Return a function that loads the embedded transformer without dropout."""
    from course_debug import pipeline

    def load(num_labels=CLASSES, **settings):
        quiet = {"dropout": 0.0, "attention_dropout": 0.0, "seq_classif_dropout": 0.0}
        source = pipeline.choose("mini", "mini")
        return pipeline.model(source, num_labels=num_labels, **{**quiet, **settings})

    return load
