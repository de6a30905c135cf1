"""How many tasks serve images, and when that changes."""

from dataclasses import replace

import pytest

from stacks.designs import PROD


def test_two_tasks_at_least_in_prod_and_always_a_maximum(templates):
    target = templates.one("AWS::ApplicationAutoScaling::ScalableTarget").properties
    assert target["MaxCapacity"] >= target["MinCapacity"] >= 1
    if templates.environment.name == "prod":
        assert target["MinCapacity"] >= 2


def test_scaling_looks_every_twenty_seconds(templates):
    service = templates.one("AWS::ECS::Service").properties
    assert service["Monitoring"]["MetricConfigurations"] == [
        {"MetricNames": ["CPUUtilization"], "ResolutionSeconds": 20}
    ]
    policy = templates.one("AWS::ApplicationAutoScaling::ScalingPolicy").properties
    tracking = policy["TargetTrackingScalingPolicyConfiguration"]
    metric = tracking["PredefinedMetricSpecification"]["PredefinedMetricType"]
    assert metric == "ECSServiceAverageCPUUtilizationHighResolution"


def test_tasks_come_fast_and_go_slowly(templates):
    policy = templates.one("AWS::ApplicationAutoScaling::ScalingPolicy").properties
    tracking = policy["TargetTrackingScalingPolicyConfiguration"]
    assert tracking["ScaleOutCooldown"] <= 60
    assert tracking["ScaleInCooldown"] >= 300


def test_a_deployment_does_not_reset_the_number_of_tasks(templates):
    assert "DesiredCount" not in templates.one("AWS::ECS::Service").properties


def test_requests_go_to_the_least_busy_task_and_end_before_it_stops(templates):
    group = templates.one("AWS::ElasticLoadBalancingV2::TargetGroup").properties
    attributes = {item["Key"]: item["Value"] for item in group["TargetGroupAttributes"]}
    assert attributes["load_balancing.algorithm.type"] == "least_outstanding_requests"
    drain = int(attributes["deregistration_delay.timeout_seconds"])
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    for container in task["ContainerDefinitions"]:
        given = {item["Name"]: item["Value"] for item in container["Environment"]}
        longest = int(given["VITRINE_DRAIN_SECONDS"]) + int(given["VITRINE_SHUTDOWN_SECONDS"])
        assert longest < container["StopTimeout"] <= 120
        assert 30 <= drain < container["StopTimeout"]


@pytest.fixture(scope="module")
def with_spot(synthesize):
    """The templates of prod, half of whose tasks beyond the minimum run on Spot."""
    return synthesize(replace(PROD, image_task=replace(PROD.image_task, spot_share_percent=50)))


@pytest.mark.slow
def test_spot_never_serves_alone(with_spot):
    strategy = {
        item["CapacityProvider"]: item
        for item in with_spot.one("AWS::ECS::Service").properties["CapacityProviderStrategy"]
    }
    assert strategy["FARGATE"]["Base"] >= 2
    assert strategy["FARGATE_SPOT"]["Weight"] > 0
    assert "Base" not in strategy["FARGATE_SPOT"]


@pytest.mark.slow
def test_capacity_providers_come_before_the_service_that_uses_them(with_spot):
    service = with_spot.one("AWS::ECS::Service")
    providers = with_spot.one("AWS::ECS::ClusterCapacityProviderAssociations")
    assert providers.id in service.body["DependsOn"]


def test_an_environment_without_spot_needs_no_capacity_providers(templates):
    assert templates.environment.image_task.spot_share_percent == 0
    kinds = {item.kind for item in templates.resources}
    assert "AWS::ECS::ClusterCapacityProviderAssociations" not in kinds


def test_the_cache_fits_the_disk(templates):
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    disk = task.get("EphemeralStorage", {"SizeInGiB": 20})["SizeInGiB"]
    assert 20 <= disk <= 200
    for container in task["ContainerDefinitions"]:
        variables = {item["Name"]: item["Value"] for item in container["Environment"]}
        assert int(variables["VITRINE_CACHE_MEBIBYTES"]) < disk * 1024


def test_a_master_gets_a_larger_converter_before_it_outgrows_one_or_is_rejected(
    templates,
):
    task = templates.one("AWS::ECS::TaskDefinition", "ConvertMasterGiantTask").properties
    task_memory, task_disk = int(task["Memory"]), task["EphemeralStorage"]["SizeInGiB"] * 1024
    for step in ("ConvertMasterSmall", "ConvertMasterLarge"):
        function = templates.one("AWS::Lambda::Function", step).properties
        memory, disk = function["MemorySize"], function["EphemeralStorage"]["Size"]
        variables = function["Environment"]["Variables"]
        assert 0.8 * task_memory < int(variables["VITRINE_MAXIMUM_MEMORY_MEBIBYTES"]) < task_memory
        assert 0.8 * task_disk < int(variables["VITRINE_MAXIMUM_DISK_MEBIBYTES"]) < task_disk
        assert 0 < int(variables["VITRINE_MAXIMUM_MASTER_MEBIBYTES"]) < task_disk
        assert 0.8 * memory < int(variables["VITRINE_CONVERTER_MEMORY_MEBIBYTES"]) < memory
        assert 0.8 * disk < int(variables["VITRINE_CONVERTER_DISK_MEBIBYTES"]) < disk


def test_the_converter_starts_no_threads_for_linear_algebra(templates):
    """The Lambdas' numpy has none to start: see test_lambda_layers.py."""
    task = templates.one("AWS::ECS::TaskDefinition", "ConvertMasterGiantTask").properties
    (definition,) = task["ContainerDefinitions"]
    assert {"Name": "OPENBLAS_NUM_THREADS", "Value": "1"} in definition["Environment"]


def test_a_container_that_ends_is_restarted_within_its_task(templates):
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    for container in task["ContainerDefinitions"]:
        assert container["RestartPolicy"] == {"Enabled": True, "RestartAttemptPeriod": 60}
