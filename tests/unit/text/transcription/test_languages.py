"""Names of languages become tags of BCP 47."""

import pytest

from vitrine.text.transcription.languages import read_direction, read_language


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("de", "de"),
        ("deu", "de"),
        ("ger", "de"),
        ("German", "de"),
        ("de-AT", "de-at"),
        ("en_US", "en-us"),
        ("syr", "syr"),
        ("grc", "grc"),
        ("unknown", ""),
        ("Klingon", ""),
        ("", ""),
        (None, ""),
        ("x", ""),
        ("de-" + "x" * 40, "de"),
        ("de-<b>", "de"),
        ("дед", ""),
    ],
)
def test_a_language_is_a_tag_or_nothing(name: str | None, tag: str) -> None:
    assert read_language(name) == tag


@pytest.mark.parametrize(
    ("name", "direction"),
    [("rtl", "rtl"), ("RTL", "rtl"), ("right-to-left", "rtl"), ("up", ""), (None, "")],
)
def test_a_direction_is_known_or_nothing(name: str | None, direction: str) -> None:
    assert read_direction(name) == direction
