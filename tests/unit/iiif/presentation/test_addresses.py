"""The addresses of manifests."""

import pytest

from vitrine.errors import InvalidRequest, UnknownImage
from vitrine.iiif.presentation.addresses import (
    Addresses,
    DocumentAddress,
    document_path,
    parse_document_address,
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/presentation/3/a/manifest.json", DocumentAddress(3, "a", "manifest.json")),
        ("/presentation/2/a/manifest.json/", DocumentAddress(2, "a", "manifest.json")),
        ("/presentation/3/ark:%2F1%2Fé", DocumentAddress(3, "ark:/1/é", "")),
        ("/presentation/a", DocumentAddress(None, "a", "")),
        ("/presentation/a/manifest.json", DocumentAddress(None, "a", "manifest.json")),
        ("/iiif/3/a/info.json", None),
        ("/presentation", None),
    ],
)
def test_a_path_is_read(path: str, expected: DocumentAddress | None) -> None:
    assert parse_document_address(path) == expected


@pytest.mark.parametrize("path", ["/presentation/", "/presentation/3", "/presentation//a"])
def test_an_address_without_an_identifier_is_refused(path: str) -> None:
    with pytest.raises(InvalidRequest, match="names no object"):
        parse_document_address(path)


@pytest.mark.parametrize("rest", ["manifest", "a/manifest.json", "manifest.json/a", "/"])
def test_what_is_no_manifest_is_unknown(rest: str) -> None:
    with pytest.raises(UnknownImage):
        parse_document_address(f"/presentation/3/a/{rest}")


@pytest.mark.parametrize("identifier", ["a", "ark:/12148/btv1b é", "100%", "Ünïcode+(1)!"])
def test_what_is_written_is_read_again(identifier: str) -> None:
    for version in (2, 3):
        to = Addresses("https://m.example", version)
        for document, address in (("manifest", to.manifest), ("collection", to.collection)):
            written = document_path(version, identifier, f"{document}.json")
            expected = DocumentAddress(version, identifier, f"{document}.json")
            assert parse_document_address(written) == expected
            assert address(identifier).endswith(written)


def test_the_newest_version_is_meant_where_none_is_named() -> None:
    address = parse_document_address("/presentation/a")
    assert address is not None
    assert address.path() == "/presentation/3/a/manifest.json"
