"""What an identifier may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.deliver.http.path_rules import check_path
from vitrine.errors import MasterRejected
from vitrine.identify.identifier import MAXIMUM_BYTES, is_identifier, normalise_identifier
from vitrine.iiif.paths import image_path
from vitrine.iiif.version import NEWEST


@pytest.mark.parametrize(
    "text",
    [
        "SK-C-5",
        "a/b:c",
        "日本",
        "日本\u3000画",
        "5",
        "manifests/1",
        "50% off",
        "with space",
        "x" * MAXIMUM_BYTES,
    ],
)
def test_museum_numbers_are_kept(text: str) -> None:
    assert normalise_identifier(text) == text


def test_two_spellings_of_one_text_are_one_identifier() -> None:
    assert normalise_identifier("a\u0308") == "\u00e4"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3",
        "4",
        "manifests",
        "a\u2028b",
        "a\u200bb",
        "a\ud800",
        "info.json",
        "..",
        "a/../b",
        "a\\..\\b",
        " a",
        "a ",
        "a\nb",
        "a\0",
        "x" * 256,
    ],
)
def test_what_no_address_can_hold_is_refused(text: str) -> None:
    with pytest.raises(MasterRejected) as raised:
        normalise_identifier(text)
    assert raised.value.rejection.code == "identifier-invalid"


@given(st.text())
def test_any_text_is_refused_or_stays_as_it_is(text: str) -> None:
    try:
        identifier = normalise_identifier(text)
    except MasterRejected:
        assert not is_identifier(text)
        return
    assert is_identifier(text) == (text == identifier)
    assert normalise_identifier(identifier) == identifier
    assert len(identifier.encode()) <= MAXIMUM_BYTES


@given(st.one_of(st.text(), st.text(alphabet="a./\\% é", max_size=6)))
def test_whatever_may_be_one_has_an_address_that_is_answered(text: str) -> None:
    try:
        identifier = normalise_identifier(text)
    except MasterRejected:
        return
    check_path(image_path(NEWEST, identifier))
