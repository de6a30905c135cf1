"""Metadata goes into encoded images of every format; pixels stay, what was there is replaced."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.unit.deliver.embed.embed_files import (
    PIXELS,
    SECRETS,
    STATEMENT,
    assert_valid,
    decoded,
    described,
    encoded,
    exiftool,
    ranged,
)
from vitrine.deliver.embed.derivatives import EMBED, embed_metadata
from vitrine.deliver.embed.jpeg import icc_segments
from vitrine.deliver.embed.selection import DerivativeMetadata, read_derivative_metadata
from vitrine.deliver.embed.srgb import SRGB
from vitrine.ingest.inspect.formats.made_profile import gamma_profile

METADATA = read_derivative_metadata(ranged(described()), len(described()), name="a.tif")
SEEN = {
    "IFD0:ImageDescription": "Öl auf Leinwand",
    "IFD0:Artist": "Rembrandt van Rijn",
    "IFD0:Copyright": "CC0",
    "IFD0:ModifyDate": "2026:11:21 08:00:00",
    "ExifIFD:DateTimeOriginal": "2026:11:20 07:00:00",
    "ExifIFD:ColorSpace": "sRGB",
    "ExifIFD:ExifImageWidth": 300,
    "ExifIFD:ExifImageHeight": 200,
    "XMP-dc:Title": "The Night Watch",
    "XMP-dc:Title-nl": "De Nachtwacht",
    "XMP-dc:Creator": ["Rembrandt", "Workshop"],
    "XMP-dc:Rights": "CC0 & free",
    "XMP-xmpRights:WebStatement": STATEMENT,
    "XMP-photoshop:Credit": "Rijksmuseum",
}
WRITTEN: list[tuple[str, str, dict[str, Any]]] = [
    ("jpg", "RGB", {"subsampling": 0}),
    ("jpg", "RGB", {"progressive": True}),
    ("jpg", "L", {}),
    ("png", "RGB", {}),
    ("png", "L", {}),
    ("png", "1", {}),
    ("png", "P", {}),
    ("webp", "RGB", {}),
    ("webp", "RGB", {"lossless": True}),
    ("webp", "RGBA", {}),
    ("webp", "RGBA", {"lossless": True}),
    ("avif", "RGB", {}),
    ("avif", "RGBA", {}),
    ("tif", "RGB", {"compression": "packbits", "dpi": (72, 73)}),
    ("tif", "L", {"compression": "tiff_lzw", "dpi": (72, 73)}),
    ("tif", "1", {"compression": "packbits", "dpi": (72, 73)}),
]
COLOURED = [format_ for format_ in EMBED if format_ != "gif"]
JPEGS_OWN = {"ExifIFD:ExifImageWidth", "ExifIFD:ExifImageHeight"}


@pytest.mark.slow
@pytest.mark.parametrize(("format_", "mode", "options"), WRITTEN)
def test_exiftool_sees_the_values_and_nothing_wrong(
    tmp_path: Path, format_: str, mode: str, options: dict[str, Any]
) -> None:
    image = encoded(format_, mode, **options)
    path = tmp_path / f"x.{format_}"
    path.write_bytes(embed_metadata(image, format_, METADATA))
    assert (decoded(path.read_bytes()) == decoded(image)).all()
    seen = exiftool(path)
    expected = {k: v for k, v in SEEN.items() if format_ != "tif" or k not in JPEGS_OWN}
    assert {name: seen.get(name) for name in expected} == expected
    gray = mode in ("L", "1")
    assert seen.get("ICC_Profile:ProfileDescription") == (None if gray else "sRGB")
    assert seen.get("PNG:SRGBRendering") == (
        "Relative Colorimetric" if gray and format_ == "png" else None
    )
    assert_valid(path)


@pytest.mark.parametrize("format_", COLOURED)
def test_what_the_renderer_left_in_is_replaced(format_: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = "Kalverstraat"
    exif[0x8298] = "A. Curator"
    other = pyvips.Operation.call("profile_load", "p3")
    options = {"xmp": b"<history/>"} if format_ in ("jpg", "webp", "avif") else {}
    image = encoded(format_, exif=exif, icc_profile=other, **options)
    assert SECRETS[1] in image
    spliced = embed_metadata(image, format_, METADATA)
    assert [secret for secret in SECRETS if secret in spliced] == []
    assert Image.open(io.BytesIO(spliced)).info["icc_profile"] == SRGB
    again = embed_metadata(spliced, format_, METADATA)
    assert again == spliced or (format_ == "tif" and len(again) < 2 * len(spliced))


@pytest.mark.parametrize("format_", COLOURED)
def test_a_renderers_profile_stays_where_nothing_better_is_known(format_: str) -> None:
    other = pyvips.Operation.call("profile_load", "p3")
    spliced = embed_metadata(encoded(format_, icc_profile=other), format_, DerivativeMetadata())
    assert Image.open(io.BytesIO(spliced)).info["icc_profile"] == other


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".tif", ".avif"])
def test_libvips_reads_what_it_wrote_with_metadata(suffix: str) -> None:
    image = pyvips.Image.new_from_array(np.ascontiguousarray(PIXELS)).copy(interpretation="srgb")
    body = image.write_to_buffer(suffix)
    spliced = embed_metadata(body, suffix[1:], METADATA)
    back = pyvips.Image.new_from_buffer(spliced, "")
    assert (back.numpy() == pyvips.Image.new_from_buffer(body, "").numpy()).all()
    assert back.get("icc-profile-data") == SRGB
    assert back.get("xmp-data") == METADATA.xmp
    if suffix != ".tif":
        assert "Rembrandt van Rijn" in back.get("exif-ifd0-Artist")


def test_a_gif_carries_xmp_alone(tmp_path: Path) -> None:
    image, path = encoded("gif"), tmp_path / "x.gif"
    path.write_bytes(embed_metadata(image, "gif", METADATA))
    assert (decoded(path.read_bytes()) == decoded(image)).all()
    assert embed_metadata(path.read_bytes(), "gif", METADATA) == path.read_bytes()
    assert exiftool(path)["XMP-xmpRights:WebStatement"] == STATEMENT
    assert_valid(path)


@pytest.mark.parametrize(("gray", "mode"), [(True, "L"), (False, "RGB")])
@pytest.mark.parametrize("format_", ["jpg", "png", "tif"])
def test_a_profile_goes_only_into_images_of_its_kind(format_: str, gray: bool, mode: str) -> None:
    own = gamma_profile(2.2, "gray" if gray else "rgb")
    metadata = DerivativeMetadata(own)
    fitting = embed_metadata(encoded(format_, mode), format_, metadata)
    other = embed_metadata(encoded(format_, "RGB" if gray else "L"), format_, metadata)
    assert Image.open(io.BytesIO(fitting)).info["icc_profile"] == own
    assert "icc_profile" not in Image.open(io.BytesIO(other)).info


def test_big_and_foreign_and_several_paged_tiffs_stay_as_they_are() -> None:
    file = io.BytesIO()
    Image.fromarray(PIXELS).save(
        file, "TIFF", save_all=True, append_images=[Image.fromarray(PIXELS)]
    )
    for image in (file.getvalue(), b"MM\0*" + bytes(40), encoded("tif", big_tiff=True)):
        assert embed_metadata(image, "tif", METADATA) == image


def test_a_large_profile_takes_several_segments(tmp_path: Path) -> None:
    profile = (200_000).to_bytes(4, "big") + SRGB[4:] + bytes(200_000 - len(SRGB))
    body = embed_metadata(encoded("jpg"), "jpg", DerivativeMetadata(profile))
    assert body.count(b"ICC_PROFILE\0") == 4
    assert Image.open(io.BytesIO(body)).info["icc_profile"] == profile
    assert icc_segments(profile, longest=3) == b""


def test_other_segments_keep_their_order_and_jfif_stays_first() -> None:
    image = encoded("jpg", comment=b"kept")
    spliced = embed_metadata(image, "jpg", METADATA)
    assert spliced[:4] == image[:4] == b"\xff\xd8\xff\xe0"
    assert spliced.index(b"JFIF") < spliced.index(b"Exif") < spliced.index(b"ns.adobe")
    assert spliced.index(b"ICC_PROFILE") < spliced.index(b"kept")


def test_fill_bytes_before_a_marker_are_no_segment() -> None:
    image = encoded("jpg")
    filled = image[:20] + b"\xff\xff" + image[20:]
    assert embed_metadata(filled, "jpg", METADATA) == embed_metadata(image, "jpg", METADATA)


def test_other_formats_stay_as_they_are() -> None:
    assert embed_metadata(b"%PDF", "pdf", METADATA) == b"%PDF"


def test_animations_stay_as_they_are() -> None:
    frames = [Image.fromarray(PIXELS), Image.fromarray(255 - PIXELS)]
    file = io.BytesIO()
    frames[0].save(file, "webp", save_all=True, append_images=frames[1:])
    assert embed_metadata(file.getvalue(), "webp", METADATA) == file.getvalue()


VALID = {format_: encoded(format_) for format_ in EMBED}


@given(format_=st.sampled_from(sorted(EMBED)), cut=st.integers(1, 400), data=st.binary(max_size=40))
def test_what_is_no_image_never_fails(format_: str, cut: int, data: bytes) -> None:
    embed_metadata(data, format_, METADATA)
    embed_metadata(VALID[format_][:cut] + data, format_, METADATA)


def test_what_is_no_image_comes_back() -> None:
    for format_ in EMBED:
        for wrong in (b"", b"wrong", VALID[format_][:19]):
            assert embed_metadata(wrong, format_, METADATA) == wrong
