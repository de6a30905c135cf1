"""The services of access let in who has a right, and nobody else, whatever they send."""

import json
from typing import Any
from urllib.parse import quote

import msgspec
import pytest

from tests.unit.admit.made_services import ADDRESS, BASE, ORIGIN, Door, message_of
from vitrine.access.tickets import Ticket, sign_ticket, verify_ticket
from vitrine.admit.cookies import LONGEST_HEADER
from vitrine.admit.tickets import COOKIE, PLACE_COOKIE
from vitrine.admit.way_in import COOKIE as WAY_IN_COOKIE

TOKEN_QUERY = f"messageId=m-1&origin={quote(ORIGIN, safe='')}"


@pytest.fixture
def door() -> Door:
    return Door()


def accept_terms(door: Door) -> None:
    page = door.ask("/auth/registered/login", f"origin={ORIGIN}").body.decode()
    state = page.partition('name="state" value="')[2].partition('"')[0]
    assert door.ask("/auth/registered/accept", f"state={state}").status == 200


def token(door: Door, right: str = "registered", **options: str) -> str:
    message, _ = message_of(door.ask(f"/auth/{right}/token/2", TOKEN_QUERY, **options))
    return str(message["accessToken"])


def probe(door: Door, right: str, image: str, **headers: str) -> dict[str, Any]:
    response = door.ask(f"/auth/{right}/probe", f"image={quote(image, safe='')}", **headers)
    assert response.status == 200
    found: dict[str, Any] = json.loads(response.body)
    return found


# Terms


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
    assert door.ask("/auth/registered/accept", f"state={state}").status == 200
    assert door.ask("/auth/registered/accept", f"state={state}").status == 400


@pytest.mark.parametrize("right", ["staff", "reading-room"])
def test_accepting_the_terms_of_one_right_opens_no_other(door: Door, right: str) -> None:
    page = door.ask("/auth/registered/login").body.decode()
    state = page.partition('name="state" value="')[2].partition('"')[0]
    assert door.ask(f"/auth/{right}/accept", f"state={state}").status == 400
    assert COOKIE not in door.cookies


# Tokens


def test_a_token_goes_to_the_origin_that_asks_and_repeats_its_message(door: Door) -> None:
    accept_terms(door)
    response = door.ask("/auth/registered/token/2", TOKEN_QUERY)
    message, origin = message_of(response)
    assert origin == ORIGIN
    assert message["type"] == "AuthAccessToken2"
    assert message["messageId"] == "m-1"
    assert 0 < message["expiresIn"] <= 3_600
    assert response.headers["cache-control"] == "no-store"


def test_a_viewer_of_1_gets_what_1_has(door: Door) -> None:
    accept_terms(door)
    message, _ = message_of(door.ask("/auth/registered/token/1", TOKEN_QUERY))
    assert set(message) == {"accessToken", "expiresIn", "messageId"}
    message, _ = message_of(Door().ask("/auth/registered/token/1", TOKEN_QUERY))
    assert message["error"] == "missingCredentials"


def test_a_token_opens_no_image_and_a_ticket_is_no_token(door: Door) -> None:
    accept_terms(door)
    text = token(door)
    assert verify_ticket(text, door.keys, door.services().clock()).use == "token"
    bearer = f"Bearer {door.cookies[COOKIE]}"
    assert probe(door, "registered", "bones", x_viewer_authorization=bearer)["status"] == 401
    door.cookies[COOKIE] = text
    message, _ = message_of(door.ask("/auth/registered/token/2", TOKEN_QUERY))
    assert message["profile"] == "invalidAspect"


@pytest.mark.parametrize(
    ("cookie", "profile"),
    [("", "missingAspect"), ("v1.a.b.c", "invalidAspect"), ("x" * 3_000, "invalidAspect")],
)
def test_without_a_ticket_there_is_an_error_with_its_reason(
    door: Door, cookie: str, profile: str
) -> None:
    door.cookies = {COOKIE: cookie} if cookie else {}
    message, _ = message_of(door.ask("/auth/registered/token/2", TOKEN_QUERY))
    assert (message["type"], message["profile"]) == ("AuthAccessTokenError2", profile)
    assert message["heading"]
    assert message["note"]


def test_a_ticket_that_has_ended_is_named_as_such(door: Door) -> None:
    accept_terms(door)
    door.later = 9 * 3_600
    message, _ = message_of(door.ask("/auth/registered/token/2", TOKEN_QUERY))
    assert message["profile"] == "expiredAspect"


def test_the_right_of_another_service_gives_no_token(door: Door) -> None:
    accept_terms(door)
    message, _ = message_of(door.ask("/auth/staff/token/2", TOKEN_QUERY))
    assert message["profile"] == "invalidAspect"


