"""The media type of image information and manifests."""

import pytest

from vitrine.deliver.http.json_media import negotiate_media
from vitrine.iiif.version import V2, V3

PLAIN = "application/json"
LINKED_2 = "application/ld+json"
LINKED_3 = 'application/ld+json;profile="http://iiif.io/api/image/3/context.json"'
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "two", "three"),
    [
        (None, PLAIN, LINKED_3),
        ("", PLAIN, LINKED_3),
        ("*/*", PLAIN, LINKED_3),
        ("application/*", PLAIN, LINKED_3),
        ("application/json", PLAIN, PLAIN),
        ("application/ld+json", LINKED_2, LINKED_3),
        (LINKED_3, LINKED_2, LINKED_3),
        ("application/ld+json, application/json;q=0.5", LINKED_2, LINKED_3),
        ("application/ld+json;q=0.5, application/json", PLAIN, PLAIN),
        ("application/ld+json;q=0, */*", PLAIN, PLAIN),
        ("APPLICATION/LD+JSON", LINKED_2, LINKED_3),
        ("application/json;q=x, */*", PLAIN, LINKED_3),
        (BROWSER, PLAIN, PLAIN),
        ("image/png", PLAIN, PLAIN),
        (";;,,q=", PLAIN, PLAIN),
    ],
)
def test_the_client_gets_the_type_it_prefers(accept: str | None, two: str, three: str) -> None:
    assert negotiate_media(2, V2.context, accept) == two
    assert negotiate_media(3, V3.context, accept) == three
