"""An institution's table of rights is read whole, or refused with the reason."""

import re
from pathlib import Path

import pytest

from vitrine.access.keys import Keys
from vitrine.access.rights import (
    MAX_FILE_LENGTH,
    choose_text,
    find_crowds,
    read_access,
    read_new_access,
)
from vitrine.access.rules import RESERVED, RIGHT
from vitrine.access.tickets import MAX_TICKET_LENGTH, Ticket, sign_ticket
from vitrine.errors import AccessRefused

ROOT = Path(__file__).parents[3]
ORIGINS = 'origins = ["https://www.museum.org"]\n'
PROVIDER = '[provider]\nissuer = "https://login.museum.org"\nclient = "vitrine"\n'
LABEL = 'label = { en = "Sign in" }\n'
STAFF = f'{PROVIDER}[rights.staff]\ngroup = "museum-staff"\n{LABEL}'
ROOM = f'{ORIGINS}[rights.reading-room]\nnetworks = ["192.0.2.0/24", "2001:db8::/32"]\n{LABEL}'
TERMS = f'[rights.registered]\nterms = {{ en = "Read this." }}\n{LABEL}'


def test_a_right_is_given_by_a_group_a_place_or_terms() -> None:
    access = read_access(f"{ROOM}{TERMS}{STAFF}".encode())
    assert [right.kind for right in access.rights.values()] == ["place", "terms", "role"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Object missing required field `rights`"),
        ("[rights]", "length >= 1"),
        ("rights = [", "Invalid value"),
        (f'[rights.staff]\ngroup = "a"\n{LABEL}', "a group needs a [provider]"),
        (f"[rights.staff]\n{LABEL}", "exactly one of group, networks and terms"),
        (f'{STAFF}networks = ["192.0.2.0/24"]', "exactly one of group, networks and terms"),
        (f'{ORIGINS}[rights.room]\nnetworks = ["192.0.2.1/24"]\n{LABEL}', "has host bits set"),
        (f'{ORIGINS}[rights.room]\nnetworks = ["here"]\n{LABEL}', "'here' does not appear to be"),
        (f'{ORIGINS}[rights."../x"]\nnetworks = ["192.0.2.0/24"]\n{LABEL}', "a name has up to 32"),
        (f'{ORIGINS}[rights.room]\nnetworks = ["192.0.2.0/24"]\nlabel = {{}}', "it needs a label"),
        (f'{TERMS}heading = {{ "<b>" = "x" }}', "no language"),
        (f"{ROOM}colour = 1", "unknown field `colour`"),
        (f"{ROOM}hours = 13", "<= 12"),
        (f'{ROOM}note = {{ en = "Ask." }}', "a note needs a heading"),
        (STAFF.replace("https", "http"), "must be an https address"),
        (STAFF.replace("museum.org", "museum.org?a=1"), "without query"),
        (STAFF.replace("[rights", 'scopes = ["groups"]\n[rights', 1), "the scopes need openid"),
        (ROOM.replace('museum.org"', 'museum.org/"'), "is no origin"),
        (ROOM.removeprefix(ORIGINS), "rights.reading-room: networks need origins"),
        (f"origins = []\n{ROOM.removeprefix(ORIGINS)}", "networks need origins"),
        (ROOM.replace("192.0.2.0/24", "0.0.0.0/0"), "0.0.0.0/0 is too wide to be a place"),
        (ROOM.replace("192.0.2.0/24", "128.0.0.0/1"), "128.0.0.0/1 is too wide"),
        (ROOM.replace("2001:db8::/32", "::/0"), "::/0 is too wide"),
        (ROOM.replace("192.0.2.0/24", '8.0.0.0/8", "9.0.0.0/8'), "9.0.0.0/8 is too wide"),
        (ROOM.replace("2001:db8::/32", "2001:db8:0:1:5::/80"), "a /64 at least"),
        (ROOM.replace("2001:db8::/32", "::ffff:192.0.2.0/120"), "is of IPv4"),
        *((TERMS.replace("registered", name), "no right's") for name in sorted(RESERVED)),
        ("#" * (MAX_FILE_LENGTH + 1), "may have 65,536"),
        ("\x00", "Invalid"),
    ],
)
def test_a_table_that_cannot_work_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(AccessRefused, match=re.escape(reason)):
        read_access(text.encode())


