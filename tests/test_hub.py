from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from guarded_child import LOOPBACK, Ended, run_child
from hub_stand_in import HubStandIn
from unhurried import within

LOAD = """
from course_debug import mini, pipeline
source = pipeline.choose("hub", "hub")
pipeline.use(source)
raw = pipeline.raw(source)
assert raw["train"].num_rows == 4800, raw
assert raw["train"].features["label"].names == ["entailment", "neutral", "contradiction"]
assert set(raw["test_matched"]["label"]) == {-1}
tokenizer = pipeline.tokenizer(source)
model = pipeline.model(source)
assert model.config.num_labels == 3
import numpy
embedded = pipeline.model(pipeline.Source(mini.CHECKPOINT, {}, "mini", "mini"))
batch = tokenizer(raw["train"][:4]["premise"], padding=True, return_tensors="tf")
batch = {name: batch[name] for name in ("input_ids", "attention_mask")}
apart = model.distilbert(batch)[0] - embedded.distilbert(batch)[0]
assert abs(numpy.asarray(apart)).max() < 1e-5
print(pipeline.CHECKPOINT, pipeline.MNLI)
"""

ASK = """
import time, huggingface_hub.constants
start = time.perf_counter()
from course_debug import pipeline
from course_debug.refusal import Refusal
from course_debug.text import translate
try:
    pipeline.use(pipeline.choose("hub", "hub"))
except Refusal as refusal:
    print(refusal.key, round(time.perf_counter() - start, 2))
    print(translate(refusal.key, **refusal.values))
"""


@dataclass(frozen=True)
class Filled:
    home: Path
    ended: Ended
    asked: list[tuple[str, str]]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    home = tmp_path_factory.mktemp("hub")
    with HubStandIn() as hub:
        ended = run_child(LOAD, home, allowed=LOOPBACK, strict=False, HF_ENDPOINT=hub.endpoint)
    return Filled(home, ended, hub.asked)


def refused(ended: Ended) -> tuple[str, float, str]:
    assert ended.status == 0, ended.err
    first, sentence = ended.out.splitlines()
    key, seconds = first.split()
    assert "mini" in sentence
    assert "HF_ENDPOINT" in sentence
    return key.removeprefix("pipeline.refused."), float(seconds), sentence


def refused_within_two_seconds(
    home: Path, code: str = ASK, *, allowed: tuple[str, ...] = (), **environment: str
) -> tuple[str, str]:
    """Key and sentence; the question took under two seconds, the whole process under three."""

    def ask() -> tuple[Ended, tuple[str, float, str]]:
        ended = run_child(code, home, allowed=allowed, **environment)
        return ended, refused(ended)

    _, (key, _, sentence) = within(3, ask, lambda asked: max(asked[0].seconds, asked[1][1] + 1))
    return key, sentence


def test_pairs_tokenizer_and_pytorch_weights_come_from_the_hub(filled: Filled) -> None:
    assert filled.ended.status == 0, filled.ended.err
    assert filled.ended.out.startswith("distilbert-base-uncased {'path': 'glue', 'name': 'mnli'}")
    line = "In use: the model distilbert-base-uncased from the hub; the GLUE/MNLI pairs from"
    assert filled.ended.err.count(line) == 1
    got = [path for method, path in filled.asked if method == "GET"]
    assert "/cdn/models/distilbert/distilbert-base-uncased/model.safetensors" in got
    assert "/cdn/datasets/nyu-mll/glue/mnli/train-00000-of-00001.parquet" in got


def test_a_filled_cache_serves_offline(filled: Filled) -> None:
    ended = run_child(LOAD, filled.home, strict=False, HF_HUB_OFFLINE="1")
    assert ended.status == 0, ended.err


def test_a_filled_cache_asks_no_server_even_where_offline_is_not_set(filled: Filled) -> None:
    code = """
import datasets, transformers.utils.hub
from course_debug import pipeline
source = pipeline.choose("hub", "hub")
pipeline.use(source)
print(pipeline.raw(source)["train"].num_rows, pipeline.tokenizer(source).mask_token_id)
"""
    ended = run_child(code, filled.home, strict=False)
    assert (ended.status, ended.out) == (0, "4800 103\n"), ended.err
    assert "couldn't be found" not in ended.err


