"""Words of a text: the index and the browser have the same."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vitrine.search.titles.words import stem_word
from vitrine.text.folding import MAX_WORD_LENGTH, fold_text, split_words

SCRIPT = Path(__file__).parents[4] / "site" / "search" / "words.js"
EXAMPLES = {
    "Ångström Straße": ["angstrom", "strasse"],
    "東京タワー 2": ["東京", "京タ", "タワ", "ワー", "ー", "2"],
    "שָׁלוֹם עולם": ["שלום", "עולם"],
    "مُحَمَّد علي": ["محمد", "علي"],
    "ΟΔΥΣΣΕΥΣ": ["οδυσσευσ"],
    "Ёлка й": ["елка", "и"],
    "हिन्दी में": ["हिन्दी", "में"],
    "শক্তি தமிழ்": ["শক্তি", "தமிழ்"],
    "ไทย ที่": ["ไท", "ทย", "ย", "ที่"],
    "ខ្មែរ": ["ខ្មែ", "មែរ", "រ"],
    "がか": ["がか", "か"],
    "한국어": ["한국어"],
    "مـحمد ܡܰܠܟܳܐ": ["محمد", "ܡܠܟܐ"],
    "!!! … —": [],
    "": [],
}


@pytest.mark.parametrize(("text", "words"), EXAMPLES.items())
def test_words_are_folded_in_every_script(text: str, words: list[str]) -> None:
    assert list(split_words(text)) == words


def test_what_is_folded_stays_as_it_is_when_it_is_folded_again() -> None:
    for text in EXAMPLES:
        assert fold_text(fold_text(text)) == fold_text(text)


def test_the_browser_splits_texts_as_the_index_does() -> None:
    texts = [
        *EXAMPLES,
        "\u017f ﬁne İstanbul",
        "x²½ a_b",
        "ｶﾀｶﾅ 𠮷野家",
        "한국어 हिन्दी क़लम શક્‍તિ",
        "ำไทย ນ້ຳ မြန်မာ ᨠᩩ་བོད་ཡིག",
        "か\u3099 葛\U000e0100 ᄒ\u1161ᆫ a\u0327\u0301 \u0301",
        "a" * 10_000,
    ]
    code = (
        f"import {{ splitWords }} from {json.dumps(SCRIPT.as_uri())};"
        f"console.log(JSON.stringify({json.dumps(texts)}.map(splitWords)))"
    )
    done = subprocess.run(
        ["node", "--input-type=module", "-e", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [list(split_words(text)) for text in texts]


def test_a_long_word_counts_with_its_first_letters() -> None:
    assert list(split_words("a" * 10_000)) == ["a" * MAX_WORD_LENGTH]


def test_words_have_the_stem_of_their_language() -> None:
    assert stem_word("paintings", "en-GB") == stem_word("painting", "en")
    assert stem_word("paintings", "none") == "paintings"


def test_threads_that_stem_at_the_same_time_get_the_stems_of_their_words() -> None:
    words = [letter + ending * 3 for letter in "bcdfgh" for ending in ("ings", "ational")]
    expected = [stem_word.__wrapped__(word, "en") for word in words]
    interval = sys.getswitchinterval()
    try:
        sys.setswitchinterval(1e-6)
        with ThreadPoolExecutor(8) as threads:
            found = threads.map(lambda word: stem_word.__wrapped__(word, "en"), words * 200)
            assert list(found) == expected * 200
    finally:
        sys.setswitchinterval(interval)
