"""Run a learner's script as it stands, listen to its training, and keep what it leaves behind."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

LAST = 40
OPERATION = re.compile(r"^\{\{.*?\}\} ")
# Keras lists the arguments of the failing call behind the sentence.
ARGUMENTS = "Call arguments received"


@dataclass
class Run:
    """What one run of a script showed.

    Attributes:
        names: the script's global variables as it left them, also where it raised.
        losses: the training loss of every step of its ``fit``, in nats.
        error: the exception that ended it, or None.
        seconds: wall time of the whole script; ``training_seconds`` of its ``fit`` alone;
            ``step_seconds`` of one step, the first (which builds the graph) left out.
    """

    path: Path
    names: dict[str, Any] = field(default_factory=dict)
    losses: list[float] = field(default_factory=list)
    error: Exception | None = None
    traceback: str = ""
    seconds: float = 0.0
    training_seconds: float = 0.0
    first_step_seconds: float = 0.0

    @property
    def first_loss(self) -> float:
        """The loss of the first step, before any weight has moved; NaN where no step ran."""
        return self.losses[0] if self.losses else math.nan

    @property
    def last_loss(self) -> float:
        """The mean loss of the last steps: at most 40, at most half of the run."""
        tail = self.losses[-min(LAST, max(1, len(self.losses) // 2)) :]
        return sum(tail) / len(tail) if tail else math.nan

    @property
    def step_seconds(self) -> float:
        """Mean seconds of a step after the first."""
        rest = len(self.losses) - 1
        return (self.training_seconds - self.first_step_seconds) / rest if rest > 0 else math.nan

    def measured(self) -> dict[str, Any]:
        """Return the run as plain data, for ``--json`` and for the symptoms."""
        return {
            "script": self.path.name,
            "steps": len(self.losses),
            "first_loss": self.first_loss if self.losses else None,
            "last_loss": self.last_loss if self.losses else None,
            "losses": self.losses,
            "exception": type(self.error).__name__ if self.error else None,
            "message": message_head(self.error) if self.error else None,
            "seconds": self.seconds,
            "training_seconds": self.training_seconds,
            "step_seconds": self.step_seconds,
        }


def run_script(
    path: Path,
    *,
    steps: int | None = None,
    xla: bool | None = None,
    on_step: Callable[[int, float], None] | None = None,
) -> Run:
    """Execute a script in this process and return what it showed.

    It runs as ``python path`` would, except that its ``fit`` is listened to, ends after ``steps``,
    and has its train step traced only once.

    Args:
        path: the script.
        steps: end each ``fit`` after so many training steps; None runs it to its end.
        xla: whether ``compile`` turns XLA on; None leaves it to the script.
        on_step: called with (steps done, loss) after every training step.

    An exception of the script is kept in the result and not raised.
    """
    run = Run(path, {"__name__": "__main__", "__file__": str(path)})
    start = time.perf_counter()
    with listening(run, steps, xla=xla, on_step=on_step):
        try:
            exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), run.names)
        except Exception as error:
            run.error = error
            run.traceback = traceback.format_exc()
    run.seconds = time.perf_counter() - start
    return run


@contextlib.contextmanager
def listening(
    run: Run,
    steps: int | None = None,
    *,
    xla: bool | None = None,
    on_step: Callable[[int, float], None] | None = None,
) -> Iterator[None]:
    """Note every training step of each ``fit`` within this context into a run; see run_script."""
    import tf_keras

    class Listener(tf_keras.callbacks.Callback):
        """Notes the loss of each step; Keras itself reports a running mean."""

        def on_epoch_begin(self, epoch: int, logs: object = None) -> None:
            self.total = 0.0

        def on_train_batch_end(self, batch: int, logs: dict[str, float]) -> None:
            total = logs["loss"] * (batch + 1)
            run.losses.append(float(total - self.total))
            self.total = total
            if len(run.losses) == 1:
                run.first_step_seconds = time.perf_counter() - began
            if on_step:
                on_step(len(run.losses), run.losses[-1])
            if steps and len(run.losses) >= steps:
                self.model.stop_training = True

    fit, compile_ = tf_keras.Model.fit, tf_keras.Model.compile
    began = 0.0

    def fit_heard(model: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal began
        callbacks = [*(kwargs.pop("callbacks", None) or []), Listener()]
        kwargs["verbose"] = 0
        _spare_tracing(model)
        began = time.perf_counter()
        try:
            return fit(model, *args, callbacks=callbacks, **kwargs)
        finally:
            run.training_seconds += time.perf_counter() - began

    def compile_set(model: Any, *args: Any, **kwargs: Any) -> Any:
        if xla is not None:
            kwargs["jit_compile"] = xla
        return compile_(model, *args, **kwargs)

    with (
        mock.patch.object(tf_keras.Model, "fit", fit_heard),
        mock.patch.object(tf_keras.Model, "compile", compile_set),
    ):
        yield


def _spare_tracing(model: Any) -> None:
    """Let TensorFlow trace the train step once instead of twice: half of a short run's seconds.

    An optimizer that has no variables yet makes it trace again once they are there, and AutoGraph
    rewrites the source of every layer, though none here has a loop or a branch over tensors. The
    losses stay the same to the last digit.
    """
    import tensorflow as tf

    build = getattr(getattr(model, "optimizer", None), "build", None)
    if not model.built or build is None or model.train_function is not None:
        return
    build(model.trainable_variables)
    model.train_step = tf.autograph.experimental.do_not_convert(model.train_step)


def message_lines(error: BaseException) -> list[str]:
    """Return the lines of an exception's message, without what is put in front of a sentence.

    What ``fit`` raises is wrapped ("in user code:", a traceback, and only then the sentence), and
    TensorFlow puts the name of an operation in double braces before its own.
    """
    lines = []
    for line in str(error).splitlines():
        text = OPERATION.sub("", line.strip())
        name, colon, rest = text.partition(": ")
        lines.append(rest if colon and name.endswith(("Error", "Exception")) else text)
    return [line for line in lines if line]


def message_head(error: BaseException, width: int = 300) -> str:
    """Return the sentence of a message that says what is wrong, cut at ``width`` characters."""
    lines = list(
        itertools.takewhile(lambda text: not text.startswith(ARGUMENTS), message_lines(error))
    )
    sentences = [line for line in lines if line[:1].isupper() and " " in line]
    head = (sentences or lines or [type(error).__name__])[-1]
    return head if len(head) <= width else head[:width] + " ..."
