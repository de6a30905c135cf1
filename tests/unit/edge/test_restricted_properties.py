"""No byte of a restricted image without a ticket, and none that was kept for somebody else.

Viewers with all kinds of tickets ask for all kinds of images in all kinds of spellings, through the
real functions of the edge, a cache with the edge's key, and the real gateway.
"""

import json
import time
from dataclasses import dataclass
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.unit.edge.restricted_world import KEYS, SMALL_LEVEL, VIEWER, Asked, Got, visit
from vitrine.access.keys import Keys
from vitrine.access.tickets import SEE, SHARE, TOKEN, Ticket, sign_ticket
from vitrine.store.ticket_keys import TicketKeys

pytestmark = pytest.mark.slow

NAMES = {
    "free": "open",
    "plain": "",
    "shut/é": "closed",
    "small": "small:700",
    "smaller": "small:700:staff",
    "ours": "staff",
    "theirs": "curators",
}
REQUESTS = (
    "info.json",
    "",
    "download.jpg",
    "full/max/0/default.jpg",
    "full/full/0/default.jpg",
    "full/^1300,1000/0/default.png",
    "full/!200,200/0/default.jpg",
    "0,0,256,256/256,256/0/default.jpg",
    "0,0,256,256/64,64/0/color.jpg",
    "0,0,512,512/256,256/0/default.jpg",
    "100,100,50,50/max/0/default.webp",
    "pct:10,10,5,5/^pct:300/90/gray.jpg",
    "square/,128/!0/bitonal.gif",
)
REVOKED, OTHERS, BOX = "dead", Keys.create(), "100,100,200,200"


@dataclass(frozen=True)
class Held:
    """A ticket as somebody shows it."""

    text: str
    ticket: Ticket | None
    """What it gives, None if it is not valid here and now."""


NOTHING = Held("", None)


def held(draw: st.DrawFn) -> Held:
    """Return a ticket of some kind, valid or not."""
    now = int(time.time())
    use = draw(st.sampled_from([SEE, SEE, SEE, TOKEN, SHARE]))
    right = draw(st.sampled_from(["staff", "curators"]))
    name = draw(st.sampled_from(sorted(NAMES)))
    faults = ["expired", "early", "forged", "cut", "elsewhere", "revoked"]
    fault = draw(st.sampled_from([*[""] * len(faults), *faults]))
    begin = {"expired": now - 700, "early": now + 3_000}.get(fault, now)
    network = {"elsewhere": "198.51.100.7"}.get(fault, draw(st.sampled_from(["", VIEWER])))
    if use == SHARE:
        ticket = Ticket(
            use=use,
            issued_at=begin,
            expires_at=begin + 600,
            identifier=name,
            link=REVOKED if fault == "revoked" else "alive",
            region=draw(st.sampled_from(["full", "full", "0,0,600,600"])),
            size=draw(st.sampled_from([0, 700])),
            formats=draw(st.sampled_from([(), ("jpg",)])),
        )
    else:
        ticket = Ticket(
            use=use, issued_at=begin, expires_at=begin + 600, rights=(right,), network=network
        )
    text = sign_ticket(ticket, OTHERS if fault == "forged" else KEYS)
    if fault == "forged":
        text = text.replace(OTHERS.current, KEYS.current)
    if fault == "cut":
        text = text[: draw(st.integers(0, len(text) - 1))]
    is_harmless = fault == "revoked" or (fault == "elsewhere" and use == SHARE)
    is_valid = not fault or (is_harmless and not (fault == "revoked" and use == SHARE))
    return Held(text, ticket if is_valid else None)


def spelled(draw: st.DrawFn, name: str) -> str:
    """Return a segment for an identifier, written by one of many clients."""
    match draw(st.integers(0, 5)):
        case 0:
            return "".join(f"%{byte:02X}" for byte in name.encode())
        case 1:
            return quote(name, safe="").replace("%2F", "%2f")
        case 2:
            return quote(quote(name, safe=""), safe="")
        case 3:
            return name.upper()
        case _:
            return quote(name, safe="")


@st.composite
def asked_by(draw: st.DrawFn) -> tuple[Asked, str, Held]:
    """Return a request, the identifier that it is for, and the ticket that is shown with it."""
    name = draw(st.sampled_from(sorted(NAMES)))
    ticket = draw(st.composite(held)() | st.just(NOTHING) | st.composite(held)())
    by = draw(st.sampled_from(["path", "cookie", "place", "authorization", "header", "both"]))
    segment = spelled(draw, draw(st.sampled_from([name, name, name, f"old {name}"])))
    request = draw(st.sampled_from(REQUESTS))
    version = draw(st.sampled_from(["3", "3", "2"]))
    rest = "/".join(part for part in ("iiif", version, segment, request) if part)
    right = NAMES[name].rpartition(":")[2]
    own = right if right in ("staff", "curators") else "share"
    door = draw(st.sampled_from(["", own, own, own, "staff", "curators", "share"]))
    others = ["nobody", "full/0", "full/700", "0,0,600,600/0"]
    middle = draw(st.sampled_from([*[""] * len(others), *others]))
    if by in ("path", "both") and ticket.text:
        middle = ticket.text
    parts = ["", "restricted", door, middle, rest] if door else ["", rest]
    path = "/".join(part for index, part in enumerate(parts) if part or index == 0)
    headers = {}
    if by == "authorization":
        headers["authorization"] = f"Bearer {ticket.text}"
    if by in ("header", "both"):
        headers["x-vitrine-ticket"] = ticket.text
    if draw(st.booleans()):
        headers["if-none-match"] = draw(st.sampled_from(["*", '"fedcba9876543210-4"']))
    cookie = {"cookie": "__Host-vitrine-ticket", "place": "__Host-vitrine-place"}.get(by, "other")
    method = draw(st.sampled_from(["GET", "GET", "HEAD"]))
    return Asked(path, method, headers, {cookie: ticket.text}), name, ticket


def finest_level(rule: str, name: str, ticket: Ticket | None) -> int | None:
    """Return the finest level that somebody may see of an image, None for nothing."""
    levels = []
    if rule in ("", "open"):
        levels.append(0)
    if rule.startswith("small"):
        levels.append(SMALL_LEVEL)
    right = rule.rpartition(":")[2]
    if ticket and ticket.use == SEE and right in ("staff", "curators") and right in ticket.rights:
        levels.append(0)
    if ticket and ticket.use == SHARE and ticket.identifier == name and rule != "closed":
        levels.append(SMALL_LEVEL if ticket.size else 0)
    return min(levels, default=None)


def check(requested: Asked, ticket: Held, got: Got) -> None:
    """Fail if somebody got what they may not see."""
    assert got.status < 500, requested
    shown = got.pixels()
    if shown is None:
        return
    key, level = shown
    name = key.rpartition("/")[0]
    finest = finest_level(NAMES[name], name, ticket.ticket)
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
        (302, "/iiif/3/smaller/info.json"),
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
