"""The outcomes table in DynamoDB."""

from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING

from vitrine.adapters.aws.batches import batch_get
from vitrine.adapters.aws.errors import translate_errors
from vitrine.adapters.aws.items import decode_outcomes, encode_outcome, encode_values
from vitrine.adapters.aws.listing import count_items, query_newest_items
from vitrine.errors import PreconditionFailed
from vitrine.records import Outcome

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_NEWER = (
    "attribute_not_exists(master_key)"
    " OR (master_version <> :version AND master_modified < :modified)"
    " OR (master_version = :over AND master_modified = :modified)"
)
_NOT_OLDER = f"{_NEWER} OR (master_version = :version AND master_modified <= :modified)"
_NOT_FINISHED = (
    f"{_NEWER}"
    " OR (master_version = :version AND #state = :running)"
    " OR (master_version = :version AND #state <> :published AND execution = :redrives)"
)
NOTHING = "nothing"
"""A name that no execution and no version has: an outcome without one is not redriven."""


class DynamoOutcomeTable:
    """One item per master: its latest outcome."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def get(self, master_key: str) -> Outcome | None:
        with translate_errors(master_key):
            response = self._client.get_item(
                TableName=self._table,
                Key={"master_key": {"S": master_key}},
                ConsistentRead=True,
            )
        found = decode_outcomes([response["Item"]] if "Item" in response else [])
        return found[0] if found else None

    def get_many(self, master_keys: Collection[str]) -> dict[str, Outcome]:
        items = batch_get(self._client, self._table, "master_key", master_keys)
        return {outcome.master_key: outcome for outcome in decode_outcomes(items)}

    def record(self, outcome: Outcome, over: str = "") -> bool:
        running = outcome.state == "running"
        older = over if over != outcome.master_version else ""
        values = {":modified": outcome.master_modified, ":version": outcome.master_version}
        values |= {":over": older or NOTHING}
        if running:
            values |= {":running": "running", ":published": "published"}
            values |= {":redrives": outcome.redrives or NOTHING}
        names = {"ExpressionAttributeNames": {"#state": "state"}} if running else {}
        with suppress(PreconditionFailed), translate_errors(outcome.master_key):
            self._client.put_item(
                TableName=self._table,
                Item=encode_outcome(outcome),
                ConditionExpression=_NOT_FINISHED if running else _NOT_OLDER,
                ExpressionAttributeValues=encode_values(values),
                **names,  # type: ignore[arg-type]
            )
            return True
        return False

    def by_state(self, state: str, limit: int) -> list[Outcome]:
        items = query_newest_items(self._client, self._table, "by-state", state, limit)
        return decode_outcomes(items)

    def count(self, state: str, limit: int) -> int:
        return count_items(self._client, self._table, "by-state", state, limit)
