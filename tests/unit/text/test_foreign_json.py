"""JSON of others is read as browsers read it, and what cannot be read raises ValueError."""

import pytest

from vitrine.text.foreign_json import decode_json


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'["a \ud83d b"]', ["a \ufffd b"]),
        (r'{"\uDC00": {"b": "\ud83d\ud83d\ude00"}}', {"\ufffd": {"b": "\ufffd\U0001f600"}}),
        (r'["\ud83d\ude00", "\\ud83d", 1.5]', ["\U0001f600", r"\ud83d", 1.5]),
    ],
)
def test_half_of_a_surrogate_pair_becomes_the_replacement_character(
    text: str, expected: object
) -> None:
    for body in (text, text.encode(), text.encode("utf-8-sig"), text.encode("utf-16")):
        assert decode_json(body) == expected


@pytest.mark.parametrize("body", [b"{", b'["\xed\xa0\x80"]', b'["M\xfcller"]', b"[" * 100_000])
def test_what_cannot_be_read_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"Expecting|decode|too deep"):
        decode_json(body)
