"""The page on deployment, step by step, for an account in which nothing was deployed yet."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stacks.own_environments import own_environment
from vitrine.account.checks import FARGATE_VCPUS, check_account
from vitrine.account.edge_quotas import EDGE_QUOTAS
from vitrine.account.needs import read_needs
from vitrine.account.ports import Certificate
from vitrine.adapters.memory.account import MemoryAccount
from vitrine.settings.environments_file import EnvironmentsFile, EnvironmentsUnusable

pytestmark = pytest.mark.slow

ACCOUNT = "123456789012"
DESCRIBED = """
[prod]
region = "eu-west-1"
flavour = "{flavour}"
new_account = true
alarm_address = "images@example.org"
"""
EDGE = f"arn:aws:acm:us-east-1:{ACCOUNT}:certificate/1"
BALANCER = f"arn:aws:acm:eu-west-1:{ACCOUNT}:certificate/2"
NAME = "images.example.org"
LEFT = {
    "serverless": {"container bases"},
    "museum": {"container bases", "Fargate vCPUs"},
    "portal": {"container bases", "Fargate vCPUs"},
}
"""Findings of step 6 if step 1 pinned no bases, and before AWS has raised a quota."""


def _read(folder: Path, flavour: str, **values: str):
    text = DESCRIBED.format(flavour=flavour)
    text += "".join(f'{name} = "{value}"\n' for name, value in values.items())
    (folder / "environments.toml").write_text(text)
    return own_environment("prod", EnvironmentsFile.read(folder / "environments.toml"))


def _certificates(flavour: str) -> dict[str, str]:
    """Return what step 4 has one write."""
    both = {"certificate_arn": EDGE, "balancer_certificate_arn": BALANCER}
    if flavour == "serverless":
        del both["balancer_certificate_arn"]
    return {"domain_name": NAME, **both}


@pytest.mark.parametrize("flavour", LEFT)
def test_what_is_written_is_accepted_in_the_order_of_the_steps(flavour, tmp_path):
    _read(tmp_path, flavour)
    with pytest.raises(EnvironmentsUnusable, match="certificate"):
        _read(tmp_path, flavour, account=ACCOUNT)
    _read(tmp_path, flavour, **_certificates(flavour))
    _read(tmp_path, flavour, account=ACCOUNT, **_certificates(flavour))


@pytest.mark.parametrize("flavour", LEFT)
def test_the_check_asks_a_new_account_for_nothing_that_the_page_does_not_name(
    flavour, synthesize, tmp_path
):
    own = _read(tmp_path, flavour, account=ACCOUNT, **_certificates(flavour))
    needs = read_needs(synthesize(own).folder, own.region)
    issued = Certificate(status="ISSUED", names=(NAME,))
    account = MemoryAccount(
        number=ACCOUNT,
        bootstraps=dict.fromkeys(("eu-west-1", "us-east-1"), needs.bootstrap_version),
        lambdas=10,
        quotas={FARGATE_VCPUS: 6}
        | {("cloudfront", quota.code): quota.default for quota in EDGE_QUOTAS.values()},
        prefix_lists={"eu-west-1": own.prefix_list_id},
        certificates={(EDGE, "us-east-1"): issued, (BALANCER, "eu-west-1"): issued},
    )
    found = list(check_account(needs, account, datetime.now(UTC)))
    assert {item.subject for item in found if not item.well} == LEFT[flavour]


def test_a_tear_down_deletes_the_tables_and_keeps_the_buckets(synthesize, tmp_path):
    unprotected = replace(_read(tmp_path, "portal"), protected=False)
    policies = {
        kind: {item.body["DeletionPolicy"] for item in synthesize(unprotected).of(kind)}
        for kind in ("AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket")
    }
    assert policies["AWS::DynamoDB::GlobalTable"] == {"Delete"}
    assert policies["AWS::S3::Bucket"] == {"RetainExceptOnCreate"}
