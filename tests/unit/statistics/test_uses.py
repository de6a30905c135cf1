"""What a path is a use of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.statistics.uses import (
    COLLECTION,
    DOWNLOADED,
    IMAGE,
    NO_LEVEL,
    OBJECT,
    OPENED,
    VIEWED,
    Use,
    find_use,
)

TICKET = "v1.abc.def.ghi"


@pytest.mark.parametrize(
    ("path", "use"),
    [
        ("/objects/a", Use(VIEWED, OBJECT, "a")),
        ("/objects/a/de", Use(VIEWED, OBJECT, "a")),
        ("/objects/a%2Fb", Use(VIEWED, OBJECT, "a/b")),
        ("/objects/e%CC%81", Use(VIEWED, OBJECT, "é")),
        ("/embed/a", Use(VIEWED, OBJECT, "a")),
        ("/collections/prints/de/2", Use(VIEWED, COLLECTION, "prints")),
        ("/iiif/3/a/info.json", Use(OPENED, IMAGE, "a")),
        ("/iiif/2/a/info.json", Use(OPENED, IMAGE, "a")),
        ("/iiif/3/a/download.jpg", Use(DOWNLOADED, IMAGE, "a")),
        ("/restricted/staff/iiif/3/a/download.jpg", Use(DOWNLOADED, IMAGE, "a")),
        ("/presentation/3/a%2Fb/object.pdf", Use(DOWNLOADED, OBJECT, "a/b")),
        ("/presentation/3/a/text.txt", Use(DOWNLOADED, OBJECT, "a")),
        (f"/restricted/share/{TICKET}/iiif/3/a/info.json", Use(OPENED, IMAGE, "a")),
        ("/restricted/share/(ticket)/iiif/3/a/info.json", Use(OPENED, IMAGE, "a")),
    ],
)
def test_pages_viewers_and_downloads_are_uses(path: str, use: Use) -> None:
    assert find_use(path) == use


@pytest.mark.parametrize(
    ("parameters", "level"),
    [
        ("0,0,512,512/512,512/0/default.jpg", 0),
        ("0,0,512,512/512,/0/default.jpg", 0),
        ("0,0,512,512/,512/0/default.jpg", 0),
        ("0%2C0%2C512%2C512/max/0/default.jpg", 0),
        ("0,0,1024,1024/512,512/0/default.jpg", 1),
        ("0,0,2048,2048/512,/0/default.jpg", 2),
        ("4096,0,1025,2048/257,512/0/default.jpg", 2),
        ("0,0,100,100/^200,/0/default.jpg", 0),
        ("0,0,800,800/!200,200/0/default.jpg", 2),
        ("pct:40,40,20,20/max/0/default.jpg", 0),
        ("0,0,8,8/0,/0/default.jpg", 0),
    ],
)
def test_a_part_of_an_image_has_the_level_of_its_resolution(parameters: str, level: int) -> None:
    assert find_use(f"/iiif/3/a/{parameters}") == Use(OPENED, IMAGE, "a", level)


@pytest.mark.parametrize(
    "path",
    [
        *("", "/", "x", "/objects", "/objects/", "/style.css", "/search/index/words/0.json"),
        *("/iiif/3/a", "/iiif/a/info.json", "/iiif/3/a/b/info.json", "/iiif/3//info.json"),
        *("/iiif/3/a/full/640,400/0/default.jpg", "/iiif/3/a/square/90,/0/default.jpg"),
        *("/objects/%zz", "/objects/%ff", "/presentation/3/a/manifest.json", "/restricted/a/iiif"),
    ],
)
def test_everything_else_is_no_use(path: str) -> None:
    assert find_use(path) is None


@given(st.text(max_size=80) | st.from_regex(r"/(iiif|objects|restricted)(/[\w%,:^!.]{0,12}){0,7}"))
def test_every_path_is_a_use_or_none(path: str) -> None:
    found = find_use(path)
    assert found is None or (found.identifier and found.level >= NO_LEVEL)