def test_the_first_rows_alone_can_be_loaded_from_the_hub(filled: Filled) -> None:
    code = """
from course_debug import pipeline
source = pipeline.choose("mini", "hub", most_rows=3000)
pipeline.use(source)
print(list(pipeline.raw(source).num_rows.items()))
print(pipeline.raw(pipeline.choose("mini", "hub", most_rows=20000))["train"].num_rows)
"""
    ended = run_child(code, filled.home, strict=False)
    assert ended.status == 0, ended.err
    rows = {"train": 3000, "validation_matched": 600, "validation_mismatched": 600}
    assert ended.out.splitlines() == [
        str([*rows.items(), ("test_matched", 300), ("test_mismatched", 300)]),
        "4800",
    ]


def test_a_cache_that_cannot_take_a_download_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where a folder must be")
    with HubStandIn() as hub:
        ended = run_child(
            "from course_debug.pipeline import CHECKPOINT",
            tmp_path,
            allowed=LOOPBACK,
            HF_ENDPOINT=hub.endpoint,
            HF_HUB_CACHE=str(tmp_path / "taken"),
            COURSE_DEBUG_MODEL="hub",
        )
    assert (ended.status, ended.err.count("\n")) == (2, 1), ended.err
    assert "HF_HUB_CACHE" in ended.err


def test_offline_without_a_cache_is_a_sentence(tmp_path: Path) -> None:
    key, sentence = refused_within_two_seconds(tmp_path, HF_HUB_OFFLINE="1")
    assert key == "hub_offline"
    assert "distilbert-base-uncased, glue/mnli" in sentence


def test_a_refused_connection_is_a_sentence_within_two_seconds(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
        key, sentence = refused_within_two_seconds(tmp_path, allowed=LOOPBACK, HF_ENDPOINT=address)
    assert key == "hub_refused"
    assert address in sentence


@pytest.fixture
def silent() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_hub_that_never_answers_is_a_sentence_within_two_seconds(
    tmp_path: Path, silent: str, scheme: str
) -> None:
    key, _ = refused_within_two_seconds(
        tmp_path, allowed=LOOPBACK, HF_ENDPOINT=f"{scheme}://{silent}"
    )
    assert key == "hub_silent"


UNKNOWN_NAME = """
import socket
def getaddrinfo(*arguments, **named):
    raise socket.gaierror(-2, "Name or service not known")
socket.getaddrinfo = getaddrinfo
"""
SLOW_NAME_SERVER = """
import socket, threading
socket.getaddrinfo = lambda *arguments, **named: threading.Event().wait(60)
"""


@pytest.mark.parametrize(
    ("names", "expected"), [(UNKNOWN_NAME, "hub_unresolved"), (SLOW_NAME_SERVER, "hub_silent")]
)
def test_a_name_without_an_address_is_a_sentence_within_two_seconds(
    tmp_path: Path, names: str, expected: str
) -> None:
    key, sentence = refused_within_two_seconds(
        tmp_path, names + ASK, HF_ENDPOINT="https://hub.invalid"
    )
    assert key == expected
    assert "hub.invalid" in sentence


def test_an_endpoint_without_a_scheme_is_a_sentence(tmp_path: Path) -> None:
    key, _, sentence = refused(run_child(ASK, tmp_path, HF_ENDPOINT="mirror.invalid"))
    assert key == "hub_bad_endpoint"
    assert "https://" in sentence


@pytest.mark.parametrize(
    "broken", ["model.safetensors", "mnli/train-00000-of-00001.parquet"], ids=["model", "data"]
)
def test_a_download_that_breaks_off_is_a_sentence(tmp_path: Path, broken: str) -> None:
    with HubStandIn(broken=broken) as hub:
        ended = run_child(ASK, tmp_path, allowed=LOOPBACK, strict=False, HF_ENDPOINT=hub.endpoint)
    key, _, sentence = refused(ended)
    assert key == "hub_download"
    assert hub.endpoint in sentence
    assert "Traceback" not in ended.err


def test_a_script_run_by_itself_ends_with_the_sentence_in_the_language_of_its_reader(
    tmp_path: Path, silent: str
) -> None:
    ended = run_child(
        "from course_debug.pipeline import CHECKPOINT",
        tmp_path,
        allowed=LOOPBACK,
        HF_ENDPOINT=f"http://{silent}",
        COURSE_DEBUG_MODEL="hub",
        LC_ALL="zh_CN.UTF-8",
    )
    assert ended.status == 2
    assert ended.err.startswith("模型中心 ")
    assert ended.err.count("\n") == 1
