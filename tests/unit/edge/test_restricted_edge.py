"""Restricted images at the edge: nobody without a ticket, and one copy for all who have one."""

import json
import time
from dataclasses import replace

import pytest

from tests.unit.edge.edge_bench import Answer, Edge
from vitrine.access.keys import Keys
from vitrine.access.rules import SHARE
from vitrine.access.tickets import TOKEN, Ticket, sign_ticket
from vitrine.adapters.nginx.edge_keys import NginxEdgeKeys
from vitrine.store.ticket_keys import TicketKeys

KEYS = Keys.create()
TILE = "0,0,256,256/256,256/0/default.jpg"
KEPT = {"Cache-Control": "public, max-age=300, s-maxage=2592000"}


def ticket(**changes: object) -> str:
    now = int(time.time())
    usual = Ticket(issued_at=now, expires_at=now + 600, rights=("staff",))
    return sign_ticket(replace(usual, **changes), KEYS)  # type: ignore[arg-type]


def link(**changes: object) -> str:
    return ticket(use=SHARE, rights=(), **{"identifier": "a/b é", "link": "l1", **changes})


@pytest.fixture
def restricted(edge: Edge) -> Edge:
    NginxEdgeKeys(edge.directory).replace(TicketKeys(KEYS, {"l0": 0}).edge_values())
    edge.origin.headers = KEPT
    return edge


def cookie(text: str, name: str = "__Host-vitrine-ticket") -> dict[str, str]:
    return {"Cookie": f"other=1; {name}={text}"}


def received(edge: Edge) -> list[str]:
    return [path for path, _ in edge.origin.received]


def reason(answer: Answer) -> tuple[int, str]:
    return answer[0], json.loads(answer[2])["reason"]


def test_nobody_gets_through_without_a_ticket(restricted: Edge) -> None:
    path = f"/restricted/staff/iiif/3/a/{TILE}"
    others = [
        {},
        cookie("nonsense"),
        cookie(ticket(rights=("curators",))),
        cookie(ticket(use=TOKEN)),
        cookie(link(identifier="a")),
        cookie(sign_ticket(Ticket(issued_at=1, expires_at=2, rights=("staff",)), KEYS)),
        {"X-Vitrine-Ticket": ticket()},
        {"Authorization": f"Bearer {ticket()}"},
    ]
    for headers in others:
        for method in ("GET", "HEAD"):
            status, found, _ = restricted.ask(path, method, **headers)
            assert (status, found["cache-control"]) == (401, "no-store")
            assert found["access-control-allow-origin"] == "*"
    assert received(restricted) == []


def test_the_second_holder_gets_the_copy_of_the_first(restricted: Edge) -> None:
    path = f"/restricted/staff/iiif/3/b/{TILE}"
    first = restricted.ask(path, **cookie(ticket()))
    assert (first[0], first[1]["x-cache"]) == (200, "MISS")
    in_path = path.replace("/iiif/", f"/{ticket()}/iiif/")
    for again in (
        restricted.ask(path, **cookie(ticket(), "__Host-vitrine-place")),
        restricted.ask(in_path),
    ):
        assert (again[0], again[1]["x-cache"], again[2]) == (200, "HIT", first[2])
        assert again[1]["cache-control"] == "private, no-cache"
        assert again[1]["referrer-policy"] == "no-referrer"
    assert received(restricted) == [path]
    assert restricted.ask(path)[0] == 401


def test_a_ticket_goes_to_the_gateway_in_a_header_and_in_no_address(restricted: Edge) -> None:
    text = ticket()
    restricted.ask(f"/restricted/staff/{text}/iiif/3/c/{TILE}", Cookie="a=b")
    ((path, headers),) = restricted.origin.received
    assert path == f"/restricted/staff/iiif/3/c/{TILE}"
    assert headers["x-vitrine-ticket"] == text
    assert "cookie" not in headers
    assert headers["x-viewer-address"] == "127.0.0.1"


def logged(edge: Edge, words: str) -> str:
    """Return the log as soon as it has these words: nginx logs a request after its answer."""
    log = edge.directory / "logs/access.log"
    deadline = time.monotonic() + 10
    while words not in (text := log.read_text()):
        assert time.monotonic() < deadline, text[-2_000:]
        time.sleep(0.01)
    return text


