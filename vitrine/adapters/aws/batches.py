"""Reading many items of a table by their keys."""

import random
import time
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from vitrine.adapters.aws.errors import translate_table_errors
from vitrine.errors import TransientError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BATCH = 100
"""Keys in one BatchGetItem."""
ATTEMPTS = 8
PAUSE_SECONDS = 0.05


def batch_get(
    client: "DynamoDBClient",
    table: str,
    key: str,
    names: Collection[str],
    *,
    consistent: bool = False,
) -> Iterator[Mapping[str, Any]]:
    """Yield the existing items, in no order, eventually consistent unless `consistent`.

    Keys that DynamoDB left unprocessed because of throttling are requested again, with growing
    pauses. Raises TransientError if some stay unprocessed.
    """
    unique = list(dict.fromkeys(names))
    for start in range(0, len(unique), BATCH):
        keys: list[Any] = [{key: {"S": name}} for name in unique[start : start + BATCH]]
        for attempt in range(ATTEMPTS):
            with translate_table_errors(table):
                answer = client.batch_get_item(
                    RequestItems={table: {"Keys": keys, "ConsistentRead": consistent}}
                )
            yield from answer["Responses"].get(table, [])
            left = answer.get("UnprocessedKeys", {})
            keys = list(left[table]["Keys"]) if table in left else []
            if not keys:
                break
            time.sleep(PAUSE_SECONDS * 2**attempt * random.uniform(0.5, 1))
        else:
            raise TransientError(f"{table}: {len(keys)} keys were throttled; try again later")
