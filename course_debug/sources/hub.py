"""The model hub: is it there, is what we need in the cache already, and a download that explains.

The libraries retry for 24 to 48 seconds before they say that there is no network. One question
asked beforehand, answered or not within two seconds, spares the reader that silence.
"""

from __future__ import annotations

import logging
import os
import queue
import socket
import sys
import threading
import urllib.parse
from pathlib import Path

from course_debug import mini
from course_debug.refusal import Refusal, first_line
from course_debug.sources import OTHER_SPLITS_MOST, library_cache

MODEL = "distilbert-base-uncased"
DATA = ("glue", "mnli")
DEFAULT_ENDPOINT = "https://huggingface.co"
MIRROR_VARIABLE = "HF_ENDPOINT"
PATIENCE_VARIABLE = "HF_HUB_ETAG_TIMEOUT"
PATIENCE = 1.4
MODEL_FILES = (
    "config.json",
    "tokenizer_config.json",
    "tokenizer.json",
    "vocab.txt",
    "model.safetensors",
)
TRUE = ("1", "ON", "YES", "TRUE")


def within_reach(model: bool, data: bool) -> None:
    """Return if the wanted parts, `model` and `data`, are in the cache or the hub answers.

    Any answer counts. The wait is 1.4 seconds, or what HF_HUB_ETAG_TIMEOUT says.

    Raises:
        Refusal: nobody answers at HF_ENDPOINT (or the hub's own address); or HF_HUB_OFFLINE
            is set and the cache lacks a part.
    """
    missing = _missing(model, data)
    if not missing:
        return
    if any(_offline(part) for part in missing):
        raise Refusal("pipeline.refused.hub_offline", missing=_named(missing))
    _ask(endpoint())


def fetched(model: bool, data: bool) -> None:
    """Download what the cache lacks of the wanted parts, then keep this process to the cache.

    Afterwards neither `from_pretrained` nor `load_dataset` asks a server anything, so that a run
    neither depends on the network nor waits for it.

    Raises:
        Refusal: a download broke off, cannot be stored, or the hub does not have what was asked
            for.
    """
    within_reach(model, data)
    for part in _missing(model, data):
        # A cache that somebody else filled may be read-only; only a download has to write.
        library_cache.must_be_writable("hub")
        try:
            if part == "model":
                _download_model()
            else:
                _download_data()
        except Exception as error:
            reason = _cause(error)
            raise Refusal(
                "pipeline.refused.hub_download",
                part=_named([part]),
                endpoint=endpoint(),
                reason=reason,
            ) from error
    _stay_in_the_cache()


def first_rows(train: int) -> dict[str, str]:
    """Return what `load_dataset` takes as `split` to load of each split only its first rows.

    `train` rows of train, 2,000 of any other; a split with fewer is loaded whole.
    """
    return {
        split: f"{split}[:{train if split == 'train' else OTHER_SPLITS_MOST}]"
        for split in mini.SPLITS
    }


def endpoint() -> str:
    """The address of the hub: HF_ENDPOINT, or the hub's own."""
    return (os.environ.get(MIRROR_VARIABLE) or DEFAULT_ENDPOINT).rstrip("/")


def _missing(model: bool, data: bool) -> list[str]:
    missing = []
    if model and not _model_cached():
        missing.append("model")
    if data and not _data_cached():
        missing.append("data")
    return missing


def _named(parts: list[str]) -> str:
    return ", ".join(MODEL if part == "model" else "/".join(DATA) for part in parts)


def _offline(part: str) -> bool:
    names = ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"]
    if part == "data" and "HF_DATASETS_OFFLINE" in os.environ:
        names = ["HF_DATASETS_OFFLINE"]
    return any(os.environ.get(name, "").upper() in TRUE for name in names)


def _model_cached() -> bool:
    from huggingface_hub import try_to_load_from_cache

    def has(name: str) -> bool:
        return isinstance(try_to_load_from_cache(MODEL, name), str)

    weights = has("model.safetensors") or has("tf_model.h5")
    return has("config.json") and weights and (has("tokenizer.json") or has("vocab.txt"))


