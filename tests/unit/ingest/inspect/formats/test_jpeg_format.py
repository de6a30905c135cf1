"""JPEG markers: trifles are cleaned away, what cannot be decoded is refused by name."""

import io
import struct
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.rigs.corpora.corpus_colours import ADOBE_PROFILE, eight, picture
from tests.rigs.corruption.variant_judge import convert_pixels
from tests.unit.ingest.made_masters import difference
from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.formats.jpeg_format import read_jpeg
from vitrine.ingest.inspect.formats.jpeg_scans import longest_seconds
from vitrine.ingest.inspect.master_bytes import LocalFile

MAX_PIXELS = 10_000_000


def jpeg(**options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(eight(picture())).save(file, "JPEG", quality=95, **options)
    return file.getvalue()


def format_of(body: bytes, tmp_path: Any) -> Any:
    path = tmp_path / "m.jpg"
    path.write_bytes(body)
    with LocalFile(path) as file:
        return read_jpeg(file, MAX_PIXELS)[0]


def code_of(body: bytes, tmp_path: Any) -> str:
    with pytest.raises(MasterRejected) as raised:
        format_of(body, tmp_path)
    return raised.value.rejection.code


def with_frame(marker: int, *, bits: int = 8, components: int = 3) -> bytes:
    body = bytearray(jpeg())
    start = body.index(b"\xff\xc0")
    body[start + 1], body[start + 4], body[start + 9] = marker, bits, components
    return bytes(body)


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.replace(b"JFIF\0\1\1", b"JFIF\0\x09\x09", 1),
        lambda body: body[:2] + b"\xff\xe5\0\x04abzz" + body[2:],
        lambda body: body[:2] + b"\xff\xff\xff" + body[2:],
        lambda body: body + b"appended by a camera" * 50,
    ],
    ids=["unknown JFIF", "rubbish between markers", "fill bytes", "after the end"],
)
def test_trifles_in_markers_do_not_matter(change: Any, tmp_path: Any) -> None:
    master = tmp_path / "m.jpg"
    master.write_bytes(change(jpeg()))
    assert difference(convert_pixels(master) / 255, picture()) <= 0.7


def test_pixels_cut_out_of_the_middle_are_noticed(tmp_path: Any) -> None:
    """Decoders fill up with gray, and only warn."""
    noise = np.random.default_rng(0).integers(0, 255, (160, 240, 3), "u1")
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "JPEG")
    body = file.getvalue()
    master = tmp_path / "m.jpg"
    master.write_bytes(body[: len(body) // 3] + body[len(body) // 2 :])
    with pytest.raises(MasterRejected, match="premature end"):
        convert_pixels(master)


def test_a_jpeg_without_its_end_is_cut_off(tmp_path: Any) -> None:
    master = tmp_path / "m.jpg"
    master.write_bytes(jpeg()[:-1] + b"\xc9")
    with pytest.raises(MasterRejected, match="interrupted"):
        convert_pixels(master)


def test_a_damaged_marker_does_not_lose_the_profile_in_silence(tmp_path: Any) -> None:
    body = jpeg(icc_profile=ADOBE_PROFILE).replace(b"\xff\xe2", b"\xff\xa2", 1)
    assert code_of(body, tmp_path) == "damaged-file"


def test_a_profile_in_chunks_is_put_together(tmp_path: Any) -> None:
    profile = ADOBE_PROFILE + bytes(150_000)
    assert format_of(jpeg(icc_profile=profile), tmp_path).icc == profile


def test_a_progressive_jpeg_needs_memory_for_all_of_it(tmp_path: Any) -> None:
    assert format_of(jpeg(), tmp_path).decoder_bytes == 0
    assert format_of(jpeg(progressive=True), tmp_path).decoder_bytes == 240 * 160 * 3 * 2


def without_interleaving(body: bytes) -> bytes:
    """The first scan of a baseline JPEG, as if it had luma only."""
    at = body.index(b"\xff\xda")
    return body[: at + 2] + b"\0\x08\1\1\0\0\x3f\0" + body[at + 14 :]


def test_a_baseline_jpeg_of_several_scans_needs_memory_and_time_for_all_of_it(
    tmp_path: Any,
) -> None:
    plain = format_of(jpeg(), tmp_path)
    assert (plain.decoder_bytes, plain.decoder_seconds) == (0, 0)
    for body in (without_interleaving(jpeg()), jpeg(progressive=True)):
        found = format_of(body, tmp_path)
        assert found.decoder_bytes == 240 * 160 * 3 * 2
        assert found.decoder_seconds == longest_seconds(240 * 160)


def scans(count: int) -> bytes:
    """A progressive JPEG whose last scan is repeated."""
    body = jpeg(progressive=True)
    last = body.rindex(b"\xff\xda")
    return body[:last] + body[last:-2] * count + body[-2:]


def test_a_jpeg_of_many_scans_is_refused_before_it_is_decoded(tmp_path: Any) -> None:
    (tmp_path / "m.jpg").write_bytes(scans(250))
    with pytest.raises(MasterRejected, match="too-many-scans"):
        convert_pixels(tmp_path / "m.jpg")


def test_jpeg_processes_that_are_not_read_are_named(tmp_path: Any) -> None:
    assert code_of(with_frame(0xC5), tmp_path) == "unsupported-compression"
    assert code_of(with_frame(0xC1, bits=12), tmp_path) == "unsupported-depth"
    assert code_of(with_frame(0xC0, components=2), tmp_path) == "unsupported-colour"


def test_a_jpeg_without_pixels_is_unreadable(tmp_path: Any) -> None:
    body = jpeg()
    assert code_of(body[: body.index(b"\xff\xda")], tmp_path) == "unreadable-file"
    assert code_of(b"\xff\xd8" + struct.pack(">BBH", 255, 0xE0, 2), tmp_path) == "unreadable-file"
    assert code_of(b"\xff\xd8" + b"\xff\xda\0\2" + b"\xff\xd9", tmp_path) == "unreadable-file"


def test_a_segment_of_several_pictures_is_no_profile(tmp_path: Any) -> None:
    """Cameras put a list of further pictures into the marker of profiles (CIPA DC-007, MPF)."""
    index = b"MPF\0MM\0*\0\0\0\x08" + bytes(6)
    segment = b"\xff\xe2" + struct.pack(">H", len(index) + 2) + index
    body = jpeg()
    assert format_of(body[:2] + segment + body[2:], tmp_path).icc is None
