"""Image information documents."""

from vitrine.iiif.info import ImageInformation
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V2, V3

IMAGE = ImageInformation(
    uri="https://images.example.org/iiif/3/a%2Fb",
    width=1000,
    height=700,
    tile_width=256,
    tile_height=256,
    levels=[(1000, 700), (500, 350), (250, 175)],
    limits=Limits(area=200_000),
)


def test_version_3_describes_the_image() -> None:
    document = IMAGE.document(V3)
    assert document["@context"] == "http://iiif.io/api/image/3/context.json"
    assert document["id"] == IMAGE.uri
    assert (document["type"], document["profile"]) == ("ImageService3", "level1")
    assert (document["width"], document["height"], document["maxArea"]) == (1000, 700, 200_000)
    assert document["tiles"] == [{"width": 256, "scaleFactors": [1, 2, 4]}]
    assert "sizeUpscaling" not in document["extraFeatures"]


def test_version_2_describes_the_image() -> None:
    document = IMAGE.document(V2)
    assert document["@id"] == IMAGE.uri
    level, extra = document["profile"]
    assert level == "http://iiif.io/api/image/2/level1.json"
    assert extra["formats"] == ["jpg"]
    assert extra["maxArea"] == 200_000
    assert "sizeAboveFull" not in extra["supports"]


def test_sizes_are_those_within_the_limits_smallest_first() -> None:
    expected = [{"width": 250, "height": 175}, {"width": 500, "height": 350}]
    assert IMAGE.document(V3)["sizes"] == expected
    assert IMAGE.document(V2)["sizes"] == expected
