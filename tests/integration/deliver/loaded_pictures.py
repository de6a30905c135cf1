"""A picture of which every part tells where it is from, and loads and faults around it."""

import random
from pathlib import Path

from tests.integration.deliver.recognised_pictures import grainy_coordinates, shows
from tests.integration.deliver.stored_rig import Answer

WIDTH, HEIGHT = 2300, 1700
PICTURE = grainy_coordinates(WIDTH, HEIGHT)
WHOLE = f"0,0,{WIDTH},{HEIGHT}"
NO_DERIVATIVE_CACHE = {"VITRINE_DERIVATIVE_CACHE_MEBIBYTES": "0"}


def rendered_regions(count: int) -> list[str]:
    """Regions of which none is a tile, all of them different."""
    chance = random.Random(3)
    found = []
    for _ in range(count):
        x, y = chance.randrange(1, WIDTH - 600), chance.randrange(1, HEIGHT - 450)
        found.append(f"{x},{y},600,450/200,150/0/default.jpg")
    return found


def assert_right(answers: list[Answer]) -> None:
    for answer in answers:
        assert answer.status == 200, f"{answer.parameters}: {answer.status} {answer.body[:200]!r}"
        assert shows(answer.body, PICTURE, answer.parameters), answer.parameters


def fill(path: Path) -> None:
    """Write until the disk is full."""
    step = 1 << 20
    with path.open("wb", buffering=0) as file:
        while step:
            try:
                file.write(bytes(step))
            except OSError:
                step //= 2
