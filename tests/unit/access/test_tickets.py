"""A ticket holds for what it says, as long as it says, and the edge and the gateway agree."""

import base64
import hmac
import ipaddress
import json
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.access.ticket_function import Shown, verify_at_edge
from vitrine.access.keys import Keys
from vitrine.access.rules import SHARE
from vitrine.access.tickets import (
    IMAGE,
    MAX_SECONDS,
    MAX_TICKET_LENGTH,
    SKEW_SECONDS,
    TOKEN,
    Ticket,
    sign_ticket,
    verify_ticket,
    viewer_network,
)
from vitrine.errors import TicketRefused

NOW = 1_800_000_000
KEYS = Keys.create().rotate()
STAFF = Ticket(issued_at=NOW, expires_at=NOW + 600, rights=("staff", "reading-room"))
PLACED = replace(STAFF, network="192.0.2.1")
LINK = Ticket(
    issued_at=NOW,
    expires_at=NOW + 86_400,
    use=SHARE,
    identifier="nacht/wache é",
    link="0a1b2c",
    since=3,
    region="0,0,100,200,800,600",
    size=1_000,
    formats=("jpg", "webp"),
)
ADDRESSES = [
    "192.0.2.1",
    "192.0.2.10",
    "::ffff:192.0.2.1",
    "2001:db8::1",
    "2001:0DB8:0:0:1:2:3:4",
    "2001:db8:0:1::",
    "::1",
    "1:2:3:4:5:6:7:8",
    "1::5:6:7:8",
]


def code_of(shown: Shown) -> str:
    """Why the gateway refuses a ticket, "" if it does not."""
    network = viewer_network(shown.address)
    try:
        verify_ticket(shown.text, shown.keys, shown.now, network)
    except TicketRefused as refused:
        return refused.code
    return ""


def test_a_ticket_says_at_the_gateway_what_was_signed() -> None:
    named = replace(STAFF, use=TOKEN, page="https://www.museum.org")
    image = replace(STAFF, use=IMAGE, identifier="nacht/wache é")
    for ticket in (STAFF, LINK, named, image):
        assert verify_ticket(sign_ticket(ticket, KEYS), KEYS, NOW) == ticket


def test_a_ticket_says_at_the_edge_what_was_signed() -> None:
    seen, shared = verify_at_edge(
        [Shown(sign_ticket(ticket, KEYS), KEYS, NOW) for ticket in (PLACED, LINK)]
    )
    assert seen == {
        "iat": NOW,
        "exp": NOW + 600,
        "use": "see",
        "rights": ["staff", "reading-room"],
        "net": "192.0.2.1",
    }
    assert shared == {
        "iat": NOW,
        "exp": NOW + 86_400,
        "use": "share",
        "id": "nacht/wache é",
        "link": "0a1b2c",
        "since": 3,
        "region": "0,0,100,200,800,600",
        "size": 1_000,
        "formats": ["jpg", "webp"],
    }


def signed_by(ticket: Ticket, keys: Keys = KEYS) -> str:
    return sign_ticket(ticket, keys)


VECTORS = [
    ("", Shown(signed_by(STAFF), KEYS, NOW)),
    ("", Shown(signed_by(STAFF), KEYS, NOW + 599)),
    ("expired", Shown(signed_by(STAFF), KEYS, NOW + 600)),
    ("", Shown(signed_by(STAFF), KEYS, NOW - SKEW_SECONDS)),
    ("early", Shown(signed_by(STAFF), KEYS, NOW - SKEW_SECONDS - 1)),
    ("", Shown(signed_by(STAFF), KEYS.rotate(), NOW)),
    ("forged", Shown(signed_by(STAFF), KEYS.rotate().rotate(), NOW)),
    ("forged", Shown(signed_by(STAFF), Keys({}), NOW)),
    ("forged", Shown(signed_by(STAFF, Keys({KEYS.current: "guessed"})), KEYS, NOW)),
    ("", Shown(signed_by(PLACED), KEYS, NOW)),
    ("", Shown(signed_by(PLACED), KEYS, NOW, "::ffff:192.0.2.1")),
    ("elsewhere", Shown(signed_by(PLACED), KEYS, NOW, "192.0.2.10")),
    ("elsewhere", Shown(signed_by(PLACED), KEYS, NOW, "2001:db8::1")),
    ("malformed", Shown("", KEYS, NOW)),
    ("malformed", Shown("v1...", KEYS, NOW)),
    ("malformed", Shown(signed_by(STAFF) + "\n", KEYS, NOW)),
    ("malformed", Shown(signed_by(STAFF) + "=", KEYS, NOW)),
    ("malformed", Shown(signed_by(STAFF)[:-1], KEYS, NOW)),
    ("malformed", Shown(signed_by(STAFF).replace("v1", "v2"), KEYS, NOW)),
    ("malformed", Shown("x" * (MAX_TICKET_LENGTH + 1), KEYS, NOW)),
    ("forged", Shown(signed_by(STAFF).replace(KEYS.current, "proto"), KEYS, NOW)),
    ("forged", Shown(signed_by(STAFF).replace(KEYS.current, "constructor"), KEYS, NOW)),
    ("", Shown(signed_by(replace(PLACED, use=IMAGE, identifier="a")), KEYS, NOW + 599)),
    ("", Shown(signed_by(LINK), KEYS, NOW + 86_399)),
    ("expired", Shown(signed_by(LINK), KEYS, NOW + 86_400)),
]


def test_the_edge_and_the_gateway_judge_every_vector_alike() -> None:
    claims = verify_at_edge([shown for _, shown in VECTORS])
    for (code, shown), found in zip(VECTORS, claims, strict=True):
        assert code_of(shown) == code, shown
        assert (found is not None) == (not code), shown


