"""What nginx refuses itself reads as the gateway's refusals do, at edge and origin."""

import pytest

from tests.integration.edge.edge_client import Answer, EdgeClient
from tests.rigs.edge_rig import EdgeRig

TILE = "/iiif/3/plain.tif/0,0,256,256/256,256/0/default.jpg"


@pytest.fixture(params=["edge", "origin"])
def door(request: pytest.FixtureRequest, rig: EdgeRig) -> EdgeClient:
    return EdgeClient(rig.port if request.param == "edge" else rig.origin.port)


def ask_raw(door: EdgeClient, line: str, *fields: str) -> Answer:
    lines = [line, "Host: edge", *fields, "Connection: close", "", ""]
    (answer,) = door.ask_raw("\r\n".join(lines).encode())
    return answer


def assert_small_json(answer: Answer, status: int) -> None:
    assert (answer.status, answer.json["status"]) == (status, status)
    assert answer.json["reason"]
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("line", "field", "status"),
    [
        (f"GET {TILE} HTTP/3.0", "Accept: */*", 505),
        (f"GET {TILE} HTTP/1.1", "Transfer-Encoding: gzip", 501),
        (f"GET {TILE} HTTP/1.1", "Host: another", 400),
    ],
)
def test_a_refusal_of_nginx_is_small_json_with_cors_once(
    door: EdgeClient, line: str, field: str, status: int
) -> None:
    assert_small_json(ask_raw(door, line, field), status)


def test_trace_names_the_methods_that_there_are(door: EdgeClient) -> None:
    answer = ask_raw(door, f"TRACE {TILE} HTTP/1.1")
    assert_small_json(answer, 405)
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS"


def test_a_failed_precondition_is_small_json_with_cors_once(edge: EdgeClient) -> None:
    assert edge.ask(TILE).status == 200
    answer = edge.ask(TILE, If_Match='"another"')
    assert_small_json(answer, 412)


def test_a_date_after_the_publication_is_known(edge: EdgeClient) -> None:
    modified = edge.ask(TILE).headers["last-modified"]
    year = int(modified.split()[3])
    for date, status in ((modified, 304), (modified.replace(str(year), str(year + 1)), 304)):
        assert edge.ask(TILE, If_Modified_Since=date).status == status
    # An earlier date is not known, and nor is any date next to an ETag of another version.
    earlier = "Tue, 01 Jan 2013 00:00:00 GMT"
    assert edge.ask(TILE, If_Modified_Since=earlier).status == 200
    later = {"If-Modified-Since": modified, "If-None-Match": '"another"'}
    assert edge.ask(TILE, **later).status == 200
