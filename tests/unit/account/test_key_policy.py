"""The policy of an operator's key is compared with what the service needs of it."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.account.account_needs import ACCOUNT, NEEDS, NOW, ready
from vitrine.account.checks import check_account
from vitrine.account.key_policy import find_missing, required_statements

REGION = "eu-west-1"
KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/1"
SIDS = [one["Sid"] for one in required_statements(ACCOUNT, REGION)]
ADMINISTRATORS = {
    "Effect": "Allow",
    "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"},
    "Action": "kms:*",
    "Resource": "*",
}
PAGE = Path(__file__).parents[3] / "docs/howto/use-your-own-key.md"


def policy(*statements: Any) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": [ADMINISTRATORS, *statements]}


def test_the_policy_that_a_new_key_has_is_not_enough() -> None:
    """It leaves all to the account's roles, and none of ours has a right to a key."""
    assert find_missing(policy(), ACCOUNT, REGION) == SIDS


@pytest.mark.parametrize("sid", SIDS)
def test_each_statement_is_missed(sid: str) -> None:
    others = [one for one in required_statements(ACCOUNT, REGION) if one["Sid"] != sid]
    assert find_missing(policy(*others), ACCOUNT, REGION) == [sid]


def test_nothing_is_missed_in_what_is_required() -> None:
    required = required_statements(ACCOUNT, REGION)
    assert find_missing(policy(*required), ACCOUNT, REGION) == []


@pytest.mark.parametrize(
    "change",
    [
        {"Effect": "Deny"},
        {"Action": "kms:Decrypt"},
        {"Principal": {"Service": "sns.amazonaws.com"}},
        {"NotAction": "kms:Encrypt", "Action": []},
    ],
)
def test_a_statement_that_gives_less_does_not_count(change: dict[str, Any]) -> None:
    required = required_statements(ACCOUNT, REGION)
    [events] = [one for one in required if one["Sid"] == "EventsToQueues"]
    others = [one for one in required if one is not events]
    assert find_missing(policy(*others, events | change), ACCOUNT, REGION) == ["EventsToQueues"]


def test_a_statement_may_be_written_otherwise_and_for_named_roles() -> None:
    data, *others = required_statements(ACCOUNT, REGION)
    roles = {"AWS": [f"arn:aws:iam::{ACCOUNT}:role/vitrine", f"arn:aws:iam::{ACCOUNT}:role/b"]}
    written = data | {"Sid": "Ours", "Principal": roles, "Action": ["kms:*"]}
    assert find_missing(policy(written, *others), ACCOUNT, REGION) == []


def test_the_check_of_the_account_says_what_to_add() -> None:
    account, needs = ready(), replace(NEEDS, keys=(KEY,))
    found = {item.subject: item for item in check_account(needs, account, NOW)}["key"]
    assert "does not exist, or is disabled" in found.found
    account.key_policies[KEY] = policy(*required_statements(ACCOUNT, REGION)[1:])
    found = {item.subject: item for item in check_account(needs, account, NOW)}["key"]
    assert found.found == f"{KEY}: its policy lacks DataOfThisAccount"
    [statement] = json.loads(found.remedy.removeprefix("add to its policy: ").partition(" (")[0])
    account.key_policies[KEY]["Statement"].append(statement)  # type: ignore[attr-defined]
    found = {item.subject: item for item in check_account(needs, account, NOW)}["key"]
    assert found.well


def test_the_page_has_these_statements() -> None:
    [block] = re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert json.loads(block) == required_statements("123456789012", REGION)
