"""The API over ports in memory; what is uploaded is ingested at once."""

import itertools
import json
from collections.abc import Mapping
from typing import Any

from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.catalogue_table import MemoryCatalogueTable
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.adapters.memory.upload_addresses import MemoryUploadAddresses
from vitrine.api.application import answer
from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.api.services import Services
from vitrine.catalogue.compose import Presentation
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import objects_journal
from vitrine.catalogue.statements import Catalogue
from vitrine.iiif.size import Limits
from vitrine.ingest.inspect import limits
from vitrine.ports import ObjectInfo

BASE = "https://images.example.org"
CALLER = "arn:aws:iam::000000000000:user/curator"


class Masters(MemoryObjectStore):
    """Every version of a master is ingested before the write returns."""

    ingest: MemoryIngestServices

    def put(self, key: str, body: bytes, **options: Any) -> ObjectInfo:
        info = super().put(key, body, **options)
        self.ingest.ingest(key)
        return info

    def copy_in_place(self, key: str, metadata: Mapping[str, str], *, if_etag: str) -> ObjectInfo:
        info = super().copy_in_place(key, metadata, if_etag=if_etag)
        self.ingest.ingest(key)
        return info


class ApiBench:
    """`ask` and what is under it, with published images of these names."""

    def __init__(self, *images: str) -> None:
        self.masters = Masters()
        self.ingest = self.masters.ingest = MemoryIngestServices(
            masters=self.masters, limits=limits.MasterLimits(pixels=1_000_000, bytes=1_000_000)
        )
        for image in images:
            self.ingest.identifiers.write(live(image, 800, 600, revision=1), None)
        self.records = self.ingest.records
        self.site = MemoryObjectStore()
        self.uploads = MemoryUploadAddresses(self.masters)
        self.services = Services(
            publisher=Publisher(
                site=self.site,
                records=self.records,
                catalogue=Catalogue(MemoryCatalogueTable(), objects_journal(self.records)),
                identifiers=self.ingest.identifiers,
                events=self.ingest.events,
                presentation=Presentation(base=BASE, limits=Limits(area=25_000_000)),
            ),
            masters=self.masters,
            uploads=self.uploads,
            outcomes=self.ingest.outcomes,
            most_master_bytes=1_000_000,
        )
        self._keys = itertools.count(1)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: str = "",
        caller: str = CALLER,
        raw: bytes | None = None,
        **headers: str,
    ) -> ApiResponse:
        """Answer a request; header names have `_` for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None or raw is not None:
            named.setdefault("content-type", "application/json")
        if method == "POST":
            named.setdefault("idempotency-key", f"key-{next(self._keys)}")
        sent = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        request = ApiRequest(
            method=method, path=path, query=query, headers=named, body=sent, caller=caller
        )
        return answer(self.services, request)


def content(response: ApiResponse) -> Any:
    """Return the JSON of an answer."""
    return json.loads(response.body)


def code(response: ApiResponse) -> tuple[int, str]:
    """Return the status and the code of a problem."""
    assert response.headers["content-type"] == "application/problem+json"
    document = content(response)
    assert document["status"] == response.status
    return response.status, str(document["type"]).removeprefix("/problems/")


def letter(identifier: str = "letter", title: str = "A letter", *images: str) -> dict[str, Any]:
    """Return the record of an object, as JSON."""
    canvases = [{"image": image} for image in images or ("one", "two")]
    return {
        "type": "object",
        "identifier": identifier,
        "label": {"en": [title]},
        "canvases": canvases,
    }
