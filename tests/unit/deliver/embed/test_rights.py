"""Rights that a master states in any carrier reach derivatives of every format, and tiles."""

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.exif_tool import run_exiftool
from tests.unit.deliver.embed.embed_files import PIXELS, encoded, exiftool, ranged
from vitrine.deliver.embed.derivatives import EMBED, embed_metadata
from vitrine.deliver.embed.iptc import properties_of_iptc
from vitrine.deliver.embed.selection import read_derivative_metadata
from vitrine.deliver.embed.tiles import read_tile_segments
from vitrine.ingest.convert.access_master import to_file
from vitrine.ingest.convert.conversion import convert
from vitrine.ingest.inspect.header import read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.recipe import STANDARD

pytestmark = pytest.mark.slow

LIMITS = MasterLimits(pixels=10_000_000, bytes=100_000_000)
FORMATS = {"jpg": "jpeg", "tif": "tiff", "png": "png", "webp": "webp"}
IPTC = {
    "IPTC:CopyrightNotice": "© Muséum 2003",
    "IPTC:By-line": "Jörg Maler",
    "IPTC:Credit": "Getty",
    "IPTC:Source": "Archive",
    "IPTC:ObjectName": "The Feast",
}
IPTC_SEEN = {
    "XMP-dc:Rights": "© Muséum 2003",
    "XMP-dc:Creator": ["Jörg Maler"],
    "XMP-photoshop:Credit": "Getty",
    "XMP-photoshop:Source": "Archive",
    "XMP-dc:Title": "The Feast",
}
SOURCE_TYPE = "http://cv.iptc.org/newscodes/digitalsourcetype/digitisedFromPrint"
XMP = {
    "XMP-dc:Identifier": "72.PA.1",
    "XMP-dc:Source": "negative 17",
    "XMP-dc:Subject": "feast",
    "XMP-photoshop:Source": "Archive",
    "XMP-plus:LicensorURL": "https://example.org/licensing",
    "XMP-plus:LicensorName": "Museum",
    "XMP-cc:AttributionName": "The Museum",
    "XMP-iptcExt:DigitalSourceType": SOURCE_TYPE,
    "XMP-tiff:Artist": "Jan Steen",
    "XMP-iptcExt:ArtworkSourceInventoryNo": "SK-C-5",
}
XMP_SEEN: dict[str, Any] = {
    "XMP-dc:Identifier": "72.PA.1",
    "XMP-dc:Source": "negative 17",
    "XMP-dc:Subject": ["feast"],
    "XMP-photoshop:Source": "Archive",
    "XMP-plus:Licensor": [
        {"LicensorName": "Museum", "LicensorURL": "https://example.org/licensing"}
    ],
    "XMP-cc:AttributionName": "The Museum",
    "XMP-iptcExt:DigitalSourceType": SOURCE_TYPE,
    "XMP-dc:Creator": ["Jan Steen"],
    "XMP-iptcExt:ArtworkOrObject": [{"AOSourceInvNo": "SK-C-5"}],
}
PRIVATE = {
    "IPTC:Contact": "A. Curator",
    "IPTC:SpecialInstructions": "locked room",
    "IPTC:City": "Amsterdam",
    "XMP-xmpRights:Owner": "A. Curator",
    "XMP-plus:LicensorEmail": "a@example.org",
    "XMP-plus:CopyrightOwnerName": "A. Curator",
    "XMP-exif:UserComment": "locked room",
    "EXIF:UserComment": "locked room",
    "EXIF:SerialNumber": "XY-17",
    "EXIF:OwnerName": "A. Curator",
    "GPS:GPSLatitude": "52.36",
    "GPS:GPSLatitudeRef": "N",
}
SECRETS = (b"A. Curator", b"locked room", b"Amsterdam", b"a@example.org", b"XY-17")


def master(path: Path, **texts: str) -> Path:
    info = PngInfo()
    for keyword, text in texts.items():
        info.add_text(keyword, text)
    Image.fromarray(np.ascontiguousarray(PIXELS)).save(path, **({"pnginfo": info} if texts else {}))
    return path


def write_tags(path: Path, tags: dict[str, str]) -> Path:
    options = [f"-{name}={value}" for name, value in tags.items()]
    quietly = ("-q", "-q", "-overwrite_original", "-IPTC:CodedCharacterSet=UTF8")
    run_exiftool(*quietly, *options, path)
    return path


def access_master(path: Path) -> bytes:
    with LocalFile(path) as file:
        header = read_header(file, FORMATS[path.suffix[1:]], LIMITS)
    converted = path.with_name("access.tif")
    convert(path, header, STANDARD, path.parent, to_file(converted))
    return converted.read_bytes()


def derivative(access: bytes, format_: str, folder: Path) -> dict[str, Any]:
    """What exiftool sees in a derivative; nothing private is in its bytes."""
    metadata = read_derivative_metadata(ranged(access), len(access), name="a.tif")
    path = folder / f"derivative.{format_}"
    path.write_bytes(embed_metadata(encoded(format_), format_, metadata))
    assert [secret for secret in SECRETS if secret in path.read_bytes()] == []
    return exiftool(path, "-b")


def tile(access: bytes, folder: Path) -> dict[str, Any]:
    segments = read_tile_segments(ranged(access), len(access), "rights", name="a.tif")
    assert [secret for secret in SECRETS if secret in segments] == []
    image, path = encoded("jpg"), folder / "tile.jpg"
    path.write_bytes(image[:20] + segments + image[20:])
    return exiftool(path, "-b")


