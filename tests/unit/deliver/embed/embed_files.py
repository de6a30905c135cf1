"""Access masters without pixels, with everything in them that may and may not leave."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.exif_tool import run_exiftool
from tests.unit.ingest.made_pyramids import PROFILE, picture
from vitrine.store.tiff.entry import TiffEntry, opaque, rationals, shorts, text
from vitrine.store.tiff.reading import ReadRange
from vitrine.store.tiff.tags import EXIF_COLOUR_SPACE, EXIF_DATE_TIME_ORIGINAL, Tag, Type
from vitrine.store.tiff.writing import NewDirectory, lay_out

PIXELS = picture(300, 200)
STATEMENT = "https://creativecommons.org/publicdomain/zero/1.0/"
SECRETS = (b"XY-17", b"A. Curator", b"Kalverstraat", b"Phase One", b"N\0\0\0", b"history")
"""Serial number, owner, address, camera, place, edits."""
PACKET = f"""<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:aux="http://ns.adobe.com/exif/1.0/aux/"
 xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
 xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"
 xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
 xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/">
<rdf:Description rdf:about="" photoshop:Credit="Rijksmuseum" aux:SerialNumber="XY-17"
 xmpRights:WebStatement="{STATEMENT}">
 <dc:title><rdf:Alt><rdf:li xml:lang="x-default">The Night Watch</rdf:li>
  <rdf:li xml:lang="nl">De Nachtwacht</rdf:li></rdf:Alt></dc:title>
 <dc:creator><rdf:Seq><rdf:li>Rembrandt</rdf:li><rdf:li>Workshop</rdf:li></rdf:Seq></dc:creator>
 <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">CC0 &amp; free</rdf:li></rdf:Alt></dc:rights>
 <xmpRights:Owner><rdf:Bag><rdf:li>A. Curator</rdf:li></rdf:Bag></xmpRights:Owner>
 <xmpMM:History><rdf:Seq><rdf:li>history</rdf:li></rdf:Seq></xmpMM:History>
 <Iptc4xmpCore:CreatorContactInfo rdf:parseType="Resource">
  <Iptc4xmpCore:CiAdrExtadr>Kalverstraat 92</Iptc4xmpCore:CiAdrExtadr>
 </Iptc4xmpCore:CreatorContactInfo>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>""".encode()


def described(**changes: TiffEntry | None) -> bytes:
    """A TIFF of one page that says everything; `changes` by name of the tag, None to leave out."""
    entries: dict[int, TiffEntry] = {
        Tag.IMAGE_WIDTH: shorts(300),
        Tag.IMAGE_LENGTH: shorts(200),
        Tag.IMAGE_DESCRIPTION: text("Öl auf Leinwand"),
        Tag.MAKE: text("Phase One"),
        Tag.ARTIST: text("Rembrandt van Rijn"),
        Tag.COPYRIGHT: text("CC0"),
        Tag.DATE_TIME: text("2026:11:21 08:00:00"),
        Tag.XMP: opaque(PACKET, Type.BYTE),
        Tag.IPTC: opaque(b"\x1c\x02\x76\0\x0aA. Curator"),
        Tag.ICC_PROFILE: opaque(PROFILE),
    }
    for name, entry in changes.items():
        tag = Tag[name]
        if entry:
            entries[tag] = entry
        else:
            del entries[tag]
    exif = {
        EXIF_DATE_TIME_ORIGINAL: text("2026:11:20 07:00:00"),
        EXIF_COLOUR_SPACE: shorts(1),
        0xA431: text("XY-17"),
        0xA430: text("A. Curator"),
    }
    gps = {1: text("N"), 2: rationals((52, 1), (21, 1), (36, 1))}
    children: dict[int, NewDirectory] = {
        Tag.EXIF_IFD: NewDirectory(exif),
        Tag.GPS_IFD: NewDirectory(gps),
    }
    layout = lay_out([NewDirectory(entries, children)])
    return layout.head + layout.tail


def ranged(data: bytes, reads: list[tuple[int, int]] | None = None) -> ReadRange:
    """Reads of `data`, noted in `reads`."""

    def read(offset: int, length: int) -> bytes:
        if reads is not None:
            reads.append((offset, length))
        return data[offset : offset + length]

    return read


def encoded(format_: str, mode: str = "RGB", **options: Any) -> bytes:
    """The picture as another library writes it."""
    file = io.BytesIO()
    name = {"jpg": "JPEG", "tif": "TIFF"}.get(format_, format_)
    Image.fromarray(PIXELS).convert(mode).save(file, name, **options)
    return file.getvalue()


def decoded(image: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(image)))


def exiftool(path: Path, *options: str) -> dict[str, Any]:
    """Every value by group and name."""
    found: dict[str, Any]
    [found] = json.loads(run_exiftool("-json", "-G1", "-a", "-struct", *options, path))
    return found


def assert_valid(path: Path) -> None:
    """exiftool has nothing to say against it."""
    output = run_exiftool("-validate", "-error", "-warning", "-a", path)
    assert output.split() == ["Validate", ":", "OK"], output
