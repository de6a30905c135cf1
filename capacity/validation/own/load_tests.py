"""The load tests: two that calibrate, and others, drawn at random, that are to be predicted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.mix import Mix, Part
from loadtest.workload.models import Options
from loadtest.workload.models.index_page import IndexPage
from loadtest.workload.models.report_matrix import ReportMatrix
from loadtest.workload.models.viewer_session import ViewerSession
from loadtest.workload.request import Workload

Purpose = Literal["calibrate", "gauge", "judge"]
"""What a test is for: to fit the model, to learn by how much it errs, to judge its forecasts."""
SEED = 2022
ROUNDS = 5
"""Of all tests in turns, so that a machine that grows slower or faster does so in all of them."""
PERCENTS = (1, 2, *range(5, 100, 5), 97, 98, 99, 99.5, 100)
"""Of a group's times, which are kept."""
# Pauses are shorter than people's, so that few users put a load on one core.
_SESSIONS = ViewerSession(think_seconds=0.05)
_PAGES = IndexPage(thumbnails=20, think_seconds=(0.05, 0.15))
_MIX = Mix((Part(20, _SESSIONS), Part(20, _PAGES), Part(60, ReportMatrix(weights="tables"))))
"""Tiles, thumbnails, 1024 and 4096: every class of request takes its share of the CPU."""


@dataclass(frozen=True, kw_only=True)
class LoadTest:
    """So many users, each with one request at a time and pauses."""

    name: str
    options: Options
    users: int
    purpose: Purpose = "judge"
    times: int = 1
    """As long as the others."""

    def workload(self, images: Sequence[Image], number: int = 0) -> Workload:
        """Return a round's workload; equal for images of equal sizes in the same order."""
        seed = SEED + number
        return Workload(self.options.bind(Catalogue.of(images), seed), seed)


CALIBRATING = (
    LoadTest(name="mix, 1 user", options=_MIX, users=1, purpose="calibrate", times=3),
    LoadTest(name="mix, 8 users", options=_MIX, users=8, purpose="calibrate"),
)


def images_of(measured: Sequence[dict[str, Any]]) -> list[Image]:
    """Return the images of a saved run, under numbers instead of their names."""
    return [
        Image(
            str(number),
            image["width"],
            image["height"],
            levels=tuple((width, height) for width, height in image["levels"]),
            largest=(image["largest"][0], image["largest"][1]),
        )
        for number, image in enumerate(measured)
    ]
