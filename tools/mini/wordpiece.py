"""The tokenizer: WordPiece, lower case, BERT's special ids, every word of the texts a piece."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from pathlib import Path

MAX_LENGTH = 128
CONNECTIVES = ("so", "therefore", "thus", "perhaps", "maybe", "possibly", "but", "however", "yet")
CHARACTERS = string.digits + string.ascii_lowercase


def vocabulary(texts: Iterable[str]) -> list[str]:
    """[PAD] 0, [UNK] 100, [CLS] 101, [SEP] 102, [MASK] 103, single characters, then the words.

    The single characters and their ``##`` forms spell every other word, so that a reader's own
    English sentences hold no [UNK].
    """
    pieces = ["[PAD]", *(f"[unused{n}]" for n in range(99)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces += [*string.punctuation, *CHARACTERS, *(f"##{c}" for c in CHARACTERS)]
    words = set(CONNECTIVES)
    for text in texts:
        words.update(re.findall(r"[a-z0-9]+", text.lower()))
    return pieces + sorted(words - set(pieces))


def save(pieces: list[str], folder: Path) -> None:
    """Writes vocab.txt, tokenizer.json and the two small files that name the special tokens."""
    from transformers import DistilBertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "vocab.txt"
    path.write_text("\n".join(pieces) + "\n", encoding="utf-8")
    tokenizer = DistilBertTokenizerFast(str(path), do_lower_case=True, model_max_length=MAX_LENGTH)
    tokenizer.save_pretrained(folder)
