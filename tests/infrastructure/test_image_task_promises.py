"""The containers of the image task start, stop and fail together."""

from dataclasses import replace

import pytest

from stacks.designs import PROD


def test_a_deployment_that_does_not_start_is_rolled_back(templates):
    service = templates.one("AWS::ECS::Service").properties
    deployment = service["DeploymentConfiguration"]
    assert deployment["DeploymentCircuitBreaker"] == {"Enable": True, "Rollback": True}
    assert deployment["MinimumHealthyPercent"] == 100
    assert service["AvailabilityZoneRebalancing"] == "ENABLED"


def test_every_container_is_watched_and_cannot_write_its_own_image(templates):
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    for container in task["ContainerDefinitions"]:
        assert container["HealthCheck"]["Command"][0] == "CMD-SHELL"
        assert container["LinuxParameters"]["InitProcessEnabled"] is True
        assert container["LinuxParameters"]["Capabilities"] == {"Drop": ["ALL"]}
        assert container["ReadonlyRootFilesystem"] is True
        assert container["Essential"] is True


def test_nginx_keeps_finished_answers_in_memory_that_the_task_has(templates):
    """Where no disk can change their bytes."""
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    mounts = {
        container["Name"]: container["LinuxParameters"].get("Tmpfs", [])
        for container in task["ContainerDefinitions"]
    }
    (mount,) = mounts.pop("nginx")
    assert not any(mounts.values())
    assert mount["Size"] <= int(task["Memory"])
    for container in task["ContainerDefinitions"]:
        variables = {item["Name"]: item["Value"] for item in container["Environment"]}
        assert (
            variables.get("VITRINE_MEMORY_DIRECTORY", mount["ContainerPath"])
            == (mount["ContainerPath"])
        )


def test_containers_start_from_the_back_and_stop_from_the_front(templates):
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    waits = {
        container["Name"]: [item["ContainerName"] for item in container.get("DependsOn", ())]
        for container in task["ContainerDefinitions"]
    }
    assert waits == {"iipsrv": [], "gateway": ["iipsrv"], "nginx": ["gateway"]}


def test_the_three_containers_share_command_form_environment_and_volume(templates):
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    (volume,) = task["Volumes"]
    environments = []
    for container in task["ContainerDefinitions"]:
        assert container["Command"] == [f"containers/{container['Name']}/start"]
        (mount,) = container["MountPoints"]
        assert mount["SourceVolume"] == volume["Name"]
        assert mount["ContainerPath"] == "/var/vitrine"
        environments.append(container["Environment"])
    assert environments[0] == environments[1] == environments[2]


@pytest.mark.parametrize(
    ("cpu_units", "processes"), [(256, 2), (512, 2), (1024, 2), (2048, 2), (4096, 4), (8192, 8)]
)
def test_there_is_a_gateway_process_for_each_core_and_never_one_alone(cpu_units, processes):
    assert replace(PROD.image_task, cpu_units=cpu_units).gateway_processes == processes


def test_the_gateway_and_nginx_are_given_the_same_processes(templates):
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    for container in task["ContainerDefinitions"]:
        variables = {item["Name"]: item["Value"] for item in container["Environment"]}
        assert variables["VITRINE_GATEWAY_PROCESSES"] == "2"
