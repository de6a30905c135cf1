"""What it takes DynamoDB to say what some authors say of a subject of whom thousands speak."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.backends import Backend
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.catalogue_table import ITEMS
from vitrine.ports import Statement

STATEMENT = Statement(subject="kinds", author="", revision=1, said_at="2026-11-29", says=("moved",))
STATEMENTS = 3_000


@pytest.mark.parametrize(
    ("authors", "queries"),
    [
        # Each of few by itself, whatever is between them.
        ([f"{number:05}" for number in range(0, STATEMENTS, 600)], 5),
        # Many neighbours by answers that become longer.
        ([f"{number:05}" for number in range(STATEMENTS)], 6),
        # Where nothing is said, one finds that out for all.
        ([f"9{number:05}" for number in range(1_000)], 1),
    ],
    ids=["few", "all", "others"],
)
def test_requests_follow_the_authors(
    cloud: AwsAccess, authors: Sequence[str], queries: int
) -> None:
    catalogue, sent = Backend(cloud).catalogue(), list[Any]()
    catalogue.write([replace(STATEMENT, author=f"{number:05}") for number in range(STATEMENTS)])
    events = cloud.client("dynamodb").meta.events
    events.register("provide-client-params.dynamodb.Query", lambda params, **_: sent.append(params))
    found = [one.author for one in catalogue.about("kinds", authors)]
    assert found == [one for one in authors if not one.startswith("9")]
    assert len(sent) <= queries
    assert sent[0]["Limit"] == ITEMS
