"""`vitrine masters reconcile`."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pyvips
from typer.testing import Result

from vitrine.adapters.memory.foreign_objects import MemoryForeignObjects
from vitrine.adapters.memory.messaging import MemoryQueue
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.masters import SENTENCES
from vitrine.ingest.repair.reconcile_rules import COUNTED
from vitrine.ingest.repair.reconciler import ReconcileServices
from vitrine.ingest.start.throttle import Throttle
from vitrine.ingest.start.upload_hints import StarterServices
from vitrine.migrate.services import MigrationServices
from vitrine.store.layout import identifier_of

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
        "vitrine.cli.masters.deployed_reconcile_services", lambda environment: services
    )
    migration = MigrationServices(
        ingest=ingest,
        masters_bucket="m",
        foreign=MemoryForeignObjects(ingest.masters),
        region="eu-west-1",
    )
    monkeypatch.setattr(
        "vitrine.cli.masters_seal.migration_services", lambda environment: migration
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


def test_sealing_says_what_it_would_do_and_cost(
    masters: MemoryObjectStore, run: Run, picture: Path
) -> None:
    run("ingest", picture)
    assert "1 access master has checksums" in run("masters", "seal").stdout
    services: Any = masters
    store = services.services.access_masters
    [entry] = store.list_keys().entries
    image = pyvips.Image.black(300, 200, bands=3).copy(interpretation="srgb")
    old = image.tiffsave_buffer(compression="jpeg", tile=True, pyramid=True)
    store.put(entry.key, bytes(old), content_type="image/tiff")
    services.services.register.change(
        identifier_of(entry.key), lambda record: replace(record, access_master_bytes=len(old))
    )
    result = run("masters", "seal", "--dry-run")
    assert result.exit_code == 0
    assert "1 access master had none" in result.stdout
    assert "0 of these have a sealed copy now" in result.stdout
    assert "To seal 1 of 0.0 GB costs at most $0.00 (eu-west-1)" in result.stdout
    assert "what leaves the region" in result.stdout
    document = json.loads(run("masters", "seal", "--dry-run", "--json").stdout)
    assert (document["unsealed"], document["made"]) == (1, 0)
    assert document["bytes"] == len(old)
    assert document["region"] == "eu-west-1"
    assert 0 < document["usd_more_in_another_region"] < document["usd_more_outside_of_aws"]
    assert "1 of these has a sealed copy now" in run("masters", "seal", "--at-once", "2").stdout


def test_what_cannot_be_sealed_is_named_and_ends_with_1(
    masters: MemoryObjectStore, run: Run, picture: Path
) -> None:
    run("ingest", picture)
    services: Any = masters
    store = services.services.access_masters
    [entry] = store.list_keys().entries
    store.put(entry.key, b"no TIFF", content_type="image/tiff")
    result = run("masters", "seal")
    assert result.exit_code == 1
    assert entry.key in result.output
