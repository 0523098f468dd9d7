import math

from course_debug.checks import (
    Step,
    dry_step,
    expected_first_loss,
    gradient_norm,
    logits_of,
    per_sample_loss,
    rows_without_gradient,
    variables_without_gradient,
)
import numpy as np
import pytest


def cross_entropy(logits, labels):
    logits = logits.astype(np.float64)
    top = logits.max(axis=1)
    log_sum = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
    return log_sum - logits[np.arange(len(labels)), labels]


def sparse(keras, **settings):
    return keras.losses.SparseCategoricalCrossentropy(**settings)


LOSSES = {
    "string on softmax": ("softmax", lambda keras: "sparse_categorical_crossentropy"),
    "object on softmax": ("softmax", sparse),
    "object on logits": (None, lambda keras: sparse(keras, from_logits=True)),
    "list of one": ("softmax", lambda keras: ["sparse_categorical_crossentropy"]),
    "dict of one": (None, lambda keras: {"head": sparse(keras, from_logits=True)}),
    "function on logits": (
        None,
        lambda keras: (
            lambda labels, logits: keras.losses.sparse_categorical_crossentropy(
                labels, logits, from_logits=True
            )
        ),
    ),
}


@pytest.fixture(params=LOSSES.values(), ids=LOSSES)
def compiled(request, keras, sequential):
    """Return a compiled model of one tensor, and its twin that ends in logits."""
    activation, loss = request.param
    model, twin = sequential(activation), sequential()
    twin.set_weights(model.get_weights())
    model.compile("adam", loss=loss(keras), metrics=["accuracy"])
    return model, twin


def test_the_first_loss_of_a_model_that_knows_nothing_is_the_logarithm_of_the_classes():
    assert expected_first_loss(3) == pytest.approx(1.0986, abs=1e-4)
    assert expected_first_loss(2) == math.log(2)


def test_the_loss_of_each_row_is_its_cross_entropy_and_their_mean_what_keras_evaluates(
    compiled, rows
):
    model, twin = compiled
    losses = per_sample_loss(model, rows)
    assert losses == pytest.approx(cross_entropy(logits_of(twin, rows), rows[1]), abs=1e-5)
    evaluated = model.evaluate(*rows, verbose=0, return_dict=True)["loss"]
    assert losses.mean() == pytest.approx(evaluated, abs=1e-5)
    assert per_sample_loss(model, (rows[0], rows[1][:, None])) == pytest.approx(losses)


def test_rows_whose_label_no_class_has_give_nan_and_only_they(compiled, rows):
    model, _ = compiled
    whole = per_sample_loss(model, rows)
    labels = rows[1].copy()
    labels[1], labels[4] = 3, -1
    losses = per_sample_loss(model, (rows[0], labels))
    assert np.flatnonzero(np.isnan(losses)).tolist() == [1, 4]
    assert np.delete(losses, [1, 4]) == pytest.approx(np.delete(whole, [1, 4]))
    assert rows_without_gradient(model, (rows[0], labels)).tolist() == []


@pytest.mark.parametrize(
    ("loss", "activation", "outputs", "kind"),
    [
        ("mse", None, 1, "number"),
        ("binary_crossentropy", "sigmoid", 1, "bit"),
        ("categorical_crossentropy", "softmax", 3, "one-hot"),
        ("kl_divergence", "softmax", 3, "one-hot"),
    ],
)
def test_other_losses_agree_with_what_keras_evaluates(
    sequential, rows, loss, activation, outputs, kind
):
    model = sequential(activation, outputs=outputs)
    model.compile(loss=loss)
    values, labels = rows
    told = {"number": labels / 4, "bit": labels % 2, "one-hot": np.eye(3)[labels]}[kind]
    losses = per_sample_loss(model, (values, told.astype(np.float32)))
    assert losses.shape == (6,)
    assert losses.mean() == pytest.approx(model.evaluate(values, told, verbose=0), abs=1e-5)


def test_a_loss_a_token_becomes_its_mean_over_the_row(keras):
    model = keras.Sequential([keras.layers.Input((5,)), keras.layers.Embedding(9, 3)])
    model.compile(loss=sparse(keras, from_logits=True))
    ids = np.arange(10).reshape(2, 5) % 9
    losses = per_sample_loss(model, (ids, ids % 3))
    assert losses.shape == (2,)
    assert losses.mean() == pytest.approx(model.evaluate(ids, ids % 3, verbose=0), abs=1e-5)


