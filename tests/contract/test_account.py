"""What every account answers, in memory and of the emulator."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from vitrine.account.ports import Account, Certificate, DeployedStack
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.account import BOOTSTRAP_VERSION, AwsAccount
from vitrine.adapters.memory.account import MemoryAccount

REGION, OTHER = "eu-north-1", "eu-south-1"
CREATED = datetime(2026, 11, 1, tzinfo=UTC)
NUMBER = "000000000000"
PREFIX_LIST = "pl-be66bd33c36e32cc5"
"""The emulator's, in every region."""
NAMES = ("images.example.org", "*.example.org")
POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"AWS": f"arn:aws:iam::{NUMBER}:root"},
            "Action": "kms:*",
            "Resource": "*",
        }
    ],
}
TEMPLATE = '{"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}'


@dataclass(frozen=True)
class Prepared:
    """An account with a bootstrap in `REGION` and a certificate there."""

    account: Account
    certificate: str
    key: str


@pytest.fixture(params=["memory", "emulator"])
def prepared(request: pytest.FixtureRequest) -> Prepared:
    """Accounts of both kinds."""
    if request.param == "memory":
        arn = "arn:aws:acm:eu-north-1:000000000000:certificate/1"
        key = "arn:aws:kms:eu-north-1:000000000000:key/1"
        issued = Certificate(status="ISSUED", names=NAMES)
        return Prepared(
            MemoryAccount(
                bootstraps={REGION: 21},
                prefix_lists={REGION: PREFIX_LIST},
                certificates={(arn, REGION): issued},
                key_policies={key: POLICY},
                templates={(REGION, "free"): json.loads(TEMPLATE)},
                deployed={
                    REGION: (
                        DeployedStack(name="free", created=CREATED),
                        DeployedStack(name="protected", created=CREATED),
                    ),
                    OTHER: (),
                },
            ),
            arn,
            key,
        )
    cloud: AwsAccess = request.getfixturevalue("cloud")

    def access(region: str) -> AwsAccess:
        return AwsAccess(cloud.endpoint_url, region, dummy_credentials=True)

    home = access(REGION)
    home.client("ssm").put_parameter(
        Name=BOOTSTRAP_VERSION, Value="21", Type="String", Overwrite=True
    )
    arn = home.client("acm").request_certificate(
        DomainName=NAMES[0], SubjectAlternativeNames=[NAMES[1]], ValidationMethod="DNS"
    )["CertificateArn"]
    formation = home.client("cloudformation")
    for name in ("free", "protected"):
        if name not in {item["StackName"] for item in formation.describe_stacks()["Stacks"]}:
            formation.create_stack(
                StackName=name,
                TemplateBody=TEMPLATE,
                EnableTerminationProtection=name == "protected",
            )
    key = home.client("kms").create_key(Policy=json.dumps(POLICY))["KeyMetadata"]["Arn"]
    return Prepared(AwsAccount(access, REGION), arn, key)


def test_an_account_has_a_number(prepared: Prepared) -> None:
    assert prepared.account.identity() == NUMBER


def test_a_bootstrap_is_found_in_its_region_only(prepared: Prepared) -> None:
    assert prepared.account.bootstrap_version(REGION) == 21
    assert prepared.account.bootstrap_version(OTHER) is None


def test_lambdas_at_once_are_a_number(prepared: Prepared) -> None:
    assert prepared.account.concurrency(REGION) > 0


def test_cloudfront_has_a_prefix_list(prepared: Prepared) -> None:
    assert prepared.account.cloudfront_prefix_list(REGION) == PREFIX_LIST


def test_zones_are_named_after_their_region(prepared: Prepared) -> None:
    assert prepared.account.zones(REGION) == tuple(f"{REGION}{letter}" for letter in "abc")


def test_a_certificate_is_found_by_its_arn(prepared: Prepared) -> None:
    found = prepared.account.certificate(prepared.certificate, REGION)
    assert found is not None
    assert set(found.names) == set(NAMES)
    assert found.status in ("ISSUED", "PENDING_VALIDATION")


def test_a_certificate_that_does_not_exist_is_not_found(prepared: Prepared) -> None:
    absent = prepared.certificate.rpartition("/")[0] + "/00000000-0000-0000-0000-000000000000"
    assert prepared.account.certificate(absent, REGION) is None


def test_stacks_are_found_in_their_region_only(prepared: Prepared) -> None:
    assert {REGION, OTHER} <= set(prepared.account.regions())
    assert {stack.name for stack in prepared.account.stacks(REGION)} == {"free", "protected"}
    assert all(stack.created >= CREATED for stack in prepared.account.stacks(REGION))
    assert prepared.account.stacks(OTHER) == ()


def test_the_policy_of_a_key_is_read(prepared: Prepared) -> None:
    assert prepared.account.key_policy(prepared.key) == POLICY
    absent = prepared.key.rpartition("/")[0] + "/00000000-0000-0000-0000-000000000000"
    assert prepared.account.key_policy(absent) is None


def test_the_template_of_a_stack_is_read(prepared: Prepared) -> None:
    assert prepared.account.template(REGION, "free") == json.loads(TEMPLATE)


def test_a_stack_is_deleted_though_it_is_protected(prepared: Prepared) -> None:
    prepared.account.delete_stack(REGION, "protected")
    assert [stack.name for stack in prepared.account.stacks(REGION)] == ["free"]
