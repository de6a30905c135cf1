"""Empty buckets and tables on an emulator of AWS, without templates, rules or Lambdas."""

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rigs.free_port import free_port
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.local import emulator, process
from vitrine.records import Record

REGION = "us-east-1"
_INDEXES = {"by-listing": ("listing", "changed_at"), "by-target": ("target", "identifier")}
"""Indexes of the identifiers, as in `stacks/identify.py`."""
_NUMBERS = itertools.count(1)


@dataclass(frozen=True, kw_only=True)
class EmulatedPlace:
    """The names of buckets and tables, all of them empty at first."""

    access: AwsAccess
    access_masters: str
    site: str
    records: str
    identifiers: str
    catalogue: str

    @property
    def variables(self) -> dict[str, str]:
        """The settings that name them, by their names in the environment."""
        return {
            "VITRINE_ACCESS_MASTERS_BUCKET": self.access_masters,
            "VITRINE_SITE_BUCKET": self.site,
            "VITRINE_RECORDS_BUCKET": self.records,
            "VITRINE_IDENTIFIERS_TABLE": self.identifiers,
            "VITRINE_CATALOGUE_TABLE": self.catalogue,
        }

    def write_record(self, record: Record) -> None:
        """Write the first record of an identifier."""
        table = DynamoIdentifierTable(self.access.client("dynamodb"), self.identifiers)
        table.write(record, None)


@contextmanager
def running_emulator() -> Iterator[int]:
    """Start an emulator, yield its port, and stop it. Raises ProcessDied and TimeoutError."""
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        port = free_port()
        try:
            emulator.start(Path(folder), port, REGION)
            yield port
        finally:
            process.stop_all(Path(folder))


def make_place(port: int) -> EmulatedPlace:
    """Make buckets and tables of their own on the emulator at this port."""
    access, number = emulator.access(REGION, port), next(_NUMBERS)
    s3, dynamodb = access.client("s3"), access.client("dynamodb")
    buckets = {
        name: f"{name.replace('_', '-')}-{number}" for name in ("access_masters", "site", "records")
    }
    for bucket in buckets.values():
        s3.create_bucket(Bucket=bucket)
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    tables = {name: f"{name}-{number}" for name in ("identifiers", "catalogue")}
    _make_table(dynamodb, tables["identifiers"], ("identifier",), _INDEXES)
    _make_table(dynamodb, tables["catalogue"], ("subject", "record"), {})
    return EmulatedPlace(access=access, **buckets, **tables)


def _make_table(
    client: Any, name: str, key: tuple[str, ...], indexes: dict[str, tuple[str, str]]
) -> None:
    attributes = {attribute for keys in (key, *indexes.values()) for attribute in keys}
    more = [
        {
            "IndexName": index,
            "KeySchema": _key_schema(keys),
            "Projection": {"ProjectionType": "ALL"},
        }
        for index, keys in indexes.items()
    ]
    client.create_table(
        TableName=name,
        KeySchema=_key_schema(key),
        AttributeDefinitions=[
            {"AttributeName": attribute, "AttributeType": "S"} for attribute in sorted(attributes)
        ],
        BillingMode="PAY_PER_REQUEST",
        **({"GlobalSecondaryIndexes": more} if more else {}),
    )


def _key_schema(keys: tuple[str, ...]) -> list[dict[str, str]]:
    kinds = ("HASH", "RANGE")
    return [{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, kinds, strict=False)]