def test_a_model_of_named_inputs_takes_labels_inside_or_beside(keras, functional, rows):
    model = functional()
    model.compile("adam", loss=sparse(keras, from_logits=True))
    inputs = {"first": rows[0], "second": rows[0][:, :2]}
    beside = per_sample_loss(model, (inputs, rows[1]))
    assert beside == pytest.approx(cross_entropy(logits_of(model, inputs), rows[1]), abs=1e-5)
    assert per_sample_loss(model, {**inputs, "labels": rows[1]}) == pytest.approx(beside)


def test_a_softmax_that_is_sure_and_wrong_is_measured_as_fit_does(sequential, rows):
    model = sequential("softmax")
    model.set_weights([1000 * weight for weight in model.get_weights()])
    model.compile("sgd", loss="sparse_categorical_crossentropy")
    losses = per_sample_loss(model, rows)
    assert losses.max() > 100
    assert losses.mean() == pytest.approx(model.evaluate(*rows, verbose=0), rel=1e-5)
    sure_and_right = np.flatnonzero(losses == 0).tolist()
    assert 0 < len(sure_and_right) < 6
    assert rows_without_gradient(model, rows).tolist() == sure_and_right


def test_rows_whose_logits_are_all_cut_off_as_probabilities_teach_nothing(keras):
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(3)])
    model.set_weights([np.eye(3), np.zeros(3)])
    model.compile("adam", loss="sparse_categorical_crossentropy")
    logits = np.array([[-2.0, 1.5, -0.2], [0.5, 0.2, 0.3], [3.0, 2.0, 9.0]])
    assert rows_without_gradient(model, (logits, np.array([0, 1, 2]))).tolist() == [0, 2]


@pytest.mark.parametrize("place", ["inside", "outside"])
def test_the_transformers_own_loss_is_the_cross_entropy_of_its_logits(transformer, embedded, place):
    model = transformer()
    model.compile("adam")
    batch = embedded[1][place]
    manual = cross_entropy(logits_of(model, batch), np.array(embedded[2]["label"]))
    losses = per_sample_loss(model, batch)
    assert losses == pytest.approx(manual, abs=1e-5)
    assert rows_without_gradient(model, batch).tolist() == []
    assert dry_step(model, batch).loss == pytest.approx(losses.mean(), abs=1e-4)


def test_the_transformer_gives_nan_exactly_where_a_label_is_none_of_its_classes(
    keras, transformer, embedded
):
    model = transformer(num_labels=2)
    labels = np.array(embedded[2]["label"])
    for loss in (None, sparse(keras, from_logits=True)):
        model.compile("adam", **({"loss": loss} if loss else {}))
        losses = per_sample_loss(model, embedded[1]["outside"])
        assert np.flatnonzero(np.isnan(losses)).tolist() == np.flatnonzero(labels == 2).tolist()
        assert np.isnan(losses).any()
        assert not np.isnan(losses).all()


def state(model):
    variables = [*model.weights, *model.optimizer.variables]
    return [variable.numpy().copy() for variable in variables]


def test_a_dry_step_shows_the_loss_of_the_real_step_and_moves_nothing(compiled, rows):
    model, _ = compiled
    model.train_on_batch(*rows)
    before, step = state(model), dry_step(model, rows)
    assert all(np.array_equal(a, b) for a, b in zip(before, state(model), strict=True))
    assert all(not np.any(variable) for m in model.metrics for variable in m.get_weights())
    assert list(step.gradients) == [variable.name for variable in model.trainable_variables]
    assert variables_without_gradient(step) == []
    assert step.loss == pytest.approx(model.train_on_batch(*rows)[0], abs=1e-6)
    assert model.optimizer.iterations.numpy() == 2


def test_gradients_of_a_dry_step_are_those_that_the_optimizer_follows(keras, sequential, rows):
    model = sequential("softmax")
    model.compile(keras.optimizers.SGD(0.5), loss="sparse_categorical_crossentropy")
    before = {variable.name: variable.numpy() for variable in model.trainable_variables}
    step = dry_step(model, rows)
    model.train_on_batch(*rows)
    for variable in model.trainable_variables:
        moved = before[variable.name] - 0.5 * step.gradients[variable.name]
        assert variable.numpy() == pytest.approx(moved, abs=1e-6)


def test_a_dry_step_weighs_rows_as_fit_does(keras, sequential, rows):
    model = sequential("softmax")
    model.compile("sgd", loss="sparse_categorical_crossentropy")
    weights = np.array([0, 0, 0, 0, 0, 6.0], np.float32)
    last = per_sample_loss(model, rows)[5]
    assert dry_step(model, (*rows, weights)).loss == pytest.approx(last, abs=1e-5)


