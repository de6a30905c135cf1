"""Days of CloudFront's log in a bucket become files of figures."""

import gzip
from collections.abc import Iterable
from datetime import date
from typing import Any

import pytest

from tests.unit.catalogue.object_bench import ObjectBench, book, shelf
from tests.unit.statistics.log_bench import cloudfront
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.catalogue.objects import Objects
from vitrine.errors import ServiceRefused, TransientError
from vitrine.iiif.presentation.model import Member, ObjectCollection
from vitrine.slices import Slice
from vitrine.statistics.attribution import Owners
from vitrine.statistics.count import Figures
from vitrine.statistics.day_files import read_day
from vitrine.statistics.log_files import hour_of, list_log_files
from vitrine.statistics.update import StatisticsServices, update_statistics

PREFIX = "AWSLogs/111122223333/CloudFront/E1EXAMPLE/"
TODAY = date(2026, 11, 29)
NAME = "2026-11-28"


@pytest.fixture
def bench() -> ObjectBench:
    """A book of three images on a shelf, which is in a room."""
    made = ObjectBench("one", "two", "three")
    objects = Objects(made.publisher)
    objects.put(book())
    objects.put(shelf())
    member = Member(identifier="shelf", label={"en": ("A shelf",)}, is_collection=True)
    objects.put(ObjectCollection(identifier="room", label={"en": ("A room",)}, members=(member,)))
    return made


@pytest.fixture
def services(bench: ObjectBench) -> StatisticsServices:
    return StatisticsServices(
        logs=MemoryObjectStore(),
        log_prefix=PREFIX,
        records=bench.publisher.records,
        catalogue=bench.publisher.catalogue.table,
    )


def log(
    services: StatisticsServices,
    lines: Iterable[bytes],
    folder: str = "2026/11/28/10",
    name: str = "E1EXAMPLE.2026-11-28-10.0a1b2c3d.gz",
) -> str:
    """Write a file of the log, as CloudWatch Logs delivers it."""
    key = f"{PREFIX}{folder}/{name}"
    body = gzip.compress(b"".join(line + b"\n" for line in lines))
    services.logs.put(key, body, content_type="application/gzip")
    return key


def test_a_day_is_counted_for_objects_their_collections_and_countries(
    services: StatisticsServices,
) -> None:
    log(
        services,
        [
            cloudfront("/objects/book"),
            cloudfront("/iiif/3/one/info.json"),
            cloudfront("/iiif/3/two/download.jpg", **{"c-ip": "192.0.2.2", "c-country": "FR"}),
            cloudfront("/iiif/3/loose/info.json"),
            cloudfront("/collections/shelf"),
        ],
    )
    assert update_statistics(services, TODAY) == {NAME: 5}
    found = read_day(services.records, NAME)
    assert found
    together = Figures(views=2, openings=2, downloads=1)
    assert (found.together, found.requests, found.damaged) == (together, 5, 0)
    assert found.objects == {
        "book": Figures(views=1, openings=1, downloads=1),
        "loose": Figures(openings=1),
    }
    assert found.collections == {
        "shelf": Figures(views=2, openings=1, downloads=1),
        "room": Figures(views=1, openings=1, downloads=1),
    }
    assert found.countries == {"DE": Figures(views=2, openings=2), "FR": Figures(downloads=1)}


def test_the_file_of_a_day_has_no_address_and_no_browser(services: StatisticsServices) -> None:
    log(services, [cloudfront("/objects/book", **{"c-ip": "198.51.100.77"})])
    update_statistics(services, TODAY)
    body, _ = services.records.get(f"statistics/{NAME}.json")
    assert b"book" in body
    assert not any(word in body for word in (b"198.51.100.77", b"Firefox", b"Mozilla"))


def test_late_lines_are_counted_with_their_day_the_next_time(
    services: StatisticsServices,
) -> None:
    log(services, [cloudfront("/objects/book")])
    update_statistics(services, TODAY)
    late = "E1EXAMPLE.2026-11-28-23.ffff0000.gz"
    log(services, [cloudfront("/objects/book", "23:59:59")], "2026/11/29/21", late)
    log(services, [cloudfront("/objects/book", "23:58:59")], "2026/11/29/22", "another.gz")
    assert update_statistics(services, date(2026, 11, 30)) == {NAME: 2}
    found = read_day(services.records, NAME)
    assert found
    assert found.together == Figures(views=2)


def test_a_file_says_its_hour_by_its_name_or_else_its_folder(services: StatisticsServices) -> None:
    keys = [
        log(services, [], "2026/11/28/11", "E1EXAMPLE.2026-11-28-09.b.gz"),
        log(services, [], "2026/11/28/10", "plain.gz"),
        log(services, [], "2026/11/29/00", "E1EXAMPLE.2026-11-28-23.a.gz"),
    ]
    log(services, [], "2026/11/29/00", "E1EXAMPLE.2026-11-29-00.a.gz")
    assert [hour_of(key)[-2:] for key in keys] == ["09", "10", "23"]
    assert list_log_files(services.logs, PREFIX, date(2026, 11, 28)) == keys
    assert hour_of("AWSLogs/111122223333/elsewhere") == ""


def test_a_damaged_file_is_counted_as_far_as_it_goes(services: StatisticsServices) -> None:
    key = log(services, [cloudfront("/objects/book")])
    body, _ = services.logs.get(key)
    services.logs.put(key, body[:-6], content_type="application/gzip")
    name = "E1EXAMPLE.2026-11-28-11.a.gz"
    log(services, [cloudfront("/objects/book", "11:00:00"), b"{"], "2026/11/28/11", name)
    services.logs.put(f"{PREFIX}2026/11/28/12/e.gz", b"", content_type="application/gzip")
    update_statistics(services, TODAY)
    found = read_day(services.records, NAME)
    assert found
    assert (found.together.views, found.damaged) == (1, 2)


def test_a_day_that_a_failed_run_left_out_is_counted_by_a_later_one(
    services: StatisticsServices,
) -> None:
    old = {"date": "2026-11-23"}
    name = "E1EXAMPLE.2026-11-23-10.a.gz"
    log(services, [cloudfront("/objects/book", **old)], "2026/11/23/10", name)
    assert update_statistics(services, TODAY) == {"2026-11-23": 1}
    assert update_statistics(services, TODAY) == {}
    assert update_statistics(services, date(2026, 12, 10)) == {}
    assert read_day(services.records, NAME) is None


def test_a_run_without_time_says_so(services: StatisticsServices) -> None:
    log(services, [cloudfront("/objects/book")])
    with pytest.raises(TransientError, match="before time was over"):
        update_statistics(services, TODAY, Slice(lambda: 0.0))


def test_a_damaged_file_of_figures_is_named(services: StatisticsServices) -> None:
    key = f"statistics/{NAME}.json"
    services.records.put(key, b"{", content_type="application/json")
    with pytest.raises(ServiceRefused, match=r"statistics/2026-11-28\.json cannot be read"):
        read_day(services.records, NAME)


def test_an_image_that_left_its_object_is_its_own(bench: ObjectBench) -> None:
    owners = Owners(bench.publisher.catalogue.table)
    assert owners.objects_of("three") == {"book"}
    fewer: Any = book().canvases[:2]
    Objects(bench.publisher).put(book(canvases=fewer))
    assert owners.objects_of("three") == set()
    assert owners.collections_above("book") == {"shelf", "room"}
    assert owners.collections_above("room") == set()
