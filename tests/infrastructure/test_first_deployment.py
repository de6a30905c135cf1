"""A first deployment that fails can be undone by CloudFormation, and repeated."""

from dataclasses import replace

import pytest

from stacks.designs import PROD

pytestmark = pytest.mark.slow
KEEPING = {"Retain", "Snapshot"}
"""Policies that keep even what a failed deployment created, which then is in the next one's way."""


@pytest.fixture(scope="module")
def first(synthesize):
    """The templates of `npx cdk deploy -c environment=prod -c first=true`."""
    return synthesize(replace(PROD, first_deployment=True))


def _attributes(templates):
    balancer = templates.one("AWS::ElasticLoadBalancingV2::LoadBalancer").properties
    return {item["Key"]: item["Value"] for item in balancer["LoadBalancerAttributes"]}


def test_nothing_resists_the_rollback_of_a_first_deployment(first):
    assert not any(stack.termination_protection for stack in first.assembly.stacks)
    assert _attributes(first)["deletion_protection.enabled"] == "false"
    for table in first.of("AWS::DynamoDB::GlobalTable"):
        for replica in table.properties["Replicas"]:
            assert not replica.get("DeletionProtectionEnabled"), table.id


def test_what_was_created_before_a_failure_is_not_left_behind(first, templates):
    for resource in (*first.resources, *templates.resources):
        assert resource.body.get("DeletionPolicy") not in KEEPING, resource.id


def test_data_outlives_its_stack_from_the_first_deployment_on(first, prod):
    for kind in ("AWS::S3::Bucket", "AWS::DynamoDB::GlobalTable", "AWS::Logs::LogGroup"):
        policies = {
            (item.id, item.body["DeletionPolicy"], item.body["UpdateReplacePolicy"])
            for item in first.of(kind)
        }
        assert policies == {(item.id, "RetainExceptOnCreate", "Retain") for item in prod.of(kind)}


def test_the_second_deployment_changes_nothing_but_protection(first, prod):
    kinds = {"AWS::ElasticLoadBalancingV2::LoadBalancer", "AWS::DynamoDB::GlobalTable"}
    for one, other in zip(first.resources, prod.resources, strict=True):
        assert one.id == other.id
        if one.kind not in kinds:
            assert one.body == other.body, one.id
    assert all(stack.termination_protection for stack in prod.assembly.stacks)
    assert _attributes(prod)["deletion_protection.enabled"] == "true"
