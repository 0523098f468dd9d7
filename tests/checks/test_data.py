import math

from course_debug.checks import (
    LabelPlace,
    decode_sample,
    inputs_of,
    label_place,
    label_range,
    labels_of,
    look_at_batch,
)
import numpy as np
import pytest

VALUES = np.ones((3, 4))
LABELS = np.array([0, 1, 2])


@pytest.mark.parametrize(
    ("batch", "place"),
    [
        ({"input_ids": VALUES, "labels": LABELS}, LabelPlace.INSIDE),
        ({"input_ids": VALUES, "label": LABELS}, LabelPlace.INSIDE),
        (({"input_ids": VALUES, "labels": LABELS},), LabelPlace.INSIDE),
        (({"input_ids": VALUES, "labels": LABELS}, {}), LabelPlace.INSIDE),
        (({"input_ids": VALUES, "labels": LABELS}, None), LabelPlace.INSIDE),
        (({"input_ids": VALUES}, LABELS), LabelPlace.BESIDE),
        (({"input_ids": VALUES}, {"labels": LABELS}), LabelPlace.BESIDE),
        ((VALUES, LABELS), LabelPlace.BESIDE),
        ([VALUES, LABELS], LabelPlace.BESIDE),
        ((VALUES, LABELS, np.ones(3)), LabelPlace.BESIDE),
        (([VALUES, VALUES], LABELS), LabelPlace.BESIDE),
        (({"input_ids": VALUES, "labels": LABELS}, LABELS), LabelPlace.BOTH),
        ({"input_ids": VALUES}, LabelPlace.NOWHERE),
        (({"input_ids": VALUES}, {}), LabelPlace.NOWHERE),
        ((VALUES, None, np.ones(3)), LabelPlace.NOWHERE),
        (VALUES, LabelPlace.NOWHERE),
    ],
)
def test_labels_are_found_where_they_stand(batch, place):
    assert label_place(batch) is place
    found = labels_of(batch)
    assert (found is None) == (place is LabelPlace.NOWHERE)
    assert found is None or found.tolist() == [0, 1, 2]


def test_labels_beside_the_inputs_may_bear_the_name_of_an_output():
    assert labels_of((VALUES, {"head": LABELS})).tolist() == [0, 1, 2]


def test_labels_in_a_column_are_one_a_row_and_one_hot_ones_keep_their_shape():
    assert labels_of((VALUES, LABELS[:, None])).shape == (3,)
    assert labels_of((VALUES, np.eye(3))).shape == (3, 3)


def test_inputs_are_what_is_left_without_labels_and_weights():
    assert list(inputs_of({"input_ids": VALUES, "labels": LABELS})) == ["input_ids"]
    assert inputs_of((VALUES, LABELS, np.ones(3))) is VALUES
    assert inputs_of(VALUES) is VALUES


def test_labels_of_tensors_are_plain_numbers(embedded):
    _, batches, few = embedded
    assert label_place(batches["inside"]) is LabelPlace.INSIDE
    assert label_place(batches["outside"]) is LabelPlace.BESIDE
    for batch in batches.values():
        assert labels_of(batch).tolist() == few["label"]


def test_every_array_of_a_batch_is_listed_with_shape_type_and_range():
    batch = ({"a": VALUES * 3, "b": np.array([[1, -5]])}, LABELS, np.ones(3))
    assert [(e.name, e.shape, e.dtype, e.lowest, e.highest) for e in look_at_batch(batch)] == [
        ('inputs["a"]', (3, 4), "float64", 3, 3),
        ('inputs["b"]', (1, 2), "int64", -5, 1),
        ("labels", (3,), "int64", 0, 2),
    ]
    names = [entry.name for entry in look_at_batch(([VALUES, VALUES], {"head": LABELS}))]
    assert names == ["inputs[0]", "inputs[1]", 'labels["head"]']


def test_text_and_arrays_with_nothing_in_them_have_no_range(keras):
    import tensorflow as tf

    for empty in (tf.constant(["some", "words"]), np.zeros((0, 4))):
        (entry,) = look_at_batch(empty)
        assert math.isnan(entry.lowest)
        assert math.isnan(entry.highest)


@pytest.mark.parametrize(
    ("labels", "classes", "outside"),
    [
        ([0, 1, 2], 3, []),
        ([0, 1, 2, 1], 2, [2]),
        ([-1, 1, 2], 3, [0]),
        ([3, -1, 0], 3, [0, 1]),
        ([0.0, 2.0], 2, [1]),
        ([[0], [5]], 3, [1]),
        ([[0, 1], [-100, 2]], 3, [1]),
    ],
)
def test_labels_outside_of_the_classes_are_named_by_row(labels, classes, outside):
    found = label_range((VALUES, np.array(labels)), classes)
    assert found.rows_outside.tolist() == outside
    assert found.fits == (not outside)
    assert (found.lowest, found.highest) == (np.min(labels), np.max(labels))
    assert found.num_labels == classes


@pytest.mark.parametrize("labels", [[0.5, 1.0], [math.nan, 1.0], [math.inf, 0.0]])
def test_labels_that_are_no_whole_numbers_are_refused(labels):
    with pytest.raises(ValueError, match="not whole numbers"):
        label_range((VALUES, np.array(labels)), 3)


@pytest.mark.parametrize("batch", [{"input_ids": VALUES}, (VALUES, {}), (VALUES, np.array([]))])
def test_a_batch_without_labels_has_no_label_range(batch):
    with pytest.raises(ValueError, match="no labels"):
        label_range(batch, 3)


def test_a_row_turns_back_into_its_two_sentences_without_padding(embedded):
    tokenizer, batches, few = embedded
    lengths = batches["inside"]["attention_mask"].numpy().sum(axis=1)
    row = int(lengths.argmin())
    assert lengths[row] < lengths.max()
    plain = [
        tokenizer.decode(tokenizer(few[row][part])["input_ids"], skip_special_tokens=True)
        for part in ("premise", "hypothesis")
    ]
    ids = batches["inside"]["input_ids"]
    for batch in (*batches.values(), ids, (ids, LABELS)):
        text = decode_sample(batch, row, tokenizer)
        assert [part in text for part in plain] == [True, True]
        assert text.count("[SEP]") == 2
        assert "[PAD]" not in text


def test_a_batch_without_ids_cannot_be_decoded(embedded):
    with pytest.raises(KeyError, match="input_ids"):
        decode_sample({"pixels": VALUES}, 0, embedded[0])
