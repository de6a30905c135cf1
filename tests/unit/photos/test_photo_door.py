"""A photograph in; thumbnails, metadata and a zoomable address out."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from imagecodecs import jpeg8_encode

from tests.unit.photos.photo_bench import (
    BASE,
    PhotoBench,
    code_of,
    form_data,
    parts_of,
    photograph,
    picture,
)


def test_one_request_brings_thumbnails_metadata_and_the_address_of_the_image(
    bench: PhotoBench,
) -> None:
    photo = photograph()
    response = bench.send(photo, content_type="image/jpeg")
    assert response.status == 201
    document, thumbnails = parts_of(response)
    checksum = hashlib.sha256(photo).hexdigest()
    assert document["sha256"] == checksum
    assert (document["width"], document["height"], document["bytes"]) == (240, 160, len(photo))
    assert document["exif"]["Make"] == "Vitrine"
    assert document["exif"]["ExposureTime"] == 0.008
    assert document["exif"]["DateTimeOriginal"] == "2026:11:24 12:00:00"
    identifier = f"photo-{checksum[:24]}"
    assert document["image"] == {
        "identifier": identifier,
        "address": f"{BASE}/iiif/3/{identifier}",
        "info": f"{BASE}/iiif/3/{identifier}/info.json",
        "ingest": f"/ingests/photos%2F{checksum}.jpg",
    }
    assert [one["name"] for one in document["thumbnails"]] == ["small", "medium", "eye"]
    assert [one.size for one in thumbnails] == [(30, 30), (100, 67), (60, 40)]
    stated = [(one["width"], one["height"]) for one in document["thumbnails"]]
    assert stated == [one.size for one in thumbnails]
    body, info = bench.masters.get(f"photos/{checksum}.jpg")
    assert body == photo
    assert info.metadata == {"identifier": identifier}


def test_a_page_gets_short_lived_addresses(bench: PhotoBench) -> None:
    body, content_type = form_data({"token": bench.token(), "thumbnails": "small"}, photograph())
    headers = {"content-type": content_type, "accept": "text/html,*/*;q=0.8"}
    response = bench.ask("POST", body, "", headers)
    assert response.status == 201
    assert response.headers["content-type"] == "application/json"
    [thumbnail] = json.loads(response.body)["thumbnails"]
    assert bench.addresses.fetch(thumbnail["address"])[:3] == b"\xff\xd8\xff"
    assert thumbnail["expires_at"]


def test_the_same_bytes_twice_are_one_master(bench: PhotoBench) -> None:
    photo = photograph()
    first, second = bench.send(photo), bench.send(photo)
    assert (first.status, second.status) == (201, 200)
    assert parts_of(first)[0]["image"] == parts_of(second)[0]["image"]
    assert len(bench.stored()) == 1


def test_what_should_not_be_stored_is_not(bench: PhotoBench) -> None:
    response = bench.send(photograph(), "store=no")
    assert response.status == 200
    document, thumbnails = parts_of(response)
    assert "image" not in document
    assert len(thumbnails) == 3
    assert bench.stored() == []


@pytest.mark.parametrize("orientation", range(1, 9))
def test_thumbnails_are_upright(bench: PhotoBench, orientation: int) -> None:
    response = bench.send(photograph(orientation=orientation), "thumbnails=medium&clean=no")
    document, [medium] = parts_of(response)
    turned = orientation >= 5
    assert (document["width"], document["height"]) == ((160, 240) if turned else (240, 160))
    assert medium.size == ((67, 100) if turned else (100, 67))
    corner = {1: "r", 2: "g", 3: "x", 4: "b", 5: "r", 6: "b", 7: "x", 8: "g"}[orientation]
    red, green, blue = medium.convert("RGB").getpixel((10, 10))
    found = "r" if red > 150 else "g" if green > 150 else "b" if blue > 150 else "x"
    assert found == corner


def test_nothing_is_enlarged(bench: PhotoBench) -> None:
    _, [medium] = parts_of(bench.send(photograph(60, 40), "thumbnails=medium"))
    assert medium.size == (60, 40)


def test_thumbnails_of_a_lossless_jpeg_show_all_of_it(bench: PhotoBench) -> None:
    """Its decoder cannot reduce it: asked to, libvips returns a corner."""
    pixels = np.asarray(picture(1_200, 800))
    _, [lossless] = parts_of(bench.send(jpeg8_encode(pixels, lossless=True), "thumbnails=medium"))
    _, [usual] = parts_of(bench.send(jpeg8_encode(pixels, 95), "thumbnails=medium"))
    assert lossless.size == usual.size
    assert np.abs(np.asarray(lossless, "i2") - np.asarray(usual, "i2")).mean() < 3


@pytest.mark.parametrize(("gps", "known"), [(False, False), (True, True)])
def test_where_it_was_taken_is_said_only_if_the_setting_lets_it(
    tmp_path: Path, gps: bool, known: bool
) -> None:
    response = PhotoBench(tmp_path, gps=gps).send(photograph())
    document, thumbnails = parts_of(response)
    assert ("GPSInfo" in document["exif"]) is known
    assert all(not one.getexif() for one in thumbnails)


@pytest.mark.parametrize("file_format", ["PNG", "WEBP", "AVIF"])
def test_other_formats_of_cameras_and_browsers_work(bench: PhotoBench, file_format: str) -> None:
    response = bench.send(photograph(file_format=file_format))
    document, thumbnails = parts_of(response)
    assert document["media_type"] == f"image/{file_format.lower()}"
    assert document["exif"]["Model"] == "Door"
    assert [one.size for one in thumbnails] == [(30, 30), (100, 67), (60, 40)]


def test_an_upload_needs_the_form_that_was_made_for_it(bench: PhotoBench) -> None:
    key = "photos/upload.jpg"
    metadata = {"identifier": "photo-upload"}
    bench.masters.put(key, photograph(), content_type="image/jpeg", metadata=metadata)
    body = json.dumps({"upload": key}).encode()
    forbidden = bench.send(body, content_type="application/json")
    assert code_of(forbidden) == (403, "form-forbids")
    response = bench.send(body, token=bench.token(upload=key), content_type="application/json")
    document, thumbnails = parts_of(response)
    assert document["image"]["identifier"] == "photo-upload"
    assert len(thumbnails) == 3
    assert bench.stored() == [key]


def test_a_page_of_another_site_may_send(bench: PhotoBench) -> None:
    response = bench.ask("OPTIONS", b"", "", {})
    assert response.status == 204
    assert "authorization" in response.headers["access-control-allow-headers"]
    assert bench.send(photograph()).headers["access-control-allow-origin"] == "*"


def test_the_answer_says_what_it_cost(bench: PhotoBench) -> None:
    timing = bench.send(photograph()).headers["server-timing"]
    assert float(timing.removeprefix("cpu;dur=")) > 0


def test_thumbnails_that_no_answer_can_hold_come_by_their_addresses_or_not_at_all(
    bench: PhotoBench,
) -> None:
    bench.services = replace(bench.services, most_answer_bytes=100)
    refused = bench.send(photograph())
    assert code_of(refused) == (406, "photo-answer-too-large")
    assert bench.stored() == []
    refused = bench.send(photograph(), accept="application/json")
    assert code_of(refused) == (406, "photo-answer-too-large"), "fields count"
    bench.services = replace(bench.services, most_answer_bytes=1_000)
    assert code_of(bench.send(photograph())) == (406, "photo-answer-too-large")
    assert bench.send(photograph(), accept="application/json").status == 201


def test_a_function_knows_its_public_name_from_the_edge(bench: PhotoBench) -> None:
    bench.services = replace(bench.services, edge_url="")
    said = {"x_public_base": "https://images.example.org", "host": "abc.execute-api.example.com"}
    response = bench.send(photograph(), accept="application/json", **said)
    address = json.loads(response.body)["image"]["address"]
    assert address.startswith("https://images.example.org/iiif/3/photo-")
