"""The driver on AWS, with a Distributed Map in memory that calls MigrateMaster as the real one."""

import json
from collections.abc import Mapping
from itertools import islice
from typing import Any

import pytest

from tests.unit.migrate.museum import BROKEN, Museum
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import IngestUnfinished, MigrationUnusable, NotMigrated, ObjectMissing
from vitrine.migrate.cloud_driver import CloudDriver
from vitrine.migrate.map_results import read_failed_items
from vitrine.migrate.messages import MigrateBatch
from vitrine.migrate.migrate_batch import BatchClock, migrate_batch
from vitrine.migrate.migration_report import build_report
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.services import MapProgress
from vitrine.migrate.tolerance import Tolerance
from vitrine.ports import KeyPage


class MemoryMapRuns:
    """Migrates a few items whenever the progress is read; dies after `dies_after` reads."""

    def __init__(self, museum: Museum, most: int = 25) -> None:
        self.museum = museum
        self.most = most
        self.runs: dict[str, list[dict[str, Any]]] = {}
        self.failed: dict[str, int] = {}
        self.total: dict[str, int] = {}
        self.tolerated: dict[str, float] = {}
        self.limits: list[int] = []
        self.denied: set[str] = set()
        """Keys of masters whose step ends in an unexpected way."""
        self.results: dict[str, str] = {}

    def start(self, name: str, request: Mapping[str, Any]) -> bool:
        if name in self.runs:
            return False
        body, _ = self.museum.ingest.records.get(str(request["items"]))
        items = [json.loads(line) for line in body.decode().splitlines()]
        common = {name: request[name] for name in ("begun_at", "tried_at", "tolerated_percent")}
        common |= {"at_once": request["at_once"], "most_at_once": 40}
        self.runs[name] = [{"BatchInput": common, "Items": [item]} for item in items]
        self.failed[name], self.total[name] = 0, len(items)
        self.tolerated[name] = float(request["tolerated_percent"])
        self.results[name] = str(request["results"])
        return True

    def progress(self, name: str) -> MapProgress:
        if name not in self.runs:
            return MapProgress(status="unknown")
        waiting = self.runs[name]
        exceeded = self.failed[name] * 100 > self.tolerated[name] * self.total[name]
        if exceeded:
            return MapProgress(status="failed", cause="States.ExceedToleratedFailureThreshold")
        for event in waiting[:2]:
            self._migrate(name, event)
        return MapProgress(
            status="running" if waiting else "succeeded",
            done=self.total[name] - len(waiting),
            unsuccessful=self.failed[name],
        )

    def limit(self, name: str, at_once: int) -> bool:
        if at_once > self.most:
            raise MigrationUnusable(f"{self.most} is the most")
        self.limits.append(at_once)
        return len(self.limits) > 1

    def _migrate(self, name: str, event: dict[str, Any]) -> None:
        [item] = event["Items"]
        if item["key"] in self.denied:
            self.runs[name].remove(event)
            self.failed[name] += 1
            self._write(name, event)
            return
        try:
            migrate_batch(self.museum.ingest, MigrateBatch.from_json(event), BatchClock(sleep=int))
        except IngestUnfinished:
            return
        except NotMigrated:
            self.failed[name] += 1
        self.runs[name].remove(event)

    def _write(self, name: str, event: dict[str, Any]) -> None:
        """Write a failed item as Step Functions does: a line in a file that a manifest names."""
        folder = f"{self.results[name]}/0b6c/"
        file = f"{folder}FAILED_0.jsonl"
        item = {"Status": "FAILED", "Input": json.dumps(event), "Error": "AccessDenied"}
        item |= {"Cause": '{"errorMessage": "no"}'}
        records = self.museum.ingest.records
        try:
            before = records.get(file)[0]
        except ObjectMissing:
            before = b""
        body = before + json.dumps(item).encode() + b"\n"
        manifest = {"ResultFiles": {"FAILED": [{"Key": file, "Size": len(body)}], "PENDING": []}}
        records.put(file, body, content_type="")
        records.put(f"{folder}manifest.json", json.dumps(manifest).encode(), content_type="")


def run(museum: Museum, runs: MemoryMapRuns, plan: MigrationPlan, **options: Any) -> bool:
    options = {"at_once": 0, "tolerance": Tolerance(10), "sleep": lambda seconds: None} | options
    return CloudDriver(services=museum.services, map_runs=runs, plan=plan, **options).run()


def manifest(museum: Museum, broken: int = 0) -> str:
    for number in range(8):
        museum.file(f"{number}x.tif", BROKEN if number < broken else b"1")
    museum.put("in/bucket.tif")
    rows = "".join(f"{number}x.tif,X{number}\n" for number in range(8))
    return f"source,identifier\n{rows}in/bucket.tif,B\n"


