"""The services of access let in who has a right, and nobody else, whatever they send."""

import json

import pytest

from tests.unit.authorization.made_services import (
    ADDRESS,
    BASE,
    IMAGES,
    TOKEN_QUERY,
    Door,
    accept_terms,
    message_of,
    probe,
    token,
)
from vitrine.access.tickets import IMAGE, Ticket, sign_ticket, verify_ticket
from vitrine.authorization.cookies import MAX_HEADER_LENGTH
from vitrine.authorization.services import Restricted
from vitrine.authorization.tickets import COOKIE, PLACE_COOKIE
from vitrine.authorization.way_in import COOKIE as WAY_IN_COOKIE


@pytest.fixture
def door() -> Door:
    return Door()


def test_terms_are_shown_in_the_readers_language_and_escaped(door: Door) -> None:
    page = door.ask("/auth/registered/login", accept_language="fr, en;q=0.5").body.decode()
    assert "These images show &lt;human&gt; remains." in page
    page = door.ask("/auth/registered/login", accept_language="de-AT").body.decode()
    assert '<html lang="de">' in page
    assert "Menschliche Überreste." in page


def test_those_who_accept_terms_get_a_token_and_their_images(door: Door) -> None:
    accept_terms(door)
    bearer = f"Bearer {token(door)}"
    assert probe(door, "registered", "bones", x_viewer_authorization=bearer)["status"] == 200


def test_terms_that_were_not_shown_cannot_be_accepted(door: Door) -> None:
    page = door.ask("/auth/registered/login").body.decode()
    state = page.partition('name="state" value="')[2].partition('"')[0]
    elsewhere = Door(keys=door.keys)
    assert elsewhere.ask("/auth/registered/accept", f"state={state}").status == 400
    assert COOKIE not in elsewhere.cookies


def test_terms_are_accepted_once_for_each_time_they_are_shown(door: Door) -> None:
    page = door.ask("/auth/registered/login").body.decode()
    state = page.partition('name="state" value="')[2].partition('"')[0]
    kept = dict(door.cookies)
    assert door.ask("/auth/registered/accept", f"state={state}").status == 200
    assert door.ask("/auth/registered/accept", f"state={state}").status == 400
    door.cookies = kept
    assert door.ask("/auth/registered/accept", f"state={state}").status == 400
    assert COOKIE not in door.cookies


@pytest.mark.parametrize("right", ["staff", "reading-room"])
def test_accepting_the_terms_of_one_right_opens_no_other(door: Door, right: str) -> None:
    page = door.ask("/auth/registered/login").body.decode()
    state = page.partition('name="state" value="')[2].partition('"')[0]
    assert door.ask(f"/auth/{right}/accept", f"state={state}").status == 400
    assert COOKIE not in door.cookies


def test_a_place_gives_a_ticket_of_its_network_without_a_cookie(door: Door) -> None:
    bearer = f"Bearer {token(door, 'reading-room')}"
    found = probe(door, "reading-room", "scroll", x_viewer_authorization=bearer)
    assert found["status"] == 302
    where = found["location"]["id"]
    assert where.startswith(f"{BASE}/restricted/reading-room/v1.")
    assert where.endswith("/iiif/3/scroll")
    ticket = verify_ticket(where.split("/")[5], door.keys, door.services().clock(), ADDRESS)
    assert (ticket.rights, ticket.network) == (("reading-room",), ADDRESS)
    assert (ticket.use, ticket.identifier) == (IMAGE, "scroll")
    assert ticket.expires_at - ticket.issued_at == 3_600