def among(seen: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    def listed(value: Any, like: Any) -> Any:
        return [value] if isinstance(like, list) and not isinstance(value, list) else value

    return {name: listed(seen.get(name), value) for name, value in expected.items()}


@pytest.mark.parametrize("suffix", ["jpg", "tif", "png"])
def test_rights_in_iptc_alone_reach_derivatives_of_every_format(
    tmp_path: Path, suffix: str
) -> None:
    access = access_master(write_tags(master(tmp_path / f"m.{suffix}"), IPTC | PRIVATE))
    for format_ in EMBED:
        assert among(derivative(access, format_, tmp_path), IPTC_SEEN) == IPTC_SEEN
    seen = tile(access, tmp_path)
    assert (seen["IFD0:Copyright"], seen["IFD0:Artist"]) == ("© Muséum 2003", "Jörg Maler")
    assert (seen["XMP-photoshop:Credit"], seen["XMP-photoshop:Source"]) == ("Getty", "Archive")


@pytest.mark.parametrize("suffix", ["jpg", "tif", "png", "webp"])
def test_number_source_and_licensor_in_xmp_reach_derivatives_of_every_format(
    tmp_path: Path, suffix: str
) -> None:
    private = {k: v for k, v in PRIVATE.items() if suffix != "webp" or not k.startswith("IPTC")}
    path = master(tmp_path / f"m.{suffix}")
    options = [f"-{name}={value}" for name, value in (XMP | private).items()]
    run_exiftool("-q", "-q", "-overwrite_original", *options, path)
    access = access_master(path)
    for format_ in EMBED:
        assert among(derivative(access, format_, tmp_path), XMP_SEEN) == XMP_SEEN
    in_tiles = {
        name: value
        for name, value in XMP_SEEN.items()
        if name.startswith(("XMP-plus", "XMP-cc", "XMP-photoshop", "XMP-dc:Identifier"))
    }
    seen = tile(access, tmp_path)
    assert among(seen, in_tiles) == in_tiles
    assert seen["IFD0:Artist"] == "Jan Steen"


@pytest.mark.parametrize("behind", [False, True], ids=["before the pixels", "behind the pixels"])
def test_rights_in_a_pngs_texts_reach_derivatives_of_every_format(
    tmp_path: Path, behind: bool
) -> None:
    texts = {"Author": "Jörg Maler", "Copyright": "© Museum", "Disclaimer": "No warranty"}
    path = master(tmp_path / "m.png", **({} if behind else texts), Comment="locked room")
    if behind:
        path.write_bytes(with_texts_behind(path.read_bytes(), texts))
    access = access_master(path)
    for format_ in EMBED:
        seen = derivative(access, format_, tmp_path)
        names = ("XMP-dc:Creator", "XMP-dc:Rights") if format_ == "gif" else NAMES
        found = seen[names[0]], seen[names[1]]
        assert found in ((["Jörg Maler"], RIGHTS), ("Jörg Maler", RIGHTS))
    assert tile(access, tmp_path)["IFD0:Copyright"] == RIGHTS


NAMES = ("IFD0:Artist", "IFD0:Copyright")
RIGHTS = "© Museum; No warranty"


def with_texts_behind(png: bytes, texts: dict[str, str]) -> bytes:
    chunks = b""
    for keyword, text in texts.items():
        body = b"zTXt" + keyword.encode() + b"\0\0" + zlib.compress(text.encode("latin-1"))
        chunks += struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return png[:-12] + chunks + png[-12:]


def test_exifs_rights_reach_gif_which_has_no_exif(tmp_path: Path) -> None:
    tags = {"EXIF:Artist": "Jan Steen", "EXIF:Copyright": "CC0"}
    access = access_master(write_tags(master(tmp_path / "m.jpg"), tags | PRIVATE))
    seen = derivative(access, "gif", tmp_path)
    assert among(seen, {"XMP-dc:Rights": "", "XMP-dc:Creator": []}) == {
        "XMP-dc:Rights": "CC0",
        "XMP-dc:Creator": ["Jan Steen"],
    }
    assert not any(name.startswith("XMP-dc") for name in derivative(access, "jpg", tmp_path))


def test_photoshops_copyright_flag_and_address_reach_derivatives(tmp_path: Path) -> None:
    tags = {"Photoshop:URL": "https://example.org/rights", "Photoshop:CopyrightFlag": "True"}
    access = access_master(write_tags(master(tmp_path / "m.jpg"), tags))
    seen = derivative(access, "png", tmp_path)
    assert seen["XMP-xmpRights:WebStatement"] == "https://example.org/rights"
    assert seen["XMP-xmpRights:Marked"] is True


def test_iptc_of_no_declared_encoding_is_read() -> None:
    notice = b"\x1c\x02\x74\0\x09\xa9 Mus\xe9e 3"
    assert properties_of_iptc(notice) == {"dc:rights": (("x-default", "© Musée 3"),)}
    extended = b"\x1c\x02\x74\x80\x02\0\x05M\xc3\xbc\0r"
    assert properties_of_iptc(extended) == {"dc:rights": (("x-default", "Mür"),)}
    assert properties_of_iptc(notice[:-1]) == {}
    assert properties_of_iptc(b"\x1c\x02\x74\xff\xff" + bytes(9)) == {}


def test_a_broken_text_of_a_png_costs_only_itself(tmp_path: Path) -> None:
    info = PngInfo()
    info.add(b"zTXt", b"Copyright\0\0not deflated")
    info.add(b"iTXt", b"Title\0\0\0\0\0\xff\xfe")
    info.add(b"tEXt", b"Raw profile type iptc\0\niptc\n 9\nnot hex")
    info.add_text("Author", "Jan Steen")
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(PIXELS)).save(file, "PNG", pnginfo=info)
    (tmp_path / "m.png").write_bytes(file.getvalue())
    seen = derivative(access_master(tmp_path / "m.png"), "jpg", tmp_path)
    assert seen["IFD0:Artist"] == "Jan Steen"
    assert "IFD0:Copyright" not in seen
