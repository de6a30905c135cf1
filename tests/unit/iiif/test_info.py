"""Image information documents."""

import dataclasses

import pytest

from vitrine.errors import InvalidRequest
from vitrine.iiif.info import ImageInformation
from vitrine.iiif.region import Box
from vitrine.iiif.request import parse_image_request, resolve
from vitrine.iiif.size import Limits, parse_size, resolve_size
from vitrine.iiif.version import V2, V3, Version

IMAGE = ImageInformation(
    uri="https://images.example.org/iiif/3/a%2Fb",
    width=1000,
    height=700,
    tile_width=256,
    tile_height=256,
    levels=[(1000, 700), (500, 350), (250, 175)],
    limits=Limits(area=200_000, side=400),
)
RIGHTS = "http://rightsstatements.org/vocab/InC/1.0/"


def test_version_3_describes_the_image() -> None:
    document = IMAGE.document(V3)
    assert next(iter(document)) == "@context"
    assert document["@context"] == "http://iiif.io/api/image/3/context.json"
    assert document["id"] == IMAGE.uri
    assert (document["type"], document["profile"]) == ("ImageService3", "level2")
    assert document["protocol"] == "http://iiif.io/api/image"
    assert (document["width"], document["height"]) == (1000, 700)
    assert document["tiles"] == [{"width": 256, "scaleFactors": [1, 2, 4]}]


def test_version_2_describes_the_image() -> None:
    document = IMAGE.document(V2)
    assert document["@id"] == IMAGE.uri
    level, extra = document["profile"]
    assert level == "http://iiif.io/api/image/2/level2.json"
    assert "sizeAboveFull" in extra["supports"]
    assert "rotationArbitrary" not in extra["supports"]


@pytest.mark.parametrize("version", [V2, V3])
def test_the_stated_limits_are_those_enforced(version: Version) -> None:
    document = IMAGE.document(version)
    stated = document["profile"][1] if version is V2 else document
    assert (stated["maxWidth"], stated["maxHeight"], stated["maxArea"]) == (400, 400, 200_000)
    region = Box(0, 0, 1000, 700)
    for size, fits in (("400,400", True), ("401,1", False), ("1,401", False)):
        if fits:
            resolve_size(parse_size(size, version), region, version, IMAGE.limits)
        else:
            with pytest.raises(InvalidRequest):
                resolve_size(parse_size(size, version), region, version, IMAGE.limits)


@pytest.mark.parametrize("version", [V2, V3])
def test_every_stated_format_and_quality_is_accepted(version: Version) -> None:
    document = IMAGE.document(version)
    if version is V2:
        formats, qualities = (document["profile"][1][key] for key in ("formats", "qualities"))
    else:
        formats = ["jpg", "png", *document["extraFormats"]]
        qualities = ["default", *document["extraQualities"]]
        assert document["preferredFormats"] == ["jpg"]
    assert sorted(formats) == ["avif", "gif", "jpg", "jxl", "png", "tif", "webp"]
    for format_ in formats:
        for quality in qualities:
            parsed = parse_image_request(("full", "max", "0", f"{quality}.{format_}"), version)
            assert resolve(parsed, 1000, 700, IMAGE.limits).format == format_


@pytest.mark.parametrize("version", [V2, V3])
@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [
        (30_000, 20_000, (5000, 5000)),
        (1000, 700, (5000, 5000)),
        (12_000, 1000, (12_000, 5000)),
        (200_000, 100, (65_500, 5000)),
    ],
)
def test_the_sides_promised_are_granted_for_a_region_of_any_shape(
    version: Version, width: int, height: int, expected: tuple[int, int]
) -> None:
    """No viewer knows maxArea: they clip what they ask for to maxWidth and maxHeight."""
    limits = Limits(area=25_000_000)
    image = dataclasses.replace(
        IMAGE, width=width, height=height, levels=[(width, height)], limits=limits
    )
    document = image.document(version)
    stated = document["profile"][1] if version is V2 else document
    assert (stated["maxWidth"], stated["maxHeight"]) == expected
    for wide, high in ((width, height), (height, height), (width, 9), (width // 2, height)):
        region = f"0,0,{wide},{high}"
        fraction = min(1, expected[0] / min(wide, width), expected[1] / min(high, height))
        sides = (max(1, int(side * fraction)) for side in (min(wide, width), min(high, height)))
        for size in ("{},{}".format(*sides), "max"):
            parsed = parse_image_request((region, size, "0", "default.jpg"), version)
            got = resolve(parsed, width, height, limits)
            assert got.width <= expected[0]
            assert got.height <= expected[1]


def test_an_upscaling_server_of_version_3_tells_a_limit_as_it_must() -> None:
    document = IMAGE.document(V3)
    assert "sizeUpscaling" in document["extraFeatures"]
    assert document["maxWidth"]


def test_sizes_are_those_within_the_limits_smallest_first() -> None:
    assert IMAGE.sizes() == [{"width": 250, "height": 175}]
    larger = dataclasses.replace(IMAGE, limits=Limits(area=260_000))
    expected = [{"width": 250, "height": 175}, {"width": 500, "height": 350}]
    assert larger.document(V3)["sizes"] == expected
    assert larger.document(V2)["sizes"] == expected


def test_rights_are_stated_where_they_are_set() -> None:
    assert "rights" not in IMAGE.document(V3)
    assert "license" not in IMAGE.document(V2)
    image = dataclasses.replace(IMAGE, rights=RIGHTS)
    assert image.document(V3)["rights"] == RIGHTS
    assert image.document(V2)["license"] == RIGHTS


def test_version_3_leads_to_the_whole_image_where_max_is_less() -> None:
    address = f"{IMAGE.uri}/download.jpg"
    whole = dataclasses.replace(IMAGE, download_address=address, downloads=True)
    [link] = whole.document(V3)["seeAlso"]
    assert (link["id"], link["type"], link["format"]) == (address, "Image", "image/jpeg")
    assert link["label"] == {"en": ["The whole image, 1,000 by 700 pixels"]}
    all_of_it = dataclasses.replace(whole, limits=Limits(area=700_000))
    too_long = dataclasses.replace(whole, width=65_501)
    none = dataclasses.replace(whole, downloads=False)
    for image in (all_of_it, too_long, none):
        assert "seeAlso" not in image.document(V3)
