"""The studies that compare two checkouts, here with itself, and that of a book."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from loadtest.cli import build_app
from vitrine.bootstrap.local_service import REPOSITORY


def study(results: Path, *words: str) -> dict[str, Any]:
    command = ["--allow-dirty", "study", *words, "--tree", str(REPOSITORY), "--rounds", "1"]
    result = CliRunner().invoke(build_app(), [*command, "--results", str(results)])
    assert result.exit_code == 0, result.output
    [folder] = results.iterdir()
    assert "ratio" in (folder / "table.txt").read_text()
    figures: dict[str, Any] = json.loads((folder / "run.json").read_text())["figures"]
    return figures


def test_publishing_is_measured_by_cpu_and_requests(tmp_path: Path) -> None:
    medians = study(tmp_path, "publishing", "--objects", "3")["medians"]
    ours, before = medians["ours"], medians["before"]
    assert ours.keys() == before.keys()
    # At least its record, its publication, three pages of it and three of each image.
    assert ours["published: requests"] > 11
    # Nothing is written of what is published already.
    assert ours["no change: requests"] < ours["another title: requests"]
    steps = ("announced", "published", "searched")
    cpu = sum(ours[f"{step}: CPU ms"] for step in steps)
    assert abs(ours["all of a new object: CPU ms"] - cpu) < 0.01


def test_memory_is_measured_at_rest_and_after_serving(tmp_path: Path) -> None:
    medians = study(tmp_path, "memory")["medians"]["ours"]
    containers = ("iipsrv", "gateway", "nginx")
    for moment in ("at rest", "after serving"):
        found = [medians[f"{name} {moment}: MiB"] for name in containers]
        assert min(found) > 0.5
        assert abs(medians[f"all {moment}: MiB"] - sum(found)) < 0.1
    assert medians["iipsrv after serving: MiB"] > medians["iipsrv at rest: MiB"]


def test_conversion_is_measured_alone_and_in_its_lambda(tmp_path: Path) -> None:
    scratch = ("--scratch", str(tmp_path / "scratch"))
    figures = study(tmp_path / "runs", "encoders", "--sizes", "1", *scratch)
    before, in_lambda = sorted(figures["ratios"], key=lambda row: str(row["of"]))
    assert (before["encoder"], before["of"]) == ("vitrine standard", "vitrine before")
    assert before["output_bytes"] == 0
    assert (in_lambda["encoder"], in_lambda["of"]) == ("vitrine ConvertMaster", "vitrine standard")
    # It does all that the conversion alone does, and moves the bytes.
    assert in_lambda["cpu"] > 1


def test_a_book_is_measured_with_all_its_pages(tmp_path: Path) -> None:
    command = ["--allow-dirty", "study", "book", "--pages", "3", "--rounds", "1"]
    folders = ["--results", str(tmp_path / "runs"), "--scratch", str(tmp_path / "scratch")]
    result = CliRunner().invoke(build_app(), [*command, *folders])
    assert result.exit_code == 0, result.output
    [folder] = (tmp_path / "runs").iterdir()
    figures = json.loads((folder / "run.json").read_text())["figures"]
    ours = figures["medians"]["ours"]
    jpeg = (tmp_path / "scratch" / "book" / "page-0001.jpg").stat().st_size
    # Not encoded again: no larger or smaller than the pages' own JPEGs of the same recipe.
    assert 0.9 < ours["bytes a page"] / jpeg < 1.2
    assert ours["CPU ms a page"] > 1
