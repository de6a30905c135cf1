"""Addresses below /iiif/."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.errors import InvalidRequest, RequestError, UnknownImage
from vitrine.iiif.address import Address, parse_address
from vitrine.iiif.version import V2, V3, Version

IMAGE = ("full", "max", "0", "default.jpg")


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("/iiif/3/a", Address(V3, "a", ())),
        ("/iiif/3/a/", Address(V3, "a", ())),
        ("/iiif/2/a/info.json", Address(V2, "a", ("info.json",))),
        ("/iiif/a/info.json", Address(None, "a", ("info.json",))),
        ("/iiif/3/a/full/max/0/default.jpg", Address(V3, "a", IMAGE)),
        ("/iiif/3/a%2Fb%252F%C3%A9/info.json", Address(V3, "a/b%2Fé", ("info.json",))),
        (
            "/iiif/3/a/full/%5Emax/%2190/default.jpg",
            Address(V3, "a", ("full", "^max", "!90", IMAGE[3])),
        ),
        ("/iiif/3/2/info.json", Address(V3, "2", ("info.json",))),
    ],
)
def test_an_address_is_decoded_once(path: str, address: Address) -> None:
    assert parse_address(path) == address


@pytest.mark.parametrize("path", ["/", "", "/iiif", "/iiifx/3/a", "/healthz", "iiif/3/a"])
def test_what_is_elsewhere_is_no_address(path: str) -> None:
    assert parse_address(path) is None


@pytest.mark.parametrize(
    "path",
    [
        *("/iiif/", "/iiif/3", "/iiif/3/", "/iiif/3//info.json", "/iiif/3/a/1/2"),
        *("/iiif/3/%f", "/iiif/3/%zz", "/iiif/3/%ff/info.json", "/iiif/3/a/full/max/0"),
        "/iiif/3/a/x",
    ],
)
def test_a_malformed_address_is_invalid(path: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_address(path)


@pytest.mark.parametrize(
    "path", ["/iiif/3/a/b/info.json", "/iiif/3/a/b/full/max/0/default.jpg", "/iiif/a/b/info.json"]
)
def test_bare_slashes_in_an_identifier_name_no_image(path: str) -> None:
    with pytest.raises(UnknownImage):
        parse_address(path)


@pytest.mark.parametrize(
    ("path", "newest"),
    [
        ("/iiif/a%2Fb/info.json", "/iiif/3/a%2Fb/info.json"),
        ("/iiif/ark:%2F1/full/max/0/default.jpg", "/iiif/3/ark:%2F1/full/max/0/default.jpg"),
        ("/iiif/a/full/full/0/default.jpg", "/iiif/2/a/full/full/0/default.jpg"),
        ("/iiif/a/1,2,3,4/^!9,9/!0/default.jpg", "/iiif/3/a/1,2,3,4/^!9,9/!0/default.jpg"),
    ],
)
def test_an_unversioned_address_belongs_to_the_newest_version_that_takes_it(
    path: str, newest: str
) -> None:
    address = parse_address(path)
    assert address
    assert address.path() == newest


identifiers = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


@given(identifier=identifiers, version=st.sampled_from([V2, V3]), image=st.booleans())
def test_a_path_is_read_back_as_it_was_written(
    identifier: str, version: Version, image: bool
) -> None:
    address = Address(version, identifier, IMAGE if image else ("info.json",))
    assert parse_address(address.path()) == address
    plain = "/".join(address.parameters)
    assert parse_address(f"/iiif/{version.number}/{quote(identifier, safe='')}/{plain}") == address


@given(path=st.text(max_size=60))
def test_any_path_is_parsed_or_refused(path: str) -> None:
    try:
        parse_address(f"/iiif/{path}")
    except RequestError:
        return


@pytest.mark.parametrize("identifier", ["\u00e9t\u00e9", "e\u0301te\u0301"])
def test_an_address_keeps_its_spelling_and_knows_the_normalised_one(identifier: str) -> None:
    path = f"/iiif/3/{quote(identifier)}/info.json"
    address = parse_address(path)
    assert address
    assert address.path() == path
    assert address.normalised_identifier == "\u00e9t\u00e9"
