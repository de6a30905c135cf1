"""The viewer's texts: the same in each language, and all that its modules say."""

import json
import re
from pathlib import Path

import pytest

VIEWER = Path(__file__).parents[3] / "site" / "viewer"
WORDS = {path.stem: json.loads(path.read_text()) for path in (VIEWER / "words").glob("*.json")}
PLACE = re.compile(r"\{\w+\}")


def test_there_are_texts_in_the_languages_that_the_viewer_looks_for() -> None:
    (line,) = re.findall(r"const LANGUAGES = (\[.*\]);", (VIEWER / "words.js").read_text())
    assert sorted(json.loads(line.replace("'", '"'))) == sorted(WORDS)


@pytest.mark.parametrize("language", sorted(WORDS))
def test_every_language_has_every_text_with_its_places(language: str) -> None:
    texts, english = WORDS[language], WORDS["en"]
    assert list(texts) == list(english)
    for name, text in english.items():
        assert sorted(PLACE.findall(texts[name])) == sorted(PLACE.findall(text)), name


def test_no_text_is_missing_and_none_is_left_over() -> None:
    modules = "".join(path.read_text() for path in VIEWER.glob("*.js"))
    quoted = set(re.findall(r"'([a-z]\w+)'", modules))
    requested = set(re.findall(r"\bsay(?:\?\.)?\(\s*'(\w+)'", modules))
    assert requested <= set(WORDS["en"])
    names = {name for name in WORDS["en"] if not name.startswith("place-")}
    assert names - quoted == set()
    assert {f"place-{x}{y}" for x in range(3) for y in range(3)} == set(WORDS["en"]) - names


@pytest.mark.parametrize("path", sorted(VIEWER.glob("*.js")), ids=lambda path: path.name)
def test_modules_are_small_and_never_write_markup(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 300
    assert not re.search(r"\.(?:innerHTML|outerHTML)\s*=|insertAdjacentHTML|\beval\(", text)
    assert "https://" not in text
