"""Harvests are noted in the order of their ends; nothing damaged stops the next one."""

from pathlib import Path

from vitrine.sources.harvest.harvest_log import (
    LOG,
    MAX_FAILURES,
    MAX_KEPT,
    log_harvest,
    log_published,
    read_log,
)
from vitrine.sources.harvest.kept_folder import Harvest


def test_each_harvest_is_noted_with_what_it_brought(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    log_harvest(folder, "2026-11-24T01:00:00Z", Harvest(new=3, images=2))
    log_harvest(folder, "2026-11-25T01:00:00Z", "https://a.example answers 500")
    first, second = read_log(folder)
    assert (first.counts["new"], first.counts["images"], first.failed) == (3, 2, 0)
    assert (second.error, second.counts) == ("https://a.example answers 500", {})


def test_the_log_does_not_grow_without_end(tmp_path: Path) -> None:
    (tmp_path / LOG).write_text('{"at": "old"}\n' * (MAX_KEPT + 5))
    log_harvest(tmp_path, "new", Harvest(failures=["x"] * 500))
    found = read_log(tmp_path)
    assert len(found) == MAX_KEPT
    assert (found[-1].failed, len(found[-1].failures)) == (500, MAX_FAILURES)


def test_damaged_lines_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / LOG).write_text('{"at"\n[]\n{"at": "x", "other": 1}\n{"at": "good"}\n')
    assert [one.at for one in read_log(tmp_path)] == ["good"]


def test_a_failure_may_hold_any_character(tmp_path: Path) -> None:
    strange = "https://a.example/\u2028\u0085\x0b answers 404"
    log_harvest(tmp_path, "2026-11-01T10:00:00Z", Harvest(failures=[strange]))
    log_published(tmp_path, {"made": 1})
    [entry] = read_log(tmp_path)
    assert (list(entry.failures), entry.published) == ([strange], {"made": 1})
