"""Queries over the shards of a listing index: the newest items, and their number."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vitrine.adapters.aws.errors import translate_errors
from vitrine.adapters.aws.items import SHARDS

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def query_newest_items(
    client: "DynamoDBClient", table: str, index: str, state: str, limit: int
) -> list[Mapping[str, Any]]:
    """Return up to `limit` items of `state`, the last changed first; one query per shard."""
    items: list[Mapping[str, Any]] = []
    for shard in SHARDS:
        items += _query_shard(client, table, index, f"{state}#{shard}", limit)
    items.sort(key=lambda item: str(item["changed_at"]["S"]), reverse=True)
    return items[:limit]


def count_items(client: "DynamoDBClient", table: str, index: str, state: str, limit: int) -> int:
    """Return the number of items in `state`, at most `limit`."""
    count = 0
    for shard in SHARDS:
        start: dict[str, Any] = {}
        while count < limit:
            with translate_errors(f"{table} {state}"):
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


def _query_shard(
    client: "DynamoDBClient", table: str, index: str, listing: str, limit: int
) -> list[Mapping[str, Any]]:
    items: list[Mapping[str, Any]] = []
    start: dict[str, Any] = {}
    while len(items) < limit:
        with translate_errors(f"{table} {listing}"):
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
