"""The manifest that every image has by itself, as the gateway answers it."""

import json

import pytest

from tests.unit.deliver.answer.gateway_bench import Bench
from tests.unit.deliver.deliver_records import live
from vitrine.deliver.http.exchange import Response
from vitrine.store.layout import cache_tag, manifest_tag

MANIFEST = "/presentation/3/a/manifest.json"
BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"


@pytest.fixture
def bench() -> Bench:
    return Bench(rights_uri="http://rightsstatements.org/vocab/InC/1.0/")


def header(response: Response, name: str) -> str:
    values = [value for key, value in response.headers if key == name]
    assert len(values) == 1, f"{name} {len(values)} times"
    return values[0]


def test_an_image_has_a_manifest_of_version_3_without_anyone_asking(bench: Bench) -> None:
    response = bench.ask(MANIFEST)
    document = json.loads(response.body)
    assert response.status == 200
    assert document["id"] == f"https://images.example.org{MANIFEST}"
    assert document["label"] == {"none": ["a"]}
    assert document["rights"] == "http://rightsstatements.org/vocab/InC/1.0/"
    (canvas,) = document["items"]
    image = live()
    assert (canvas["width"], canvas["height"]) == (image.width, image.height)
    assert header(response, "content-type") == (
        'application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"'
    )


def test_and_one_of_version_2(bench: Bench) -> None:
    response = bench.ask("/presentation/2/a/manifest.json")
    document = json.loads(response.body)
    assert document["@id"] == "https://images.example.org/presentation/2/a/manifest.json"
    assert document["license"] == "http://rightsstatements.org/vocab/InC/1.0/"
    assert header(response, "content-type") == "application/json"
    assert "presentation/2/context.json" in header(response, "link")


def test_an_image_and_its_manifests_link_to_each_other(bench: Bench) -> None:
    link = header(bench.ask("/iiif/3/a/info.json"), "link")
    assert link == '</presentation/3/a/manifest.json>;rel="describedby"'
    link = header(bench.ask(MANIFEST), "link")
    assert link == '</presentation/2/a/manifest.json>;rel="alternate"'


def test_a_manifest_lives_and_is_dropped_with_its_image(bench: Bench) -> None:
    response, information = bench.ask(MANIFEST), bench.ask("/iiif/3/a/info.json")
    for name in ("cache-control", "vary"):
        assert header(response, name) == header(information, name)
    assert header(information, "cache-tag") == cache_tag("a")
    # And when an object with the image's identifier is published.
    assert header(response, "cache-tag") == f"{manifest_tag('a')},{cache_tag('a')}"


def test_a_manifest_that_the_client_has_is_not_sent_again(bench: Bench) -> None:
    etag = header(bench.ask(MANIFEST), "etag")
    assert etag.startswith('W/"')
    again = bench.ask(MANIFEST, if_none_match=etag)
    assert (again.status, again.body) == (304, b"")


def test_a_browsers_window_is_shown_the_manifest_instead_of_a_download(bench: Bench) -> None:
    assert header(bench.ask(MANIFEST, accept=BROWSER), "content-type") == "application/json"


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/presentation/a", "/presentation/3/a/manifest.json"),
        ("/presentation/a/manifest.json", "/presentation/3/a/manifest.json"),
        ("/presentation/2/a", "/presentation/2/a/manifest.json"),
        ("/presentation/3/old/manifest.json", "/presentation/3/a/manifest.json"),
        ("/presentation/2/old/manifest.json", "/presentation/2/a/manifest.json"),
    ],
)
def test_other_addresses_of_it_redirect(bench: Bench, path: str, location: str) -> None:
    response = bench.ask(path)
    assert (response.status, header(response, "location")) == (301, location)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/presentation/3/lost/manifest.json", 410),
        ("/presentation/3/unknown/manifest.json", 404),
        ("/presentation/3/a/b/manifest.json", 404),
        ("/presentation/3/a/manifest.jpg", 404),
        ("/presentation/3/", 400),
        ("/presentation/3/%zz/manifest.json", 400),
    ],
)
def test_what_there_is_not_is_an_error_as_for_images(bench: Bench, path: str, status: int) -> None:
    response = bench.ask(path)
    assert response.status == status
    assert json.loads(response.body)["status"] == status
    assert header(response, "access-control-allow-origin") == "*"


@pytest.mark.parametrize(("version", "other"), [(2, 3), (3, 2)])
def test_a_manifest_links_to_the_one_of_the_other_version(
    bench: Bench, version: int, other: int
) -> None:
    link = header(bench.ask(f"/presentation/{version}/a/manifest.json"), "link")
    assert f'</presentation/{other}/a/manifest.json>;rel="alternate"' in link
    assert f"</presentation/{version}/a/manifest.json>" not in link
