"""A dry run says what a migration will take: of files what they are, of the rest the mean image."""

from pathlib import Path

import pytest

from vitrine.costs.ingest_work import measured_image
from vitrine.migrate.foresee import foresee
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.planned_row import PlannedRow

MEAN = measured_image()


def rows(tmp_path: Path, *sizes: int) -> MigrationPlan:
    plan = MigrationPlan(":memory:")
    planned = []
    for line, size in enumerate(sizes, start=1):
        path = tmp_path / f"{line}.tif"
        path.write_bytes(b"x" * size)
        planned.append(
            PlannedRow(
                line=line,
                source=path.name,
                kind="file",
                place=str(path),
                key=path.name,
                identifier=path.name,
            )
        )
    planned.append(
        PlannedRow(
            line=99, source="there", kind="master", place="there", key="there", identifier="there"
        )
    )
    plan.fill(planned)
    return plan


def test_files_have_their_bytes_and_pixels(tmp_path: Path) -> None:
    found = foresee(rows(tmp_path, 1_000, 3_000), "us-east-1", lambda path: 2_000_000)
    assert (found["images"], found["assumed"]) == (3, 1)
    assert found["master_bytes"] == 4_000 + round(MEAN.master_bytes)
    assert found["pixels"] == pytest.approx(4_000_000 + MEAN.megapixels * 1e6, abs=1)
    assert found["upload_hours"] == pytest.approx(4_000 / 12.5e6 / 3_600)
    assert found["convert_hours"] > 0
    assert sum(found["cost"]["once"].values()) > 0


def test_a_file_that_does_not_tell_is_taken_for_as_many_pixels_per_byte(tmp_path: Path) -> None:
    found = foresee(rows(tmp_path, 10_000), "us-east-1", lambda path: 0)
    assert found["assumed"] == 2
    per_byte = MEAN.megapixels * 1e6 / MEAN.master_bytes
    assert found["pixels"] == pytest.approx((10_000 + MEAN.master_bytes) * per_byte, rel=1e-6)


def test_nothing_to_migrate_costs_nothing(tmp_path: Path) -> None:
    plan = MigrationPlan(":memory:")
    plan.fill([])
    found = foresee(plan, "us-east-1", lambda path: 0)
    assert (found["images"], found["convert_hours"]) == (0, 0)
    assert sum(found["cost"]["once"].values()) == 0
