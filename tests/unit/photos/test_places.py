"""Where a photograph was taken is in no answer, wherever a camera or a drone noted it."""

import json
from pathlib import Path

import pytest

from tests.unit.photos.photo_bench import PhotoBench, parts_of, photograph, with_segment
from vitrine.photos.xmp_fields import xmp_fields

EXIF = 'xmlns:exif="http://ns.adobe.com/exif/1.0/"'
IPTC = 'xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"'
NOTES = {
    "a property": f'<rdf:Description {EXIF} exif:GPSLatitude="52,30N"/>',
    "a namespace without a prefix": (
        '<rdf:Description><GPSLatitude xmlns="http://ns.adobe.com/exif/1.0/">52,30N</GPSLatitude>'
        "</rdf:Description>"
    ),
    "a structure in a list": (
        f"<rdf:Description {EXIF} {IPTC}><Iptc4xmpExt:LocationCreated><rdf:Bag><rdf:li "
        'rdf:parseType="Resource"><exif:GPSLatitude>52,30N</exif:GPSLatitude></rdf:li></rdf:Bag>'
        "</Iptc4xmpExt:LocationCreated></rdf:Description>"
    ),
    "a drone": (
        '<rdf:Description xmlns:drone="http://www.dji.com/drone-dji/1.0/" '
        'drone:GpsLatitude="52,30N" drone:GpsLongtitude="52,30N"/>'
    ),
    "a map": (
        '<rdf:Description xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#" geo:lat="52,30N" '
        'geo:lat_long="52,30N"/>'
    ),
}


def packet_of(description: str) -> bytes:
    """Return an XMP packet with a description."""
    return (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF '
        f'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">{description}</rdf:RDF></x:xmpmeta>'
    ).encode()


@pytest.mark.parametrize("note", NOTES)
def test_coordinates_in_xmp_are_left_out_unless_the_setting_shows_them(note: str) -> None:
    packet = packet_of(NOTES[note])
    assert "52,30N" not in json.dumps(xmp_fields(packet, gps=False))
    assert "52,30N" in json.dumps(xmp_fields(packet, gps=True))


def test_no_part_of_an_answer_has_coordinates(tmp_path: Path) -> None:
    name = b"http://ns.adobe.com/xap/1.0/\0"
    photo = with_segment(photograph(), 0xE1, name + packet_of("".join(NOTES.values())))
    response = PhotoBench(tmp_path).send(photo)
    document, thumbnails = parts_of(response)
    assert b"52,30N" not in response.body
    assert "GPSInfo" not in document["exif"]
    for thumbnail in thumbnails:
        assert not thumbnail.getexif()
        assert "xmp" not in thumbnail.info
