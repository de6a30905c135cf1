"""A share link for a part shows it of the version that it was made for, and of no other.

Through the real functions of the edge, a cache with the edge's key, and the real gateway.
"""

import time

import pytest

from tests.unit.edge.restricted_viewers import NAMES
from tests.unit.edge.restricted_world import KEYS, Asked, Got, visit
from vitrine.access.rules import SHARE
from vitrine.access.tickets import Ticket, sign_ticket
from vitrine.store.ticket_keys import TicketKeys

WHOLE = "1300,1000"
"""Width and height of the images when the links were made."""
PART = "0,0,400,300"
REQUESTS = (f"{PART}/max/0/default.jpg", "full/max/0/default.jpg", "info.json", "download.jpg")


def link(region: str, name: str = "ours", size: int = 0) -> str:
    now = int(time.time())
    ticket = Ticket(
        use=SHARE,
        issued_at=now,
        expires_at=now + 600,
        identifier=name,
        link="alive",
        region=region,
        size=size,
    )
    return f"/restricted/share/{sign_ticket(ticket, KEYS)}/iiif/3/{name}"


def visit_links(*addresses: str, **sizes: tuple[int, int]) -> list[Got]:
    """What holders of these links get once images have new versions of these sizes."""
    requests = [Asked(address) for address in addresses]
    return visit(NAMES, TicketKeys(KEYS), requests, sizes=sizes)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(400, 300), (1000, 1300), (1300, 999), (1301, 1000)])
@pytest.mark.parametrize("limit", [0, 700])
def test_a_link_to_a_part_ends_with_a_version_of_another_size(
    size: tuple[int, int], limit: int
) -> None:
    """In fewer pixels, or cut in another way, the same numbers are another part, or everything."""
    door = link(f"{PART},{WHOLE}", size=limit)
    answers = visit_links(*[f"{door}/{request}" for request in REQUESTS], ours=size)
    for got in answers:
        assert got.status == 401
        assert b"another version of the image" in got.body
        assert got.headers["cache-control"] == "no-store"


def test_a_link_to_a_part_goes_on_with_a_version_of_the_same_size() -> None:
    door = link(f"{PART},{WHOLE}")
    answers = visit_links(*[f"{door}/{request}" for request in REQUESTS])
    assert [got.status for got in answers] == [200, 403, 403, 403]
    assert answers[0].pixels() == ("ours/now", 0)


def test_a_link_to_everything_goes_on_with_a_version_of_another_size() -> None:
    addresses = [f"{link('full')}/{request}" for request in REQUESTS]
    answers = visit_links(*addresses, ours=(650, 500))
    assert [got.status for got in answers] == [200, 200, 200, 200]


def test_a_link_to_a_part_is_for_the_version_that_is_shown() -> None:
    """The version before is still shown: a link made for the next one waits until it is."""
    request = "0,0,100,100/max/0/default.jpg"
    addresses = [f"{link(f'{PART},{whole}', 'theirs')}/{request}" for whole in (WHOLE, "650,500")]
    before, after = visit_links(*addresses, theirs=(650, 500))
    assert (before.status, before.pixels()) == (200, ("theirs/before", 0))
    assert (after.status, after.headers["cache-control"]) == (401, "no-store")


@pytest.mark.slow
@pytest.mark.parametrize("region", [PART, f"{PART},1300", f"{PART},{WHOLE},1", f"{PART},0,0", "x"])
def test_a_link_to_a_part_of_no_known_image_shows_nothing(region: str) -> None:
    (got,) = visit_links(f"{link(region)}/{PART}/max/0/default.jpg")
    assert got.status == 401
    assert got.headers["cache-control"] == "no-store"


def test_a_link_may_have_the_longest_numbers() -> None:
    """Those that `vitrine access share` takes, and of an image of any size: nine digits each."""
    longest = ",".join(["000000000"] * 2 + ["999999999"] * 4)
    (got,) = visit_links(f"{link(longest)}/{PART}/max/0/default.jpg")
    assert b"another version of the image" in got.body
