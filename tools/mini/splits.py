"""The five splits and the pretraining text, drawn so that no pair is in two of them."""

from __future__ import annotations

from pathlib import Path

import datasets
from corpus import LABELS, MATCHED, MISMATCHED, Pair, distinct, mixed, trios

# Split -> kinds, rows, whether the labels are told (GLUE's test splits hold -1).
SPLITS: dict[str, tuple[dict[str, float], int, bool]] = {
    "train": (MATCHED, 4800, True),
    "validation_matched": (MATCHED, 600, True),
    "validation_mismatched": (MISMATCHED, 600, True),
    "test_matched": (MATCHED, 300, False),
    "test_mismatched": (MISMATCHED, 300, False),
}
FEATURES = datasets.Features(
    {
        "premise": datasets.Value("string"),
        "hypothesis": datasets.Value("string"),
        "label": datasets.ClassLabel(names=list(LABELS)),
        "idx": datasets.Value("int32"),
    }
)
# The pretraining text holds the mismatched kinds too, as BERT's held news beside novels.
PRETRAINING = {kind: 0.8 * share for kind, share in MATCHED.items()} | {
    kind: 0.2 * share for kind, share in MISMATCHED.items()
}
PRETRAINING_PAIRS = 66_000


def draw(seed: int) -> tuple[dict[str, list[Pair]], set[tuple[str, str]]]:
    """The pairs of every split by its name, and the keys of all of them."""
    taken: set[tuple[str, str]] = set()
    pairs = {}
    for number, (split, (shares, rows, _)) in enumerate(SPLITS.items()):
        drawn = distinct(trios(seed * 100 + number, shares), rows, taken)
        pairs[split] = mixed(drawn, seed * 100 + number)
    return pairs, taken


def pretraining(seed: int, taken: set[tuple[str, str]]) -> list[Pair]:
    """The pairs of the pretraining text, none of which is in `taken`; adds them to it."""
    return distinct(trios(seed * 100 + 99, PRETRAINING), PRETRAINING_PAIRS, taken)


def write(pairs: dict[str, list[Pair]], folder: Path) -> None:
    """One parquet file for every split, readable by ``load_dataset("parquet")``."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, rows in pairs.items():
        told = SPLITS[split][2]
        table = datasets.Dataset.from_dict(
            {
                "premise": [pair.premise for pair in rows],
                "hypothesis": [pair.hypothesis for pair in rows],
                "label": [pair.label if told else -1 for pair in rows],
                "idx": list(range(len(rows))),
            },
            features=FEATURES,
        )
        table.to_parquet(folder / f"{split}.parquet")
