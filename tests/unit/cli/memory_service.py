"""A deployment in memory whose pipeline runs at every upload."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from vitrine.adapters.memory.edge_keys import MemoryEdgeKeys
from vitrine.adapters.memory.foreign_objects import MemoryForeignObjects
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.adapters.memory.messaging import MemoryQueue
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.adapters.memory.upload_addresses import MemoryUploadAddresses
from vitrine.api.application import answer
from vitrine.api.client import ApiClient
from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.api.services import Services
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.publisher import Publisher
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.repair.dead_letters import Worker
from vitrine.migrate.services import MigrationServices
from vitrine.ports import ObjectInfo
from vitrine.settings.departments import Department


class Masters(MemoryObjectStore):
    """Every upload is ingested before it returns."""

    services: MemoryIngestServices

    def upload(self, path: Path, key: str, **options: Any) -> ObjectInfo:
        info = super().upload(path, key, **options)
        self.services.ingest(key)
        return info

    def copy_in_place(self, key: str, metadata: Mapping[str, str], *, if_etag: str) -> ObjectInfo:
        info = super().copy_in_place(key, metadata, if_etag=if_etag)
        self.services.ingest(key)
        return info


def memory_service() -> Deployment:
    """Return a service in memory at made-up addresses."""
    masters = Masters()
    masters.services = MemoryIngestServices(
        masters=masters,
        limits=MasterLimits(pixels=1_000_000, bytes=1_000_000),
    )
    return Deployment(
        environment="local",
        edge_url="http://edge",
        origin_url="http://origin",
        masters=masters,
        site=MemoryObjectStore(),
        records=masters.services.records,
        identifiers=masters.services.identifiers,
        edge_keys=MemoryEdgeKeys(),
        events=masters.services.events,
        outcomes=masters.services.outcomes,
        pipeline=masters.services.pipeline,
        uploads=MemoryQueue(),
        failures=masters.services.failures,
        dead_letters=MemoryQueue(),
        workers=(Worker(name="UpdateGallery", queue=MemoryQueue(), dead_letters=MemoryQueue()),),
    )


def memory_migration(service: Deployment) -> MigrationServices:
    """Return what migrates files into a service in memory."""
    masters: Any = service.masters
    return MigrationServices(
        ingest=masters.services,
        masters_bucket="masters",
        foreign=MemoryForeignObjects(masters),
        region="us-east-1",
    )


CURATOR = "arn:aws:iam::000000000000:user/curator"


def api_client(service: Deployment, publisher: Publisher, department: tuple[str, ...]) -> ApiClient:
    """Return the API of a service, as it lets in a curator with these collections."""
    masters: Any = service.masters
    services = Services(
        publisher=publisher,
        masters=masters,
        uploads=MemoryUploadAddresses(masters),
        outcomes=service.outcomes,
        most_master_bytes=1_000_000,
        departments={"ours": Department(collections=department, members=(CURATOR,))},
    )

    def send(
        method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
    ) -> ApiResponse:
        request = ApiRequest(
            method=method,
            path=unquote(path),
            query=query,
            headers=headers,
            body=body,
            caller=CURATOR,
        )
        return answer(services, request)

    return ApiClient(send=send, pause=lambda seconds: None)
