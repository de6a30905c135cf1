"""The identifiers table in DynamoDB."""

from collections.abc import Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from vitrine.adapters.aws.batches import batch_get
from vitrine.adapters.aws.errors import translate_errors, translate_table_errors
from vitrine.adapters.aws.items import (
    decode_record,
    decode_records,
    encode_record,
    encode_values,
)
from vitrine.adapters.aws.listing import count_items, query_newest_items
from vitrine.errors import RecordDamaged
from vitrine.joined_calls import JoinedCalls
from vitrine.records import Live, Record, Redirect

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import PutItemInputTypeDef

BY_TARGET = "by-target"


class DynamoIdentifierTable:
    """Reads are strongly consistent, a change is one conditional write."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table
        self._reads = {
            consistent: JoinedCalls(partial(self._get_many, consistent))
            for consistent in (False, True)
        }

    def get(self, identifier: str) -> Record | None:
        with translate_table_errors(identifier):
            response = self._client.get_item(
                TableName=self._table,
                Key={"identifier": {"S": identifier}},
                ConsistentRead=True,
            )
        record = decode_record(response["Item"]) if "Item" in response else None
        if isinstance(record, RecordDamaged):
            raise record
        return record

    def get_many(
        self, identifiers: Collection[str], *, consistent: bool = False
    ) -> dict[str, Record | RecordDamaged]:
        if not identifiers:
            return {}
        found = self._reads[consistent](identifiers)
        return {name: found[name] for name in identifiers if name in found}

    def _get_many(
        self, consistent: bool, identifiers: Collection[str]
    ) -> dict[str, Record | RecordDamaged]:
        items = batch_get(
            self._client, self._table, "identifier", identifiers, consistent=consistent
        )
        return {item["identifier"]["S"]: decode_record(item) for item in items}

    def write(self, record: Record, replaces: Record | RecordDamaged | None) -> None:
        condition: PutItemInputTypeDef = {"TableName": self._table, "Item": encode_record(record)}
        if replaces is None:
            condition["ConditionExpression"] = "attribute_not_exists(identifier)"
        else:
            values: dict[str, Any] = {":replaces": replaces.revision}
            condition["ConditionExpression"] = "revision = :replaces"
            if isinstance(replaces, RecordDamaged) and not replaces.revision:
                condition["ConditionExpression"] = "NOT attribute_type(revision, :number)"
                values = {":number": "N"}
            condition["ExpressionAttributeValues"] = encode_values(values)
        with translate_errors(record.identifier):
            self._client.put_item(**condition)

    def newest(self, limit: int) -> list[Live]:
        return [record for record in self.by_state("live", limit) if isinstance(record, Live)]

    def by_state(self, state: str, limit: int) -> list[Record]:
        items = query_newest_items(self._client, self._table, "by-listing", state, limit)
        return decode_records(items)

    def count(self, state: str, limit: int) -> int:
        return count_items(self._client, self._table, "by-listing", state, limit)

    def redirects_to(self, target: str) -> Iterator[Redirect]:
        query: dict[str, Any] = {
            "TableName": self._table,
            "IndexName": BY_TARGET,
            "KeyConditionExpression": "target = :target",
            "ExpressionAttributeValues": {":target": {"S": target}},
        }
        yield from self._read_redirects(self._client.query, query, target)

    def redirects(self) -> Iterator[Redirect]:
        scan = {"TableName": self._table, "IndexName": BY_TARGET}
        yield from self._read_redirects(self._client.scan, scan, self._table)

    def _read_redirects(
        self, request: Any, parameters: dict[str, Any], subject: str
    ) -> Iterator[Redirect]:
        """Yield the redirects of the index, which is sparse: only they have a target."""
        while True:
            with translate_errors(subject):
                page = request(**parameters)
            records = decode_records(page["Items"])
            yield from (record for record in records if isinstance(record, Redirect))
            if "LastEvaluatedKey" not in page:
                return
            parameters = parameters | {"ExclusiveStartKey": page["LastEvaluatedKey"]}
