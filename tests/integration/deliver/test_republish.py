"""An image is published again under load: every answer is entirely old or entirely new."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.deliver.stored_rig import (
    Answer,
    StoredRig,
    ask_at_once,
    colour,
    stored_rig,
)
from tests.rigs.image_addresses import random_tiles

WIDTH, HEIGHT = 2300, 1700
SECONDS = 20
"""Much longer than any cache here believes what it knows."""
PAUSE_SECONDS = 0.1
"""Between batches, each of which is asked all at once."""


@pytest.fixture
def rig() -> Iterator[StoredRig]:
    with stored_rig(VITRINE_IDENTIFIER_TTL_SECONDS="1") as running:
        yield running


async def watch(rig: StoredRig, identifier: str, republish: Callable[[], None]) -> list[Answer]:
    """Ask until all is blue, and what was got on the way."""
    image = rig.records[identifier]
    rendered = ["0,0,2300,1700/128,95", "0,0,2300,1700/900,665", "301,201,1500,1100/500,367"]
    paths = random_tiles(image, 25, seed=1) + [f"{item}/0/default.jpg" for item in rendered]
    answers = await ask_at_once(rig.rig.url, image, paths)
    assert {colour(answer) for answer in answers} == {"red"}
    republish()
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        batch = await ask_at_once(rig.rig.url, image, paths)
        answers += batch
        if {colour(answer) for answer in batch} == {"blue"}:
            return answers
        await asyncio.sleep(PAUSE_SECONDS)
    raise AssertionError("the new version is not served")


def test_a_new_version_replaces_the_old_whole(rig: StoredRig, red: Path, blue: Path) -> None:
    rig.publish(red, "image", "1")
    answers = asyncio.run(watch(rig, "image", lambda: void(rig.publish(blue, "image", "2"))))
    colours_by_etag: dict[str, set[str]] = {}
    for answer in answers:
        colours_by_etag.setdefault(answer.headers["ETag"], set()).add(colour(answer))
    assert sorted(map(sorted, colours_by_etag.values())) == [["blue"], ["red"]]


def test_another_object_under_the_same_key_replaces_the_old_whole(red: Path, blue: Path) -> None:
    # Derivatives are kept by the version of the record, which stays.
    with stored_rig(
        VITRINE_ACCESS_MASTER_TTL_SECONDS="1", VITRINE_DERIVATIVE_CACHE_MEBIBYTES="0"
    ) as rig:
        key = rig.publish(red, "image").access_master_key
        asyncio.run(watch(rig, "image", lambda: rig.replace_object(blue, key)))


def void(_: object) -> None:
    """Of a call, only what it does."""
