"""A token of a named site opens images by their addresses, for its page and network alone."""

import json
import time

import pytest

from tests.unit.edge.restricted_viewers import NAMES, PAGE
from tests.unit.edge.restricted_world import KEYS, VIEWER, Asked, Got, visit
from vitrine.access.tickets import SEE, TOKEN, Ticket, sign_ticket
from vitrine.store.ticket_keys import TicketKeys

pytestmark = pytest.mark.slow
BASE, DOOR = "https://images.example.org", "/restricted/staff"
TILE = "0,0,256,256/256,256/0/default.jpg"
ELSEWHERE, OTHER_FAMILY = "198.51.100.7", "2001:db8::1"


def bearer(*, page: str = PAGE, network: str = VIEWER, seconds: int = 600) -> dict[str, str]:
    """Return the header of a token, by default one of a named site."""
    now = int(time.time())
    token = Ticket(
        use=TOKEN,
        issued_at=now,
        expires_at=now + seconds,
        rights=("staff",),
        network=network,
        page=page,
    )
    return {"authorization": f"Bearer {sign_ticket(token, KEYS)}"}


def cookie() -> dict[str, str]:
    now = int(time.time())
    held = Ticket(use=SEE, issued_at=now, expires_at=now + 600, rights=("staff",))
    return {"__Host-vitrine-ticket": sign_ticket(held, KEYS)}


def request_info(headers: dict[str, str], address: str = VIEWER) -> Asked:
    return Asked(f"{DOOR}/iiif/2/ours/info.json", headers=headers, address=address)


def address_of(got: Got) -> str:
    return str(json.loads(got.body)["@id"]).removeprefix(BASE)


def test_a_viewer_of_1_gets_an_address_that_opens_this_image_and_no_other() -> None:
    """Without a cookie. What it gets of the next image, it gets with its token again."""
    token = bearer()
    (got,) = visit(NAMES, TicketKeys(KEYS), [request_info(token)])
    base = address_of(got)
    assert (got.status, base[: len(DOOR) + 4]) == (200, f"{DOOR}/v1.")
    requests = [
        Asked(f"{base}/{TILE}"),
        Asked(f"{DOOR}/iiif/2/ours/{TILE}", cookies=cookie()),
        Asked(f"{base}/info.json"),
        Asked(f"{base.replace('/ours', '/smaller')}/{TILE}"),
        Asked(f"{base.replace('/ours', '/smaller')}/info.json"),
        Asked(f"{base.replace('staff', 'curators').replace('ours', 'theirs')}/{TILE}"),
        Asked(f"{DOOR}/iiif/2/ours/{TILE}", cookies={"__Host-vitrine-ticket": base.split("/")[3]}),
        Asked(f"{DOOR}/iiif/2/ours/{TILE}", headers=token),
        Asked(f"{DOOR}/iiif/2/old%20ours/info.json", headers=token),
        Asked(f"{base}/{TILE}", address=ELSEWHERE),
        Asked(f"{base}/{TILE}", address=OTHER_FAMILY),
    ]
    answers = visit(NAMES, TicketKeys(KEYS), requests)
    statuses = [200, 200, 200, 401, 302, 401, 200, 401, 301, 401, 401]
    assert [got.status for got in answers] == statuses
    assert answers[1].hit
    assert answers[8].headers["location"] == f"{DOOR}/iiif/2/ours/info.json"


@pytest.mark.parametrize(
    ("origin", "address", "is_let_in"),
    [
        (PAGE, VIEWER, True),
        ("", VIEWER, True),
        (PAGE, ELSEWHERE, False),
        (PAGE, OTHER_FAMILY, False),
        ("", ELSEWHERE, False),
        ("https://others.example.org", VIEWER, False),
        ("null", VIEWER, False),
    ],
)
def test_a_token_of_a_named_site_holds_for_its_page_and_network_alone(
    origin: str, address: str, is_let_in: bool
) -> None:
    """A viewer hands it to any server whose image names our token service.

    Our own pages and programs send no origin. Others are answered as without a token, also after
    the edge has kept the answer of the viewer that the token was for.
    """
    token = bearer()
    headers = token | ({"origin": origin} if origin else {})
    answers = visit(
        NAMES,
        TicketKeys(KEYS),
        [request_info(token), request_info(headers, address), request_info({})],
    )
    assert [got.status for got in answers] == [200, 200 if is_let_in else 401, 401]
    assert ("/v1." in address_of(answers[1])) == is_let_in
    assert is_let_in or answers[1].body == answers[2].body


def test_a_token_that_holds_in_every_network_gets_no_address_with_a_ticket() -> None:
    (got,) = visit(NAMES, TicketKeys(KEYS), [request_info(bearer(network=""))])
    assert (got.status, address_of(got)) == (200, f"{DOOR}/iiif/2/ours")


def test_a_token_of_a_site_that_is_not_named_gets_no_ticket() -> None:
    tokens = [bearer(page="", network="", seconds=seconds) for seconds in (600, 500)]
    answers = visit(NAMES, TicketKeys(KEYS), [request_info(token) for token in tokens])
    assert (answers[0].status, address_of(answers[0])) == (200, f"{DOOR}/iiif/2/ours")
    assert [got.hit for got in answers] == [False, True], "such tokens share a copy"


def test_one_token_gets_no_address_of_another() -> None:
    tokens = [bearer(seconds=seconds) for seconds in (300, 600)]
    answers = visit(
        NAMES, TicketKeys(KEYS), [request_info(token) for token in (*tokens, tokens[0])]
    )
    assert [got.hit for got in answers] == [False, False, True]
    assert address_of(answers[0]) == address_of(answers[2]) != address_of(answers[1])
