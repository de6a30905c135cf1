"""The edge and the gateway answer alike: whoever skips the edge is sent to the same place."""

from urllib.parse import unquote

import pytest
from edge_vectors import VECTORS, Vector

from vitrine.deliver.decide import Redirect, decide_without_record
from vitrine.iiif.address import parse_address

REDIRECTIONS = [vector for vector in VECTORS if "location" in vector]
PASSED = [
    vector
    for vector in VECTORS
    if vector.get("passes", "").startswith(("/iiif/2/", "/iiif/3/"))
    and vector["passes"].endswith(("/info.json", "/default.jpg"))
    and "reserved" not in vector["name"]
]


@pytest.mark.parametrize("vector", REDIRECTIONS, ids=lambda vector: vector["name"])
def test_the_gateway_redirects_as_the_edge_does(vector: Vector) -> None:
    address = parse_address(vector["uri"].partition("?")[0])
    assert address is not None
    answer = decide_without_record(address)
    if vector["status"] == 303:  # the gateway asks first whether the image is still there
        assert answer is None
        assert address.is_base
        answer = Redirect(303, f"{address.path()}/info.json")
    assert isinstance(answer, Redirect)
    assert (answer.status, unquote(answer.path)) == (vector["status"], unquote(vector["location"]))


@pytest.mark.parametrize("vector", PASSED, ids=lambda vector: vector["name"])
def test_what_the_edge_passes_on_keeps_its_identifier(vector: Vector) -> None:
    address = parse_address(vector["passes"])
    assert address is not None
    assert address.identifier == unquote(vector["passes"].split("/")[3])
    assert not isinstance(decide_without_record(address), Redirect)
