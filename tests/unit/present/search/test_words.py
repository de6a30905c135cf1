"""Words of a text: the index and the browser have the same."""

import json
import subprocess
from pathlib import Path

import pytest

from vitrine.present.folding import LONGEST
from vitrine.present.search.words import split_words, stem_word

SCRIPT = Path(__file__).parents[4] / "site" / "search" / "words.js"
EXAMPLES = {
    "Ångström Straße": ["angstrom", "strasse"],
    "東京タワー 2": ["東京", "京タ", "タワ", "ワー", "ー", "2"],
    "שָׁלוֹם עולם": ["שלום", "עולם"],
    "مُحَمَّد علي": ["محمد", "علي"],
    "ΟΔΥΣΣΕΥΣ": ["οδυσσευσ"],
    "!!! … —": [],
    "": [],
}


@pytest.mark.parametrize(("text", "words"), EXAMPLES.items())
def test_words_are_folded_in_every_script(text: str, words: list[str]) -> None:
    assert list(split_words(text)) == words


def test_the_browser_splits_texts_as_the_index_does() -> None:
    texts = [
        *EXAMPLES,
        "\u017f ﬁne İstanbul",
        "x²½ a_b",
        "ｶﾀｶﾅ 𠮷野家",
        "한국어 हिन्दी",
        "a" * 10_000,
    ]
    code = (
        f"import {{ splitWords }} from {json.dumps(SCRIPT.as_uri())};"
        f"console.log(JSON.stringify({json.dumps(texts)}.map(splitWords)))"
    )
    done = subprocess.run(
        ["node", "--experimental-default-type=module", "--input-type=module", "-e", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [list(split_words(text)) for text in texts]


def test_a_long_word_counts_with_its_first_letters() -> None:
    assert list(split_words("a" * 10_000)) == ["a" * LONGEST]


def test_words_have_the_stem_of_their_language() -> None:
    assert stem_word("paintings", "en-GB") == stem_word("painting", "en")
    assert stem_word("paintings", "none") == "paintings"
