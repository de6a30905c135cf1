"""Whatever is sent: a clear 4xx as problem+json, and nothing stored."""

import io
import struct
import time
import zipfile
import zlib
from pathlib import Path

import pytest
from PIL import Image

from tests.unit.photos.photo_bench import (
    PhotoBench,
    code_of,
    form_data,
    parts_of,
    photograph,
    picture,
    with_segment,
)
from vitrine.api.problems import Problem
from vitrine.photos.admission import DecodingCost, LongSlots


def png_bomb() -> bytes:
    """Return a small PNG that says it has a billion pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + crc

    header = struct.pack(">IIBBBBB", 32_000, 32_000, 8, 2, 0, 0, 0)
    data = zlib.compress(bytes(1_000))
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", data), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def zip_archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("page.html", "<script>")
    return file.getvalue()


def gif() -> bytes:
    file = io.BytesIO()
    picture().save(file, "GIF")
    return file.getvalue()


BAD = {
    "empty": (b"", 400, "photo-body-invalid"),
    "text": (b"hello, this is no photograph", 415, "photo-not-an-image"),
    "HEIC": (b"\0\0\0\x18ftypheic" + bytes(60), 415, "photo-not-an-image"),
    "a format for masters": (gif(), 415, "photo-not-an-image"),
    "truncated in its pixels": (photograph()[:-400], 422, "photo-damaged"),
    "truncated in its head": (photograph()[:100], 422, "photo-damaged"),
    "PNG bomb": (png_bomb(), 422, "photo-too-expensive"),
    "ZIP behind it": (photograph() + zip_archive(), 422, "photo-ambiguous"),
    "PDF in front": (with_segment(photograph(), 0xFE, b"%PDF-1.7"), 422, "photo-ambiguous"),
    "metadata of 10 MB": (
        photograph()[:2] + with_segment(b"", 0xE1, bytes(65_000)) * 40 + photograph()[2:],
        422,
        "photo-metadata-too-large",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_bytes_are_refused_with_the_reason_and_nothing_is_stored(
    bench: PhotoBench, name: str
) -> None:
    body, status, code = BAD[name]
    assert code_of(bench.send(body)) == (status, code)
    assert bench.stored() == []


def test_damaged_pixels_are_found_even_without_a_thumbnail(bench: PhotoBench) -> None:
    photo = bytearray(photograph())
    photo[-600:-500] = bytes(100)
    assert code_of(bench.send(bytes(photo), "thumbnails=")) == (422, "photo-damaged")
    assert bench.stored() == []


def test_a_trifle_in_the_markers_is_no_damage(bench: PhotoBench) -> None:
    # libjpeg warns of this revision of JFIF, as it warns of damaged pixels.
    photo = photograph().replace(b"JFIF\0\x01\x01", b"JFIF\0\x09\x09", 1)
    assert b"JFIF\0\x09" in photo
    assert bench.send(photo).status == 201


def test_a_content_type_that_lies_is_refused(bench: PhotoBench) -> None:
    assert code_of(bench.send(photograph(), content_type="image/png")) == (415, "photo-mislabelled")
    body, content_type = form_data({}, photograph(), "image/webp")
    assert code_of(bench.send(body, content_type=content_type)) == (415, "photo-mislabelled")
    assert bench.stored() == []


def test_a_motion_photo_is_a_photograph(bench: PhotoBench) -> None:
    film = struct.pack(">I", 24) + b"ftypmp42" + bytes(2_000)
    assert bench.send(photograph() + film).status == 201


def test_four_bytes_of_an_archive_in_the_pixels_are_no_archive(bench: PhotoBench) -> None:
    comment = with_segment(photograph(), 0xFE, b"PK\x05\x06" + b"\x07" * 40)
    assert bench.send(comment).status == 201


def test_ten_thousand_parts_are_refused_early(bench: PhotoBench) -> None:
    part = b'--frontier\r\nContent-Disposition: form-data; name="token"\r\n\r\nx\r\n'
    body = part * 10_000 + b"--frontier--\r\n"
    response = bench.send(body, content_type="multipart/form-data; boundary=frontier")
    assert code_of(response) == (400, "photo-body-invalid")


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=other",
    ],
)
def test_a_broken_form_is_refused(bench: PhotoBench, content_type: str) -> None:
    body, _ = form_data({}, photograph())
    response = bench.send(body, content_type=content_type)
    assert code_of(response) == (400, "photo-body-invalid")


def test_two_photographs_in_one_form_are_refused(bench: PhotoBench) -> None:
    body, content_type = form_data({}, photograph())
    twice = body.removesuffix(b"--frontier--\r\n") + body
    assert code_of(bench.send(twice, content_type=content_type)) == (400, "photo-body-invalid")


def test_a_body_beyond_the_limit_is_refused_unread(bench: PhotoBench) -> None:
    body = bytes(5 << 20)
    assert code_of(bench.send(body)) == (413, "photo-too-large")


@pytest.mark.parametrize(
    "query", ["thumbnails=huge", "clean=perhaps", "colour=no", "store=no&store=no"]
)
def test_a_query_that_makes_no_sense_is_refused(bench: PhotoBench, query: str) -> None:
    assert code_of(bench.send(photograph(), query)) == (400, "query-invalid")
    assert bench.stored() == []


def test_without_a_form_nobody_gets_in(bench: PhotoBench) -> None:
    response = bench.ask("POST", photograph(), "", {})
    assert code_of(response) == (401, "form-missing")
    for token in ("nonsense", "a.b.c", bench.token()[:-2] + "xx", "x" * 5_000):
        assert code_of(bench.send(photograph(), token=token)) == (401, "form-invalid")
    expired = bench.token(expires=int(time.time()) - 1)
    assert code_of(bench.send(photograph(), token=expired)) == (401, "form-invalid")
    assert bench.stored() == []


def test_a_token_that_says_it_needs_no_signature_is_refused(bench: PhotoBench) -> None:
    import jwt

    bench.token()
    claims = jwt.decode(bench.token(), options={"verify_signature": False})
    name = jwt.get_unverified_header(bench.token())["kid"]
    forged = jwt.encode(claims, None, algorithm="none", headers={"kid": name})
    assert code_of(bench.send(photograph(), token=forged)) == (401, "form-invalid")


def test_a_form_bounds_bytes_number_and_storing(bench: PhotoBench) -> None:
    small = bench.token(subject="small", most_bytes=100)
    assert code_of(bench.send(photograph(), token=small)) == (413, "photo-too-large")
    once = bench.token(subject="once", photos_per_hour=1)
    assert bench.send(photograph(), "store=no", once).status == 200
    refused = bench.send(photograph(), "store=no", once)
    assert code_of(refused) == (429, "photos-exhausted")
    assert 0 < int(refused.headers["retry-after"]) <= 3_600
    looking = bench.token(subject="looking", store=False)
    assert code_of(bench.send(photograph(), "store=yes", looking)) == (403, "form-forbids")
    assert "image" not in parts_of(bench.send(photograph(), "", looking))[0]
    assert bench.stored() == []


def test_a_withdrawn_key_signs_no_more(bench: PhotoBench) -> None:
    old = bench.token()
    bench.forms.add_key()
    assert bench.send(photograph(), token=old).status == 201
    bench.forms.add_key(withdraw=True)
    assert code_of(bench.send(photograph(), token=old)) == (401, "form-invalid")
    assert bench.send(photograph()).status == 200


def test_only_post_is_answered(bench: PhotoBench) -> None:
    response = bench.ask("GET", b"", "", {})
    assert code_of(response) == (405, "method-not-allowed")
    assert response.headers["allow"] == "POST, OPTIONS"


def test_those_that_take_long_share_few_slots(tmp_path: Path) -> None:
    slots = LongSlots(folder=tmp_path, count=1)
    long, short = DecodingCost(seconds=3, memory_bytes=0), DecodingCost(seconds=0.1, memory_bytes=0)
    with slots.admit(long):
        with slots.admit(short):
            pass
        with pytest.raises(Problem, match="photos-busy"), slots.admit(long):
            pass
    with slots.admit(long):
        pass


def test_memory_is_known_before_a_progressive_photograph_is_decoded(tmp_path: Path) -> None:
    bench = PhotoBench(tmp_path, most_memory_bytes=1 << 20)
    file = io.BytesIO()
    Image.new("RGB", (800, 800)).save(file, "JPEG", progressive=True)
    assert code_of(bench.send(file.getvalue())) == (422, "photo-too-expensive")


def test_xmp_with_entities_is_left_out_and_so_are_places(bench: PhotoBench) -> None:
    packet = (
        b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF '
        b'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
        b'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/" '
        b'exif:GPSLatitude="52,30N"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Seal</rdf:li>'
        b"</rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>"
    )
    name = b"http://ns.adobe.com/xap/1.0/\0"
    document, _ = parts_of(bench.send(with_segment(photograph(), 0xE1, name + packet)))
    assert document["xmp"] == {"dc:title": {"x-default": "Seal"}}
    bomb = b'<!DOCTYPE a [<!ENTITY b "c">]>' + packet
    document, _ = parts_of(bench.send(with_segment(photograph(), 0xE1, name + bomb)))
    assert document["xmp"] == {}
