"""A gateway over a table and a bucket that refuse, and what they answer."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.rigs.clock import Clock
from tests.unit.deliver.answer.gateway_bench import HOST, NamingImages
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.answer.lookup import RecordLookup
from vitrine.deliver.answer.page_texts import PageTexts
from vitrine.deliver.answer.publications import Publications
from vitrine.deliver.http.exchange import Request, Response
from vitrine.deliver.http.faults import Faults
from vitrine.deliver.http.health import Readiness
from vitrine.settings.deliver import DeliverSettings

TTL = 30.0


def dynamo_error(status: int, code: str) -> tuple[int, bytes]:
    error = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "No."}
    return status, json.dumps(error).encode()


@contextmanager
def gateway_over(
    table: DynamoIdentifierTable, site: Any, clock: Clock, faults: Faults
) -> Iterator[Gateway]:
    lookup = RecordLookup(table, TTL, clock, faults)
    images = NamingImages()
    publications = Publications(site, faults)
    try:
        yield Gateway(
            settings=DeliverSettings(
                access_masters_bucket="b",
                site_bucket="s",
                identifiers_table="t",
                derivative_cache_mebibytes=0,
                tile_cache_mebibytes=0,
            ),
            lookup=lookup,
            images=images,  # type: ignore[arg-type]
            whole_images=images,
            page_pictures=images,  # type: ignore[arg-type]
            page_texts=PageTexts(site, Faults()),
            publications=publications,
            readiness=Readiness({"iipsrv": images.check}),
        )
    finally:
        lookup.close()
        publications.close()


async def ask(gateway: Gateway, path: str) -> Response:
    return await gateway.respond(Request(method="GET", path=path, headers=HOST))