def test_a_ticket_with_any_character_changed_is_refused_by_both() -> None:
    text, chance = sign_ticket(STAFF, KEYS), random.Random(24)
    letters = "ABCabc019_-.="
    changed = [
        text[:at] + chance.choice(letters.replace(text[at], "")) + text[at + 1 :]
        for at in range(len(text))
    ]
    cut = [text[:at] for at in range(len(text))]
    shown = [Shown(other, KEYS, NOW) for other in [*changed, *cut]]
    assert all(code_of(one) for one in shown)
    assert verify_at_edge(shown) == [None] * len(shown)


@pytest.mark.slow
def test_ten_thousand_forged_tickets_are_refused_by_both() -> None:
    chance = random.Random(10_000)
    ours, theirs = sign_ticket(STAFF, KEYS), Keys.create()
    claims = ours.split(".")[2]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    shown = [
        Shown(f"v1.{KEYS.current}.{claims}.{''.join(chance.choices(letters, k=43))}", KEYS, NOW)
        for _ in range(9_000)
    ] + [
        Shown(
            sign_ticket(replace(STAFF, expires_at=NOW + 1 + at), theirs).replace(
                theirs.current, KEYS.current
            ),
            KEYS,
            NOW,
        )
        for at in range(1_000)
    ]
    assert {code_of(one) for one in shown} == {"forged"}
    assert verify_at_edge(shown) == [None] * len(shown)


def sign_claims(content: bytes) -> str:
    """Return a ticket whose claims are any bytes, with our signature."""
    body = base64.urlsafe_b64encode(content).rstrip(b"=").decode()
    signed = f"v1.{KEYS.current}.{body}"
    digest = hmac.digest(KEYS.secrets[KEYS.current].encode(), signed.encode(), "sha256")
    return f"{signed}.{base64.urlsafe_b64encode(digest).decode()[:-1]}"


@pytest.mark.slow
@given(claims=st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists))
def test_claims_of_another_form_are_malformed_even_if_they_are_signed(claims: object) -> None:
    text = sign_claims(json.dumps(claims).encode()[:900])
    assert code_of(Shown(text, KEYS, NOW)) == "malformed"


def test_claims_of_another_form_are_refused_by_both_even_if_they_are_signed() -> None:
    sound = {"iat": NOW, "exp": NOW + 600, "use": "see", "rights": ["staff"]}
    left_out = [{key: sound[key] for key in sound if key != name} for name in ("iat", "exp", "use")]
    times: list[object] = [None, "", str(NOW + 1), True, [], [NOW + 1], {}, NOW + 0.5]
    changed = [sound | {name: value} for name in ("iat", "exp") for value in times]
    uses = [sound | {"use": use} for use in (None, 1, [], "", "constructor", "__proto__")]
    whole: list[object] = [None, True, 0, "", "see", [], [sound], {}]
    texts = [json.dumps(claims).encode() for claims in (*left_out, *changed, *uses, *whole)]
    texts += [b"{", b"\xff", json.dumps(sound).encode()[:-1]]
    shown = [Shown(sign_claims(text), KEYS, NOW) for text in texts]
    found = zip(texts, map(code_of, shown), verify_at_edge(shown), strict=True)
    assert [one for one in found if one[1] != "malformed" or one[2] is not None] == []
    (accepted,) = verify_at_edge([Shown(sign_claims(json.dumps(sound).encode()), KEYS, NOW)])
    assert accepted == sound


def test_no_ticket_holds_longer_than_its_use_allows() -> None:
    for use, seconds in MAX_SECONDS.items():
        endless = Ticket(issued_at=NOW, expires_at=NOW + seconds + 1, use=use)
        with pytest.raises(ValueError, match="at most"):
            sign_ticket(endless, KEYS)


def test_a_ticket_too_long_for_an_address_is_not_signed() -> None:
    with pytest.raises(ValueError, match="characters"):
        sign_ticket(replace(STAFF, rights=("r" * MAX_TICKET_LENGTH,)), KEYS)


@pytest.mark.slow
@pytest.mark.parametrize("address", ADDRESSES)
def test_the_edge_and_the_gateway_name_a_viewers_network_alike(address: str) -> None:
    networks = {viewer_network(other) for other in ADDRESSES}
    assert "" not in networks
    shown = [
        Shown(sign_ticket(replace(STAFF, network=network), KEYS), KEYS, NOW, address)
        for network in networks
    ]
    claims = verify_at_edge(shown)
    assert sum(found is not None for found in claims) == 1
    assert [found is not None for found in claims] == [not code_of(one) for one in shown]


@given(address=st.ip_addresses(v=6).filter(lambda address: not address.ipv4_mapped))
def test_addresses_of_one_subscriber_are_one_network(address: ipaddress.IPv6Address) -> None:
    neighbour = ipaddress.IPv6Address(int(address) ^ 1)
    assert viewer_network(str(address)) == viewer_network(str(neighbour))


def test_what_is_no_address_is_no_network() -> None:
    assert viewer_network("") == viewer_network("unknown") == ""


def test_two_keys_verify_and_the_newest_signs() -> None:
    keys = Keys.create()
    rotated = keys.rotate()
    again = rotated.rotate()
    assert list(rotated.secrets) == [keys.current, rotated.current]
    assert list(again.secrets) == [rotated.current, again.current]


def test_keys_survive_being_written_down() -> None:
    assert Keys.from_json(KEYS.to_json()) == KEYS
    with pytest.raises(ValueError, match="cannot be read"):
        Keys.from_json("[1]")
    with pytest.raises(ValueError, match="Expecting value"):
        Keys.from_json("nonsense")
