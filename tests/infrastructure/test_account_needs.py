"""What `vitrine deploy check` compares with an account is what the templates ask for."""

from dataclasses import replace

import pytest

from stacks.designs import PROD, fit_new_account
from stacks.environment_values import Api
from stacks.flavours import take_flavour
from vitrine.account.checks import NEW_ACCOUNT_MEBIBYTES
from vitrine.account.edge_quotas import EDGE_QUOTAS
from vitrine.account.needs import read_needs
from vitrine.settings.edge import AccessOptions
from vitrine.settings.photos import PhotoOptions
from vitrine.settings.present import OcrOptions

pytestmark = pytest.mark.slow

NEW_ACCOUNT_VCPUS = 6
"""CPUs of Fargate tasks in an account that has never asked for more (ECS, "Service quotas")."""
WITHOUT_QUOTA = {"AWS::CloudFront::MonitoringSubscription"}
"""Types of CloudFront that are a setting of a distribution."""


def test_the_needs_are_those_of_the_environment(templates):
    environment = templates.environment
    needs = read_needs(templates.folder, environment.region)
    task, giant = environment.image_task, environment.giant_converter
    assert needs.account == environment.account
    assert set(needs.regions) == {environment.region, "us-east-1"}
    assert set(needs.stacks) == {
        (stack.environment.region, stack.stack_name) for stack in templates.assembly.stacks
    }
    assert needs.bootstrap_version >= 6
    small, large = environment.small_converter, environment.large_converter
    assert needs.reservations == {"convert_master": small.at_once + large.at_once}
    assert needs.lambda_mebibytes == large.memory_mebibytes
    assert needs.least_vcpus == task.minimum * task.cpu_units / 1024
    assert needs.most_vcpus == (
        task.maximum * task.cpu_units / 1024 + giant.at_once * giant.cpu_units / 1024
    )
    assert needs.prefix_lists == (environment.prefix_list_id,)
    assert needs.zones == environment.availability_zones
    assert needs.images == 4
    assert needs.architecture == environment.architecture
    assert (needs.domain_names, needs.certificate) == ((), "")
    stage = "edge" if environment.region == "us-east-1" else "firewall"
    assert needs.counting_firewall == ("us-east-1", f"vitrine-{environment.name}-{stage}")


def test_a_firewall_that_stops_floods_is_not_reminded_of(operated):
    assert operated.environment.rate_rule_action == "block"
    assert read_needs(operated.folder, operated.environment.region).counting_firewall is None


@pytest.mark.parametrize("flavour", ["portal", "serverless"])
def test_three_environments_with_all_options_fit_into_a_fresh_account(synthesize, flavour):
    options = {
        "photos": PhotoOptions(),
        "access": AccessOptions(),
        "api": Api(),
        "ocr": OcrOptions(),
        "mcp": True,
    }
    environment = fit_new_account(replace(take_flavour(PROD, flavour), **options))
    needs = read_needs(synthesize(environment).folder, environment.region)
    assert needs.edge_resources["AWS::CloudFront::CachePolicy"] >= 1
    outgrown = {
        kind: count
        for kind, count in needs.edge_resources.items()
        if kind in EDGE_QUOTAS and 3 * count > EDGE_QUOTAS[kind].default
    }
    assert not outgrown
    assert needs.edge_resources.keys() - EDGE_QUOTAS.keys() <= WITHOUT_QUOTA
    assert [region for region, _ in needs.edge_stacks]
    assert not needs.reservations, "all Lambdas at once are 10, and AWS keeps 100 unreserved"
    assert needs.lambda_mebibytes <= NEW_ACCOUNT_MEBIBYTES
    assert 3 * needs.least_vcpus <= NEW_ACCOUNT_VCPUS


def test_a_lambda_in_the_place_of_tasks_needs_no_network_and_no_vcpus(synthesize):
    serverless = take_flavour(PROD, "serverless")
    needs = read_needs(synthesize(serverless).folder, serverless.region)
    assert (needs.prefix_lists, needs.zones, needs.most_vcpus) == ((), (), 0)
    assert needs.images == 1
    assert sum(needs.reservations.values()) >= serverless.image_function.at_once


@pytest.mark.slow
def test_a_domain_its_certificate_and_the_alarm_address_are_needs(synthesize):
    arn = "arn:aws:acm:us-east-1:000000000000:certificate/1"
    templates = synthesize(
        replace(
            fit_new_account(PROD),
            domain_name="images.example.org",
            certificate_arn=arn,
            balancer_certificate_arn=arn.replace("us-east-1", PROD.region),
            alarm_address="images@example.org",
            rejection_address="curators@example.org",
        )
    )
    needs = read_needs(templates.folder, PROD.region)
    assert (needs.domain_names, needs.certificate) == (("images.example.org",), arn)
    assert needs.balancer_certificate == arn.replace("us-east-1", PROD.region)
    assert needs.alarm_addresses == ("images@example.org",)
    assert (needs.reservations, needs.lambda_mebibytes) == ({}, 3_008)
