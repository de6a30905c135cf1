"""The headers of each kind of answer."""

from tests.unit.deliver.deliver_records import live
from vitrine.deliver.http import headers
from vitrine.errors import ImageGone, InvalidRequest, Unavailable, UnknownImage


def test_browsers_keep_an_answer_shortly_and_the_edge_bridges_gaps() -> None:
    assert headers.cache_control(60, 3600) == (
        (
            "cache-control",
            "public, max-age=60, s-maxage=3600, stale-while-revalidate=60, stale-if-error=86400",
        ),
    )


def test_an_error_is_never_given_stale() -> None:
    for error in (UnknownImage("x"), ImageGone("x"), InvalidRequest("x")):
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