def test_a_dry_step_builds_a_model_and_leaves_its_running_means(keras, rows):
    layers = [keras.layers.Dense(8), keras.layers.BatchNormalization(), keras.layers.Dense(3)]
    model = keras.Sequential(layers)
    model.compile("adam", loss=sparse(keras, from_logits=True))
    assert gradient_norm(dry_step(model, rows)) > 0
    mean, variance = layers[1].moving_mean.numpy(), layers[1].moving_variance.numpy()
    assert (mean.tolist(), variance.tolist()) == ([0] * 8, [1] * 8)


def test_a_dry_step_stops_a_train_step_that_applies_gradients_itself(keras, rows):
    import tensorflow as tf

    class Own(keras.Sequential):
        def train_step(self, data):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(data[0], training=True)))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"loss": loss}

    model = Own([keras.layers.Input((4,)), keras.layers.Dense(3)])
    model.compile("adam")
    before = model.get_weights()
    step = dry_step(model, rows)
    assert step.loss == pytest.approx(np.mean(np.square(logits_of(model, rows))))
    assert gradient_norm(step) > 0
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights(), strict=True))


def test_a_train_step_that_asks_no_optimizer_is_refused(keras, rows):
    class Idle(keras.Sequential):
        def train_step(self, data):
            return {}

    model = Idle([keras.layers.Input((4,)), keras.layers.Dense(3)])
    model.compile("adam")
    with pytest.raises(ValueError, match="never asks its optimizer"):
        dry_step(model, rows)


def test_variables_that_the_loss_ignores_have_no_gradient(keras, sequential, rows):
    import tensorflow as tf

    def blind(labels, logits):
        return tf.zeros_like(logits[:, 0]) * tf.cast(labels, tf.float32)[..., 0]

    x = keras.Input((4,))
    used, unused = keras.layers.Dense(3, name="used"), keras.layers.Dense(3, name="unused")
    model = keras.Model(x, {"logits": used(x), "aside": unused(x)})
    model.compile("adam", loss={"logits": sparse(keras, from_logits=True)})
    step = dry_step(model, (rows[0], {"logits": rows[1]}))
    assert variables_without_gradient(step) == ["unused/kernel:0", "unused/bias:0"]
    assert gradient_norm(step) > 0

    model = sequential()
    model.compile("adam", loss=blind)
    assert rows_without_gradient(model, rows).tolist() == list(range(6))
    assert per_sample_loss(model, rows).tolist() == [0] * 6


def test_variables_of_one_name_keep_a_gradient_each(keras, rows):
    def part():
        x = keras.Input((4,))
        return keras.Model(x, keras.layers.Dense(4, name="same")(x))

    x = keras.Input((4,))
    model = keras.Model(x, part()(part()(x)))
    model.compile("adam", loss="mse")
    step = dry_step(model, (rows[0], rows[0]))
    assert len(step.gradients) == len(model.trainable_variables) == 4
    assert list(step.gradients)[2:] == ["same/kernel:0 (2)", "same/bias:0 (2)"]


@pytest.mark.parametrize("place", ["inside", "outside"])
def test_a_dry_step_moves_nothing_in_the_transformer(keras, transformer, embedded, place):
    batch = embedded[1][place]
    for loss in ({}, {"loss": sparse(keras, from_logits=True)}):
        model = transformer()
        model.compile(keras.optimizers.Adam(1e-4), **loss)
        before, step = state(model), dry_step(model, batch)
        assert all(np.array_equal(a, b) for a, b in zip(before, state(model), strict=True))
        assert len(step.gradients) == len(model.trainable_variables)
        assert variables_without_gradient(step) == []
        assert step.loss == pytest.approx(per_sample_loss(model, batch).mean(), abs=1e-4)


def test_the_length_of_all_gradients_counts_missing_ones_as_nothing():
    assert gradient_norm(Step(0.0, {"a": np.array([[3.0]]), "b": None, "c": np.array(4.0)})) == 5
    assert gradient_norm(Step(0.0, {})) == 0


def test_what_has_no_loss_is_refused(keras, sequential, rows):
    model = sequential()
    for check in (per_sample_loss, rows_without_gradient):
        with pytest.raises(ValueError, match="no loss yet"):
            check(model, rows)
        with pytest.raises(ValueError, match="holds no labels"):
            check(model, rows[0])
    with pytest.raises(ValueError, match="not compiled"):
        dry_step(model, rows)
    model.compile("adam", loss=["mse", "mse"])
    with pytest.raises(ValueError, match="2 losses"):
        per_sample_loss(model, rows)
