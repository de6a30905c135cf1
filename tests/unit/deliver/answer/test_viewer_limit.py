"""Nobody takes all large renders, and nobody is refused for what others do."""

import pytest

from vitrine.deliver.answer.viewer_limit import ViewerLimit, identify_viewer
from vitrine.deliver.http.exchange import Request
from vitrine.errors import STATUS, TooManyRenders


def by(address: str) -> Request:
    return Request(method="GET", path="/", headers={"x-viewer-address": address})


def test_one_render_more_than_allowed_is_refused_until_one_ends() -> None:
    limit = ViewerLimit(2)
    me = by("192.0.2.1")
    with limit.admission(me, "a"):
        with limit.admission(me, "b"), pytest.raises(TooManyRenders), limit.admission(me, "c"):
            pass
        with limit.admission(me, "c"):
            pass
    assert STATUS[TooManyRenders] == 429


def test_others_are_not_refused_for_it() -> None:
    limit = ViewerLimit(1)
    with limit.admission(by("192.0.2.1"), "a"), limit.admission(by("192.0.2.2"), "b"):
        pass


def test_many_may_wait_for_the_same_render() -> None:
    limit = ViewerLimit(1)
    me = by("192.0.2.1")
    with limit.admission(me, "a"), limit.admission(me, "a"):
        pass
    with limit.admission(me, "b"):
        pass


def test_a_failed_render_counts_no_more() -> None:
    limit = ViewerLimit(1)
    me = by("192.0.2.1")
    for name in ("a", "b"):
        with pytest.raises(ZeroDivisionError), limit.admission(me, name):
            raise ZeroDivisionError


@pytest.mark.parametrize("at_once", [0, 1])
def test_who_comes_without_an_address_is_not_limited(at_once: int) -> None:
    limit = ViewerLimit(at_once)
    nobody = by("") if at_once else by("192.0.2.1")
    with limit.admission(nobody, "a"), limit.admission(nobody, "b"):
        pass


@pytest.mark.parametrize(
    ("address", "viewer"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::7", "2001:db8:1:2::/64"),
        ("192.0.2.1, 192.0.2.2", ""),
        ("unknown", ""),
    ],
)
def test_an_ipv6_subscriber_is_one_viewer(address: str, viewer: str) -> None:
    assert identify_viewer(by(address)) == viewer
