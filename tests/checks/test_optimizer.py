from course_debug.checks import hidden_defaults, plain
import numpy as np
import pytest


def settings(thing):
    return {setting.name: (setting.value, setting.is_default) for setting in hidden_defaults(thing)}


def test_a_string_hides_a_learning_rate_and_everything_else(keras):
    found = settings("adam")
    assert found["learning_rate"] == (0.001, True)
    assert found["epsilon"] == (1e-7, True)
    assert found["beta_2"] == (0.999, True)
    assert all(is_default for _, is_default in found.values())


def test_what_the_reader_chose_is_told_apart_from_what_the_library_chose(keras):
    found = settings(keras.optimizers.Adam(5e-5, clipnorm=1.0))
    chosen = {name for name, (_, is_default) in found.items() if not is_default}
    assert chosen == {"learning_rate", "clipnorm"}
    assert found["learning_rate"][0] == 5e-5
    legacy = settings(keras.optimizers.legacy.Adam(5e-5))
    assert legacy["learning_rate"] == (5e-5, False)
    assert legacy["beta_1"] == (0.9, True)


def test_a_default_written_down_is_still_the_default(keras):
    assert settings(keras.optimizers.Adam(0.001)) == settings("adam")


def test_a_schedule_goes_by_its_name(keras):
    schedule = keras.optimizers.schedules.PolynomialDecay(5e-5, 100, 0.0)
    found = settings(keras.optimizers.Adam(learning_rate=schedule))
    assert found["learning_rate"] == ("PolynomialDecay", False)


def test_optimizers_of_transformers_tell_their_settings(keras):
    from transformers import AdamWeightDecay, create_optimizer

    found = settings(AdamWeightDecay(3e-5, weight_decay_rate=0.01))
    assert found["learning_rate"] == (3e-5, False)
    assert found["weight_decay_rate"] == (0.01, False)
    assert found["beta_1"] == (0.9, True)
    for warmup, decay in ((0, 0.0), (10, 0.0), (10, 0.01)):
        optimizer, _ = create_optimizer(5e-5, 100, warmup, weight_decay_rate=decay)
        rate, is_default = settings(optimizer)["learning_rate"]
        assert not is_default
        assert rate == ("WarmUp" if warmup else "PolynomialDecay")


def test_the_optimizer_of_a_trained_model_tells_its_settings(sequential, rows):
    model = sequential("softmax")
    model.compile("adam", loss="sparse_categorical_crossentropy")
    model.fit(*rows, verbose=0)
    assert settings(model.optimizer) == settings("adam")


def test_the_string_of_a_loss_hides_that_it_expects_probabilities(keras):
    assert settings("sparse_categorical_crossentropy")["from_logits"] == (False, True)
    function = keras.losses.sparse_categorical_crossentropy
    assert settings(function) == settings("sparse_categorical_crossentropy")


def test_loss_objects_tell_what_was_chosen(keras):
    loss = keras.losses.SparseCategoricalCrossentropy
    assert settings(loss())["from_logits"] == (False, True)
    assert settings(loss(from_logits=True))["from_logits"] == (True, False)
    assert settings("SparseCategoricalCrossentropy") == settings(loss())
    assert settings(keras.losses.Huber(2.0))["delta"] == (2.0, False)


def test_things_that_cannot_be_built_without_arguments_tell_their_settings(keras):
    class Weighted(keras.losses.Loss):
        def __init__(self, weights, scale=1.0):
            super().__init__()
            self.weights, self.scale = weights, scale

        def get_config(self):
            return {**super().get_config(), "weights": self.weights, "scale": self.scale}

    found = settings(Weighted(np.array([1.0, 2.0])))
    assert found["weights"] == ([1.0, 2.0], False)
    assert found["scale"] == (1.0, True)
    scaled = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.Adam(5e-5))
    assert settings(scaled)["dynamic"] == (True, True)


def test_a_readers_own_loss_function_tells_its_defaults():
    def own(labels, logits, margin=0.5):
        return margin

    assert settings(own) == {"margin": (0.5, True)}


@pytest.mark.parametrize("thing", ["adamm", "", "accuracy of the model"])
def test_an_unknown_string_is_refused(keras, thing):
    with pytest.raises(ValueError, match="no Keras optimizer and of no Keras loss"):
        hidden_defaults(thing)


@pytest.mark.parametrize("thing", [None, 5e-5])
def test_what_is_neither_optimizer_nor_loss_is_refused(thing):
    with pytest.raises(ValueError, match="neither an optimizer nor a loss"):
        hidden_defaults(thing)


def test_values_become_plain_data():
    assert plain(np.float32(5e-5)) == 5e-5
    assert plain(np.array([1, 2])) == [1, 2]
    assert plain({"class_name": "WarmUp", "config": {}}) == "WarmUp"
    assert plain(None) is None