def _data_cached() -> bool:
    from huggingface_hub import constants

    folder = os.environ.get("HF_DATASETS_CACHE") or os.path.join(constants.HF_HOME, "datasets")
    name, config = DATA
    return any(Path(os.path.expanduser(folder)).glob(f"{name}/{config}/*/*/dataset_info.json"))


def _download_model() -> None:
    from huggingface_hub import hf_hub_download

    for name in MODEL_FILES:
        hf_hub_download(MODEL, name)


def _download_data() -> None:
    import datasets

    # It would ask a second server, "datasets-server." before the hub's name, for what the
    # dataset's card says too. A mirror has no such neighbour.
    datasets.config.USE_PARQUET_EXPORT = False
    datasets.load_dataset(*DATA)


def _cause(error: BaseException) -> str:
    """First line of the innermost exception: the outer ones say "couldn't reach" of anything."""
    while error.__cause__ or (error.__context__ and not error.__suppress_context__):
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    kind, line = type(error).__name__, first_line(error)
    return kind if line == kind else f"{kind}: {line}"


def _stay_in_the_cache() -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"
    # Libraries that are imported already have read the variable.
    for module, name in (
        ("huggingface_hub.constants", "HF_HUB_OFFLINE"),
        ("transformers.utils.hub", "_is_offline_mode"),
        ("datasets.config", "HF_HUB_OFFLINE"),
        ("datasets.config", "HF_DATASETS_OFFLINE"),
    ):
        if module in sys.modules:
            setattr(sys.modules[module], name, True)
    # In this mode `datasets` says at each load that the hub does not have what it does have.
    for name in ("datasets.load", "datasets.packaged_modules.cache.cache"):
        logging.getLogger(name).setLevel(logging.ERROR)


def _ask(address: str) -> None:
    url = urllib.parse.urlsplit(address)
    try:
        port = url.port
    except ValueError:
        port = None
    if url.scheme not in ("http", "https") or not url.hostname:
        raise Refusal("pipeline.refused.hub_bad_endpoint", endpoint=address)
    answers: queue.Queue[Exception | None] = queue.Queue()
    try:
        patience = float(os.environ.get(PATIENCE_VARIABLE, ""))
    except ValueError:
        patience = PATIENCE

    def ask() -> None:
        try:
            _greet(url.scheme, url.hostname or "", port, patience)
            answers.put(None)
        except Exception as error:
            answers.put(error)

    # Looking up a name cannot be given a time limit, so the whole question goes to a thread.
    threading.Thread(target=ask, daemon=True).start()
    try:
        error = answers.get(timeout=patience)
    except queue.Empty:
        error = TimeoutError()
    if error is not None:
        raise _refused(error, address, url.hostname, patience) from error


def _greet(scheme: str, host: str, port: int | None, patience: float) -> None:
    import http.client
    import ssl
    import urllib.request

    proxy = urllib.request.getproxies().get(scheme)
    if proxy and not urllib.request.proxy_bypass(host):
        through = urllib.parse.urlsplit(proxy if "//" in proxy else f"//{proxy}")
        socket.create_connection((through.hostname, through.port or 8080), patience).close()
        return
    connection: http.client.HTTPConnection
    if scheme == "https":
        # Only whether somebody answers matters here; the download itself checks certificates.
        careless = ssl.create_default_context()
        careless.check_hostname = False
        careless.verify_mode = ssl.CERT_NONE
        connection = http.client.HTTPSConnection(host, port, timeout=patience, context=careless)
    else:
        connection = http.client.HTTPConnection(host, port, timeout=patience)
    try:
        connection.request("HEAD", "/")
        connection.getresponse()
    finally:
        connection.close()


def _refused(error: Exception, address: str, host: str | None, patience: float) -> Refusal:
    if isinstance(error, TimeoutError):
        return Refusal(
            "pipeline.refused.hub_silent",
            endpoint=address,
            seconds=f"{patience:g}",
            variable=PATIENCE_VARIABLE,
        )
    if isinstance(error, socket.gaierror):
        return Refusal("pipeline.refused.hub_unresolved", endpoint=address, host=host)
    if isinstance(error, ConnectionRefusedError):
        return Refusal("pipeline.refused.hub_refused", endpoint=address)
    return Refusal("pipeline.refused.hub_unreachable", endpoint=address, reason=_cause(error))
