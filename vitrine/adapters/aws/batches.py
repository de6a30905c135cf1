"""Reading and writing many items of a table at once."""

import random
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from vitrine.adapters.aws.errors import translate_table_errors
from vitrine.errors import TransientError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BATCH, WRITTEN_BATCH = 100, 25
"""Keys in one BatchGetItem, and items in one BatchWriteItem."""
WRITERS = 8
"""Requests that write at the same time."""
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
            _pause(attempt)
        else:
            raise TransientError(f"{table}: {len(keys)} keys were throttled; try again later")


def batch_write(client: "DynamoDBClient", table: str, items: Sequence[Mapping[str, Any]]) -> None:
    """Put items whose keys differ, each in place of what has its key.

    What DynamoDB left unprocessed because of throttling is written again, with growing pauses.
    Raises TransientError if some stays unprocessed; others may be written then.
    """

    def write(start: int) -> None:
        batch = items[start : start + WRITTEN_BATCH]
        requests: Any = [{"PutRequest": {"Item": item}} for item in batch]
        for attempt in range(ATTEMPTS):
            with translate_table_errors(table):
                answer = client.batch_write_item(RequestItems={table: requests})
            requests = answer.get("UnprocessedItems", {}).get(table, [])
            if not requests:
                return
            _pause(attempt)
        raise TransientError(f"{table}: {len(requests)} items were throttled; try again later")

    starts = range(0, len(items), WRITTEN_BATCH)
    with ThreadPoolExecutor(
        max(1, min(WRITERS, len(starts))), thread_name_prefix="items"
    ) as threads:
        for _ in threads.map(write, starts):
            pass


def _pause(attempt: int) -> None:
    time.sleep(PAUSE_SECONDS * 2**attempt * random.uniform(0.5, 1))
