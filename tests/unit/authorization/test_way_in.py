"""What a way in remembers is good for one browser, one state, a quarter of an hour."""

import time

import jwt
import pytest

from vitrine.access.keys import Keys
from vitrine.access.tickets import Ticket, sign_ticket
from vitrine.authorization.way_in import SECONDS, begin, seal, unseal

KEYS = Keys.create()


def test_a_cookie_gives_back_what_was_sealed() -> None:
    way_in = begin("staff", "https://www.museum.org")
    assert unseal(seal(way_in, KEYS), way_in.state, KEYS) == way_in


def test_two_ways_in_have_nothing_in_common() -> None:
    one, other = begin("staff", ""), begin("staff", "")
    assert len({one.state, other.state, one.nonce, other.nonce, one.verifier, other.verifier}) == 6


def test_another_state_opens_nothing() -> None:
    one, other = begin("staff", ""), begin("staff", "")
    assert unseal(seal(one, KEYS), other.state, KEYS) is None
    assert unseal(seal(one, KEYS), "", KEYS) is None
    assert unseal(seal(one, KEYS), "é", KEYS) is None


def test_a_cookie_ends_after_a_quarter_of_an_hour() -> None:
    way_in = begin("staff", "")
    old = seal(way_in, KEYS, clock=lambda: time.time() - SECONDS - 1)
    assert unseal(old, way_in.state, KEYS) is None


def test_a_key_before_the_current_one_still_opens_it_and_an_older_one_does_not() -> None:
    way_in = begin("staff", "")
    text, rotated = seal(way_in, KEYS), KEYS.rotate()
    assert unseal(text, way_in.state, rotated) == way_in
    assert unseal(text, way_in.state, rotated.rotate()) is None


@pytest.mark.parametrize("text", ["", "a", "a.b.c", "x" * 5_000, "v1.a.b.c"])
def test_other_texts_open_nothing(text: str) -> None:
    assert unseal(text, "state", KEYS) is None


def test_a_changed_or_unsigned_cookie_opens_nothing() -> None:
    way_in = begin("staff", "")
    text = seal(way_in, KEYS)
    head, claims, signature = text.split(".")
    assert unseal(f"{head}.{claims}.{signature[::-1]}", way_in.state, KEYS) is None
    claims_of_it = jwt.decode(text, options={"verify_signature": False})
    unsigned = jwt.encode(claims_of_it, None, algorithm="none", headers={"kid": KEYS.current})
    assert unseal(unsigned, way_in.state, KEYS) is None


def test_the_secret_of_tickets_signs_no_cookie() -> None:
    way_in = begin("staff", "")
    claims = jwt.decode(seal(way_in, KEYS), options={"verify_signature": False})
    secret = KEYS.secrets[KEYS.current].encode()
    forged = jwt.encode(claims, secret, algorithm="HS256", headers={"kid": KEYS.current})
    assert unseal(forged, way_in.state, KEYS) is None


def test_a_ticket_is_no_way_in() -> None:
    now = int(time.time())
    ticket = sign_ticket(Ticket(issued_at=now, expires_at=now + 60, rights=("staff",)), KEYS)
    assert unseal(ticket, "", KEYS) is None
