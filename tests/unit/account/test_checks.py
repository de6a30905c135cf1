"""What an account lacks is a line with what to do, and nothing else is."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.unit.account.account_needs import (
    ARN,
    BEGUN,
    CACHE_POLICIES,
    CACHE_POLICY,
    FUNCTION,
    NEEDS,
    NOW,
    ready,
)
from vitrine.account.checks import FARGATE_VCPUS, AccountFinding, check_account
from vitrine.account.needs import Needs
from vitrine.account.ports import Certificate, DeployedStack
from vitrine.adapters.memory.account import MemoryAccount

WITHOUT = {"balancer_certificate": ""}


def to_do(needs: Needs, account: MemoryAccount) -> dict[str, AccountFinding]:
    return {item.subject: item for item in check_account(needs, account, NOW) if not item.well}


def test_an_account_that_is_ready_has_nothing_to_do() -> None:
    findings = list(check_account(NEEDS, ready(), NOW))
    assert len({item.subject for item in findings}) == 14
    assert all(item.well for item in findings)


def test_what_has_no_network_and_no_task_is_not_asked_about_them() -> None:
    serverless = replace(NEEDS, prefix_lists=(), zones=(), least_vcpus=0, most_vcpus=0)
    found = {item.subject: item for item in check_account(serverless, ready(), NOW)}
    assert all(item.well for item in found.values()), found
    assert not {"Fargate vCPUs", "prefix list", "availability zones"} & set(found)


@pytest.mark.parametrize(
    ("needs", "change", "subject", "remedy"),
    [
        ({}, {"number": "210987654321"}, "credentials", "sign in to 123456789012"),
        ({"account": "0" * 12}, {}, "credentials", 'write account = "123456789012"'),
        (
            {},
            {"bootstraps": {"eu-west-1": 6}},
            "bootstrap us-east-1",
            "npx cdk bootstrap -c environment=prod aws://123456789012/us-east-1",
        ),
        (
            {},
            {"bootstraps": {"eu-west-1": 5, "us-east-1": 6}},
            "bootstrap eu-west-1",
            "version 6 or later",
        ),
        ({"unpinned_images": 4}, {}, "container bases", "run `python3 scripts/renew_bases.py`"),
        ({}, {"lambdas": 10}, "Lambdas at once", "new_account = true"),
        ({}, {"lambdas": 699}, "Lambdas at once", "request 700"),
        ({}, {"lambdas": 10}, "Lambdas at once", "600 are reserved (convert_master 600)"),
        ({"reservations": {}}, {"lambdas": 10}, "Lambdas at once", "no Lambda of 8,192 MB"),
        ({}, {"edge": {CACHE_POLICY: 17}}, "CloudFront", "request more cache policies"),
        ({}, {"edge": {FUNCTION: 100}}, "CloudFront", "request more functions"),
        (
            {"edge_resources": {CACHE_POLICY: 21}},
            {"edge": {}},
            "CloudFront",
            "request more cache policies",
        ),
        (
            {},
            {"quotas": {FARGATE_VCPUS: 6, CACHE_POLICIES: 20}},
            "Fargate vCPUs",
            "until then the service starts",
        ),
        (
            {},
            {"quotas": {FARGATE_VCPUS: 0, CACHE_POLICIES: 20}},
            "Fargate vCPUs",
            "--desired-value 28`",
        ),
        ({}, {"prefix_lists": {}}, "prefix list", "choose another region"),
        (
            {},
            {"prefix_lists": {"eu-west-1": "pl-2"}},
            "prefix list",
            'cloudfront_prefix_list_id = "pl-2"',
        ),
        ({}, {"zone_letters": "bc"}, "availability zones", 'zone_letters = ["b", "c"]'),
        (WITHOUT, {"certificates": {}}, "certificate", "request it in us-east-1"),
        (WITHOUT | {"domain_names": ("other.org",)}, {}, "certificate", "request one for other"),
        (WITHOUT | {"domain_names": ("a.b.example.org",)}, {}, "certificate", "request one for"),
        (
            {},
            {"certificates": {(ARN, "us-east-1"): Certificate(status="ISSUED",
                                                              names=("images.example.org",))}},
            "balancer",
            "request it in eu-west-1",
        ),
        (
            WITHOUT,
            {"certificates": {(ARN, "us-east-1"): Certificate(status="PENDING_VALIDATION",
                                                              names=("images.example.org",))}},
            "certificate",
            "enter its validation records",
        ),
        ({"alarm_addresses": ()}, {}, "alarm address", "alarm_address"),
    ],
)  # fmt: skip
def test_each_thing_that_is_missing_is_one_finding_with_what_to_do(
    needs: dict[str, object], change: dict[str, object], subject: str, remedy: str
) -> None:
    account = ready()
    for name, value in change.items():
        setattr(account, name, value)
    found = to_do(replace(NEEDS, **needs), account)  # type: ignore[arg-type]
    assert list(found) == [subject]
    assert remedy in found[subject].remedy


def test_an_account_with_the_quotas_of_a_new_one_takes_what_asks_for_no_more() -> None:
    account = ready()
    account.lambdas = 10
    assert not to_do(replace(NEEDS, reservations={}, lambda_mebibytes=3_008), account)


def test_an_environment_that_is_deployed_already_is_not_counted_twice() -> None:
    account = ready()
    account.edge = {CACHE_POLICY: 20}
    account.resources = {
        ("us-east-1", "vitrine-prod-edge"): {CACHE_POLICY: 4, "AWS::S3::Bucket": 1}
    }
    assert not to_do(NEEDS, account)


def test_a_quota_that_was_raised_counts() -> None:
    account = ready()
    account.edge, account.quotas = {CACHE_POLICY: 30}, {FARGATE_VCPUS: 28, CACHE_POLICIES: 34}
    assert not to_do(NEEDS, account)


@pytest.mark.parametrize(
    ("method", "subject"),
    [
        ("edge_resources", "CloudFront"),
        ("stack_resources", "CloudFront"),
        ("concurrency", "Lambdas at once"),
        ("cloudfront_prefix_list", "prefix list"),
        ("zones", "availability zones"),
        ("certificate", "certificate"),
    ],
)
def test_what_aws_does_not_say_is_not_taken_for_well(method: str, subject: str) -> None:
    account = ready()
    account.refused = frozenset({method})
    found = to_do(replace(NEEDS, balancer_certificate=""), account)
    assert list(found) == [subject]
    assert not found[subject].known
    assert "AccessDenied" in found[subject].found


def test_quotas_that_aws_does_not_say_are_not_taken_for_well() -> None:
    account = ready()
    account.refused = frozenset({"quota"})
    found = to_do(NEEDS, account)
    assert list(found) == ["CloudFront", "Fargate vCPUs"]
    assert not any(one.known for one in found.values())


def test_without_credentials_nothing_else_is_asked() -> None:
    account = ready()
    account.refused = frozenset({"identity"})
    (finding,) = check_account(NEEDS, account, NOW)
    assert (finding.subject, finding.well) == ("credentials", False)
    assert "aws sso login" in finding.remedy


@pytest.mark.parametrize("region", ["eu-central-1", "eu-west-1"])
@pytest.mark.parametrize("stage", ["api", "store"])
def test_a_stack_that_no_template_has_is_named_wherever_it_is(region: str, stage: str) -> None:
    account = ready()
    name = f"vitrine-prod-{stage}"
    account.deployed[region] = (DeployedStack(name=name, created=BEGUN),)
    findings = list(check_account(NEEDS, account, NOW))
    left = [item.remedy for item in findings if name in item.found]
    if (region, name) in NEEDS.stacks:
        assert left == []
    else:
        assert left == ["run `vitrine deploy stacks -e prod --yes --delete`"]


def test_before_a_first_deployment_no_stack_is_missed() -> None:
    account = ready()
    account.deployed = {}
    assert not to_do(NEEDS, account)


def test_a_region_that_may_not_be_looked_into_is_named_and_one_of_ours_has_to_answer() -> None:
    account = ready()
    account.refused = frozenset({"stacks eu-central-1"})
    found = {item.subject: item for item in check_account(NEEDS, account, NOW)}["deployed stacks"]
    assert found.well
    assert "not allowed to look in eu-central-1" in found.found
    account.refused = frozenset({"stacks us-east-1"})
    assert not to_do(NEEDS, account)["deployed stacks"].known


@pytest.mark.parametrize(("days", "well"), [(0, True), (13, True), (14, False)])
def test_a_firewall_that_only_counts_is_reminded_of_after_two_weeks(days: int, well: bool) -> None:
    account, name = ready(), "vitrine-prod-firewall"
    stack = DeployedStack(name=name, created=NOW - timedelta(days=days))
    account.deployed["us-east-1"] += (stack,)
    firewall = ("us-east-1", name)
    needs = replace(NEEDS, counting_firewall=firewall, stacks=(*NEEDS.stacks, firewall))
    found = {item.subject: item for item in check_account(needs, account, NOW)}["firewall"]
    assert found.well == well
    assert ('rate_rule_action = "block"' in found.remedy) != well


def test_a_firewall_that_is_not_deployed_yet_may_count() -> None:
    needs = replace(NEEDS, counting_firewall=("us-east-1", "vitrine-prod-firewall"))
    assert not to_do(needs, ready())
