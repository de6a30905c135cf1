"""No byte of a restricted image without a ticket, and none that was kept for somebody else.

Viewers with all kinds of tickets ask for all kinds of images in all kinds of spellings, through the
real functions of the edge, a cache with the edge's key, and the real gateway.
"""

import json
import re
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.unit.edge.restricted_viewers import (
    BOX,
    NAMES,
    REQUESTS,
    REVOKED,
    Held,
    asked_by,
    finest_level,
)
from tests.unit.edge.restricted_world import KEYS, VIEWER, Asked, Got, visit
from vitrine.access.rules import SHARE
from vitrine.access.tickets import Ticket, sign_ticket
from vitrine.deliver.http.exchange import Response
from vitrine.store.ticket_keys import TicketKeys

pytestmark = pytest.mark.slow


def check_manifest(document: dict[str, Any], rules: Mapping[str, str]) -> None:
    """Fail if a manifest describes more of an image than everybody may learn."""
    text = json.dumps(document, ensure_ascii=False)
    (name,) = (name for name in NAMES if f'/{quote(name, safe="")}/manifest.json"' in text)
    assert rules[name] != "closed"
    if rules[name].startswith("small"):
        assert not re.search(r'"(width|height)": ?(1300|1000)\b', text)


def check(requested: Asked, ticket: Held, got: Got, rules: Mapping[str, str] = NAMES) -> None:
    """Fail if somebody got what they may not see."""
    assert got.status < 500, requested
    if requested.path.startswith("/presentation/") and got.status == 200:
        check_manifest(json.loads(got.body), rules)
    shown = got.pixels()
    if shown is None:
        return
    key, level = shown
    name = key.rpartition("/")[0]
    finest = finest_level(rules[name], name, ticket.ticket)
    assert finest is not None, (requested, got)
    assert level >= finest, (requested, got)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    # To shrink a failure would start Node a thousand times.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(requests=st.lists(asked_by(), min_size=30, max_size=60))
def test_nobody_sees_what_their_ticket_does_not_give(
    requests: list[tuple[Asked, str, Held]],
) -> None:
    keys = TicketKeys(KEYS, {REVOKED: int(time.time()) + 9_999})
    answers = visit(NAMES, keys, [requested for requested, _, _ in requests])
    for (requested, _, ticket), got in zip(requests, answers, strict=True):
        check(requested, ticket, got)


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(
    requests=st.lists(asked_by(), min_size=30, max_size=60),
    rules=st.lists(st.sampled_from(sorted({*NAMES.values()})), min_size=7, max_size=7),
)
def test_what_the_origin_kept_under_other_rules_shows_nothing_more(
    requests: list[tuple[Asked, str, Held]], rules: list[str]
) -> None:
    """The rules are those of a moment later: derivatives that were made before are still kept."""
    keys = TicketKeys(KEYS, {REVOKED: int(time.time()) + 9_999})
    derivatives: dict[str, Response] = {}
    for now in (NAMES, dict(zip(NAMES, rules, strict=True)), NAMES):
        viewed = [requested for requested, _, _ in requests]
        answers = visit(now, keys, viewed, derivatives)
        for (requested, _, ticket), got in zip(requests, answers, strict=True):
            check(requested, ticket, got, now)


def staff(**changes: object) -> str:
    now = int(time.time())
    values: dict[str, object] = {"issued_at": now, "expires_at": now + 600, "rights": ("staff",)}
    return sign_ticket(Ticket(**(values | changes)), KEYS)  # type: ignore[arg-type]


def test_those_who_may_see_an_image_see_it_and_share_one_copy() -> None:
    tile = "iiif/3/ours/0,0,256,256/256,256/0/default.jpg"
    text = staff()
    requests = [
        Asked(f"/restricted/staff/{tile}", cookies={"__Host-vitrine-ticket": text}),
        Asked(f"/restricted/staff/{staff()}/{tile}"),
        Asked(f"/restricted/staff/{tile}", cookies={"__Host-vitrine-place": staff(network=VIEWER)}),
        Asked(f"/restricted/staff/{tile}"),
        Asked(f"/{tile}"),
    ]
    answers = visit(NAMES, TicketKeys(KEYS), requests)
    assert [got.status for got in answers] == [200, 200, 200, 401, 302]
    assert [got.hit for got in answers] == [False, True, True, False, False]
    assert answers[0].pixels() == ("ours/now", 0)
    assert answers[4].headers["location"] == f"/restricted/staff/{tile}"