@pytest.mark.parametrize(
    ("point", "first"), [(".", "v1"), ("%2E", "v1"), ("%2e", "%76%31"), ("%252E", "v1")]
)
def test_the_log_has_no_ticket(restricted: Edge, point: str, first: str) -> None:
    parts = ticket().split(".")
    text = ".".join((first, *parts[1:])).replace(".", point)
    restricted.ask(f"/restricted/staff/{text}/iiif/3/logged/{TILE}?{ticket()}")
    restricted.ask("/last-of-these")
    found = logged(restricted, "/last-of-these")
    assert f'"GET /restricted/staff/(ticket)/iiif/3/logged/{TILE} HTTP/1.1"' in found
    assert not [part for part in parts[2:] if part in found]


def test_the_log_has_no_query(restricted: Edge) -> None:
    restricted.ask("/auth/callback?code=secret&state=another")
    restricted.ask("/search?q=a%20name&v1.a.b.c")
    restricted.ask("/nothing??x?y")
    found = logged(restricted, "/nothing")
    assert [line.split('"')[1] for line in found.splitlines()][-3:] == [
        "GET /auth/callback HTTP/1.1",
        "GET /search HTTP/1.1",
        "GET /nothing HTTP/1.1",
    ]
    assert "secret" not in found
    assert "name" not in found


def test_a_conditional_request_without_a_ticket_learns_nothing(restricted: Edge) -> None:
    restricted.origin.headers = KEPT | {"ETag": '"v1"'}
    path = f"/restricted/staff/iiif/3/d/{TILE}"
    assert restricted.ask(path, **cookie(ticket()))[0] == 200
    assert restricted.ask(path, If_None_Match='"v1"')[0] == 401
    assert restricted.ask(path, If_None_Match='"v1"', **cookie(ticket()))[0] == 304
    assert restricted.ask(path, Range="bytes=0-9")[0] == 401


def test_a_whole_image_of_version_2_is_that_of_version_3_with_any_ticket(restricted: Edge) -> None:
    clean, shared = "/restricted/staff", "/restricted/share/0/full/0"
    for path, headers in (
        (f"{clean}/iiif/2/whole/download.jpg", cookie(ticket())),
        (f"{clean}/{ticket()}/iiif/2/whole/download.jpg", {}),
        (f"/restricted/share/{link(identifier='whole')}/iiif/2/whole/download.jpg", {}),
    ):
        assert restricted.ask(path, **headers)[0] == 200
    assert received(restricted) == [f"{door}/iiif/3/whole/download.jpg" for door in (clean, shared)]
    assert restricted.ask(f"{clean}/iiif/2/whole/download.jpg")[0] == 401


def test_image_information_is_described_to_everybody_apart(restricted: Edge) -> None:
    path = "/restricted/staff/iiif/3/e/info.json"
    text = ticket()
    restricted.ask(path)
    restricted.ask(path, **cookie(text))
    token = ticket(use=TOKEN, page="https://www.museum.org")
    restricted.ask(path, Authorization=f"Bearer {ticket(use=TOKEN)}")
    restricted.ask(path, Authorization=f"Bearer {token}")
    restricted.ask(path.replace("/iiif/", f"/{text}/iiif/"))
    assert received(restricted) == [
        "/restricted/staff/nobody/iiif/3/e/info.json",
        path,
        *(
            f"/restricted/staff/{one.rpartition('.')[2]}/iiif/3/e/info.json"
            for one in (token, text)
        ),
    ]


