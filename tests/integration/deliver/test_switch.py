"""An image is replaced behind an edge that has kept it: all of it changes at one moment."""

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import count, islice
from pathlib import Path

import pytest

from tests.integration.deliver.recognised_pictures import grainy_colour, write_ours
from tests.integration.deliver.stored_rig import (
    Answer,
    StoredRig,
    ask_at_once,
    colour,
    stored_rig,
)
from tests.patience import SECONDS, until_in_loop
from tests.rigs.edge_rig import edge_before
from tests.rigs.image_addresses import random_tiles
from vitrine.adapters.nginx.edge_cache import purge
from vitrine.records import Live
from vitrine.store.layout import cache_tag

WIDTH, HEIGHT = 2300, 1700
TTL_SECONDS = 2
PURGED_AFTER = 4.0
SWITCH_AFTER = 8.0
"""The lifetime of a record, then the purge, then the switch: production's order, but quicker."""


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One of each colour; the blue one is smaller."""
    folder = tmp_path_factory.mktemp("pictures")
    red, blue = folder / "red.tif", folder / "blue.tif"
    write_ours(grainy_colour(WIDTH, HEIGHT, (230, 30, 30)), red)
    write_ours(grainy_colour(WIDTH - 100, HEIGHT, (30, 30, 230)), blue)
    return {"red": red, "blue": blue}


@pytest.fixture
def rig() -> Iterator[StoredRig]:
    with stored_rig(VITRINE_IDENTIFIER_TTL_SECONDS=str(TTL_SECONDS)) as running:
        yield running


class Watcher:
    """Asks the edge for some tiles and derivatives again and again, and each time for new ones."""

    def __init__(self, url: str, image: Live) -> None:
        self._url, self._image = url, image
        rendered = ["0,0,2000,1700/128,109", "0,0,2000,1700/900,765", "301,201,1500,1100/500,367"]
        tiles = [path for path in random_tiles(image, 60, seed=1) if not path.startswith("2048")]
        self.paths = tiles[:15] + [f"{item}/0/default.jpg" for item in rendered]
        self._cold = (f"{number},7,300,200/60,40/0/default.jpg" for number in count())
        self.seen: list[tuple[float, float, Answer]] = []
        """When each was asked for and answered, by the clock of the wall."""
        self.begun = 0.0
        """When the latest were asked for: all before them are answered."""

    async def ask_until(self, end: Callable[[], bool]) -> None:
        async with asyncio.timeout(SECONDS):
            while not end():
                self.begun = time.time()
                paths = [*self.paths, *islice(self._cold, 2)]
                answers = await ask_at_once(self._url, self._image, paths)
                self.seen += [(self.begun, time.time(), answer) for answer in answers]
                await asyncio.sleep(0.1)

    def kept(self, since: float, until: float) -> set[str]:
        """What the edge answered from its cache between two moments."""
        return {
            answer.parameters
            for begun, ended, answer in self.seen
            if since < begun and ended < until and answer.headers["X-Cache"] == "HIT"
        }

    def keeps_all(self, since: float = 0) -> bool:
        return self.kept(since, math.inf) >= set(self.paths)


def test_a_replaced_image_changes_at_one_moment_at_the_edge(
    rig: StoredRig, pictures: dict[str, Path]
) -> None:
    first = rig.publish(pictures["red"], "image", "1")
    ready = "/iiif/3/image/info.json"
    with edge_before(rig.rig.port, ready=ready) as (edge, directory):
        watcher = Watcher(edge.url, first)

        async def replace_image() -> tuple[float, float]:
            await watcher.ask_until(watcher.keeps_all)
            # On a busy machine, all of it is slower.
            slowest = max(ended - begun for begun, ended, _ in watcher.seen)
            later = SWITCH_AFTER + 4 * slowest
            second = rig.publish(pictures["blue"], "image", "2", seconds=later)
            published = datetime.fromisoformat(second.published_at).timestamp()
            moment = published + later
            watching = asyncio.create_task(watcher.ask_until(lambda: watcher.keeps_all(moment)))
            await until_in_loop(lambda: watcher.begun > published + PURGED_AFTER)
            assert purge(directory, [cache_tag("image")]) > len(watcher.paths) // 2
            purged = time.time()
            await watching
            return purged, moment

        purged, moment = asyncio.run(replace_image())
    early = {colour(answer) for _, ended, answer in watcher.seen if ended < moment}
    late = {colour(answer) for begun, _, answer in watcher.seen if begun > moment}
    assert (early, late) == ({"red"}, {"blue"})
    # What the edge keeps before the moment, it keeps until then at most.
    assert watcher.kept(purged, moment)
