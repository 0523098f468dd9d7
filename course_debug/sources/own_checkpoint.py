"""A checkpoint folder of the reader's own, looked at without TensorFlow."""

from __future__ import annotations

import importlib.util
import json
import struct
from pathlib import Path
from typing import Any, BinaryIO

from course_debug.refusal import Refusal
from course_debug.sources import LABELS, own_path

WEIGHTS = (
    "tf_model.h5",
    "model.safetensors",
    "pytorch_model.bin",
    "tf_model.h5.index.json",
    "model.safetensors.index.json",
    "pytorch_model.bin.index.json",
)
VOCABULARIES = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
)
# The kinds of model that transformers can turn into a TensorFlow sequence classifier. Asking the
# library itself takes longer than all other checks here.
KINDS = frozenset(
    """
    albert bart bert camembert convbert ctrl deberta deberta-v2 distilbert electra esm flaubert
    funnel gpt-sw3 gpt2 gptj layoutlm layoutlmv3 longformer mistral mobilebert mpnet openai-gpt
    rembert roberta roberta-prelayernorm roformer tapas transfo-xl xlm xlm-roberta xlnet
    """.split()
)


def checked(path: str) -> str:
    """Return the absolute folder of the checkpoint at `path`.

    Raises:
        Refusal: there is no folder, or it may not be read; it lacks a readable config.json,
            weights that TensorFlow can take, or a tokenizer; transformers has no TensorFlow
            classifier of its kind; or its classifier was trained for another number of labels.
    """
    folder = own_path.found(path, "pipeline.refused.model_not_there")
    if not folder.is_dir():
        raise Refusal("pipeline.refused.model_no_folder", path=path, folder=folder.parent)
    try:
        _look_into(folder)
    except OSError as error:
        raise own_path.unreadable(folder, error) from error
    return str(folder)


def _look_into(folder: Path) -> None:
    config = _config(folder)
    if config["model_type"] not in KINDS:
        raise Refusal("pipeline.refused.model_other_kind", path=folder, kind=config["model_type"])
    _weights(folder)
    if not any((folder / name).is_file() for name in VOCABULARIES):
        raise Refusal("pipeline.refused.model_no_tokenizer", path=folder)
    labels = _trained_labels(config)
    if labels not in (None, len(LABELS)):
        raise Refusal("pipeline.refused.model_other_head", path=folder, labels=labels)


def _config(folder: Path) -> dict[str, Any]:
    file = folder / "config.json"
    if not file.is_file():
        raise Refusal("pipeline.refused.model_no_config", path=folder)
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise own_path.unreadable(file, error) from error
    except ValueError as error:
        raise Refusal("pipeline.refused.model_bad_config", path=file) from error
    if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
        raise Refusal("pipeline.refused.model_bad_config", path=file)
    return config


def _weights(folder: Path) -> None:
    found = [name for name in WEIGHTS if (folder / name).is_file()]
    if not found:
        raise Refusal("pipeline.refused.model_no_weights", path=folder)
    usable = [name for name in found if not name.startswith("pytorch")]
    if not usable:
        if importlib.util.find_spec("torch") is None:
            raise Refusal("pipeline.refused.model_needs_torch", path=folder / found[0])
        return
    for name in usable:
        _weights_begin_well(folder / name)


def _weights_begin_well(file: Path) -> None:
    # A clone made without Git LFS, or a download that broke off, looks like weights by its name.
    try:
        with file.open("rb") as stream:
            if file.suffix == ".h5":
                good = stream.read(8) == b"\x89HDF\r\n\x1a\n"
            elif file.suffix == ".safetensors":
                good = _safetensors_whole(stream, file.stat().st_size)
            else:
                good = True
    except OSError as error:
        raise own_path.unreadable(file, error) from error
    if not good:
        raise Refusal("pipeline.refused.model_bad_weights", path=file)


def _safetensors_whole(stream: BinaryIO, size: int) -> bool:
    """Whether the header can be read and all bytes that it promises are in the file."""
    start = stream.read(8)
    length = struct.unpack("<Q", start)[0] if len(start) == 8 else size
    if length + 8 > size:
        return False
    try:
        header = json.loads(stream.read(length))
        ends = [entry["data_offsets"][1] for name, entry in header.items() if name[:2] != "__"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
    return 8 + length + max(ends, default=0) <= size


def _trained_labels(config: dict[str, Any]) -> int | None:
    """How many labels the folder's classifier has; None where there is no classifier in it."""
    architectures = config.get("architectures") or []
    if not any(str(name).endswith("ForSequenceClassification") for name in architectures):
        return None
    names = config.get("id2label")
    # Two labels are what a config that says nothing stands for.
    return len(names) if isinstance(names, dict) else int(config.get("num_labels", 2))
