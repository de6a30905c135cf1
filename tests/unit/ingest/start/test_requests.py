"""One new image sends S3 and DynamoDB the requests that docs/explanations/scale.md estimates."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vitrine.costs.ingest_work import STEPS
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import start_ingest
from vitrine.ingest.steps.check_master import check_master
from vitrine.ingest.steps.convert_master import convert_master
from vitrine.ingest.steps.publish_image import publish_image
from vitrine.ingest.steps.verify_access_master import verify_access_master

KEY = "a/nachtwache.tif"
STORES, TABLES = ("masters", "access_masters", "records"), ("identifiers", "outcomes")
GETS = {"head", "get", "read", "tags", "download"}
PUTS = {"put", "tag", "list_keys", "copy_in_place", "multipart"}
READS, WRITES = {"get", "get_many"}, {"record", "write"}
UNITS_OF_A_WRITE = {"record": 3, "write": 2}
"""At most: the table, out of an index, into it again; an identifier is never in it before."""


class Counting:
    """A port whose calls are counted."""

    def __init__(self, port: Any, calls: "Counter[str]") -> None:
        self._port, self._calls = port, calls

    def __getattr__(self, name: str) -> Any:
        self._calls[name] += 1
        return getattr(self._port, name)


@pytest.fixture
def calls(
    services: IngestServices, picture: Any, save: Callable[..., Path]
) -> dict[str, "tuple[Counter[str], Counter[str]]"]:
    """Calls of the stores and of the tables in each step of one ingest."""
    master = save("master.tif", (picture * 255).astype("u1"), photometric="rgb")
    services.masters.upload(master, KEY, content_type="image/tiff", metadata={})
    counted: dict[str, tuple[Counter[str], Counter[str]]] = {}

    def at(step: str) -> IngestServices:
        stores, tables = counted[step] = Counter(), Counter()
        ports = {name: Counting(getattr(services, name), stores) for name in STORES}
        ports |= {name: Counting(getattr(services, name), tables) for name in TABLES}
        return replace(services, **ports)  # type: ignore[arg-type]

    start_ingest(at("StartIngest"), KEY)
    executions = services.pipeline.executions  # type: ignore[attr-defined]
    request = IngestMaster.from_json(next(iter(executions.values())))
    converter = at("ConvertMaster")
    check_master(converter, request)
    converted = convert_master(converter, request)
    verify_access_master(at("VerifyAccessMaster"), converted)
    publish_image(at("PublishImage"), converted)
    return counted


def test_no_step_makes_more_requests_than_estimated(
    calls: dict[str, "tuple[Counter[str], Counter[str]]"],
) -> None:
    for step in STEPS[:4]:
        stores, tables = calls[step.name]
        assert sum(stores[name] for name in GETS) <= step.gets, step.name
        # The converter's parts are estimated from the size of the access master.
        parts = 1 if step.name == "ConvertMaster" else 0
        assert sum(stores[name] for name in PUTS) == step.puts + parts, step.name
        assert sum(tables[name] for name in READS) == step.reads, step.name
        units = sum(UNITS_OF_A_WRITE[name] * tables[name] for name in WRITES)
        assert step.writes in (units, units - 1), step.name  # the first outcome is in no index yet


def test_every_call_is_of_a_kind_that_is_estimated(
    calls: dict[str, "tuple[Counter[str], Counter[str]]"],
) -> None:
    for stores, tables in calls.values():
        assert set(stores) <= GETS | PUTS
        assert set(tables) <= READS | WRITES
