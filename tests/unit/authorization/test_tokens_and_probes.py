"""Tokens go to the page that requests them; a probe says the truth, and opens nothing."""

from urllib.parse import quote

import msgspec
import pytest

from tests.unit.authorization.made_services import (
    ADDRESS,
    BASE,
    ORIGIN,
    TOKEN_QUERY,
    Door,
    accept_terms,
    message_of,
    probe,
    token,
)
from vitrine.access.tickets import Ticket, sign_ticket, verify_ticket
from vitrine.authorization.tickets import COOKIE


@pytest.fixture
def door() -> Door:
    return Door()


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
    assert verify_ticket(text, door.keys, door.services().clock(), ADDRESS).use == "token"
    bearer = f"Bearer {door.cookies[COOKIE]}"
    assert probe(door, "registered", "bones", x_viewer_authorization=bearer)["status"] == 401
    door.cookies[COOKIE] = text
    message, _ = message_of(door.ask("/auth/registered/token/2", TOKEN_QUERY))
    assert message["profile"] == "invalidAspect"


def test_a_token_says_nothing_of_other_rights(door: Door) -> None:
    now = int(door.services().clock())
    held = Ticket(issued_at=now, expires_at=now + 600, rights=("curators", "registered", "staff"))
    door.cookies[COOKIE] = sign_ticket(held, door.keys)
    assert verify_ticket(token(door), door.keys, now, ADDRESS).rights == ("registered",)


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


def test_our_own_pages_get_a_token_without_being_named(door: Door) -> None:
    accept_terms(door)
    query = f"messageId=m-1&origin={quote(BASE, safe='')}"
    message, origin = message_of(door.ask("/auth/registered/token/2", query))
    assert (bool(message.get("accessToken")), origin) == (True, BASE)


@pytest.mark.parametrize(
    ("origins", "origin", "is_named"),
    [((), ORIGIN, False), ((ORIGIN,), ORIGIN, True), ((), BASE, True)],
)
def test_a_token_says_whether_its_page_is_of_a_named_site(
    door: Door, origins: tuple[str, ...], origin: str, is_named: bool
) -> None:
    """Only such pages get tickets for images: they could send them elsewhere."""
    accept_terms(door)
    door.access = msgspec.structs.replace(door.access, origins=origins)
    query = f"messageId=m-1&origin={quote(origin, safe='')}"
    message, _ = message_of(door.ask("/auth/registered/token/1", query))
    now = door.services().clock()
    given = verify_ticket(message["accessToken"], door.keys, now, ADDRESS)
    assert (given.page, given.network) == ((origin, ADDRESS) if is_named else ("", ""))


@pytest.mark.parametrize(
    ("address", "origin", "status"),
    [
        (ADDRESS, ORIGIN, 200),
        (ADDRESS, "", 200),
        (ADDRESS, "https://others.example.org", 401),
        ("198.51.100.7", ORIGIN, 401),
        ("2001:db8::1", ORIGIN, 401),
    ],
)
def test_a_probe_believes_a_token_of_its_page_and_network_alone(
    door: Door, address: str, origin: str, status: int
) -> None:
    accept_terms(door)
    headers = {"x_viewer_authorization": f"Bearer {token(door)}"}
    found = probe(door, "registered", "bones", address=address, origin=origin, **headers)
    assert found["status"] == status


def test_no_page_of_others_takes_a_ticket_with_the_token_of_a_place(door: Door) -> None:
    headers = {"x_viewer_authorization": f"Bearer {token(door, 'reading-room')}"}
    for origin, status in ((ORIGIN, 302), ("https://others.example.org", 401)):
        assert probe(door, "reading-room", "scroll", origin=origin, **headers)["status"] == status


@pytest.mark.parametrize("address", ["", "unknown"])
def test_without_an_address_no_token_opens_images(door: Door, address: str) -> None:
    accept_terms(door)
    text = token(door, address=address)
    assert verify_ticket(text, door.keys, door.services().clock()).page == ""


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


def test_the_probe_leads_holders_of_the_right_to_more_than_the_small_image(door: Door) -> None:
    now = int(door.services().clock())
    held = Ticket(issued_at=now, expires_at=now + 600, use="token", rights=("staff",))
    bearer = f"Bearer {sign_ticket(held, door.keys)}"
    found = probe(door, "staff", "Chart: 3/4", x_viewer_authorization=bearer)
    assert found["status"] == 302
    assert found["location"] == {
        "id": f"{BASE}/restricted/staff/iiif/3/Chart:%203%2F4",
        "type": "ImageService3",
        "profile": "level2",
    }
    found = probe(door, "staff", "letter", x_viewer_authorization=bearer)
    assert found["status"] == 200
    assert "location" not in found


@pytest.mark.parametrize("right", ["registered", "staff"])
def test_the_probe_lets_nobody_hope_for_what_no_right_shows(door: Door, right: str) -> None:
    accept_terms(door)
    for headers in ({}, {"x_viewer_authorization": f"Bearer {token(door)}"}):
        found = probe(door, right, "closed", **headers)
        assert (found["status"], found["heading"]["en"]) == (403, ["This image is not shown"])
        assert "substitute" not in found
        found = probe(door, right, "sketch", **headers)
        assert found["status"] == 403
        assert found["substitute"][0]["id"] == f"{BASE}/iiif/3/sketch/full/max/0/default.jpg"


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