def test_only_sites_that_the_institution_names_get_a_token(door: Door) -> None:
    accept_terms(door)
    door.access = msgspec.structs.replace(door.access, origins=("https://www.museum.org",))
    message, origin = message_of(door.ask("/auth/registered/token/2", TOKEN_QUERY))
    assert (message["profile"], origin) == ("invalidOrigin", ORIGIN)


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "*",
        "null",
        "javascript:alert(1)",
        "https://a.org/path",
        'https://a.org");alert(1);("',
        "https://a.org</script><script>alert(1)</script>",
        "https://a.org\r\nset-cookie: a=b",
    ],
)
def test_nothing_is_posted_to_what_is_no_origin(door: Door, origin: str) -> None:
    accept_terms(door)
    response = door.ask("/auth/registered/token/2", f"messageId=1&origin={quote(origin, safe='')}")
    assert response.status == 400
    assert b"postMessage" not in response.body
    assert b"alert" not in response.body


@pytest.mark.parametrize(
    "message_id", ["</script><script>alert(1)</script>", "\u2028';alert(1)//", "é\\", "{{ 7 * 7 }}"]
)
def test_a_message_id_is_repeated_as_data_and_never_as_script(door: Door, message_id: str) -> None:
    query = f"messageId={quote(message_id, safe='')}&origin={quote(ORIGIN, safe='')}"
    response = door.ask("/auth/registered/token/2", query)
    assert message_of(response)[0]["messageId"] == message_id
    assert response.body.lower().count(b"<script") == 1


def test_a_message_without_an_id_is_an_invalid_request(door: Door) -> None:
    message, _ = message_of(door.ask("/auth/registered/token/2", f"origin={ORIGIN}"))
    assert message["profile"] == "invalidRequest"
    long = f"origin={ORIGIN}&messageId={'m' * 501}"
    assert door.ask("/auth/registered/token/2", long).status == 400


# A place


def test_a_place_gives_a_ticket_of_its_network_without_a_cookie(door: Door) -> None:
    bearer = f"Bearer {token(door, 'reading-room')}"
    found = probe(door, "reading-room", "scroll", x_viewer_authorization=bearer)
    assert found["status"] == 302
    where = found["location"]["id"]
    assert where.startswith(f"{BASE}/restricted/reading-room/v1.")
    assert where.endswith("/iiif/3/scroll")
    ticket = verify_ticket(where.split("/")[5], door.keys, door.services().clock(), ADDRESS)
    assert (ticket.rights, ticket.network) == (("reading-room",), ADDRESS)
    assert PLACE_COOKIE in door.cookies


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


# The probe


def test_the_probe_says_401_to_those_whom_signing_in_may_help(door: Door) -> None:
    found = probe(door, "staff", "letter")
    assert found["status"] == 401
    assert found["heading"] == {"en": ["Staff only"], "de": ["Nur für das Haus"]}
    assert found["note"] == {"en": ["Ask us."]}
    assert "substitute" not in found


def test_the_probe_says_403_to_those_who_have_come_and_have_no_right(door: Door) -> None:
    accept_terms(door)
    bearer = f"Bearer {token(door)}"
    assert probe(door, "staff", "letter", x_viewer_authorization=bearer)["status"] == 403


def test_those_who_are_denied_get_the_small_image_if_it_is_public(door: Door) -> None:
    (substitute,) = probe(door, "staff", "Chart: 3/4")["substitute"]
    assert substitute["type"] == "Image"
    assert substitute["id"] == f"{BASE}/iiif/3/Chart:%203%2F4/full/max/0/default.jpg"
    assert substitute["service"][0]["id"] == f"{BASE}/iiif/3/Chart:%203%2F4"


def test_an_open_image_needs_nothing_and_an_absent_one_is_absent(door: Door) -> None:
    assert probe(door, "staff", "open")["status"] == 200
    assert probe(door, "staff", "nothing")["status"] == 404
    assert probe(door, "staff", "x" * 2_000)["status"] == 404


def test_a_right_opens_nothing_under_the_name_of_another(door: Door) -> None:
    accept_terms(door)
    bearer = f"Bearer {token(door)}"
    assert probe(door, "registered", "letter", x_viewer_authorization=bearer)["status"] == 403


@pytest.mark.parametrize(
    "header", ["Basic abc", "Bearer", "Bearer v1.a.b.c", "Bearer " + "x" * 9_000]
)
def test_a_header_that_is_no_token_counts_as_none(door: Door, header: str) -> None:
    assert probe(door, "staff", "letter", x_viewer_authorization=header)["status"] == 401


def test_browsers_may_send_the_probe_an_authorization_header(door: Door) -> None:
    response = door.ask("/auth/staff/probe", "image=letter", method="OPTIONS")
    assert response.status == 204
    assert response.headers["access-control-allow-headers"] == "authorization"
    assert response.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in response.headers


# Bad input


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
    giant = f"{COOKIE}={door.cookies[COOKIE]}; a={'x' * LONGEST_HEADER}"
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
    token(door, "reading-room")
    assert ADDRESS not in str(door.records)
    assert door.records[-1]["rule"] == "place"


def test_a_ticket_held_already_keeps_its_rights_and_its_end(door: Door) -> None:
    now = int(door.services().clock())
    held = Ticket(issued_at=now, expires_at=now + 600, rights=("staff",))
    door.cookies[COOKIE] = sign_ticket(held, door.keys)
    accept_terms(door)
    ticket = verify_ticket(door.cookies[COOKIE], door.keys, now)
    assert ticket.rights == ("registered", "staff")
    assert ticket.expires_at <= now + 600
