"""Viewers with all kinds of tickets, who ask for all kinds of images in all kinds of spellings."""

import time
from dataclasses import dataclass
from urllib.parse import quote

from hypothesis import strategies as st

from tests.unit.edge.restricted_world import KEYS, SMALL_LEVEL, VIEWER, Asked
from vitrine.access.keys import Keys
from vitrine.access.rules import SHARE
from vitrine.access.tickets import IMAGE, SEE, TOKEN, Ticket, sign_ticket

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
PAGE = "https://www.museum.org"
PART = "0,0,600,600,1300,1000"
REVOKED, OTHERS, BOX = "dead", Keys.create(), "100,100,200,200,1300,1000"


@dataclass(frozen=True)
class Held:
    """A ticket as somebody shows it."""

    text: str
    ticket: Ticket | None
    """Ticket that it gives, None if it is not valid here and now."""


NOTHING = Held("", None)


def held(draw: st.DrawFn) -> Held:
    """Return a ticket of some kind, valid or not."""
    now = int(time.time())
    use = draw(st.sampled_from([SEE, SEE, SEE, IMAGE, TOKEN, SHARE]))
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
            region=draw(st.sampled_from(["full", "full", PART])),
            size=draw(st.sampled_from([0, 700])),
            formats=draw(st.sampled_from([(), ("jpg",)])),
        )
    else:
        ticket = Ticket(
            use=use,
            issued_at=begin,
            expires_at=begin + 600,
            rights=(right,),
            network=network,
            page=PAGE if use == TOKEN and draw(st.booleans()) else "",
            identifier=name if use == IMAGE else "",
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
    others = ["nobody", "full/0", "full/700", f"0/{PART}/0"]
    middle = draw(st.sampled_from([*[""] * len(others), *others]))
    if by in ("path", "both") and ticket.text:
        middle = ticket.text
    if not door and draw(st.integers(0, 4)) == 0:
        rest = f"presentation/{version}/{segment}/manifest.json"
    begin = draw(st.sampled_from(["restricted"] * 5 + ["%72estricted"]))
    parts = ["", begin, door, middle, rest] if door else ["", rest]
    path = "/".join(part for index, part in enumerate(parts) if part or index == 0)
    headers = {}
    if by == "authorization":
        headers["authorization"] = f"Bearer {ticket.text}"
        headers["origin"] = draw(st.sampled_from([PAGE, PAGE, "https://others.example.org"]))
    if by in ("header", "both"):
        headers["x-vitrine-ticket"] = ticket.text
    if draw(st.booleans()):
        headers["if-none-match"] = draw(st.sampled_from(["*", '"fedcba9876543210-4"']))
    if draw(st.integers(0, 3)) == 0:
        headers["range"] = draw(st.sampled_from(["bytes=0-0", "bytes=5-", "bytes=0-3,8-9"]))
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
    is_for = ticket and (ticket.use == SEE or (ticket.use == IMAGE and ticket.identifier == name))
    if ticket and is_for and right in ("staff", "curators") and right in ticket.rights:
        levels.append(0)
    if ticket and ticket.use == SHARE and ticket.identifier == name and rule != "closed":
        levels.append(SMALL_LEVEL if ticket.size else 0)
    return min(levels, default=None)
