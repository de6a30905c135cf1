"""The largest picture that a service gives, whatever its version, limits and level."""

from pathlib import Path
from typing import Any

import pytest

from tests.unit.sources.iiif.iiif_server import IiifServer, iiif_server, information
from vitrine.sources.harvest.guarded_http import GuardedHttp, NotHarvested
from vitrine.sources.iiif.full_image import fetch_image, image_file_name, offers
from vitrine.sources.iiif.painted_images import ForeignImage

LEVEL0_V2 = ["http://iiif.io/api/image/2/level0.json"]
V2 = "http://iiif.io/api/image/2/context.json"
V3 = "http://iiif.io/api/image/3/context.json"


def requested(info: dict[str, Any]) -> list[str]:
    return [one.address for one in offers("S", {"width": 400, "height": 300} | info)]


@pytest.mark.parametrize(
    ("info", "path"),
    [
        ({"@context": V3}, "full/max/0/default.jpg"),
        ({"@context": ["http://a.example/x.json", V3]}, "full/max/0/default.jpg"),
        ({"@context": V2}, "full/full/0/default.jpg"),
        ({}, "full/full/0/default.jpg"),
        (
            {"@context": "http://library.stanford.edu/iiif/image-api/1.1/context.json"},
            "full/full/0/native.jpg",
        ),
        ({"@context": V3, "maxWidth": 200}, "full/200,150/0/default.jpg"),
        ({"@context": V3, "maxWidth": 800}, "full/max/0/default.jpg"),
        ({"@context": V3, "maxWidth": 400, "maxHeight": 100}, "full/133,100/0/default.jpg"),
        ({"@context": V3, "maxArea": 30_000}, "full/200,150/0/default.jpg"),
        ({"@context": V2, "profile": ["x", {"maxWidth": 100}]}, "full/100,/0/default.jpg"),
    ],
)
def test_the_whole_image_is_asked_for_as_large_as_it_is_granted(
    info: dict[str, Any], path: str
) -> None:
    assert requested(info) == [f"S/{path}"]


def test_of_a_folder_of_files_its_sizes_are_tried_the_largest_first() -> None:
    sizes = [{"width": 100, "height": 75}, {"width": 200, "height": 150}, {"width": 0}]
    assert requested({"@context": V2, "profile": LEVEL0_V2, "sizes": sizes}) == [
        "S/full/full/0/default.jpg",
        "S/full/200,/0/default.jpg",
        "S/full/100,/0/default.jpg",
    ]
    assert requested({"@context": V3, "profile": "level0", "sizes": sizes})[1:] == [
        "S/full/200,150/0/default.jpg",
        "S/full/100,75/0/default.jpg",
    ]


@pytest.mark.parametrize("size", [{"width": None}, {"height": "300"}, {"width": -1}])
def test_information_without_a_size_is_refused(size: dict[str, Any]) -> None:
    with pytest.raises(NotHarvested, match="does not say how large"):
        requested(size)


def fetch(server: IiifServer, service: str, path: Path) -> str:
    image = ForeignImage(f"{server.address}{service}", 2)
    return fetch_image(image, GuardedHttp(private_too=True), path)


def test_a_smaller_picture_than_the_image_is_named(tmp_path: Path) -> None:
    limited = information(2, 40, 30, profile=["level2", {"maxWidth": 20}])
    limited["answers"] = {"full/20,/0/default.jpg": (20, 15)}
    with iiif_server(IiifServer(images={"/a": limited})) as server:
        note = fetch(server, "/a", tmp_path / "a.jpg")
    assert note.endswith("is 40 x 30, but its server gives no more than 20 x 15")
    assert (tmp_path / "a.jpg").exists()


def test_a_static_site_gives_the_largest_of_its_files(tmp_path: Path) -> None:
    static = information(2, 40, 30, profile=LEVEL0_V2, sizes=[{"width": 20, "height": 15}])
    static["answers"] = {"full/20,/0/default.jpg": (20, 15)}
    with iiif_server(IiifServer(images={"/a": static})) as server:
        assert "no more than 20 x 15" in fetch(server, "/a", tmp_path / "a.jpg")
        del server.images["/a"]["sizes"]
        with pytest.raises(NotHarvested, match=r"full/full/0/default.jpg answers 404"):
            fetch(server, "/a", tmp_path / "b.jpg")
    assert not (tmp_path / "b.jpg").exists()


@pytest.mark.parametrize("body", [b"{", b"[]", b"<html/>", b"[" * 100_000])
def test_an_unreadable_information_is_named(tmp_path: Path, body: bytes) -> None:
    with iiif_server(IiifServer()) as server:
        server.trouble = lambda path: (200, {}, body)
        with pytest.raises(NotHarvested, match=r"info.json is"):
            fetch(server, "/a", tmp_path / "a.jpg")


def test_a_file_is_named_after_its_image_and_its_kind() -> None:
    assert image_file_name("pudl/1.jp2", ForeignImage("http://a/1", 2)) == "pudl%2F1.jp2.jpg"
    assert image_file_name("1.tif", ForeignImage("http://a/1.tif", 0)) == "1.tif.tif"
    assert image_file_name("1.php", ForeignImage("http://a/1.php?x", 0)) == "1.php.jpg"
