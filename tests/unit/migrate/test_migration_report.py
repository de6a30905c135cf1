"""The report: the result of every row and the cost, as JSON and as a page."""

import json
import re
from html.parser import HTMLParser

import pytest

from tests.unit.migrate.museum import BROKEN, UNLUCKY, Museum
from vitrine.cli.masters.migration_page import SHOWN, migration_page
from vitrine.costs.ingest_work import charges, image_work
from vitrine.costs.prices import PRICES_AS_OF
from vitrine.migrate.local_driver import LocalDriver
from vitrine.migrate.manifest_row import bad_row
from vitrine.migrate.migration_report import build_report, is_successful
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.planned_row import PlannedRow, RowResult
from vitrine.migrate.price import Work, estimate
from vitrine.migrate.tolerance import Tolerance

NASTY = '<script>alert("1")</script>&.tif'


def migrated(museum: Museum) -> MigrationPlan:
    for key, body in {"a.tif": b"123", NASTY: BROKEN, "u.tif": UNLUCKY}.items():
        museum.put(key, body)
    rows = [{"source": key} for key in ("a.tif", NASTY, "u.tif", "nowhere.tif")]
    plan = museum.plan("\n".join(json.dumps(row) for row in rows))
    driver = LocalDriver(services=museum.services, plan=plan, at_once=1, tolerance=Tolerance(100))
    driver.run()
    plan.set_fact("worked_seconds", "2")
    return plan


def test_the_report_counts_and_names_every_row(museum: Museum) -> None:
    report = build_report(migrated(museum), Tolerance(75))
    assert json.loads(json.dumps(report)) == report
    assert report["rows"] == 4
    assert report["counts"] == {
        "waiting": 0, "published": 1, "unchanged": 0, "withdrawn": 0,
        "rejected": 1, "missing": 1, "failed": 1
    }  # fmt: skip
    assert (report["master_bytes"], report["access_master_bytes"], report["pixels"]) == (
        3,
        4,
        20_000,
    )
    assert (report["images_per_hour"], report["megapixels_per_second"]) == (1_800, 0.01)
    reasons = {reason["code"]: reason for reason in report["unsuccessful"]}
    assert set(reasons) == {"not-an-image", "source-missing", "Runtime.ExitError"}
    [row] = reasons["not-an-image"]["rows"]
    assert (row["line"], row["key"], row["value"]) == (2, NASTY, "broken")
    assert report["tolerated"]
    assert not is_successful(report)


class Page(HTMLParser):
    """Tags and the addresses in them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_whole_by_itself_and_shows_rows_as_text(museum: Museum) -> None:
    html = migration_page(build_report(migrated(museum), Tolerance(75)))
    seen = Page()
    seen.feed(html)
    assert (seen.open, seen.addresses) == ([], [])
    assert "script" not in seen.tags
    assert NASTY in seen.text
    assert not re.search(r"https?://|@import|url\(", html)
    assert "prefers-color-scheme:dark" in html
    assert "@media print" in html


def test_a_page_stays_readable_when_thousands_were_refused() -> None:
    plan = MigrationPlan(":memory:")
    problem = bad_row(1, "has no source").problem
    count = SHOWN + 1_500
    plan.fill(PlannedRow(line=line, source=f"{line}", problem=problem) for line in range(count))
    report = build_report(plan, Tolerance(5))
    assert len(report["unsuccessful"][0]["rows"]) == count
    html = migration_page(report)
    assert html.count("<tr>") < SHOWN + 30
    assert "and 1,500 more" in html


def test_a_dry_page_says_so() -> None:
    plan = MigrationPlan(":memory:")
    plan.fill([PlannedRow(line=1, source="a", key="a", identifier="a")])
    assert "1 of 1 rows would be migrated" in migration_page(
        build_report(plan, Tolerance(5)) | {"dry_run": True}
    )


def test_an_unfinished_migration_is_not_successful() -> None:
    plan = MigrationPlan(":memory:")
    plan.fill([PlannedRow(line=n, source="a", key=f"{n}", identifier=f"{n}") for n in (1, 2)])
    plan.record_results([(1, RowResult(state="published"))])
    assert not is_successful(build_report(plan, Tolerance(5)))
    plan.record_results([(2, RowResult(state="unchanged"))])
    assert is_successful(build_report(plan, Tolerance(5)))


def test_the_estimate_is_that_of_an_ingest_and_of_the_migrations_own_calls() -> None:
    work = Work(
        images=1_000, checked=0, imported=1_000, pixels=50_000_000_000,
        master_bytes=150_000_000_000, access_master_bytes=15_000_000_000,
    )  # fmt: skip
    estimated = estimate(work)
    assert estimated.prices_as_of == PRICES_AS_OF
    # Four transitions of an ingest, two of each child of the map, which has 200 masters.
    assert estimated.once["Step Functions"] == pytest.approx(1_000 * 4.01 * 0.025 / 1_000)
    image = image_work(megapixels=50, master_bytes=150e6, access_master_bytes=15e6)
    ingest = sum(
        charge.usd("us-east-1") for charge in charges(image) if charge.price.startswith("Lambda")
    )
    migrate = 6 / 40 * 0.0000166667 + 0.20 / 1e6 / 200
    assert estimated.once["Lambda"] == pytest.approx(1_000 * (ingest + migrate))
    assert estimated.once["CloudFront invalidations, at most"] == pytest.approx(5.0)
    watched = 0.0025  # for each thousand objects
    assert estimated.month["Access masters"] == pytest.approx(15 * 0.023 + watched)


def test_a_larger_picture_takes_longer_to_convert() -> None:
    """50 megapixels at what 25.7 took (0.94 s), half as slow again, 165 MB at 78 MB a second."""
    image = image_work(megapixels=50, master_bytes=150e6, access_master_bytes=15e6)
    assert image.cpu_seconds == pytest.approx(1.82, abs=0.01)
    assert image.convert_seconds == pytest.approx(1.82 * 1.5 + 165e6 / 78.125e6 + 0.30, abs=0.02)


def test_what_is_unchanged_costs_next_to_nothing() -> None:
    nothing = Work(
        images=0, checked=1_000, imported=0, pixels=0, master_bytes=0, access_master_bytes=0
    )
    assert sum(estimate(nothing, "eu-west-1").once.values()) < 0.06
    assert estimate(nothing, "mars-1").region == "us-east-1"
