"""The identifiers table in DynamoDB."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from vitrine.adapters.aws.batches import batch_get
from vitrine.adapters.aws.errors import translated
from vitrine.adapters.aws.items import encode, gone_item, live_item, record_from
from vitrine.adapters.aws.listing import newest_items
from vitrine.identify.record import Gone, Live, Record

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_MAY_PUBLISH = (
    "attribute_not_exists(identifier) OR #state <> :live"
    " OR (master_key = :master_key AND master_modified <= :master_modified)"
)
_MAY_WITHDRAW = "#state = :live AND master_key = :master_key AND master_version = :master_version"


class DynamoIdentifierTable:
    """Reads are strongly consistent, a publication is one conditional write."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def get(self, identifier: str) -> Record | None:
        with translated(identifier):
            response = self._client.get_item(
                TableName=self._table,
                Key={"identifier": {"S": identifier}},
                ConsistentRead=True,
            )
        return record_from(response["Item"]) if "Item" in response else None

    def get_many(self, identifiers: Collection[str]) -> dict[str, Record]:
        items = batch_get(self._client, self._table, "identifier", identifiers)
        records = [record_from(item) for item in items]
        return {record.identifier: record for record in records}

    def publish(self, image: Live) -> Record | None:
        values = {
            ":live": "live",
            ":master_key": image.master_key,
            ":master_modified": image.master_modified,
        }
        with translated(image.identifier):
            response = self._client.put_item(
                TableName=self._table,
                Item=live_item(image),
                ConditionExpression=_MAY_PUBLISH,
                ExpressionAttributeNames={"#state": "state"},
                ExpressionAttributeValues=encode(values),
                ReturnValues="ALL_OLD",
            )
        return record_from(response["Attributes"]) if response.get("Attributes") else None

    def withdraw(self, image: Live, tombstone: Gone) -> None:
        values = {
            ":live": "live",
            ":master_key": image.master_key,
            ":master_version": image.master_version,
        }
        with translated(image.identifier):
            self._client.put_item(
                TableName=self._table,
                Item=gone_item(tombstone),
                ConditionExpression=_MAY_WITHDRAW,
                ExpressionAttributeNames={"#state": "state"},
                ExpressionAttributeValues=encode(values),
            )

    def newest(self, limit: int) -> list[Live]:
        items = newest_items(self._client, self._table, "by-listing", "live", limit)
        records = [record_from(item) for item in items]
        return [record for record in records if isinstance(record, Live)]
