"""Sound masters that are not as most programs write them, through the whole ingest in memory."""

import re
import struct
from typing import Any

import imagecodecs
import numpy as np
import pytest
import pyvips
from PIL import Image

from tests.unit.ingest.unusual_masters import (
    HEIGHT,
    IMAGE,
    PIXELS,
    WIDTH,
    avif_with_aperture,
    gif_on_screen,
    in_strips,
    jpeg_strips,
    saved,
    tiff,
    webp_on_screen,
    ycbcr,
)
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.records import Outcome

KEY = "a/nachtwache"
MAX_DIFFERENCE = 3.0
"""Difference, of 255, that two lossy codings make in the mean, at most; a GIF's palette as well."""
_LONG, _SHORT, _UNDEFINED = 4, 3, 7
_NO_LENGTHS: dict[int, Any] = {279: (_LONG, [])}
_ZERO_LENGTH: dict[int, Any] = {279: (_LONG, [0])}


def ingest(body: bytes) -> tuple[Outcome, Any]:
    """Return the outcome of a master, and the pixels of the access master if it is published."""
    services = MemoryIngestServices()
    services.masters.put(KEY, body, content_type="application/octet-stream")
    outcome = services.ingest(KEY)
    assert outcome
    if outcome.state != "published":
        return outcome, None
    [entry] = services.access_masters.list_keys().entries
    stored, _ = services.access_masters.get(entry.key)
    return outcome, pyvips.Image.tiffload_buffer(stored).numpy()


def on_white(left: int, top: int, width: int, height: int) -> Any:
    """Return the picture at a place of a white screen."""
    screen = np.full((height, width, 3), 255, "u1")
    screen[top : top + HEIGHT, left : left + WIDTH] = PIXELS
    return screen


def deflated() -> list[bytes]:
    """Return the pixels in one strip."""
    return [imagecodecs.zlib_encode(PIXELS.tobytes())]


def packed() -> list[bytes]:
    """Return the pixels in strips of a few rows."""
    return [imagecodecs.packbits_encode(part, axis=None) for part in in_strips(16)]


@pytest.mark.slow
def test_the_picture_of_unusual_masters_is_published() -> None:
    whole, rows = in_strips(HEIGHT), {278: (_LONG, [16])}
    masters: dict[str, tuple[bytes, Any]] = {
        "YCbCr JPEG strips, subsampling unstated": (tiff(jpeg_strips(64), ycbcr(64)), PIXELS),
        "YCbCr JPEG strips, another one stated": (tiff(jpeg_strips(64), ycbcr(64, 2, 1)), PIXELS),
        "YCbCr JPEG strips, 4:2:0": (
            tiff(jpeg_strips(64, subsampling="420"), ycbcr(64)),
            PIXELS,
        ),
        "lowest JPEG strip of full height": (
            tiff(jpeg_strips(64, padded=True), ycbcr(64, 1, 1)),
            PIXELS,
        ),
        "the only JPEG strip too high": (
            tiff(jpeg_strips(HEIGHT + 32, padded=True), ycbcr(HEIGHT + 32)),
            PIXELS,
        ),
        "no StripByteCounts": (tiff(whole, _NO_LENGTHS), PIXELS),
        "a zero for StripByteCounts": (tiff(whole, _ZERO_LENGTH), PIXELS),
        "no StripByteCounts, several strips": (
            tiff(in_strips(16), {**_NO_LENGTHS, **rows}),
            PIXELS,
        ),
        "no StripByteCounts, deflate": (
            tiff(deflated(), {**_NO_LENGTHS, 259: (_SHORT, [8])}),
            PIXELS,
        ),
        "no StripByteCounts, PackBits": (
            tiff(packed(), {**_NO_LENGTHS, **rows, 259: (_SHORT, [32773])}),
            PIXELS,
        ),
        "0 RowsPerStrip": (tiff(whole, {278: (_LONG, [0])}), PIXELS),
        "orientation and resolution of impossible types": (
            tiff(
                whole,
                {
                    274: (_SHORT, [1, 1]),
                    282: (_SHORT, [1, 2, 3]),
                    283: (_LONG, [0]),
                    296: (_SHORT, [9, 9]),
                },
            ),
            PIXELS,
        ),
        "no closing offset": (tiff(whole, {}, closing=b""), PIXELS),
        "animated WebP, first picture a part": (
            webp_on_screen((300, 200), 40, 20),
            on_white(40, 20, 300, 200),
        ),
        "animated WebP, second picture a part": (second_part_of_webp(), PIXELS),
        "AVIF with a clean aperture": (avif_with_aperture(200, 100), PIXELS[:100, :200]),
        "GIF larger than its screen": (gif_on_screen((120, 80), 0, 0), PIXELS),
        "GIF that reaches beyond its screen": (
            gif_on_screen((260, 170), 40, 20),
            on_white(40, 20, 280, 180),
        ),
        "GIF on a part of its screen": (
            gif_on_screen((300, 200), 40, 20),
            on_white(40, 20, 300, 200),
        ),
        "lossless JPEG": (imagecodecs.jpeg8_encode(PIXELS, lossless=True), PIXELS),
    }
    faults = {
        name: fault for name, (body, shown) in masters.items() if (fault := judge(body, shown))
    }
    assert faults == {}


