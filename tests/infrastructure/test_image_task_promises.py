"""The containers of the image task start, stop and fail together."""


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