def test_rights_that_do_not_fit_into_one_ticket_are_refused() -> None:
    def table(names: list[str], kind: str) -> bytes:
        rights = "".join(f'[rights.{one}]\n{kind}\nlabel = {{ en = "A" }}\n' for one in names)
        return f'origins = ["https://www.museum.org"]\n{rights}'.encode()

    names = [f"{letter * 30}-{number}" for number in range(4) for letter in "abcdefgh"]
    for kind in ('terms = { en = "Yes?" }', 'networks = ["192.0.2.0/24"]'):
        (fault,) = find_crowds(read_access(table(names, kind)).rights)
        assert "give them shorter names" in fault
        most = next(
            access
            for count in range(len(names), 0, -1)
            if not [*find_crowds((access := read_access(table(names[:count], kind))).rights)]
        )
        network = "ffff:ffff:ffff:ffff" if kind.startswith("networks") else ""
        ticket = Ticket(issued_at=1, expires_at=2, rights=tuple(most.rights), network=network)
        assert len(most.rights) >= 25
        assert len(sign_ticket(ticket, Keys.create())) <= MAX_TICKET_LENGTH


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *(
            (ROOM.replace("192.0.2.0/24", network), f"{network} has addresses that nobody comes")
            for network in (
                *("10.0.0.0/8", "10.1.2.0/24", "172.20.0.0/16", "192.168.1.0/24", "100.64.0.0/10"),
                *("100.100.0.1/32", "169.254.0.0/16", "192.0.0.0/8", "fe80::/64", "fd00:1::/64"),
            )
        ),
        (ROOM.replace("https:", "http:"), "origin http://www.museum.org must be an https address"),
    ],
)
def test_what_lets_in_nobody_or_others_is_no_new_table_and_ends_no_old_one(
    text: str, reason: str
) -> None:
    """Else an upgrade would let nobody in any more, not even those whom other rights let in."""
    with pytest.raises(AccessRefused, match=re.escape(reason)):
        read_new_access(text.encode())
    assert read_access(text.encode()).rights


@pytest.mark.parametrize("network", ["127.0.0.0/8", "127.0.0.1/32", "::/64", "8.8.8.8/32"])
@pytest.mark.parametrize("origin", ["http://127.0.0.1:8080", "http://localhost:1", "https://a.org"])
def test_this_machine_is_a_place_and_a_site(network: str, origin: str) -> None:
    text = ROOM.replace("192.0.2.0/24", network).replace("https://www.museum.org", origin)
    assert read_new_access(text.encode()).rights


def test_the_edge_has_the_pattern_of_a_rights_name() -> None:
    function = ROOT / "stacks" / "functions" / "restricted_request.js"
    assert f"/^{RIGHT}$/" in function.read_text()


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(AccessRefused, match="utf-8"):
        read_access(b"\xff")


@pytest.mark.parametrize(
    ("address", "holds"),
    [
        ("192.0.2.7", True),
        ("::ffff:192.0.2.7", True),
        ("2001:db8:1::9", True),
        ("192.0.3.7", False),
        ("2001:db9::1", False),
        ("192.0.2.7, 203.0.113.9", False),
        ("192.0.2.7:443", False),
        ("", False),
    ],
)
def test_a_place_is_the_networks_and_nothing_else(address: str, holds: bool) -> None:
    assert read_access(ROOM.encode()).rights["reading-room"].holds_at(address) is holds


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("https://www.museum.org", True),
        ("https://www.museum.org:443", False),
        ("https://evil.org", False),
        ("https://www.museum.org.evil.org", False),
        ("null", False),
        ("*", False),
    ],
)
def test_only_the_named_sites_may_ask(origin: str, allowed: bool) -> None:
    access = read_access(ROOM.encode())
    assert access.allows(origin) is allowed


@pytest.mark.parametrize(
    "origin",
    [
        "javascript:alert(1)",
        "https://a.org/",
        "https://a.org\r\nX: y",
        "https://user@a.org",
        "https://a.org'",
        "https://A.org",
        "file://",
        "https://" + "a" * 300,
    ],
)
def test_what_is_no_origin_may_never_ask(origin: str) -> None:
    assert not read_access(TERMS.encode()).allows(origin)


def test_a_text_is_chosen_by_the_readers_languages() -> None:
    texts = {"en": "Sign in", "de": "Anmelden"}
    assert choose_text(texts, ("de-CH", "en")) == "Anmelden"
    assert choose_text(texts, ("fr", "EN")) == "Sign in"
    assert choose_text(texts, ("fr",)) == "Sign in"
    assert choose_text({}, ("fr",)) == ""
