"""The driver on one machine: its concurrency, its tolerance, and resuming after a stop."""

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.unit.migrate.museum import BROKEN, UNLUCKY, Museum
from vitrine.errors import TransientError
from vitrine.migrate import local_driver
from vitrine.migrate.local_driver import LocalDriver
from vitrine.migrate.migration_report import build_report, is_successful
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.tolerance import Tolerance, parse_tolerance


def run(museum: Museum, plan: MigrationPlan, percent: float = 5, **options: Any) -> bool:
    options = {"at_once": 3} | options
    return LocalDriver(
        services=museum.services, plan=plan, tolerance=Tolerance(percent), **options
    ).run()


def test_files_keys_and_other_buckets_become_images(museum: Museum) -> None:
    museum.file("scans/a.tif", b"12345")
    museum.put("b.tif")
    museum.foreign.buckets["lab"] = type(museum.masters)()
    museum.foreign.buckets["lab"].put("c.tif", b"1", content_type="")
    plan = museum.plan("source,identifier\nscans/a.tif,Ä\nb.tif,B\ns3://lab/c.tif,C\n")
    sent: list[int] = []
    assert run(museum, plan, on_bytes=sent.append)
    assert museum.live() == {"Ä": "scans/a.tif", "B": "b.tif", "C": "lab/c.tif"}
    assert sum(sent) == 5
    assert museum.masters.head("scans/a.tif").metadata["identifier"] == "Ä"
    assert build_report(plan, Tolerance(5))["imported"] == 2


def test_a_second_migration_uploads_and_converts_nothing(museum: Museum) -> None:
    for name in "abc":
        museum.file(f"{name}.tif")
    text = "source\na.tif\nb.tif\nc.tif\n"
    assert run(museum, museum.plan(text))
    versions = [museum.masters.head(f"{name}.tif").version for name in "abc"]
    again = museum.plan(text)
    assert run(museum, again)
    assert again.counts()["unchanged"] == 3
    assert [museum.masters.head(f"{name}.tif").version for name in "abc"] == versions
    assert len(museum.pipeline.converted) == 3


def test_a_changed_file_is_uploaded_again(museum: Museum) -> None:
    museum.file("a.tif", b"1")
    assert run(museum, museum.plan("source\na.tif\n"))
    museum.file("a.tif", b"22")
    again = museum.plan("source\na.tif\n")
    assert run(museum, again)
    assert again.counts()["published"] == 1
    assert museum.masters.get("a.tif")[0] == b"22"


@pytest.mark.slow
def test_it_stops_when_more_fail_than_tolerated_and_goes_on_when_run_again(museum: Museum) -> None:
    for number in range(20):
        museum.put(f"{number:02}.tif", BROKEN if number in (2, 3, 4) else b"1")
    text = "source\n" + "".join(f"{number:02}.tif\n" for number in range(20))
    plan = museum.plan(text)
    assert not run(museum, plan, 10, at_once=1)
    assert (plan.counts()["rejected"], plan.counts()["waiting"]) == (3, 15)
    report = build_report(plan, Tolerance(10))
    assert not report["tolerated"]
    assert not is_successful(report)
    museum.plan(text, plan)
    assert run(museum, plan, 20, at_once=1)
    assert (plan.counts()["rejected"], plan.counts()["published"]) == (3, 17)
    assert is_successful(build_report(plan, Tolerance(20)))


def test_too_many_bad_rows_start_nothing(museum: Museum) -> None:
    museum.file("a.tif")
    plan = museum.plan("source\na.tif\n,\n")
    assert not run(museum, plan, 5)
    assert museum.masters.list_keys().entries == []


def test_a_failure_is_never_successful_and_made_good_by_the_next_run(museum: Museum) -> None:
    museum.put("a.tif", UNLUCKY)
    plan = museum.plan("source\na.tif\n")
    assert run(museum, plan, 100)
    assert not is_successful(build_report(plan, Tolerance(100)))
    museum.put("a.tif", b"1")
    museum.plan("source\na.tif\n", plan)
    assert run(museum, plan, 100)
    assert plan.counts()["published"] == 1


@pytest.mark.slow
def test_no_more_are_in_flight_than_allowed(museum: Museum, monkeypatch: Any) -> None:
    going, most, lock = 0, 0, threading.Lock()
    migrate = local_driver.migrate_master

    def counted(*arguments: Any) -> Any:
        nonlocal going, most
        with lock:
            going += 1
            most = max(most, going)
        try:
            return migrate(*arguments)
        finally:
            with lock:
                going -= 1

    monkeypatch.setattr(local_driver, "migrate_master", counted)
    for number in range(30):
        museum.put(f"{number:02}x.tif")
    plan = museum.plan("source\n" + "".join(f"{number:02}x.tif\n" for number in range(30)))
    assert run(museum, plan, at_once=2)
    assert most <= 2


def test_a_service_that_does_not_answer_stops_it_and_loses_nothing(
    museum: Museum, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_driver, "UNREACHABLE_SECONDS", 0.0)
    museum.file("a.tif")
    museum.file("b.tif")
    plan = museum.plan("source\na.tif\nb.tif\n")
    head = museum.masters.head

    def silent(key: str) -> Any:
        raise TransientError("no answer")

    monkeypatch.setattr(museum.masters, "head", silent)
    with pytest.raises(TransientError):
        run(museum, plan)
    monkeypatch.setattr(museum.masters, "head", head)
    museum.plan("source\na.tif\nb.tif\n", plan)
    assert run(museum, plan)
    assert plan.counts()["published"] == 2


def test_an_ingest_without_end_is_a_failure_after_a_while(museum: Museum) -> None:
    museum.pipeline.held = True
    museum.put("a.tif")
    plan = museum.plan("source\na.tif\n")
    assert run(museum, plan, longest_seconds=0.3)
    assert plan.reasons() == {("failed", "unfinished"): 1}


def test_a_source_that_vanishes_or_cannot_be_read_is_no_end_of_the_others(museum: Museum) -> None:
    for name in "abc":
        museum.file(f"{name}.tif")
    plan = museum.plan("source\na.tif\nb.tif\nc.tif\ns3://nobodys/d.tif\n")
    (museum.folder / "a.tif").unlink()
    (museum.folder / "b.tif").unlink()
    (museum.folder / "b.tif").mkdir()
    assert run(museum, plan, 100)
    assert plan.reasons() == {("missing", "source-missing"): 2, ("rejected", "source-unusable"): 1}
    assert museum.live() == {"c": "c.tif"}


@pytest.mark.parametrize(("text", "percent"), [("5%", 5), ("0", 0), (" 2.5 % ", 2.5), ("100", 100)])
def test_a_tolerance_is_a_percentage(text: str, percent: float) -> None:
    assert parse_tolerance(text) == percent


@pytest.mark.parametrize("text", ["", "-1", "101%", "x", "nan"])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_tolerance(text)


def test_the_plan_survives_on_disk(museum: Museum, tmp_path: Path) -> None:
    museum.put("a.tif")
    with MigrationPlan(tmp_path / "plan") as plan:
        museum.plan("source\na.tif\nb.tif\n", plan)
        run(museum, plan, 100)
    with MigrationPlan(tmp_path / "plan") as plan:
        assert (plan.counts()["published"], plan.counts()["missing"]) == (1, 1)
