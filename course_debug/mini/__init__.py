"""The embedded default: MNLI-shaped pairs, a tokenizer and a small checkpoint. See CARD.md."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
CHECKPOINT = str(FOLDER / "checkpoint")
SPLITS = ("train", "validation_matched", "validation_mismatched", "test_matched", "test_mismatched")
DATA = {split: str(FOLDER / "data" / f"{split}.parquet") for split in SPLITS}
