from course_debug.checks import (
    Predictions,
    label_range,
    logits_of,
    nan_rows,
    nan_variables,
    num_labels_of,
    predict,
)
import numpy as np
import pytest


def test_a_model_answers_alike_to_any_form_of_batch(sequential, rows):
    model = sequential()
    values, labels = rows
    direct = model(values).numpy()
    for batch in (values, (values,), (values, labels), [values, labels], (values, labels, labels)):
        assert np.array_equal(logits_of(model, batch), direct)


def test_a_model_of_named_inputs_answers_without_labels(functional, rows):
    model = functional()
    inputs = {"first": rows[0], "second": rows[0][:, :2]}
    direct = model(inputs).numpy()
    assert np.array_equal(logits_of(model, {**inputs, "labels": rows[1]}), direct)
    assert np.array_equal(logits_of(model, (inputs, rows[1])), direct)


def test_dropout_does_not_disturb_the_answer(sequential, rows):
    model = sequential(dropout=0.9)
    assert np.array_equal(logits_of(model, rows), logits_of(model, rows))


def test_one_output_may_stand_in_a_dict_or_a_list_and_several_need_one_called_logits(keras, rows):
    x = keras.Input((4,))
    one, two = keras.layers.Dense(3)(x), keras.layers.Dense(2)(x)
    for outputs in ([one], {"head": one}, {"other": two, "logits": one}):
        assert logits_of(keras.Model(x, outputs), rows).shape == (6, 3)
    for outputs in ([one, two], {"a": one, "b": two}):
        with pytest.raises(ValueError, match="2 outputs"):
            logits_of(keras.Model(x, outputs), rows)


def test_the_transformer_answers_although_no_loss_could_take_its_labels(transformer, embedded):
    model = transformer(num_labels=2)
    batches = embedded[1]
    assert not label_range(batches["inside"], num_labels_of(model)).fits
    inside = logits_of(model, batches["inside"])
    assert inside.shape == (8, 2)
    assert np.array_equal(inside, logits_of(model, batches["outside"]))


def test_rows_with_a_nan_anywhere_are_named():
    values = np.zeros((4, 2, 3))
    values[1, 0, 2] = values[3, 1, 1] = np.nan
    values[2] = np.inf
    assert nan_rows(values).tolist() == [1, 3]
    assert nan_rows([0.0, float("nan")]).tolist() == [1]
    assert nan_rows(np.zeros((2, 3), int)).tolist() == []
    assert nan_rows(np.zeros((0, 3))).tolist() == []


def test_weights_with_a_nan_are_named_trained_or_not(keras, sequential):
    model = sequential()
    model.add(keras.layers.BatchNormalization(name="norm"))
    assert nan_variables(model) == []
    for name in ("head", "norm"):
        weight = model.get_layer(name).weights[-1]
        weight.assign([1.0, np.nan, np.inf])
    assert nan_variables(model) == ["head/bias:0", "norm/moving_variance:0"]


def test_a_model_says_how_many_classes_it_has(keras, sequential, functional, transformer):
    assert num_labels_of(sequential(outputs=5)) == 5
    assert num_labels_of(functional()) == 3
    assert num_labels_of(transformer(num_labels=2)) == 2


def test_a_model_that_does_not_say_it_is_refused(keras):
    x = keras.Input((4,))
    two = keras.Model(x, {"a": keras.layers.Dense(3)(x), "b": keras.layers.Dense(2)(x)})
    not_built = keras.Sequential([keras.layers.Dense(3)])
    for model in (not_built, two, keras.Model(), object()):
        with pytest.raises(ValueError, match="how many classes"):
            num_labels_of(model)


@pytest.mark.parametrize("activation", [None, "softmax"])
def test_predictions_agree_with_what_keras_evaluates(sequential, rows, activation):
    import tensorflow as tf

    model = sequential(activation)
    model.compile(metrics=["sparse_categorical_accuracy"])
    batches = tf.data.Dataset.from_tensor_slices(rows).batch(4)
    predictions = predict(model, batches)
    assert predictions.labels.tolist() == rows[1].tolist()
    assert predictions.classes.tolist() == model.predict(rows[0], verbose=0).argmax(1).tolist()
    told = model.evaluate(batches, verbose=0, return_dict=True)["sparse_categorical_accuracy"]
    assert predictions.accuracy == pytest.approx(told)
    assert sum(predictions.counts(3)) == 6


def test_a_model_that_learned_its_rows_by_heart_is_all_right(keras, rows):
    table = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(3, use_bias=False)])
    table.set_weights([np.eye(3)])
    right = np.eye(3)[rows[1]]
    assert predict(table, [(right, rows[1])]).accuracy == 1
    assert predict(table, [(right, np.eye(3)[rows[1]])]).accuracy == 1
    assert predict(table, [(right, (rows[1] + 1) % 3)]).accuracy == 0
    table.set_weights([np.full((3, 3), np.nan)])
    assert predict(table, [(right, rows[1])]).counts(3) == [6, 0, 0]


def test_accuracy_and_counts_are_shares_and_numbers_of_rows():
    predictions = Predictions(np.array([0, 1, 2, 2]), np.array([0, 0, 2, 0]))
    assert predictions.accuracy == 0.5
    assert predictions.counts(4) == [3, 0, 1, 0]


def test_the_transformer_predicts_the_same_wherever_the_labels_stand(transformer, embedded):
    model = transformer()
    inside, outside = (predict(model, [batch]) for batch in embedded[1].values())
    assert inside.classes.tolist() == outside.classes.tolist()
    assert inside.labels.tolist() == embedded[2]["label"]
    assert inside.accuracy == np.mean(inside.classes == inside.labels)


def test_what_cannot_be_compared_is_refused(sequential, rows):
    values, labels = rows
    for model, batches, reason in (
        (sequential(), [values], "no labels"),
        (sequential(), [], "no batches"),
        (sequential(outputs=1), [(values, labels)], "names no class"),
    ):
        with pytest.raises(ValueError, match=reason):
            predict(model, batches)
