"""The edge's signals pick when a request gives way, and refuse nobody."""

import pytest

from vitrine.deliver.answer.cost import ClientStanding, Cost, GivesWay, Lane
from vitrine.deliver.answer.signals import parse_sites, read_standing
from vitrine.deliver.http.exchange import Request
from vitrine.deliver.http.fields import Fields
from vitrine.deliver.http.plain_request import read_plain_request

SITES = parse_sites("museum.example, Shop.Museum.Example,")
COLD = {"lane": Lane.COLD, "fetched_bytes": 1 << 20}
COLD_LARGE = {"lane": Lane.LARGE, "fetched_bytes": 1}
LARGE = {"lane": Lane.LARGE}


def standing(signals: str | None) -> ClientStanding:
    headers = {} if signals is None else {"x-viewer-signals": signals}
    return read_standing(Request(method="GET", path="/", headers=headers), SITES)


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        (None, ClientStanding.UNKNOWN),
        (",,", ClientStanding.UNKNOWN),
        ("known,,", ClientStanding.CRAWLER),
        ("known,same-origin,museum.example", ClientStanding.CRAWLER),
        (",same-origin,", ClientStanding.OWN),
        (",same-site,other.example", ClientStanding.OWN),
        (",cross-site,museum.example", ClientStanding.OWN),
        (",,collections.museum.example", ClientStanding.OWN),
        (",cross-site,other.example", ClientStanding.UNKNOWN),
        (",,evilmuseum.example", ClientStanding.UNKNOWN),
        (",,museum.example.evil.example", ClientStanding.UNKNOWN),
        ("known", ClientStanding.UNKNOWN),
        (",,,", ClientStanding.UNKNOWN),
    ],
)
def test_who_asks_is_a_crawler_by_the_firewall_and_own_by_its_page(
    signals: str | None, expected: ClientStanding
) -> None:
    assert standing(signals) is expected


def test_crawlers_give_way_first_and_own_pages_later() -> None:
    turns = {
        who: [Cost(**cost, standing=who).gives_way for cost in (COLD, COLD_LARGE, LARGE)]  # type: ignore[arg-type]
        for who in ClientStanding
    }
    first, second, third, _ = GivesWay
    assert turns[ClientStanding.UNKNOWN] == [first, second, third]
    assert turns[ClientStanding.CRAWLER] == [first, first, first]
    assert turns[ClientStanding.OWN] == [second, third, third]


@pytest.mark.parametrize("who", list(ClientStanding))
def test_what_is_never_refused_is_never_refused_to_anybody(who: ClientStanding) -> None:
    for cost in (
        Cost(Lane.STORED, standing=who),
        Cost(Lane.CACHED, standing=who),
        Cost(Lane.CHEAP, work=1.0, standing=who),
        Cost(Lane.COLD, work=1.0, fetched_bytes=1, is_listed=True, standing=who),
        Cost(Lane.LARGE, work=1.0, fetched_bytes=1, is_listed=True, standing=who),
    ):
        assert cost.gives_way is GivesWay.NEVER


def test_a_request_with_signals_is_still_read_by_one_match() -> None:
    request = read_plain_request(
        b"GET /a HTTP/1.1\r\nHost: a\r\nX-Request-Uri: /a\r\nX-Forwarded-Proto: https\r\n"
        b"X-Viewer-Address: 192.0.2.1\r\nX-Viewer-Signals: ,same-origin,\r\nAccept: */*\r\n\r\n"
    )
    assert request
    assert isinstance(request.headers, Fields)
    assert read_standing(request, SITES) is ClientStanding.OWN
