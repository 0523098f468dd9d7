"""The script's four parts, and where its model and data come from.

Three sources, one code path: `mini` (files in this package, the default), `hub`
(`distilbert-base-uncased` and GLUE/MNLI) or a path of the reader's own. A learner's script says

    from course_debug.pipeline import CHECKPOINT, MNLI
    raw_datasets = load_dataset(**MNLI)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)

and otherwise calls the real libraries. Importing this module imports none of them.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from course_debug import mini
from course_debug.refusal import Refusal

if TYPE_CHECKING:
    CHECKPOINT: str
    MNLI: dict[str, Any]

MODEL_VARIABLE = "COURSE_DEBUG_MODEL"
DATA_VARIABLE = "COURSE_DEBUG_DATA"
HUB_MODEL = "distilbert-base-uncased"
HUB_DATA = ("glue", "mnli")


@dataclass(frozen=True)
class Source:
    """Where a run takes its model and its data from.

    `checkpoint` goes to `from_pretrained`, `mnli` holds the keyword arguments of `load_dataset`.
    `model_name` and `data_name` are "mini", "hub" or the path the reader gave.
    """

    checkpoint: str
    mnli: dict[str, Any]
    model_name: str
    data_name: str


_current: Source | None = None
_announced = False


def choose(model: str | None = None, data: str | None = None) -> Source:
    """Turn what the reader asked for into a `Source`, checked as far as TensorFlow is not needed.

    Each of `model` and `data` is "mini", "hub", a path, or None: then the environment variable
    COURSE_DEBUG_MODEL or COURSE_DEBUG_DATA decides, and without it "mini".

    Raises:
        Refusal: the path, the file's contents or the hub cannot serve this course.
    """
    model = model or os.environ.get(MODEL_VARIABLE) or "mini"
    data = data or os.environ.get(DATA_VARIABLE) or "mini"
    checkpoint = mini.CHECKPOINT
    mnli: dict[str, Any] = {"path": "parquet", "data_files": dict(mini.DATA)}
    if model == "hub":
        checkpoint = HUB_MODEL
    elif model != "mini":
        from course_debug import own_checkpoint

        checkpoint = own_checkpoint.checked(model)
    if data == "hub":
        mnli = {"path": HUB_DATA[0], "name": HUB_DATA[1]}
    elif data != "mini":
        from course_debug import own_data

        mnli = {"path": "parquet", "data_files": own_data.prepared(data)}
    if "hub" in (model, data):
        from course_debug import hub

        hub.within_reach(model=model == "hub", data=data == "hub")
    return Source(checkpoint, mnli, model, data)


def use(source: Source, announce: bool = True) -> None:
    """Make `source` what CHECKPOINT and MNLI stand for in this process from now on.

    With the hub, whatever the cache lacks is downloaded here, so that a broken download ends in
    a sentence and not inside somebody's script. `announce=False` leaves out the line on stderr
    that the first access to CHECKPOINT or MNLI otherwise prints.

    Raises:
        Refusal: the hub could not deliver.
    """
    global _current, _announced
    if "hub" in (source.model_name, source.data_name):
        from course_debug import hub

        hub.fetched(model=source.model_name == "hub", data=source.data_name == "hub")
    _current = source
    _announced = not announce


def current() -> Source:
    """The source in use; the first call without a `use` before it chooses by the environment.

    Raises:
        Refusal: as `choose` and `use`.
    """
    if _current is None:
        use(choose())
    assert _current is not None
    return _current


def in_use(source: Source) -> str:
    """One line in the reader's language that says which model and which data `source` stands for."""
    from course_debug.wording import say

    def part(kind: str, name: str) -> str:
        known = name if name in ("mini", "hub") else "own"
        return say(f"pipeline.in_use.{kind}_{known}", path=name)

    return say(
        "pipeline.in_use.line",
        model=part("model", source.model_name),
        data=part("data", source.data_name),
    )


def __getattr__(name: str) -> Any:
    global _announced
    if name not in ("CHECKPOINT", "MNLI"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        source = current()
    except Refusal as refusal:
        # A script that runs by itself has nobody above it to turn the refusal into a sentence.
        from course_debug.wording import say

        print(say(refusal.key, **refusal.values), file=sys.stderr)
        raise SystemExit(2) from None
    if not _announced:
        _announced = True
        print(in_use(source), file=sys.stderr)
    return source.checkpoint if name == "CHECKPOINT" else dict(source.mnli)