def test_a_place_names_no_ticket_in_an_address_that_would_be_too_long(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cookie of the place opens such an image, where browsers send it."""
    name = "x" * 800
    found = Restricted(identifier=name, shows="nothing", right="reading-room")
    monkeypatch.setitem(IMAGES, name, found)
    bearer = f"Bearer {token(door, 'reading-room')}"
    where = probe(door, "reading-room", name, x_viewer_authorization=bearer)["location"]["id"]
    assert where == f"{BASE}/restricted/reading-room/iiif/3/{name}"


@pytest.mark.parametrize("first", ["reading-room", "map-room"])
def test_two_places_at_one_address_do_not_take_each_others_images_away(
    door: Door, first: str
) -> None:
    for right in (first, "map-room", "reading-room"):
        token(door, right)
        now = door.services().clock()
        ticket = verify_ticket(door.cookies[PLACE_COOKIE], door.keys, now, ADDRESS)
        assert ticket.rights == ("map-room", "reading-room")
        assert ticket.expires_at - ticket.issued_at == 3_600


def test_a_place_gives_no_right_of_a_place_next_to_it(door: Door) -> None:
    token(door, "reading-room", address="192.0.2.99")
    now = door.services().clock()
    ticket = verify_ticket(door.cookies[PLACE_COOKIE], door.keys, now, "192.0.2.99")
    assert ticket.rights == ("reading-room",)


def test_outside_the_place_there_is_no_token_and_one_from_inside_does_not_hold(door: Door) -> None:
    outside = "203.0.113.9"
    message, _ = message_of(door.ask("/auth/reading-room/token/2", TOKEN_QUERY, address=outside))
    assert message["profile"] == "invalidAspect"
    bearer = f"Bearer {token(door, 'reading-room')}"
    response = door.ask(
        "/auth/reading-room/probe",
        "image=scroll",
        address=outside,
        x_viewer_authorization=bearer,
    )
    found = json.loads(response.body)
    assert found["status"] == 403
    assert "location" not in found


@pytest.mark.parametrize("header", ["x_forwarded_for", "forwarded", "cloudfront_viewer_address"])
def test_no_header_of_a_viewer_says_where_it_is(door: Door, header: str) -> None:
    response = door.ask(
        "/auth/reading-room/token/2", TOKEN_QUERY, address="203.0.113.9", **{header: ADDRESS}
    )
    assert message_of(response)[0]["profile"] == "invalidAspect"


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("/auth", "", 404),
        ("/auth/", "", 404),
        ("/auth/unknown/login", "", 404),
        ("/auth/staff/unknown", "", 404),
        ("/auth/staff/token/3", TOKEN_QUERY, 404),
        ("/auth/../photos", "", 404),
        ("/auth/staff/login", "origin=https://evil.org/x", 400),
        ("/auth/staff/probe", "image=a&image=b", 400),
        ("/auth/staff/probe", "image=%ff", 400),
        ("/auth/staff/probe", "&".join(f"a{n}=1" for n in range(30)), 400),
        ("/auth/staff/probe", "image=" + "a" * 9_000, 400),
        ("/auth/callback", "", 400),
        ("/auth/callback", "code=a&state=b", 400),
    ],
)
def test_what_makes_no_sense_is_refused(door: Door, path: str, query: str, status: int) -> None:
    assert door.ask(path, query).status == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_is_posted_here(door: Door, method: str) -> None:
    response = door.ask("/auth/staff/login", method=method)
    assert (response.status, response.headers["allow"]) == (405, "GET, HEAD, OPTIONS")


def test_a_giant_cookie_counts_as_none(door: Door) -> None:
    accept_terms(door)
    giant = f"{COOKIE}={door.cookies[COOKIE]}; a={'x' * MAX_HEADER_LENGTH}"
    message, _ = message_of(door.ask("/auth/registered/token/2", TOKEN_QUERY, cookie=giant))
    assert message["profile"] == "missingAspect"


def test_cookies_are_ours_alone_secret_and_sent_from_other_sites(door: Door) -> None:
    page = door.ask("/auth/registered/login")
    (line,) = page.cookies
    assert line.startswith(f"{WAY_IN_COOKIE}=")
    assert line.endswith("SameSite=Lax; Path=/; Secure; HttpOnly")
    state = page.body.decode().partition('name="state" value="')[2].partition('"')[0]
    ticket, _ = door.ask("/auth/registered/accept", f"state={state}").cookies
    assert ticket.startswith(f"{COOKIE}=v1.")
    assert ticket.endswith("SameSite=None; Path=/; Secure; HttpOnly")


def test_signing_out_takes_all_tickets_back(door: Door) -> None:
    accept_terms(door)
    token(door, "reading-room")
    assert set(door.cookies) == {COOKIE, PLACE_COOKIE}
    assert door.ask("/auth/registered/logout").status == 200
    assert not door.cookies


@pytest.mark.parametrize("destination", ["image", "iframe", "empty", "script", "style"])
def test_a_page_that_only_names_the_address_signs_nobody_out(door: Door, destination: str) -> None:
    accept_terms(door)
    response = door.ask("/auth/registered/logout", sec_fetch_dest=destination)
    assert (response.status, response.cookies) == (403, ())
    assert set(door.cookies) == {COOKIE}
    assert door.ask("/auth/registered/logout", sec_fetch_dest="document").status == 200
    assert not door.cookies


def test_pages_run_their_own_script_only_and_show_in_no_frame(door: Door) -> None:
    policy = door.ask("/auth/registered/login").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


# What is written down


def test_a_record_says_which_rule_let_in_and_not_whom(door: Door) -> None:
    accept_terms(door)
    assert door.records == [
        {"event": "admitted", "right": "registered", "rule": "terms", "seconds": 28_800}
    ]


def test_every_ticket_of_a_place_is_written_down_without_its_address(door: Door) -> None:
    bearer = f"Bearer {token(door, 'reading-room')}"
    assert [record["right"] for record in door.records] == ["reading-room", "map-room"]
    probe(door, "reading-room", "scroll", x_viewer_authorization=bearer)
    assert [record["right"] for record in door.records[2:]] == ["reading-room"]
    assert {record["rule"] for record in door.records} == {"place"}
    assert ADDRESS not in str(door.records)


def test_a_ticket_held_already_keeps_its_rights_and_its_end(door: Door) -> None:
    now = int(door.services().clock())
    held = Ticket(issued_at=now, expires_at=now + 600, rights=("staff",))
    door.cookies[COOKIE] = sign_ticket(held, door.keys)
    accept_terms(door)
    ticket = verify_ticket(door.cookies[COOKIE], door.keys, now)
    assert ticket.rights == ("registered", "staff")
    assert ticket.expires_at <= now + 600
    assert door.records[-1]["seconds"] <= 600, "a record says for how long it is"


def test_a_ticket_near_its_end_is_renewed(door: Door) -> None:
    accept_terms(door)
    door.later = 8 * 3_600 - 60
    accept_terms(door)
    now = door.services().clock()
    ticket = verify_ticket(door.cookies[COOKIE], door.keys, now)
    assert ticket.expires_at - now > 7 * 3_600
