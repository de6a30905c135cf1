"""`vitrine masters reconcile`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from vitrine.adapters.memory.messaging import MemoryQueue
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.masters.group import SENTENCES
from vitrine.ingest.repair.reconcile_rules import COUNTED
from vitrine.ingest.repair.reconciler import ReconcileServices
from vitrine.ingest.start.throttle import Throttle
from vitrine.ingest.start.upload_hints import StarterServices

Run = Callable[..., Result]


@pytest.fixture
def masters(service: Deployment, monkeypatch: pytest.MonkeyPatch) -> MemoryObjectStore:
    """The masters bucket of a service that `vitrine masters reconcile` can reach."""
    masters: Any = service.masters
    ingest = masters.services
    starter = StarterServices(
        ingest=ingest,
        uploads=service.uploads,
        throttle=Throttle(ingest.pipeline, at_once=0, starters=1),
    )
    services = ReconcileServices(
        starter=starter, notifications=MemoryQueue(), execution_timeout_seconds=60
    )
    monkeypatch.setattr(
        "vitrine.cli.masters.group.deployed_reconcile_services", lambda environment: services
    )
    store: MemoryObjectStore = masters
    return store


def test_what_no_event_announced_is_started(masters: MemoryObjectStore, run: Run) -> None:
    masters.put("late.tif", b"1", content_type="")
    result = run("masters", "reconcile", "--dry-run", "--json")
    assert (result.exit_code, json.loads(result.stdout)["started"]) == (0, 1)
    assert json.loads(run("masters", "reconcile", "--json").stdout)["started"] == 1
    assert json.loads(run("masters", "reconcile", "--json").stdout)["started"] == 0


def test_every_count_is_explained(masters: MemoryObjectStore, run: Run, picture: Path) -> None:
    assert tuple(SENTENCES) == COUNTED
    run("ingest", picture)
    result = run("masters", "reconcile")
    assert result.exit_code == 0
    assert "1 masters compared" in result.stdout
    assert len(result.stdout.splitlines()) == len(COUNTED)


def test_what_the_bucket_of_access_masters_lost_is_converted_again_if_asked_for(
    masters: MemoryObjectStore, run: Run, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("ingest", picture)
    services: Any = masters
    # No delete marker stays, as after the loss of a bucket.
    monkeypatch.setattr(services.services.access_masters, "_versions", {})
    assert json.loads(run("masters", "reconcile", "--json").stdout)["restarted"] == 0
    again = run("masters", "reconcile", "--missing-access-masters", "--json")
    assert json.loads(again.stdout)["restarted"] == 1
