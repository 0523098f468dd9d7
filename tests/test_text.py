"""Three languages say the same things, in the same places, with the same words for the field."""

import re
import string
import tomllib
from pathlib import Path

from course_debug import text
from course_debug.stages import STAGES
from course_debug.text import FOLDER, LANGUAGES, catalog, reader_language, speak, translate
import pytest

SUBJECTS = sorted(path.stem for path in (FOLDER / "en").glob("*.toml"))
TRANSLATIONS = [language for language in LANGUAGES if language != "en"]
TERMS = tomllib.loads((FOLDER / "glossary.toml").read_text(encoding="utf-8"))["term"]
HAN = r"[\u4e00-\u9fff]"


@pytest.fixture(autouse=True)
def silence():
    yield
    speak(None)


def placeholders(template):
    return sorted({name for _, name, _, _ in string.Formatter().parse(template) if name})


def messages(language):
    return [
        (f"{subject}.{key}", message)
        for subject in SUBJECTS
        for key, message in catalog(language, subject).items()
    ]


def test_every_stage_has_a_catalog():
    assert set(STAGES) <= set(SUBJECTS)


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_language_has_the_same_files(language):
    assert sorted(path.stem for path in (FOLDER / language).glob("*.toml")) == SUBJECTS


@pytest.mark.parametrize("language", TRANSLATIONS)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_message_exists_with_the_same_placeholders(language, subject):
    english, other = catalog("en", subject), catalog(language, subject)

    assert list(other) == list(english)
    for key, message in english.items():
        assert placeholders(other[key]) == placeholders(message), key
        assert other[key].count("\n") == message.count("\n"), key


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_terms_are_those_of_the_glossary(language):
    strays = []
    for subject in SUBJECTS:
        other = catalog(language, subject)
        for key, message in catalog("en", subject).items():
            plain = re.sub(r"\{\w+\}|[\w.]*\w\(\S*\)|\w*_\w+|--\w+", " ", message)
            strays += [
                (f"{subject}.{key}", term["en"])
                for term in TERMS
                if re.search(rf"\b{term['en']}\b", plain, re.IGNORECASE)
                and not re.search(term[language], other[key], re.IGNORECASE)
            ]

    assert not strays


def test_chinese_has_a_blank_between_latin_and_han():
    for key, message in messages("zh"):
        # These two are filled with Chinese, not with Latin letters or digits.
        message = message.replace("{source}", "").replace("{place}", "")
        assert not re.search(rf"{HAN}[A-Za-z0-9{{]|[A-Za-z0-9}}]{HAN}", message), key


def test_chinese_uses_its_own_punctuation():
    for key, message in messages("zh"):
        assert not re.search(rf"{HAN}\s?[,;:?!]|{HAN}\.(\s|$)", message), key


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_nothing_was_left_in_english(language):
    script = HAN if language == "zh" else r"[\u0430-\u044f]"
    for key, message in messages(language):
        if (
            len(re.findall(r"[a-z]{2,}", catalog("en", key.split(".")[0])[key.split(".", 1)[1]]))
            > 3
        ):
            assert re.search(script, message), key


@pytest.mark.parametrize(
    ("variable", "value", "language"),
    [
        ("LANG", "zh_CN.UTF-8", "zh"),
        ("LANG", "ru_RU.UTF-8", "ru"),
        ("LC_ALL", "ru_RU.UTF-8", "ru"),
        ("LANG", "de_DE.UTF-8", "en"),
        ("LANG", "C.UTF-8", "en"),
    ],
)
def test_language_comes_from_the_locale(monkeypatch, variable, value, language):
    monkeypatch.setenv(variable, value)

    assert reader_language() == language
    assert translate("cli.help.usage") == catalog(language, "cli")["help.usage"]


def test_chosen_language_wins_over_the_locale(monkeypatch):
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    speak("ru")

    assert text.spoken() == "ru"


def test_missing_value_is_an_error():
    with pytest.raises(KeyError):
        translate("cli.unknown_stage", name="x")


def used_keys():
    """Return the keys that the sources name in full, and those of a stage by their tail."""
    package = Path(text.FOLDER).parent
    for source in package.rglob("*.py"):
        code = source.read_text(encoding="utf-8")
        for key in re.findall(
            r'(?<![.\w])(?:translate|Refusal|say)\(\s*"([a-z0-9_]+\.[a-z0-9_.]+)"', code
        ):
            yield source, key
        if source.parent.name in STAGES:
            for key in re.findall(r'story\.(?:say|finding|text)\(\s*"([a-z_.]+)"', code):
                yield source, f"{source.parent.name}.{key}"


def test_every_key_that_the_code_names_exists():
    missing = []
    for source, key in used_keys():
        subject, _, entry = key.partition(".")
        if subject not in SUBJECTS or entry not in catalog("en", subject):
            missing.append((source.name, key))

    assert not missing
