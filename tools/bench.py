"""Measure what the course costs: each story, one training step, and the listing.

    python tools/bench.py                    a table, then the same as JSON
    python tools/bench.py --json FILE        JSON into FILE as well
    python tools/bench.py --record           also store how long each story takes, for the listing

Progress goes to stderr, results to stdout. Nothing else should run on the machine meanwhile.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course_debug.progress import HOME_VARIABLE
from course_debug.stages import STAGES

RECORDED = Path(__file__).parents[1] / "course_debug" / "recorded" / "seconds.json"
PACKAGES = ("tensorflow", "tf-keras", "transformers", "datasets", "numpy")
BATCH, LENGTH = 16, 64
# Each model trains this long before measuring: the first steps build the graph.
WARM_UP, MEASURED = 2, 10

Results = dict[str, Any]


def report(message: str) -> None:
    """Say on stderr what is being waited for."""
    print(message, file=sys.stderr, flush=True)


def machine() -> Results:
    """Return what the numbers belong to: date, versions, processor cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cores": cores,
        "python": platform.python_version(),
        "versions": {name: importlib.metadata.version(name) for name in PACKAGES},
    }


def run_timed(arguments: list[str], home: str | None = None) -> Results:
    """Run ``python -m`` with `arguments`; return its times in seconds and its stdout.

    With `home`, the course keeps there what it remembers of its reader, and not in their own home.
    CPU seconds include the children that it waited for; None where the system does not tell.

    Raises:
        RuntimeError: it ended with a status other than 0; the end of its stderr is in the message.
    """
    start = time.perf_counter()
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as errors,
        subprocess.Popen(
            [sys.executable, "-m", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
            env=os.environ | ({HOME_VARIABLE: home} if home else {}),
        ) as process,
    ):
        assert process.stdout is not None
        lines = []
        first: float | None = None
        for line in process.stdout:
            first = first or time.perf_counter() - start
            lines.append(line)
        cpu = None
        if hasattr(os, "wait4"):
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            cpu = usage.ru_utime + usage.ru_stime
        wall = time.perf_counter() - start
        if process.wait() != 0:
            errors.seek(0)
            raise RuntimeError(
                f"python -m {' '.join(arguments)} ended with status {process.returncode}:\n"
                + errors.read()[-2000:]
            )
    return {"wall": wall, "cpu": cpu, "first_line": first, "stdout": "".join(lines)}


def story(stage: str) -> Results:
    """Tell one story as a reader sees it, then once more as data, for its share of training."""
    report(f"  {stage}: the story, then its evidence; up to a minute each ...")
    # Told for the bench, a stage is not told to the reader whose machine this is.
    with tempfile.TemporaryDirectory() as home:
        told = run_timed([f"course_debug.{stage}", "--lang", "en"], home)
        measured = run_timed([f"course_debug.{stage}", "--json"], home)
    training = bare_training(json.loads(measured["stdout"]))
    return {
        "wall_seconds": told["wall"],
        "cpu_seconds": told["cpu"],
        "first_line_seconds": told["first_line"],
        "training_share": training / measured["wall"],
    }


def bare_training(evidence: Any) -> float:
    """Seconds that the runs in a story's evidence trained, the first step of each left out.

    The first step builds the graph. A run that ended within it has trained for no time.
    """
    if isinstance(evidence, list):
        return sum(map(bare_training, evidence))
    if not isinstance(evidence, dict):
        return 0.0
    if "training_seconds" in evidence:
        rest = evidence["steps"] - 1
        return evidence["step_seconds"] * rest if rest > 0 else 0.0
    return sum(map(bare_training, evidence.values()))


def step_seconds(model: Any, batches: Any) -> float:
    """Median seconds of one training step of `model`, by its own loss and Adam(5e-5)."""
    import tf_keras

    class Clock(tf_keras.callbacks.Callback):
        def __init__(self) -> None:
            super().__init__()
            self.seconds: list[float] = []

        def on_train_batch_begin(self, batch: int, logs: object = None) -> None:
            self.start = time.perf_counter()

        def on_train_batch_end(self, batch: int, logs: object = None) -> None:
            self.seconds.append(time.perf_counter() - self.start)

    clock = Clock()
    model.compile(optimizer=tf_keras.optimizers.Adam(5e-5))
    model.fit(batches.take(WARM_UP + MEASURED), verbose=0, callbacks=[clock])
    return statistics.median(clock.seconds[WARM_UP:])


