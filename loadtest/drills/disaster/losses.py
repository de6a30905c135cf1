"""What is lost: all versions of a bucket's objects, a table, an environment."""

from typing import Any

from vitrine.adapters.aws.access import AwsAccess
from vitrine.ports import ObjectStore, VersionedStore
from vitrine.store.revisions import list_folder

_TABLE_FIELDS = ("TableName", "KeySchema", "AttributeDefinitions")
_INDEX_FIELDS = ("IndexName", "KeySchema", "Projection")


def lose_bucket(access: AwsAccess, bucket: str) -> int:
    """Delete every version of every object, as no role of ours may; return how many."""
    client = access.client("s3")
    deleted = 0
    for page in client.get_paginator("list_object_versions").paginate(Bucket=bucket):
        for entry in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
            client.delete_object(Bucket=bucket, Key=entry["Key"], VersionId=entry["VersionId"])
            deleted += 1
    return deleted


def lose_table(access: AwsAccess, table: str) -> dict[str, Any]:
    """Delete a table with its backups; return what it takes to make it again, empty."""
    client = access.client("dynamodb")
    described: dict[str, Any] = client.describe_table(TableName=table)["Table"]
    client.update_table(TableName=table, DeletionProtectionEnabled=False)
    client.delete_table(TableName=table)
    again = {name: described[name] for name in _TABLE_FIELDS}
    if indexes := described.get("GlobalSecondaryIndexes"):
        again["GlobalSecondaryIndexes"] = [
            {name: index[name] for name in _INDEX_FIELDS} for index in indexes
        ]
    return again | {"BillingMode": "PAY_PER_REQUEST"}


def make_table_again(access: AwsAccess, definition: dict[str, Any]) -> None:
    """Make a lost table again under its name, empty: worse than any backup."""
    access.client("dynamodb").create_table(**definition)


def copy_bucket(source: VersionedStore, target: ObjectStore) -> int:
    """Copy the newest versions, as replication into another region has; return how many."""
    copied = 0
    for key in list_folder(source, ""):
        body, info = source.get(key)
        target.put(key, body, content_type="application/octet-stream", metadata=info.metadata)
        copied += 1
    return copied
