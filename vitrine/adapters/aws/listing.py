"""Newest first over the shards of a listing index, and how many."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vitrine.adapters.aws.errors import translated
from vitrine.adapters.aws.items import SHARDS

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def newest_items(
    client: "DynamoDBClient", table: str, index: str, state: str, limit: int
) -> list[Mapping[str, Any]]:
    """Up to `limit` items of `state`, the last changed first; one query per shard."""
    items: list[Mapping[str, Any]] = []
    for shard in SHARDS:
        items += _newest_of_shard(client, table, index, f"{state}#{shard}", limit)
    items.sort(key=lambda item: str(item["changed_at"]["S"]), reverse=True)
    return items[:limit]


def count_items(client: "DynamoDBClient", table: str, index: str, state: str, limit: int) -> int:
    """How many items are in `state`; counting ends at `limit`."""
    count = 0
    for shard in SHARDS:
        start: dict[str, Any] = {}
        while count < limit:
            with translated(f"{table} {state}"):
                page = client.query(
                    TableName=table,
                    IndexName=index,
                    KeyConditionExpression="listing = :listing",
                    ExpressionAttributeValues={":listing": {"S": f"{state}#{shard}"}},
                    Select="COUNT",
                    **start,
                )
            count += page["Count"]
            if "LastEvaluatedKey" not in page:
                break
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    return min(count, limit)


def _newest_of_shard(
    client: "DynamoDBClient", table: str, index: str, listing: str, limit: int
) -> list[Mapping[str, Any]]:
    items: list[Mapping[str, Any]] = []
    start: dict[str, Any] = {}
    while len(items) < limit:
        with translated(f"{table} {listing}"):
            page = client.query(
                TableName=table,
                IndexName=index,
                KeyConditionExpression="listing = :listing",
                ExpressionAttributeValues={":listing": {"S": listing}},
                ScanIndexForward=False,
                Limit=limit - len(items),
                **start,
            )
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    return items
