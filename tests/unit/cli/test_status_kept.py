"""What a served status page costs, and what it says while the service is away."""

from dataclasses import replace
from typing import Any

import pytest

from tests.rigs.clock import Clock
from tests.rigs.records import outcome
from vitrine.adapters.memory.messaging import MemoryQueue
from vitrine.adapters.memory.outcome_table import MemoryOutcomeTable
from vitrine.bootstrap.deployment import Deployment
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, NotRunning
from vitrine.cli.status.pages.images import Thumbnails, thumbnail_url
from vitrine.cli.status.pages.page import status_page
from vitrine.cli.status.pages.serve import MAX_SECONDS, StatusPages
from vitrine.cli.status.report import STATES, overview
from vitrine.errors import TransientError
from vitrine.records import Outcome, State

EDGE = "http://edge"
IMAGE = {"identifier": "a:b/c", "width": 5000, "height": 300, "published_at": "1"}


class Counted(MemoryOutcomeTable):
    """Counts what it is asked, and may be away."""

    def __init__(self) -> None:
        super().__init__()
        self.queries: list[tuple[str, str]] = []
        self.away = False

    def by_state(self, state: str, limit: int) -> list[Outcome]:
        if self.away:
            raise TransientError("outcomes: connection refused")
        self.queries.append(("list", state))
        return super().by_state(state, limit)

    def count(self, state: str, limit: int) -> int:
        self.queries.append(("count", state))
        return super().count(state, limit)


@pytest.fixture
def outcomes() -> Counted:
    return Counted()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def running(
    service: Deployment, outcomes: Counted, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> Deployment:
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path))
    return replace(service, outcomes=outcomes)


@pytest.fixture
def pages(running: Deployment, clock: Clock) -> StatusPages:
    return StatusPages(running, lambda name: running, Thumbnails(lambda url: b""), clock)


def record(outcomes: MemoryOutcomeTable, key: str, state: State) -> None:
    assert outcomes.record(outcome(key, state))


def test_however_many_ask_the_service_is_looked_at_every_two_seconds(
    pages: StatusPages, outcomes: Counted, clock: Clock
) -> None:
    once = len(outcomes.queries)
    for _ in range(9):
        pages.current()
    clock.now = 1.9
    pages.current()
    assert len(outcomes.queries) == once
    clock.now = 2.0
    record(outcomes, "new.tif", "published")
    assert pages.current().report["counts"]["published"] == 1
    assert len(outcomes.queries) == 2 * once


def test_what_has_been_listed_is_not_counted_again(running: Deployment, outcomes: Counted) -> None:
    record(outcomes, "a.tif", "rejected")
    assert overview(running)["counts"]["rejected"] == 1
    counted = {state for kind, state in outcomes.queries if kind == "count"}
    assert counted == set(STATES) - {"running", "rejected", "failed"}


def test_a_full_list_is_counted(running: Deployment, outcomes: Counted) -> None:
    for number in range(5):
        record(outcomes, f"{number}.tif", "rejected")
    report = overview(running, listed=5)
    assert report["counts"]["rejected"] == 5
    assert ("count", "rejected") in outcomes.queries


def test_a_service_that_is_away_is_reported_and_its_return_noticed(
    pages: StatusPages, outcomes: Counted, clock: Clock
) -> None:
    record(outcomes, "a.tif", "published")
    clock.now = 2.0
    known = pages.current()
    outcomes.away = True
    clock.now = 4.0
    away = pages.current()
    assert "does not answer" in away.trouble
    assert (away.report, away.made_at) == (known.report, known.made_at)
    assert "connection refused" in status_page(away, 2)
    assert away.as_json()["trouble"] == away.trouble
    outcomes.away = False
    clock.now = 6.0
    assert pages.current().trouble == ""


def test_a_service_that_is_away_is_looked_for_again(
    running: Deployment, outcomes: Counted, clock: Clock
) -> None:
    elsewhere = replace(running, outcomes=Counted())
    record(elsewhere.outcomes, "a.tif", "published")  # type: ignore[arg-type]
    answers: list[Any] = [NotRunning("it is stopped"), elsewhere]

    def connect(name: str) -> Deployment:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, Deployment)
        return answer

    pages = StatusPages(running, connect, Thumbnails(lambda url: b""), clock)
    outcomes.away = True
    troubles = []
    for _ in range(3):
        clock.now += 2
        troubles.append(pages.current().trouble)
    assert "does not answer" in troubles[0]
    assert troubles[1:] == ["it is stopped", ""]
    assert pages.current().report["counts"]["published"] == 1


def test_a_mistake_of_ours_is_not_called_an_absence(
    pages: StatusPages, outcomes: Counted, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "by_state", lambda state, limit: 1 / 0)
    clock.now = 2.0
    with pytest.raises(ZeroDivisionError):
        pages.current()


@pytest.mark.parametrize(("took", "seconds"), [(0.01, 2), (1.0, 10), (60.0, MAX_SECONDS)])
def test_an_expensive_page_asks_again_later(
    running: Deployment, clock: Clock, took: float, seconds: int
) -> None:
    class Slow(MemoryQueue):
        def length(self) -> int:
            clock.now += took
            return super().length()

    slow = replace(running, uploads=Slow())
    pages = StatusPages(slow, lambda name: slow, Thumbnails(lambda url: b""), clock)
    assert pages.refresh_seconds == seconds


def test_a_thumbnail_is_fetched_once_per_version_of_its_image() -> None:
    fetched: list[str] = []

    def fetch(url: str) -> bytes:
        fetched.append(url)
        return b"JPEG"

    thumbnails = Thumbnails(fetch)
    for _ in range(3):
        assert thumbnails.of(EDGE, [IMAGE]) == {"a:b/c": b"JPEG"}
    assert fetched == ["http://edge/iiif/3/a:b%2Fc/full/!400,400/0/default.jpg"]
    thumbnails.of(EDGE, [IMAGE | {"published_at": "2"}])
    assert len(fetched) == 2


def test_a_thumbnail_that_was_not_there_is_asked_for_again() -> None:
    answers = [b"", b"JPEG"]
    thumbnails = Thumbnails(lambda url: answers.pop(0))
    assert thumbnails.of(EDGE, [IMAGE]) == {}
    assert thumbnails.of(EDGE, [IMAGE]) == {"a:b/c": b"JPEG"}


def test_a_small_image_is_not_enlarged() -> None:
    url = thumbnail_url(EDGE, {"identifier": "a", "width": 400, "height": 40})
    assert url == "http://edge/iiif/3/a/full/max/0/default.jpg"
