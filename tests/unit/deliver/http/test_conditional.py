"""A known answer is not sent again."""

import pytest

from vitrine.deliver.http.conditional import respond_if_known, without_conditions
from vitrine.deliver.http.exchange import Request, Response

ETAG = '"a-1"'
MODIFIED = "Tue, 03 Feb 2026 04:05:06 GMT"


def is_known(request: Request, etag: str, modified: str = "") -> bool:
    headers = (("etag", etag), *([("last-modified", modified)] if modified else []))
    return respond_if_known(request, headers) is not None


def ask(method: str = "GET", **headers: str) -> Request:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(method=method, path="/", headers=named)


@pytest.mark.parametrize(
    ("named", "known"),
    [
        *((ETAG, True), (f"W/{ETAG}", True), (f'"b", {ETAG}', True), ("*", True)),
        *(('"b"', False), ("", False), ("a-1", False)),
    ],
)
def test_an_etag_is_compared_weakly(named: str, known: bool) -> None:
    assert is_known(ask(if_none_match=named), ETAG) is known
    assert is_known(ask(if_none_match=named), f"W/{ETAG}") is known


@pytest.mark.parametrize(
    ("date", "known"),
    [
        ("Tue, 03 Feb 2026 04:05:06 GMT", True),
        ("Tue, 03 Feb 2026 04:05:07 GMT", True),
        ("Tue, 03 Feb 2026 04:05:05 GMT", False),
        ("Tuesday, 03-Feb-26 04:05:06 GMT", True),
        ("Tue Feb  3 04:05:06 2026", True),
        ("yesterday", False),
        ("", False),
        ("Tue, 99 Feb 2026 04:05:06 GMT", False),
    ],
)
def test_a_date_is_compared_with_the_publication(date: str, known: bool) -> None:
    assert is_known(ask(if_modified_since=date), ETAG, MODIFIED) is known


def test_an_etag_goes_before_a_date() -> None:
    """RFC 9110, section 13.1.3: the date is ignored where If-None-Match is sent."""
    later = "Tue, 03 Feb 2027 04:05:06 GMT"
    earlier = "Tue, 03 Feb 2025 04:05:06 GMT"
    assert not is_known(ask(if_none_match='"b"', if_modified_since=later), ETAG, MODIFIED)
    assert is_known(ask(if_none_match=ETAG, if_modified_since=earlier), ETAG, MODIFIED)


def test_a_date_means_nothing_without_one_of_ours_or_for_other_methods() -> None:
    later = "Tue, 03 Feb 2027 04:05:06 GMT"
    assert not is_known(ask(if_modified_since=later), ETAG)
    assert not is_known(ask("OPTIONS", if_modified_since=later), ETAG, MODIFIED)


def test_not_modified_keeps_what_a_cache_needs_and_nothing_of_the_body() -> None:
    kept = (("etag", ETAG), ("cache-control", "public"), ("vary", "Accept"))
    named = (("content-type", "image/png"), *kept)
    assert respond_if_known(ask(if_none_match=ETAG), named) == Response(status=304, headers=kept)
    assert respond_if_known(ask(), named) is None


def test_without_its_conditions_a_request_asks_for_all_and_else_the_same() -> None:
    later = "Tue, 03 Feb 2027 04:05:06 GMT"
    request = ask(if_none_match=ETAG, if_modified_since=later, accept="image/png")
    assert is_known(request, ETAG, MODIFIED)
    plain = without_conditions(request)
    assert not is_known(plain, ETAG, MODIFIED)
    assert (plain.path, plain.headers.get("accept")) == (request.path, "image/png")
