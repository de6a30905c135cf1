"""The headers of each kind of answer."""

import math
from dataclasses import replace

import pytest

from tests.unit.deliver.deliver_records import live
from vitrine.deliver.http import headers
from vitrine.deliver.http.exchange import Response
from vitrine.errors import ImageGone, InvalidRequest, Unavailable, UnknownImage
from vitrine.iiif.version import V3
from vitrine.records import Live


def test_browsers_keep_an_answer_shortly_and_the_edge_bridges_gaps() -> None:
    assert headers.cache_control(60, 3600) == (
        (
            "cache-control",
            "public, max-age=60, s-maxage=3600, stale-while-revalidate=60, stale-if-error=86400",
        ),
    )


def test_an_error_is_never_given_stale() -> None:
    for error in (UnknownImage("x"), ImageGone("x", "2026"), InvalidRequest("x")):
        assert "stale" not in dict(headers.error_headers(error))["cache-control"]
    busy = dict(headers.error_headers(Unavailable("busy")))
    assert busy == {"cache-control": "no-store", "retry-after": "2"}


def test_an_etag_changes_with_the_version_and_with_every_choice_that_changes_bytes() -> None:
    image, other = live(), live(version="fedcba9876543210")
    revisions = [
        headers.rendering_revision(),
        headers.rendering_revision("rights", 90),
        headers.rendering_revision("none", 90),
    ]
    etags = {headers.image_etag(i, r) for i in (image, other) for r in revisions}
    assert len(etags) == 6
    assert all(etag.startswith('"') and etag.endswith('"') for etag in etags)


def test_last_modified_is_the_publication() -> None:
    assert headers.last_modified(live(published_at="2026-02-03T04:05:06.789Z")) == (
        ("last-modified", "Tue, 03 Feb 2026 04:05:06 GMT"),
    )
    assert headers.last_modified(live(published_at="2026-02-03T05:05:06+01:00")) == (
        ("last-modified", "Tue, 03 Feb 2026 04:05:06 GMT"),
    )
    assert headers.last_modified(live(published_at="long ago")) == ()


RESPONSE = Response(
    status=200,
    headers=(("etag", '"a"'), *headers.brief_life(), ("x-accel-expires", "9"), ("link", "<a>")),
    body=b"",
)


def test_an_answer_that_rests_on_a_record_outlives_it_in_no_cache() -> None:
    limited = headers.limit_life(RESPONSE, 45.9)
    assert limited.headers == (
        ("etag", '"a"'),
        ("link", "<a>"),
        ("cache-control", "public, max-age=44, s-maxage=44"),
    )
    longest = dict(headers.limit_life(RESPONSE, 1e6).headers)["cache-control"]
    assert longest == "public, max-age=60, s-maxage=300"


def test_what_could_be_kept_for_less_than_two_seconds_is_not_kept() -> None:
    for seconds in (-5, 0, 1.9):
        kept = headers.limit_life(RESPONSE, seconds)
        assert kept.headers == (("etag", '"a"'), ("link", "<a>"), ("cache-control", "no-store"))
    shortest = dict(headers.limit_life(RESPONSE, 2).headers)["cache-control"]
    assert shortest == "public, max-age=1, s-maxage=1"


def test_no_limit_changes_nothing_and_what_is_never_kept_stays_so() -> None:
    assert headers.limit_life(RESPONSE, math.inf) is RESPONSE
    never = headers.forbid_caching(RESPONSE)
    assert headers.limit_life(never, 45) is never


def test_more_links_join_those_that_are_there() -> None:
    found = (("link", "<a>"), ("etag", "b"))
    assert headers.add_links(found, "<c>", "<d>") == (("etag", "b"), ("link", "<a>, <c>, <d>"))


def test_the_headers_of_an_image_are_made_once_and_again_when_it_changes() -> None:
    made = headers.ImageHeaders(headers.brief_life(), "4-x")
    image = live(published_at="2026-02-03T04:05:06Z")

    def of(one: Live) -> dict[str, str]:
        return dict(made.at(one, "image/jpeg", "https://e", V3, "full/max/0/default.jpg"))

    first = of(image)
    assert first["link"].startswith(f"<https://e/iiif/3/{image.identifier}/full/max/0/default.jpg>")
    assert (first["etag"], first["last-modified"]) == (
        made.etag(image),
        "Tue, 03 Feb 2026 04:05:06 GMT",
    )
    assert of(image) == first
    assert of(replace(image, version="fedcba9876543210"))["etag"] != first["etag"]


def test_the_headers_of_many_images_take_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headers, "_IMAGES_KEPT", 3)
    made = headers.ImageHeaders(headers.brief_life(), "4-x")
    kept = []
    for number in range(7):
        made.at(live(f"image-{number}"), "image/jpeg", "https://e", V3, "x")
        kept.append(len(made._known))
    assert kept == [1, 2, 3, 1, 2, 3, 1]
