"""The Lambda that serves images, as its container starts it, fed by a Runtime API of ours."""

from pathlib import Path

import pytest

from loadtest.corpora.access_masters import make_master
from loadtest.rigs.function_environment import function_environment
from loadtest.rigs.object_server.server_process import run_store
from loadtest.studies.function_cost.function_cost_study import (
    START,
    FunctionCostStudy,
    measure_function_cost,
)
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.errors import VitrineError

SCRATCH = REPOSITORY / ".build/studies"
"""That of the command: the picture is made once."""


def test_every_kind_of_request_has_its_cpu_time_and_memory() -> None:
    study = FunctionCostStudy(rounds=1, requests=3, scratch=SCRATCH)
    figures = measure_function_cost(study, lambda line: None)
    rows = {row["kind"]: row for row in figures["medians"]}
    assert set(rows) == {
        *(START, "first tile", "tile, from S3", "tile, again"),
        *("thumbnail", "!1024", "info.json"),
    }
    assert all(row["cpu_ms"] > 0 and row["ms"] > 0 for row in rows.values())
    assert rows["tile, again"]["cpu_ms"] < rows["!1024"]["cpu_ms"] < rows[START]["cpu_ms"]
    assert 50 < rows[START]["resident_mebibytes"] < figures["megabytes"]


def test_a_lambda_that_cannot_start_says_why(tmp_path: Path, monkeypatch) -> None:
    master = make_master(SCRATCH / "function-cost", "photo-24.tif", lambda line: None)
    monkeypatch.setattr(
        "loadtest.rigs.function_environment.image_task_environment",
        _without_a_bucket,
    )
    with (
        run_store(master.path.parent) as store,
        function_environment(master.path.parent, store.url) as environment,
        pytest.raises(VitrineError, match="VITRINE_ACCESS_MASTERS_BUCKET"),
    ):
        environment.wait_until_idle()


def _without_a_bucket(*arguments: object) -> dict[str, str]:
    from loadtest.rigs.rig import image_task_environment

    environment = image_task_environment(*arguments)  # type: ignore[arg-type]
    del environment["VITRINE_ACCESS_MASTERS_BUCKET"]
    return environment
