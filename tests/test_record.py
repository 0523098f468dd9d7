"""What the READMEs and the listing show was recorded, and nobody edited it afterwards."""

import json
import re

import course_debug
from course_debug.__main__ import RECORDED as SECONDS
from course_debug.stages import STAGES
import pytest
import record

READMES = sorted(record.READMES.items())


def test_listing_knows_how_long_every_stage_takes():
    recorded = json.loads(SECONDS.read_text(encoding="utf-8"))

    assert set(recorded["seconds"]) >= set(STAGES)
    assert all(0 < seconds < 60 for seconds in recorded["seconds"].values())
    assert recorded["machine"]["versions"]["transformers"].startswith("4.54")


@pytest.mark.parametrize(("language", "name"), READMES)
def test_readme_shows_what_was_recorded(language, name):
    readme = (record.ROOT / name).read_text(encoding="utf-8")

    assert set(record.RUNS) == {found[1] for found in record.BLOCK.findall(readme)}
    assert record.filled(readme, language) == readme


@pytest.mark.parametrize(("language", "name"), READMES)
def test_every_link_of_a_readme_leads_somewhere(language, name):
    readme = (record.ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", readme)

    assert len(links) >= 6
    assert not [link for link in links if not (record.ROOT / link).is_file()]


@pytest.mark.parametrize(("language", "name"), READMES)
def test_readmes_have_the_same_commands(language, name):
    def commands(text):
        blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        return [re.sub(r"\s*#.*", "", line) for block in blocks for line in block.splitlines()]

    english = (record.ROOT / "README.md").read_text(encoding="utf-8")
    assert commands((record.ROOT / name).read_text(encoding="utf-8")) == commands(english)


def test_version_is_told_once():
    project = (record.ROOT / "pyproject.toml").read_text(encoding="utf-8")

    assert f'version = "{course_debug.__version__}"' in project
