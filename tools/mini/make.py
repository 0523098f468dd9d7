"""Remakes the embedded data and checkpoint: ``make.py data|checkpoint|check|time|all``.

data        writes the five parquet files; the same seed gives the same bytes.
checkpoint  pretrains the model and writes it with its tokenizer; about ten minutes of one core.
check       fine-tunes many times and measures what the course relies on; about half an hour.
time        measures the seconds of a step again, for when the machine was busy before.
all         data, checkpoint and check, one after the other; the card's table is written anew.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parents[1] / "course_debug" / "mini"
SEED = 7
CENTRED_ON = 2048  # pairs of the pretraining text
CHECK_SEEDS = (100, 101, 102, 103, 104)

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# The hub is never asked: everything is made here.
os.environ.setdefault("HF_HUB_OFFLINE", "1")


def say(text: str) -> None:
    """One line of progress, at once."""
    print(text, flush=True)


def make_data(seed: int, out: Path) -> None:
    """Writes out/data/*.parquet."""
    say("Waiting for the datasets library to load (a few seconds) ...")
    import splits

    pairs, _ = splits.draw(seed)
    splits.write(pairs, out / "data")
    say(f"Wrote {', '.join(f'{name} {len(rows)}' for name, rows in pairs.items())}.")


def make_checkpoint(seed: int, out: Path) -> None:
    """Writes out/checkpoint: the headless model, its configuration and its tokenizer."""
    say("Waiting for TensorFlow and transformers to load (about ten seconds) ...")
    import pretrain
    import rescale
    import splits
    import tensorflow as tf
    import wordpiece

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    say(f"Drawing {splits.PRETRAINING_PAIRS} pairs to pretrain on (half a minute) ...")
    split_pairs, taken = splits.draw(seed)
    pairs = splits.pretraining(seed, taken)
    everything = [*pairs, *(pair for rows in split_pairs.values() for pair in rows)]
    pieces = wordpiece.vocabulary(t for pair in everything for t in (pair.premise, pair.hypothesis))
    plan = pretrain.Plan()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        wordpiece.save(pieces, folder)
        say(f"Pretraining for {plan.steps} steps on one core (about ten minutes) ...")
        rows = pretrain.encode(pairs, folder)
        model = pretrain.pretrain(rows, len(pieces), plan, seed, say)
    units = rescale.Units()
    change = rescale.rescale(model, units)
    say(f"Changed the units; the function is the same to {change:.1e}.")
    share = rescale.centre(model, [ids for ids, _, _ in rows[:CENTRED_ON]])
    say(f"Took the mean out of the output at [CLS]; it was {share:.2f} of the second moment.")
    model.config.initializer_range = units.head
    model.save_pretrained(out / "checkpoint", safe_serialization=False)
    wordpiece.save(pieces, out / "checkpoint")
    say(f"Wrote {out / 'checkpoint'}.")


def check(out: Path, seeds: tuple[int, ...], only_time: bool = False) -> bool:
    """Measures everything the card states, writes it, and says whether what must hold does."""
    say("Waiting for TensorFlow and transformers to load (about ten seconds) ...")
    import measure
    import report

    began = time.time()
    if only_time:
        measured = report.from_file(out / "measured.json")
        measured["step_ms"] = measure.step_milliseconds(out, seeds, say)
    else:
        measured = measure.measure(out, seeds, say)
        measured["minutes"] = round((time.time() - began) / 60, 1)
    (out / "measured.json").write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    table = report.table(measured)
    say(json.dumps(measured))
    say(table)
    report.into_card(out / "CARD.md", table)
    return report.holds(measured)


def main(arguments: list[str] | None = None) -> int:
    """The command; 0 where everything was made and what must hold holds, else 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("data", "checkpoint", "check", "time", "all"))
    parser.add_argument("--seed", type=int, default=SEED, help="of the data and the pretraining")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="folder to write to or to check")
    parser.add_argument(
        "--check-seeds", type=lambda text: tuple(int(part) for part in text.split(",")),
        default=CHECK_SEEDS, help="seeds of the fine-tuning runs, with commas between",
    )  # fmt: skip
    chosen = parser.parse_args(arguments)
    if chosen.what in ("data", "all"):
        make_data(chosen.seed, chosen.out)
    if chosen.what in ("checkpoint", "all"):
        make_checkpoint(chosen.seed, chosen.out)
    if chosen.what in ("check", "time", "all"):
        return 0 if check(chosen.out, chosen.check_seeds, chosen.what == "time") else 1
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main())