def judge(body: bytes, shown: Any) -> str:
    """Return what is wrong with the published image, an empty string if nothing is."""
    outcome, pixels = ingest(body)
    if pixels is None:
        return f"{outcome.code}: {outcome.value}"
    if pixels.shape != shown.shape:
        return f"{pixels.shape} instead of {shown.shape}"
    difference = np.abs(pixels.astype("i2") - shown).mean()
    return f"{difference:.1f} of 255" if difference > MAX_DIFFERENCE else ""


def second_part_of_webp() -> bytes:
    """Return an animation whose second picture covers a part of the first, as encoders write it."""
    second = IMAGE.copy()
    second.paste((10, 10, 10), (50, 50, 120, 90))
    return saved(IMAGE, "WEBP", save_all=True, append_images=[second], lossless=True, kmin=0)


@pytest.mark.slow
def test_long_strips_of_noise_are_published() -> None:
    """Whatever their shape: what verification expects is padded as the writer pads."""
    noise = np.random.default_rng(3)
    for width, height in ((40, 7_000), (7_000, 40), (33, 900), (900, 17)):
        pixels = noise.integers(0, 256, (height, width, 3), "u1")
        outcome, shown = ingest(saved(Image.fromarray(pixels), "PNG"))
        assert (outcome.state, outcome.value) == ("published", "")
        assert shown.shape == pixels.shape


def with_zeros(body: bytes, number: int, zeros: int) -> bytes:
    """Return a JPEG with zeros before the restart marker of this number."""
    places = [match.start() for match in re.finditer(rb"\xff[\xd0-\xd7]", body)]
    return body[: places[number]] + bytes(zeros) + body[places[number] :]


def with_restarts(image: Image.Image, **options: Any) -> bytes:
    """Return a JPEG with a restart marker behind each row of coding units."""
    return saved(image, "JPEG", quality=95, restart_marker_rows=1, **options)


FLAT = Image.new("RGB", (1_024, 320), (90, 90, 90))
FLAT.paste(IMAGE, (400, 100))
RESTARTS = {
    "4:4:4": with_restarts(IMAGE, subsampling=0),
    "4:2:0": with_restarts(IMAGE, subsampling=2),
    "gray": with_restarts(IMAGE.convert("L")),
    "flat": with_restarts(FLAT, subsampling=0),
}
"""The flat one has intervals whose coded pixels end with zeros."""


@pytest.mark.slow
def test_zeros_before_restart_markers_do_not_matter() -> None:
    faults = []
    for name, body in RESTARTS.items():
        _, whole = ingest(body)
        assert whole is not None
        for number, zeros in ((0, 1), (3, 2), (6, 1)):
            outcome, pixels = ingest(with_zeros(with_zeros(body, number, zeros), 8, 1))
            if pixels is None or (pixels != whole).any():
                faults.append((name, number, zeros, outcome.value))
    assert faults == []


def test_zeros_before_restart_markers_hide_no_damage() -> None:
    body = RESTARTS["4:4:4"]
    [third, fourth] = [match.start() for match in re.finditer(rb"\xff[\xd0-\xd7]", body)][3:5]
    damaged = {
        "other bytes": body[:fourth] + b"\1\0" + body[fourth:],
        "the end of an interval": body[: fourth - 40] + bytes(40) + body[fourth:],
        "a shorter interval": body[: fourth - 40] + b"\0" + body[fourth:],
        "a whole interval": body[: third + 2] + bytes(fourth - third - 2) + body[fourth:],
    }
    assert {name: ingest(one)[0].code for name, one in damaged.items()} == dict.fromkeys(
        damaged, "damaged-file"
    )


def beyond_the_end(tag: int) -> bytes:
    """Return a TIFF whose profile or XMP, of 600 bytes, lies behind its end."""
    body = tiff(in_strips(HEIGHT), {tag: (_UNDEFINED, bytes(600))})
    place = body.rindex(struct.pack("<HHI", tag, _UNDEFINED, 600)) + 8
    return body[:place] + struct.pack("<I", len(body)) + body[place + 4 :]


def jpeg_with(marker: int, payload: bytes, exif: bytes = b"") -> bytes:
    """Return a JPEG with one more segment behind its first marker."""
    body = saved(IMAGE, "JPEG", quality=95, exif=exif)
    return body[:2] + struct.pack(">BBH", 0xFF, marker, len(payload) + 2) + payload + body[2:]


def interoperability(index: bytes) -> bytes:
    """Return EXIF that names its colours by that index, in a directory without closing offset."""
    page = struct.pack("<HHHIII", 1, 0x8769, 4, 1, 26, 0)
    exif = struct.pack("<HHHIHxxHHIII", 2, 0xA001, 3, 1, 0xFFFF, 0xA005, 4, 1, 56, 0)
    inner = struct.pack("<HHHI4s", 1, 1, 2, 4, index)
    return b"Exif\0\0II*\0\x08\0\0\0" + page + exif + inner


