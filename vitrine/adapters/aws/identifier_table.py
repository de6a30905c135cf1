"""The identifiers table in DynamoDB."""

from typing import TYPE_CHECKING

from vitrine.adapters.aws.errors import translated
from vitrine.adapters.aws.items import encode, live_item, record_from
from vitrine.adapters.aws.listing import newest_items
from vitrine.identify.record import Live, Record

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_MAY_PUBLISH = (
    "attribute_not_exists(identifier) OR #state <> :live"
    " OR (master_key = :master_key AND master_modified <= :master_modified)"
)


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

    def publish(self, image: Live) -> None:
        values = {
            ":live": "live",
            ":master_key": image.master_key,
            ":master_modified": image.master_modified,
        }
        with translated(image.identifier):
            self._client.put_item(
                TableName=self._table,
                Item=live_item(image),
                ConditionExpression=_MAY_PUBLISH,
                ExpressionAttributeNames={"#state": "state"},
                ExpressionAttributeValues=encode(values),
            )

    def newest(self, limit: int) -> list[Live]:
        items = newest_items(self._client, self._table, "by-listing", "live", limit)
        records = [record_from(item) for item in items]
        return [record for record in records if isinstance(record, Live)]
