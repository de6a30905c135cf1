"""Counters in DynamoDB, which its time to live removes."""

from typing import TYPE_CHECKING

from vitrine.adapters.aws.errors import translate_errors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KEY, EXPIRES = "name", "expires"
"""Attributes of an item."""


class DynamoUseCounter:
    """One item for each counter."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def add(self, name: str, *, expires: int) -> int:
        with translate_errors(name):
            response = self._client.update_item(
                TableName=self._table,
                Key={KEY: {"S": name}},
                UpdateExpression="ADD uses :one SET #expires = :expires",
                ExpressionAttributeNames={"#expires": EXPIRES},
                ExpressionAttributeValues={":one": {"N": "1"}, ":expires": {"N": str(expires)}},
                ReturnValues="UPDATED_NEW",
            )
        return int(response["Attributes"]["uses"]["N"])