def random_batches() -> Any:
    """Batches of 16 rows of 64 random tokens each, the same for every model."""
    import tensorflow as tf

    generator = tf.random.Generator.from_seed(0)
    batch = {
        "input_ids": generator.uniform((BATCH, LENGTH), 104, 300, tf.int64),
        "attention_mask": tf.ones((BATCH, LENGTH), tf.int64),
        "labels": generator.uniform((BATCH,), 0, 3, tf.int64),
    }
    return tf.data.Dataset.from_tensors(batch).repeat()


def mini_on_pairs() -> float:
    """Seconds a step of the embedded model takes on the embedded pairs."""
    from course_debug import pipeline

    source = pipeline.choose("mini", "mini")
    tokenizer = pipeline.tokenizer(source)
    pairs = pipeline.tokenized(pipeline.raw(source), tokenizer)
    return step_seconds(pipeline.model(source), pipeline.batches(pairs["train"], tokenizer))


def mini_on_random() -> float:
    """Seconds a step of the embedded model takes on 16 rows of 64 tokens."""
    from course_debug import pipeline

    return step_seconds(pipeline.model(pipeline.choose("mini", "mini")), random_batches())


def distilbert_on_random() -> float:
    """Seconds a step of a DistilBERT of the hub's size, weights random, takes on the same rows."""
    from transformers import DistilBertConfig, TFDistilBertForSequenceClassification

    model = TFDistilBertForSequenceClassification(DistilBertConfig(num_labels=3))
    return step_seconds(model, random_batches())


STEPS: dict[str, tuple[str, Callable[[], float]]] = {
    "mini, its own pairs": ("a few seconds", mini_on_pairs),
    f"mini, {BATCH} x {LENGTH} tokens": ("a few seconds", mini_on_random),
    f"DistilBERT, {BATCH} x {LENGTH} tokens": ("about a minute", distilbert_on_random),
}


def training_steps() -> dict[str, float]:
    """Measure a training step of each model, in this process."""
    report("  loading TensorFlow ...")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    seconds = {}
    for name, (wait, measure) in STEPS.items():
        report(f"  a step of {name}: {wait} ...")
        seconds[name] = measure()
    return seconds


def listing_milliseconds() -> float:
    """Best of five runs of the listing, in milliseconds."""
    report("  the listing, five times ...")
    return 1000 * min(run_timed(["course_debug"])["wall"] for _ in range(5))


def print_table(results: Results) -> None:
    """Print `results` as plain columns that fit 80 characters."""
    here = results["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in here["versions"].items())
    print(f"{here['date']}, {here['platform']}, {here['cores']} cores, Python {here['python']}")
    print(versions)
    print("\nstory     wall s    CPU s  first line s  bare training")
    for name, row in results["stories"].items():
        cpu = "-" if row["cpu_seconds"] is None else f"{row['cpu_seconds']:.1f}"
        print(
            f"{name:8}{row['wall_seconds']:8.1f} {cpu:>8}"
            f"{row['first_line_seconds']:14.2f}{row['training_share']:15.0%}"
        )
    print("\none training step          ms")
    for name, seconds in results["step_seconds"].items():
        print(f"{name:26}{1000 * seconds:7.0f}")
    print(f"\nlisting, best of five  {results['listing_ms']:.0f} ms\n")


def record(results: Results, file: Path = RECORDED) -> None:
    """Store the stories' wall seconds, from which the listing tells how long each takes."""
    seconds = {name: round(row["wall_seconds"], 1) for name, row in results["stories"].items()}
    content = {"machine": results["machine"], "seconds": seconds}
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    report(f"Stored in {file.name} for the listing.")


def main(arguments: list[str] | None = None) -> int:
    """Run the bench; return the exit status."""
    parser = argparse.ArgumentParser(description="Measure what the course costs.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the JSON here as well")
    parser.add_argument("--record", action="store_true", help="store the stories' seconds")
    options = parser.parse_args(arguments)
    report("Measuring the course: 5 to 10 minutes. Let nothing else run meanwhile.")
    results: Results = {
        "machine": machine(),
        "listing_ms": listing_milliseconds(),
        "stories": {name: story(name) for name in STAGES},
        "step_seconds": training_steps(),
    }
    print_table(results)
    text = json.dumps(results, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    if options.record:
        record(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
