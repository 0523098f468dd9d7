"""The last loss over the learning rate: a U with its lowest point where fine-tuning works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from course_debug import exhibits, pipeline
from course_debug.curves import sweep_drawn, sweep_picture

if TYPE_CHECKING:
    from course_debug.script import Run
    from course_debug.show import Story

RATES = (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3)


def sweep(story: Story, fixed: Run, chance: float) -> None:
    """Train at each rate from the checkpoint, with the data and graph of the fixed run."""
    story.say("sweep.intro", steps=story.options.steps)
    model = fixed.names["model"]
    start = _fresh_weights(story)
    losses = []
    for number, rate in enumerate(RATES, 1):
        story.waiting(story.text("sweep.training", rate=f"{rate:g}", done=number, total=len(RATES)))
        _set_back(model, start, rate)
        losses.append(story.train(model, fixed.names["train_dataset"]).last_loss)
    story.evidence["sweep"] = dict(zip(map(str, RATES), losses, strict=True))
    story.table(
        ("rate", "last_loss"),
        [(f"{rate:g}", loss) for rate, loss in zip(RATES, losses, strict=True)],
    )
    labels = exhibits.plot_labels("rate")
    story.chart(sweep_drawn, RATES, losses, chance, labels["level"])
    best = min(range(len(RATES)), key=lambda i: losses[i])
    story.finding("sweep.result", loss=f"{losses[best]:.3f}", rate=f"{RATES[best]:g}")
    if story.options.plot:
        sweep_picture(story.options.plot, RATES, losses, chance, labels)
        story.saved(story.options.plot)


def _fresh_weights(story: Story) -> list[Any]:
    import tf_keras

    tf_keras.utils.set_random_seed(story.options.seed)
    weights: list[Any] = pipeline.model(pipeline.current()).get_weights()
    return weights


def _set_back(model: Any, weights: list[Any], rate: float) -> None:
    """Put a compiled model back to its start; compiling anew would build the graph again."""
    import tensorflow as tf

    model.set_weights(weights)
    for variable in model.optimizer.variables:
        variable.assign(tf.zeros_like(variable))
    model.optimizer.learning_rate.assign(rate)