def test_all_spellings_of_an_image_are_one(restricted: Edge) -> None:
    spellings = ["f%2fg", "f%2Fg", "%66%2Fg", "%66%2f%67"]
    for spelling in spellings:
        path = f"/restricted/staff/iiif/3/{spelling}/{TILE.replace(',', '%2C')}"
        assert restricted.ask(path, **cookie(ticket()))[0] == 200
    assert received(restricted) == [f"/restricted/staff/iiif/3/f%2Fg/{TILE}"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/restricted/staff", 404),
        ("/restricted/staff/iiif", 404),
        ("/restricted/staff/iiif/4/a/info.json", 404),
        ("/restricted/Staff/iiif/3/a/info.json", 404),
        ("/restricted/staff/x/y/iiif/3/a/info.json", 404),
        ("/restricted/staff/iiif/3/a/b/c/d/e/f", 404),
        ("/restricted/staff/iiif/3/%2e%2e/info.json", 400),
        ("/restricted/staff/iiif/3/a%00/info.json", 400),
        ("/restricted/staff/iiif/3/%ff/info.json", 400),
        (f"/restricted/staff/iiif/3/a/{TILE}%2f..", 400),
        ("/restricted/staff/iiif/3/a/../full/0/default.jpg", 400),
        ("/restricted/staff/iiif/3/a/full/max/%2E/default.jpg", 400),
        ("/restricted/staff/iiif/3/a/full/max/0/...", 400),
        (f"/%72estricted/staff/iiif/3/a/{TILE}", 404),
        (f"/r%65stricte%64/staff/iiif/3/a/{TILE}", 404),
        (f"/restricted%2Fstaff/iiif/3/a/{TILE}", 404),
        (f"/restricted/%73taff/iiif/3/a/{TILE}", 404),
        (f"/restricted/staff/%69iif/3/a/{TILE}", 404),
        (f"//restricted/staff/iiif/3/a/{TILE}", 404),
        (f"/restricted//staff/iiif/3/a/{TILE}", 404),
        (f"/iiif/../restricted/staff/iiif/3/a/{TILE}", 404),
        (f"/iiif/%2e%2e/restricted/staff/iiif/3/a/{TILE}", 404),
        (f"/restricted/../iiif/3/a/{TILE}", 400),
        (f"/restricted/%2e%2e/iiif/3/a/{TILE}", 400),
        (f"/restricted/staff/../iiif/3/a/{TILE}", 401),
        (f"/restricted/staff/iiif/3/{'a' * 2_100}/info.json", 414),
    ],
)
def test_addresses_of_another_form_end_at_the_edge(
    restricted: Edge, path: str, status: int
) -> None:
    assert restricted.ask(path, **cookie(ticket()))[0] == status
    assert received(restricted) == []


def test_a_link_shows_its_image_within_its_limits(restricted: Edge) -> None:
    text = link(since=7, region="0,0,500,500,4000,3000", size=1_000, formats=("jpg",))
    door = f"/restricted/share/{text}/iiif/3"
    assert restricted.ask(f"{door}/a%2Fb%20%C3%A9/{TILE}")[0] == 200
    assert restricted.ask(f"{door}/a%2Fb%20e%CC%81/{TILE}")[0] == 401
    png = restricted.ask(f"{door}/a%2Fb%20%C3%A9/{TILE.replace('jpg', 'png')}")
    assert reason(png) == (403, "this link shows the formats jpg only")
    assert restricted.ask(f"{door}/other/{TILE}")[0] == 401
    assert restricted.ask(f"/restricted/staff/{text}/iiif/3/a/{TILE}")[0] == 401
    assert restricted.ask(f"/restricted/share/iiif/3/a/{TILE}", **cookie(text))[0] == 401
    assert restricted.ask("/restricted/share/nobody/iiif/3/a/info.json")[0] == 401
    assert received(restricted)[0] == (
        f"/restricted/share/7/0,0,500,500,4000,3000/1000/iiif/3/a%2Fb%20%C3%A9/{TILE}"
    )


def test_a_base_address_leads_each_holder_to_their_own_information(restricted: Edge) -> None:
    for text in (link(), link(link="l2")):
        door = f"/restricted/share/{text}/iiif/3/a%2Fb%20%C3%A9"
        for address in (door, f"{door}/"):
            status, headers, _ = restricted.ask(address)
            assert (status, headers["location"]) == (303, f"{door}/info.json")
            assert headers["cache-control"] == "no-store"
    assert restricted.ask(f"/restricted/share/{link(link='l0')}/iiif/3/a%2Fb%20%C3%A9")[0] == 401
    assert received(restricted) == []


def test_a_link_that_was_revoked_shows_nothing(restricted: Edge) -> None:
    revoked = link(link="l0")
    assert restricted.ask(f"/restricted/share/{revoked}/iiif/3/a%2Fb%20%C3%A9/{TILE}")[0] == 401
    assert received(restricted) == []


def test_keys_are_rotated_while_the_edge_runs(restricted: Edge) -> None:
    path, text = f"/restricted/staff/iiif/3/h/{TILE}", ticket()
    store = NginxEdgeKeys(restricted.directory)
    for keys, status in ((KEYS.rotate(), 200), (KEYS.rotate().rotate(), 401), (Keys({}), 401)):
        store.replace(TicketKeys(keys).edge_values())
        assert restricted.ask(path, **cookie(text))[0] == status


def test_other_methods_are_answered_at_the_edge(restricted: Edge) -> None:
    path = f"/restricted/staff/iiif/3/a/{TILE}"
    status, headers, _ = restricted.ask(path, "OPTIONS")
    assert (status, headers["access-control-allow-headers"]) == (204, "*, Authorization")
    assert restricted.ask(path, "POST")[0] == 405
