"""Steps called as Lambda calls them, over memory adapters, and a master for them."""

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pyvips

from vitrine.adapters.memory.catalogue_table import MemoryCatalogueTable
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.adapters.memory.messaging import MemoryQueue
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.catalogue.compose import Presentation
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import objects_journal
from vitrine.catalogue.statements import Catalogue
from vitrine.iiif.size import Limits as AnswerLimits
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.repair.reconciler import ReconcileServices
from vitrine.ingest.start.throttle import Throttle
from vitrine.ingest.start.upload_hints import StarterServices
from vitrine.ports import TakenMessage
from vitrine.site.gallery import GalleryServices
from vitrine.statistics.update import StatisticsServices


@dataclass
class Context:
    """The context that Lambda passes to a handler."""

    function_name: str = "step"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:eu-west-1:000000000000:function:step"
    aws_request_id: str = "1"

    milliseconds: int = 900_000

    def get_remaining_time_in_millis(self) -> int:
        """Return a full quarter of an hour, unless a test says otherwise."""
        return self.milliseconds


class Functions:
    """Call a step as Lambda would."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.services = MemoryIngestServices(limits=MasterLimits(pixels=1_000_000, bytes=1_000_000))
        self.catalogue = MemoryCatalogueTable()
        self.gallery = GalleryServices(
            site=MemoryObjectStore(),
            records=MemoryObjectStore(),
            catalogue=self.catalogue,
            identifiers=self.services.identifiers,
            length=3,
            base="https://m.example",
        )
        self.starter = StarterServices(
            ingest=self.services,
            uploads=MemoryQueue(),
            throttle=Throttle(self.services.pipeline, at_once=0, starters=1),
        )
        records = self.services.records
        self.publisher = Publisher(
            site=MemoryObjectStore(),
            records=records,
            catalogue=Catalogue(self.catalogue, objects_journal(records)),
            identifiers=self.services.identifiers,
            events=self.services.events,
            presentation=Presentation(base="https://m.example", limits=AnswerLimits(area=10**6)),
        )
        self.reconciler = ReconcileServices(
            starter=self.starter, notifications=MemoryQueue(), execution_timeout_seconds=60
        )
        self.statistics = StatisticsServices(
            logs=MemoryObjectStore(), log_prefix="log/", records=records, catalogue=self.catalogue
        )
        self._monkeypatch = monkeypatch

    def __call__(self, step: str, event: dict[str, Any], milliseconds: int = 900_000) -> Any:
        module = importlib.import_module(f"lambdas.{step}.handler")
        for name, services in (
            ("ingest_services", self.services),
            ("outcome_services", self.services),
            ("gallery_services", self.gallery),
            ("publisher", self.publisher),
            ("site_and_base", (self.publisher.site, "https://m.example")),
            ("starter_services", self.starter),
            ("reconcile_services", self.reconciler),
            ("statistics_services", self.statistics),
        ):
            if hasattr(module, name):
                self._monkeypatch.setattr(module, name, lambda services=services: services)
        return json.loads(json.dumps(module.handler(event, Context(milliseconds=milliseconds))))

    def upload(self, path: Path, key: str, body: bytes) -> dict[str, Any]:
        """Upload a master and start its ingest; return the execution's input."""
        path.write_bytes(body)
        self.services.masters.upload(path, key, content_type="", metadata={})
        assert self("start_ingest", batch(created(key))) == {"batchItemFailures": []}
        executions = self.services.pipeline.executions
        return list(executions.values())[-1]


def picture() -> bytes:
    body: bytes = pyvips.Image.xyz(300, 200).cast("uchar").extract_band(0).tiffsave_buffer()
    return body


def created(key: str) -> str:
    return json.dumps({"detail-type": "Object Created", "detail": {"object": {"key": key}}})


def batch(*bodies: str, receives: int = 1) -> dict[str, Any]:
    attributes = {"ApproximateReceiveCount": str(receives)}
    return {
        "Records": [
            {"messageId": str(number), "body": body, "attributes": attributes}
            for number, body in enumerate(bodies)
        ]
    }


def batch_of(taken: list[TakenMessage]) -> dict[str, Any]:
    """Return the event of messages that were taken from a queue, each for the first time."""
    return {
        "Records": [
            {
                "messageId": f"message-{message.receipt}",
                "receiptHandle": message.receipt,
                "body": message.body,
                "attributes": {"ApproximateReceiveCount": "1"},
            }
            for message in taken
        ]
    }
