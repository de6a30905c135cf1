"""Addresses as institutions have them become identifiers that somebody recognises."""

import pytest

from vitrine.errors import IdentifierRefused
from vitrine.sources.iiif.names import image_identifier, object_identifier


@pytest.mark.parametrize(
    ("address", "identifier"),
    [
        ("https://purl.stanford.edu/qm670kv1873/iiif/manifest.json", "qm670kv1873"),
        ("https://iiif.wellcomecollection.org/presentation/v3/b18035723", "b18035723"),
        ("https://iiif.lib.harvard.edu/manifests/drs:48309543", "drs:48309543"),
        ("https://data.getty.edu/museum/api/iiif/298147/manifest.json", "298147"),
        ("https://gallica.bnf.fr/iiif/ark:/12148/btv1b10511154x/manifest.json", "btv1b10511154x"),
        ("https://a.example/objects/12.json", "12"),
        ("https://a.example/fixtures/4/manifest.json", "fixtures-4"),
        ("https://a.example/manifest", "a.example-manifest"),
    ],
)
def test_an_object_is_called_what_its_manifest_is(address: str, identifier: str) -> None:
    assert object_identifier(address) == identifier


@pytest.mark.parametrize(
    ("address", "identifier"),
    [
        (
            "https://libimages.princeton.edu/loris/pudl0001%2F4612422%2F00000001.jp2",
            "pudl0001/4612422/00000001.jp2",
        ),
        (
            "http://gallica.bnf.fr/iiif/ark:/12148/btv1b7100627v/f329",
            "ark:/12148/btv1b7100627v/f329",
        ),
        ("https://images.is.ed.ac.uk/luna/servlet/iiif/UoE~3~3~339~206648", "UoE~3~3~339~206648"),
        ("https://iiif.wellcomecollection.org/image/b18035723_0019.JP2", "b18035723_0019.JP2"),
        ("https://media.nga.gov/iiif/public/objects/7/74796.ptif", "public/objects/7/74796.ptif"),
    ],
)
def test_an_image_keeps_what_its_old_server_calls_it(address: str, identifier: str) -> None:
    assert image_identifier(address) == identifier


@pytest.mark.parametrize("address", ["https://a.example/", "https://a.example/iiif/..", "x"])
def test_an_address_that_names_nothing_is_refused(address: str) -> None:
    with pytest.raises(IdentifierRefused):
        image_identifier(address if address != "x" else "https://a.example/iiif/2")
