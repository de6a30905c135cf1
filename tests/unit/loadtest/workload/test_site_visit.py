"""A visit to the site asks for what its pages name, and for nothing twice."""

import pytest

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.models.site_visit import ASSET, PICTURE, SiteVisit
from loadtest.workload.request import Step, Workload
from loadtest.workload.target import PAGE, Target

IMAGES = Catalogue((Image("a b", 5640, 3172), Image("c", 2560, 1600)))
COLLECTIONS = ("/collections/x", "/collections/x/2")


def visit(options: SiteVisit, number: int = 0) -> list[Step]:
    workload = Workload(options.bind(IMAGES, 3), 3)
    return list(workload.steps(number))


def test_it_begins_at_home_with_all_that_pages_load() -> None:
    targets, seconds = visit(SiteVisit())[0]
    paths = [target.path for target in targets]
    assert paths == ["/", *SiteVisit().assets]
    assert [target.kind for target in targets] == [PAGE, *[ASSET] * (len(paths) - 1)]
    assert 3 <= seconds <= 10


def test_a_collection_shows_pictures_that_are_held() -> None:
    targets, _ = visit(SiteVisit(collections=COLLECTIONS))[1]
    assert targets[0].path in COLLECTIONS
    held = {
        f"{image.base}/full/{width},{height}/0/default.jpg"
        for image in IMAGES.images
        for width, height in image.levels
    }
    assert len(targets) == 3
    assert {target.path for target in targets[1:]} <= held


def test_an_object_is_looked_at_without_asking_for_image_information() -> None:
    for number in range(50):
        steps = visit(SiteVisit(), number)[1:]
        assert steps[0][0][0].path in ("/objects/a%20b", "/objects/c")
        kinds = {target.kind for targets, _ in steps for target in targets}
        assert kinds <= {PAGE, PICTURE, "tile"}


def test_tiles_are_finer_than_the_picture_that_the_page_shows_first() -> None:
    finer = 0
    for number in range(50):
        picture = Target("none", "")
        for targets, _ in visit(SiteVisit(), number)[1:]:
            if targets[0].kind == PAGE:
                picture = targets[1]
                assert picture.path.endswith("/default.webp")
                assert (picture.width, picture.height) in ((1410, 793), (1280, 800))
            for tile in targets:
                if tile.kind == "tile":
                    assert tile.width / tile.region[2] > 1.4 * picture.width / picture.region[2]
                    finer += 1
    assert finer


@pytest.mark.slow
def test_some_search_and_the_others_open_a_collection() -> None:
    options = SiteVisit(collections=COLLECTIONS, searches=("/search/index",), search_share=0.25)
    found = [visit(options, number)[1][0][0].path for number in range(800)]
    assert set(found) == {*COLLECTIONS, "/search/index"}
    assert found.count("/search/index") == pytest.approx(200, rel=0.2)


@pytest.mark.slow
def test_visitors_open_as_many_objects_as_it_says_on_average() -> None:
    opened = [
        sum(
            target.kind == PAGE
            for targets, _ in visit(SiteVisit(objects=3), number)[1:]
            for target in targets
        )
        for number in range(600)
    ]
    assert sum(opened) / len(opened) == pytest.approx(3, rel=0.15)


@pytest.mark.parametrize(
    ("key", "value"),
    [("objects", 0.5), ("search_share", 1.5), ("card_side", 0), ("home", "index.html")],
)
def test_a_visit_that_cannot_be_is_refused(key: str, value: object) -> None:
    with pytest.raises(InvalidScenario):
        SiteVisit(**{key: value})  # type: ignore[arg-type]