def test_files_are_brought_and_the_map_does_the_rest(museum: Museum) -> None:
    runs, plan = MemoryMapRuns(museum), museum.plan(manifest(museum))
    seen: list[MapProgress] = []
    assert run(museum, runs, plan, on_progress=seen.append)
    assert plan.counts()["published"] == len(museum.live()) == 9
    assert plan.imported() == 8
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)
    assert runs.limits == []


def test_a_killed_command_finds_its_run_again(museum: Museum) -> None:
    runs, text = MemoryMapRuns(museum), manifest(museum)
    plan = museum.plan(text)

    class Killed(Exception):
        pass

    def die(progress: MapProgress) -> None:
        if progress.done > 2:
            raise Killed

    with pytest.raises(Killed):
        run(museum, runs, plan, on_progress=die)
    museum.plan(text, plan)
    assert run(museum, runs, plan)
    assert plan.counts()["published"] == 9
    assert len(runs.runs) == 1
    assert len(museum.pipeline.converted) == 9


def test_too_many_failures_stop_it_and_the_rest_is_another_run(museum: Museum) -> None:
    runs, text = MemoryMapRuns(museum), manifest(museum, broken=2)
    plan = museum.plan(text)
    assert not run(museum, runs, plan)
    assert plan.fact("cause") == "States.ExceedToleratedFailureThreshold"
    assert plan.counts()["waiting"] > 0
    museum.plan(text, plan)
    assert run(museum, runs, plan, tolerance=Tolerance(50))
    assert (plan.counts()["published"], plan.counts()["rejected"]) == (7, 2)
    assert len(runs.runs) == 2
    assert len(museum.pipeline.converted) == 7


def test_fewer_at_once_are_asked_for_until_the_map_has_begun(museum: Museum) -> None:
    runs, plan = MemoryMapRuns(museum), museum.plan(manifest(museum))
    assert run(museum, runs, plan, at_once=3)
    assert runs.limits == [3, 3]
    with pytest.raises(MigrationUnusable, match="25"):
        run(museum, runs, museum.plan(manifest(museum) + "no.tif,N\n"), at_once=26)


def test_items_of_many_parts_are_whole(museum: Museum, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vitrine.migrate.map_items.PART_BYTES", 5 << 20)
    title = "é" * 30_000
    keys = [f"{number:03}x.tif" for number in range(200)]
    for key in keys:
        museum.put(key)
    lines = [json.dumps({"source": key, "title": title}, ensure_ascii=False) for key in keys]
    rows = "\n".join(lines)
    runs, plan = MemoryMapRuns(museum), museum.plan(rows)
    assert run(museum, runs, plan)
    assert plan.counts()["published"] == 200


def test_a_failure_that_only_the_map_knows_is_reported(
    museum: Museum, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parts in which lines are read may cut them anywhere."""
    monkeypatch.setattr("vitrine.migrate.map_results.PART_BYTES", 7)
    runs, text = MemoryMapRuns(museum), manifest(museum)
    runs.denied = {"1x.tif", "in/bucket.tif"}
    plan = museum.plan(text)
    assert run(museum, runs, plan, tolerance=Tolerance(50))
    assert plan.reasons() == {("failed", "AccessDenied"): 2}
    [first, second] = plan.unsuccessful("failed", "AccessDenied")
    assert {first["key"], second["key"]} == runs.denied
    assert first["value"] == '{"errorMessage": "no"}'
    runs.denied = set()
    museum.plan(text, plan)
    assert run(museum, runs, plan)
    assert (plan.counts()["published"], plan.counts()["failed"]) == (9, 0)


class ShortPages(MemoryObjectStore):
    """A bucket whose lists have two keys a page."""

    def list_keys(self, after: str = "", limit: int = 2, *, prefix: str = "") -> KeyPage:
        return super().list_keys(after, 2, prefix=prefix)


def test_failures_are_read_from_every_page_of_the_results() -> None:
    records = ShortPages()
    for number in range(5):
        items = [{"key": f"{number}{letter}.tif"} for letter in "ab"]
        item = {"Input": json.dumps({"Items": items}), "Status": "FAILED"}
        records.put(f"runs/{number}/FAILED_0.json", json.dumps(item).encode(), content_type="")
        files = {"ResultFiles": {"FAILED": [{"Key": f"runs/{number}/FAILED_0.json"}]}}
        records.put(f"runs/{number}/manifest.json", json.dumps(files).encode(), content_type="")
    failed = islice(read_failed_items(records, "runs"), 11)
    keys = [f"{number}{letter}.tif" for number in range(5) for letter in "ab"]
    assert [key for key, _ in failed] == keys


def test_the_reason_why_a_map_failed_is_reported_until_it_does_not(museum: Museum) -> None:
    runs, text = MemoryMapRuns(museum), manifest(museum, broken=2)
    plan = museum.plan(text)
    run(museum, runs, plan)
    assert build_report(plan, Tolerance(10))["cause"] == "States.ExceedToleratedFailureThreshold"
    museum.plan(text, plan)
    run(museum, runs, plan, tolerance=Tolerance(50))
    assert build_report(plan, Tolerance(50))["cause"] == ""
