"""The catalogue in DynamoDB: one item for each statement, with those about a subject together.

Nothing is conditional: a statement of a revision that is settled never changes, and one that is
written again before that only costs its readers a look at the journal.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from vitrine.adapters.aws.batches import batch_write
from vitrine.adapters.aws.errors import translate_table_errors
from vitrine.joined_calls import JoinedCalls
from vitrine.ports import Statement

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

SUBJECT, RECORD = "subject", "record"
"""Key attributes: what a statement is about, and author and revision of the record that says it."""
_SEPARATOR = "\t"
"""No identifier has a control character."""


class DynamoCatalogueTable:
    """Reads are strongly consistent queries; 25 statements are written by one request."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table
        self._writes = JoinedCalls(self._write)

    def about(self, subject: str) -> Iterator[Statement]:
        query: dict[str, Any] = {
            "TableName": self._table,
            "KeyConditionExpression": "subject = :subject",
            "ExpressionAttributeValues": {":subject": {"S": subject}},
            "ConsistentRead": True,
        }
        while True:
            with translate_table_errors(subject):
                page = self._client.query(**query)
            yield from map(_decode, page["Items"])
            if "LastEvaluatedKey" not in page:
                return
            query["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def write(self, statements: Collection[Statement]) -> None:
        if statements:
            self._writes(statements)

    def _write(self, statements: Collection[Statement]) -> None:
        # Two may write the same statement at the same time.
        items = {(one.subject, one.author, one.revision): _encode(one) for one in statements}
        batch_write(self._client, self._table, list(items.values()))


def _encode(statement: Statement) -> dict[str, Any]:
    record = f"{statement.author}{_SEPARATOR}{statement.revision:010}"
    item: dict[str, Any] = {
        SUBJECT: {"S": statement.subject},
        RECORD: {"S": record},
        "said_at": {"S": statement.said_at},
    }
    if statement.says is not None:
        item["says"] = {"L": [{"S": word} for word in statement.says]}
    return item


def _decode(item: Mapping[str, Any]) -> Statement:
    author, _, revision = item[RECORD]["S"].rpartition(_SEPARATOR)
    says = item.get("says")
    return Statement(
        subject=item[SUBJECT]["S"],
        author=author,
        revision=int(revision),
        said_at=item["said_at"]["S"],
        says=tuple(word["S"] for word in says["L"]) if says else None,
    )
