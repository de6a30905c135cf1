"""Catalogues: what they hold, how they are picked from."""

from collections import Counter
from random import Random

import pytest

from loadtest.workload.catalogue import Catalogue, Image
from tests.unit.loadtest.workload.workload_images import ALL_CLASSES, MANY


def test_images_are_picked_as_often_as_they_weigh() -> None:
    catalogue = Catalogue.of([Image("rare", 9, 9, 1.0), Image("often", 9, 9, 9.0)])
    random = Random("1").random
    counts = Counter(catalogue.pick(random).identifier for _ in range(10_000))
    assert 0.88 < counts["often"] / 10_000 < 0.92


def test_the_largest_chance_picks_the_last_image() -> None:
    assert ALL_CLASSES.pick(lambda: 1 - 2**-53).identifier == "large"


def test_classes_are_by_megapixels() -> None:
    large = ALL_CLASSES.between(75, 1000)
    assert large
    assert [image.identifier for image in large.images] == ["large"]
    assert ALL_CLASSES.between(1000, 2000) is None


@pytest.mark.parametrize("count", [1, 2, 3, 7, 60, 150])
def test_every_image_comes_once_before_any_comes_twice(count: int) -> None:
    catalogue = Catalogue.of(MANY.images[:count])
    seen = {catalogue.nth(number).identifier for number in range(5 * count, 6 * count)}
    assert len(seen) == count


def test_levels_are_halved_until_a_tile_holds_all_and_rounded_up() -> None:
    assert Image("x", 1043, 787).levels == ((1043, 787), (522, 394), (261, 197), (131, 99))