def test_the_way_of_a_viewer_is_described() -> None:
    text = staff()
    door = "/restricted/staff"
    requests = [
        Asked("/iiif/3/ours/info.json"),
        Asked(f"{door}/iiif/3/ours/info.json"),
        Asked(f"{door}/iiif/3/ours/info.json", cookies={"__Host-vitrine-ticket": text}),
        Asked(f"{door}/{text}/iiif/3/ours/info.json"),
        Asked(f"{door}/iiif/3/smaller/info.json"),
        Asked(f"{door}/iiif/2/smaller/info.json"),
        Asked(f"{door}/iiif/3/free/info.json"),
        Asked(f"{door}/iiif/3/theirs/info.json", cookies={"__Host-vitrine-ticket": text}),
        Asked(f"{door}/{text}/iiif/3/old%20ours/info.json"),
        Asked(f"{door}/iiif/3/ours", cookies={"__Host-vitrine-ticket": text}),
    ]
    answers = visit(NAMES, TicketKeys(KEYS), requests)
    said = [(got.status, got.headers.get("location") or _id(got)) for got in answers]
    base = "https://images.example.org"
    assert said == [
        (302, f"{door}/iiif/3/ours/info.json"),
        (401, f"{base}{door}/iiif/3/ours"),
        (200, f"{base}{door}/iiif/3/ours"),
        (200, f"{base}{door}/{text}/iiif/3/ours"),
        (401, f"{base}{door}/iiif/3/smaller"),
        (302, "/iiif/2/smaller/info.json"),
        (302, "/iiif/3/free/info.json"),
        (302, "/restricted/curators/iiif/3/theirs/info.json"),
        (301, f"{door}/{text}/iiif/3/ours/info.json"),
        (303, f"{door}/iiif/3/ours/info.json"),
    ]


def _id(got: Got) -> str:
    return str(json.loads(got.body)["id"])


def link(**changes: object) -> str:
    now = int(time.time())
    values: dict[str, object] = {
        "use": SHARE,
        "issued_at": now,
        "expires_at": now + 600,
        "identifier": "ours",
        "link": "alive",
    }
    return sign_ticket(Ticket(**(values | changes)), KEYS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limits", "name", "request_", "status"),
    [
        ({}, "ours", "info.json", 200),
        ({}, "ours", "full/max/0/default.png", 200),
        ({}, "ours", "download.jpg", 200),
        ({"size": 700}, "ours", "0,0,256,256/256,256/0/default.jpg", 200),
        ({"size": 700}, "ours", "0,0,1300,1000/max/0/default.jpg", 200),
        ({"size": 700}, "ours", "full/^1300,/0/default.jpg", 400),
        ({"size": 700}, "ours", "download.jpg", 403),
        ({"region": BOX}, "ours", "100,100,200,200/max/0/default.jpg", 200),
        ({"region": BOX}, "ours", "150,150,10,10/^max/0/default.jpg", 200),
        ({"region": BOX}, "ours", "99,100,200,200/max/0/default.jpg", 403),
        ({"region": BOX}, "ours", "full/max/0/default.jpg", 403),
        ({"region": BOX}, "ours", "info.json", 403),
        (
            {"region": BOX, "size": 700},
            "ours",
            "50,50,100,100/max/0/default.jpg",
            200,
        ),
        (
            {"region": BOX, "size": 700},
            "ours",
            "50,50,101,100/max/0/default.jpg",
            403,
        ),
        ({"formats": ("webp",)}, "ours", "full/max/0/default.webp", 200),
        ({"formats": ("webp",)}, "ours", "full/max/0/default.jpg", 403),
        ({"formats": ("webp",)}, "ours", "download.jpg", 403),
        ({"identifier": "shut/é"}, "shut%2F%C3%A9", "full/max/0/default.jpg", 403),
        ({"identifier": "free"}, "free", "full/max/0/default.jpg", 302),
        ({"identifier": "small", "size": 0}, "small", "full/max/0/default.jpg", 200),
        ({"link": REVOKED}, "ours", "full/max/0/default.jpg", 401),
        ({"identifier": "theirs"}, "ours", "full/max/0/default.jpg", 401),
    ],
)
def test_a_link_shows_what_it_says_and_nothing_else(
    limits: dict[str, object], name: str, request_: str, status: int
) -> None:
    requested = Asked(f"/restricted/share/{link(**limits)}/iiif/3/{name}/{request_}")
    keys = TicketKeys(KEYS, {REVOKED: int(time.time()) + 9_999})
    (got,) = visit(NAMES, keys, [requested])
    assert got.status == status


def test_what_one_link_is_refused_another_with_the_same_address_behind_it_gets() -> None:
    addresses = [
        f"/restricted/share/{link(**limits)}/iiif/3/ours/download.jpg"
        for limits in ({"formats": ("jpg",)}, {})
    ]
    answers = visit(NAMES, TicketKeys(KEYS), [Asked(address) for address in addresses])
    assert [got.status for got in answers] == [403, 200]


@pytest.mark.parametrize("request_", ["full/max/0/default.jpg", "info.json"])
def test_a_link_ends_with_its_restriction_at_the_edge(request_: str) -> None:
    """What a newer link's holder filled the edge's cache with is not for an older one's."""
    addresses = [
        f"/restricted/share/{link(since=since)}/iiif/3/ours/{request_}" for since in (0, 7, 0)
    ]
    answers = visit(NAMES, TicketKeys(KEYS), [Asked(address) for address in addresses])
    assert [got.status for got in answers] == [200, 401, 200]


def test_no_answer_that_is_kept_for_all_names_a_ticket() -> None:
    """The edge's cache fails where one does."""
    links = {name: link(identifier=name) for name in ("ours", "old ours", "small", "smaller")}
    requests = [
        Asked(f"/restricted/{door}/{text}/iiif/{version}/{quote(name)}/{request_}")
        for name, shared in links.items()
        for door, text in (("share", shared), ("staff", staff()))
        for version in (2, 3)
        for request_ in REQUESTS
    ]
    answers = visit(NAMES, TicketKeys(KEYS), requests)
    assert {got.status for got in answers} >= {200, 301, 302, 303, 400}
