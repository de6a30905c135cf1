"""nginx's form of the edge's policies."""

import re

import pytest

from vitrine.edge.policies import BEHAVIORS, ERROR_SECONDS, KEPT_WHERE_ALLOWED
from vitrine.local.edge.locations import kept_statuses, location_name, locations, routes


def test_every_behavior_has_its_location() -> None:
    text = locations("'self'")
    for behavior in BEHAVIORS:
        (block,) = re.findall(
            rf"location {location_name(behavior)} \{{(.*?)\n        \}}", text, re.S
        )
        assert f"proxy_cache_valid 200 206 301 302 {behavior.default_seconds}s;" in block
        assert f"gzip {'on' if behavior.compressed else 'off'};" in block
        for status, seconds in ERROR_SECONDS.items():
            assert f"proxy_cache_valid {status} {seconds}s;" in block
        assert ("proxy_pass http://origin" in block) == (behavior.origin == "images")


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/iiif/3/a/info.json", "@information"),
        ("/iiif/3/a%2Finfo.json/full/max/0/default.jpg", "@images"),
        ("/iiif/3/a/info-json", "@images"),
        ("/iiif", "@site"),
        ("/presentation/3/a/manifest.json", "@manifests"),
        ("/manifests/a/manifest.json", "@site"),
        ("/", "@site"),
    ],
)
def test_the_first_pattern_that_fits_takes_an_address(path: str, location: str) -> None:
    rows = re.findall(r'\["(.*?)", "(@\w+)"\]', routes().replace("\\\\", "\\"))
    assert next(name for pattern, name in rows if re.search(pattern, path)) == location


def test_a_tombstone_is_never_kept() -> None:
    statuses = {int(status) for status in re.findall(r'(\d+) "";', kept_statuses())}
    assert statuses == {*KEPT_WHERE_ALLOWED, *ERROR_SECONDS}
    assert 410 not in statuses
    assert 429 not in statuses


def test_stale_answers_have_room_below_the_maximum() -> None:
    for behavior in BEHAVIORS:
        assert behavior.default_seconds < behavior.maximum_seconds