def mpo(kind: int, order: str) -> bytes:
    """Return the list of a JPEG's pictures (CIPA DC-007), the second of a kind."""
    mark = b"II*\0" if order == "<" else b"MM\0*"
    entries = b"".join(struct.pack(f"{order}IIIHH", one, 9, 0, 0, 0) for one in (0x30000, kind))
    field = struct.pack(f"{order}HHHIII", 1, 0xB002, 7, len(entries), 26, 0)
    return b"MPF\0" + mark + struct.pack(f"{order}I", 8) + field + entries


def notes_of(body: bytes) -> list[str]:
    """Return the first words of the notes of a master that is published whole."""
    outcome, pixels = ingest(body)
    assert pixels is not None, outcome
    assert pixels.shape == PIXELS.shape
    return [" ".join(note.split()[:4]) for note in outcome.notes]


def test_what_is_left_out_of_a_sound_master_is_noted() -> None:
    surplus = tiff([*in_strips(40), bytes(10)], {278: (_LONG, [40])})
    several, gain_map = "The JPEG holds several", "The file holds a"
    namespace = (
        b"http://ns.adobe.com/xap/1.0/\0<x xmlns:h='http://ns.adobe.com/hdr-gain-map/1.0/'/>"
    )
    assert {
        "profile": notes_of(beyond_the_end(34675)),
        "xmp": notes_of(beyond_the_end(700)),
        "surplus": notes_of(surplus),
        "pair": notes_of(jpeg_with(0xE2, mpo(0x20002, ">"))),
        "series": notes_of(saved(IMAGE, "MPO", save_all=True, append_images=[IMAGE])),
        "preview": notes_of(jpeg_with(0xE2, mpo(0x10002, "<"))),
        "damaged list": notes_of(jpeg_with(0xE2, mpo(0, "<")[:30])),
        "gain map, ISO": notes_of(jpeg_with(0xE2, b"urn:iso:std:iso:ts:21496:-1\0" + bytes(4))),
        "gain map, XMP": notes_of(jpeg_with(0xE1, namespace)),
        "colours": notes_of(saved(IMAGE, "JPEG", exif=interoperability(b"R03\0"))),
    } == {
        "profile": ["The embedded colour profile"],
        "xmp": ["Tag 700 was left"],
        "surplus": ["The TIFF lists more"],
        "pair": [several],
        "series": [several],
        "preview": [],
        "damaged list": [],
        "gain map, ISO": [gain_map],
        "gain map, XMP": [gain_map],
        "colours": ["The file has no"],
    }


@pytest.mark.slow
def test_what_cannot_be_shown_is_rejected_for_its_true_reason() -> None:
    """The master is to blame in each case: none is a fault of the service."""
    gif, png = saved(IMAGE.quantize(), "GIF"), saved(IMAGE, "PNG")
    noise = np.random.default_rng(7).integers(0, 256, (2_000, 1_500, 3), "u1")
    noisy = saved(Image.fromarray(noise), "PNG", compress_level=0)
    jpeg_in_tiff = jpeg_strips(64)
    masters = {
        "JPEG-LS": (imagecodecs.jpegls_encode(PIXELS), "unsupported-compression: JPEG-LS"),
        "lossless, 16 bits": (
            imagecodecs.ljpeg_encode(PIXELS[..., 0].astype("u2") * 257),
            "unsupported-depth: 16-bit",
        ),
        "two strips too many": (
            tiff([*in_strips(40), b"0", b"0"], {278: (_LONG, [40])}),
            "damaged-file: 6 positions and 6 lengths of strips or tiles are listed, the picture "
            "needs 4",
        ),
        "lowest strip too short": (
            tiff([*jpeg_in_tiff[:-1], imagecodecs.jpeg8_encode(PIXELS[:16])], ycbcr(64)),
            "damaged-file: the lowest strip is a JPEG of 16 rows instead of 32",
        ),
        "strip that is no JPEG": (
            tiff([*jpeg_in_tiff[:-1], bytes(900)], ycbcr(64)),
            "damaged-file: part 3 is no JPEG",
        ),
        "half a PNG, then zeros": (zero_second_half(png), "damaged-file: byte "),
        "half a large PNG, then zeros": (zero_second_half(noisy), "damaged-file: byte "),
        **{
            f"{share} % of a GIF": (gif[: len(gif) * share // 100], "damaged-file")
            for share in (5, 20, 50, 90, 99)
        },
    }
    faults = {}
    for name, (body, reason) in masters.items():
        outcome, _ = ingest(body)
        found = f"{outcome.code}: {outcome.value}"
        if not found.startswith(reason):
            faults[name] = found
    assert faults == {}


def zero_second_half(body: bytes) -> bytes:
    """Return what a copy leaves that was interrupted after the space had been reserved."""
    return body[: len(body) // 2] + bytes(len(body) - len(body) // 2)
