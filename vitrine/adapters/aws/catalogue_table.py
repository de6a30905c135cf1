"""The catalogue in DynamoDB: one item for each statement, with those about a subject together.

Nothing is conditional: a statement of a revision that is settled never changes, and one that is
written again before that only costs its readers a look at the journal.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vitrine.adapters.aws.batches import batch_write
from vitrine.adapters.aws.errors import translate_table_errors
from vitrine.joined_calls import JoinedCalls
from vitrine.ports import Statement
from vitrine.store.revisions import LAST_REVISION

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

SUBJECT, RECORD = "subject", "record"
"""Key attributes: what a statement is about, and author and revision of the record that says it."""
_SEPARATOR = "\t"
"""No identifier has a control character."""
ITEMS, MAX_ITEMS = 50, 1_000
"""Statements in one answer where those of some authors are read: as many as are paid as one, and
less than DynamoDB sends at once."""


class DynamoCatalogueTable:
    """Reads are strongly consistent queries; 25 statements are written by one request."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table
        self._writes = JoinedCalls(self._write)

    def about(self, subject: str, authors: Collection[str] | None = None) -> Iterator[Statement]:
        if authors is not None:
            yield from self._said_by(sorted({*authors}), subject)
            return
        start: dict[str, Any] = {}
        while True:
            page = self._query(subject, **start)
            yield from map(_decode, page["Items"])
            if "LastEvaluatedKey" not in page:
                return
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def _said_by(self, authors: Sequence[str], subject: str) -> Iterator[Statement]:
        """Yield what these say of a subject; they are in order, as strings and so as UTF-8.

        Statements between the first and the last of them come with theirs. The more of them one
        answer passed, the longer is the next one; it begins at the next author.
        """
        names, number, limit, start = {*authors}, 0, ITEMS, dict[str, Any]()
        while number < len(authors):
            first, last = _sort_key(authors[number], 0), _sort_key(authors[-1], LAST_REVISION)
            page = self._query(subject, first, last, Limit=limit, **start)
            found = [_decode(item) for item in page["Items"]]
            yield from (one for one in found if one.author in names)
            if "LastEvaluatedKey" not in page:
                return
            began, behind = number, found[-1].author
            while authors[number] < behind:
                number += 1
            # Of this author there may be more.
            is_within = authors[number] == behind
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]} if is_within else {}
            passed = number - began
            limit = min(ITEMS * passed if passed else 2 * limit, MAX_ITEMS)

    def _query(self, subject: str, first: str = "", last: str = "", **options: Any) -> Any:
        condition, values = "subject = :subject", {":subject": {"S": subject}}
        if last:
            condition += " AND #record BETWEEN :first AND :last"
            values |= {":first": {"S": first}, ":last": {"S": last}}
            options["ExpressionAttributeNames"] = {"#record": RECORD}
        with translate_table_errors(subject):
            return self._client.query(
                TableName=self._table,
                KeyConditionExpression=condition,
                ExpressionAttributeValues=values,
                ConsistentRead=True,
                **options,
            )

    def write(self, statements: Collection[Statement]) -> None:
        if statements:
            self._writes(statements)

    def _write(self, statements: Collection[Statement]) -> None:
        # Two may write the same statement at the same time.
        items = {(one.subject, one.author, one.revision): _encode(one) for one in statements}
        batch_write(self._client, self._table, list(items.values()))


def _encode(statement: Statement) -> dict[str, Any]:
    item: dict[str, Any] = {
        SUBJECT: {"S": statement.subject},
        RECORD: {"S": _sort_key(statement.author, statement.revision)},
        "said_at": {"S": statement.said_at},
    }
    if statement.says is not None:
        item["says"] = {"L": [{"S": word} for word in statement.says]}
    return item


def _sort_key(author: str, revision: int) -> str:
    return f"{author}{_SEPARATOR}{revision:010}"


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
