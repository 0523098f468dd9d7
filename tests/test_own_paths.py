"""Names after --model and --data that lead nowhere, or where the reader may not look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from course_debug import mini, pipeline, text
from course_debug.refusal import Refusal
import pytest

FOLDERS = {"model": Path(mini.CHECKPOINT), "data": Path(mini.DATA["train"]).parent}


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    text.speak("en")
    yield
    text.speak(None)


def forbidden(*arguments: object, **named: object) -> None:
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("path", ["~nosuch/folder", "n" * 300, "no\nsuch", "nowhere/x.csv"])
@pytest.mark.parametrize("option", ["model", "data"])
def test_a_path_that_leads_nowhere_is_refused(option: str, path: str) -> None:
    with pytest.raises(Refusal) as caught:
        pipeline.choose(**{option: path})
    assert caught.value.key == f"pipeline.refused.{option}_not_there"
    assert path in text.translate(caught.value.key, **caught.value.values)


@pytest.mark.parametrize(
    ("option", "method"),
    [
        ("model", "stat"),
        ("model", "is_file"),
        ("model", "read_text"),
        ("data", "stat"),
        ("data", "iterdir"),
        ("data", "is_file"),
    ],
)
def test_a_folder_that_may_not_be_looked_into_is_refused(
    option: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(FOLDERS[option])
    with monkeypatch.context() as patched:
        patched.setattr(Path, method, forbidden)
        with pytest.raises(Refusal) as caught:
            pipeline.choose(**{option: folder})
    assert caught.value.key == "pipeline.refused.unreadable"
    sentence = text.translate(caught.value.key, **caught.value.values)
    assert folder in sentence
    assert "Permission denied" in sentence


@pytest.mark.parametrize("option", ["model", "data"])
def test_an_empty_name_is_refused_and_not_taken_for_the_default(option: str) -> None:
    with pytest.raises(Refusal) as caught:
        pipeline.choose(**{option: ""})
    assert f"--{option}" in text.translate(caught.value.key, **caught.value.values)
