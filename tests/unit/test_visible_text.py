"""Text from outside, made safe to show."""

import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.visible_text import JOINERS, escape_controls, to_json

ANY_TEXT = st.text(st.characters(min_codepoint=0, max_codepoint=sys.maxunicode))


@given(ANY_TEXT)
def test_no_invisible_character_is_left_in_a_text(text: str) -> None:
    shown = escape_controls(text)
    assert all(sign.isprintable() or sign in JOINERS for sign in shown)
    shown.encode()  # no lone surrogate either


@given(ANY_TEXT)
def test_json_is_free_of_invisible_characters_and_says_the_same(text: str) -> None:
    document = to_json({"key": [text]})
    assert all(sign.isprintable() or sign in f"\n{JOINERS}" for sign in document)
    assert json.loads(document) == {"key": [text]}


@pytest.mark.parametrize(
    "sign",
    [
        *map(chr, range(0x20)),
        *map(chr, range(0x7F, 0xA0)),
        *map(chr, range(0x202A, 0x202F)),
        *map(chr, range(0x2066, 0x206A)),
        "\u2028",
        "\u2029",
    ],
    ids=lambda sign: f"U+{ord(sign):04X} {unicodedata.category(sign)}",
)
def test_every_control_of_terminals_and_of_direction_is_spelled_out(sign: str) -> None:
    assert escape_controls(f"a{sign}b").startswith("a\\")


def test_words_of_every_script_stay_as_they_are() -> None:
    words = "Ångström 日本 №1 ‮"[:-1] + " नमस्\u200dते 👩\u200d🎨 [red]x :smile:"
    assert escape_controls(words) == words
