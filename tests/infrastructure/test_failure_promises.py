"""When something fails it is tried again, then kept where somebody sees it."""

import json
from pathlib import Path

from vitrine.errors import RETRYABLE

REPOSITORY = Path(__file__).parents[2]
RECORDERS = {"RecordRejection", "RecordFailure"}


def _tasks(templates):
    return {name: item for name, item in templates.states().items() if item["Type"] == "Task"}


def test_every_state_is_a_folder_in_lambdas(templates):
    def folder(state):
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in state).lstrip("_")

    for state in _tasks(templates):
        assert (REPOSITORY / "lambdas" / folder(state) / "handler.py").exists(), state


def test_a_master_walks_from_header_to_publication(templates):
    states = templates.states()
    walk, state = [], "ReadHeader"
    while "Next" in states[state]:
        walk.append(state)
        state = states[state]["Next"]
    assert walk == ["ReadHeader", "ConvertMaster", "VerifyAccessMaster", "PublishImage"]
    assert states[state]["Type"] == "Succeed"


def test_every_task_has_an_end(templates):
    for name, state in _tasks(templates).items():
        assert 0 < state["TimeoutSeconds"] <= 930, name


def test_passing_troubles_are_tried_again_at_random_times(templates):
    for name, state in _tasks(templates).items():
        (retry,) = state["Retry"]
        assert set(RETRYABLE) | {"Lambda.TooManyRequestsException"} <= set(retry["ErrorEquals"])
        assert retry["JitterStrategy"] == "FULL", name
        assert retry["MaxDelaySeconds"] <= 60, name
        assert "MasterRejected" not in retry["ErrorEquals"], name


def test_a_rejection_is_recorded_and_a_failure_kept(templates):
    states = templates.states()
    for name in _tasks(templates).keys() - RECORDERS:
        caught = [(item["ErrorEquals"], item["Next"]) for item in states[name]["Catch"]]
        assert caught == [
            (["MasterRejected"], "RecordRejection"),
            (["SupersededMaster"], "Superseded"),
            (["States.ALL"], "RecordFailure"),
        ], name
        assert {item["ResultPath"] for item in states[name]["Catch"]} == {"$.error"}
    assert states["RecordRejection"]["Next"] == "Rejected"
    assert states["RecordFailure"]["Next"] == "Failed"
    assert states["Failed"]["Type"] == "Fail"
    assert states["Rejected"]["Type"] == states["Superseded"]["Type"] == "Succeed"


def test_a_recorder_that_fails_still_ends_the_execution_as_failed(templates):
    states = templates.states()
    assert states["RecordRejection"]["Catch"][-1]["Next"] == "RecordFailure"
    assert states["RecordFailure"]["Catch"][-1]["Next"] == "Failed"


def test_events_are_delivered_for_a_day_and_then_kept_for_two_weeks(templates):
    queues = {queue.id: queue.properties for queue in templates.of("AWS::SQS::Queue")}
    for rule in templates.of("AWS::Events::Rule"):
        (target,) = rule.properties["Targets"]
        assert target["RetryPolicy"] == {
            "MaximumEventAgeInSeconds": 86_400,
            "MaximumRetryAttempts": 185,
        }
        dead = target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0]
        assert queues[dead]["MessageRetentionPeriod"] == 14 * 86_400
        filled = queues[target["Arn"]["Fn::GetAtt"][0]]
        assert filled["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0] == dead


def test_every_upload_and_nothing_else_starts_an_ingest(templates):
    rule = templates.one("AWS::Events::Rule", "MasterUploaded").properties["EventPattern"]
    assert rule["source"] == ["aws.s3"]
    assert rule["detail-type"] == ["Object Created"]
    assert list(rule["detail"]) == ["bucket"]
    (bucket,) = rule["detail"]["bucket"]["name"]
    assert ":ExportsOutputRefMasters" in json.dumps(bucket)


def test_one_bad_message_does_not_bring_back_its_whole_batch(templates):
    for mapping in templates.of("AWS::Lambda::EventSourceMapping"):
        assert mapping.properties["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        assert mapping.properties["ScalingConfig"]["MaximumConcurrency"] >= 2


def test_a_message_stays_hidden_while_it_is_worked_on(templates):
    functions = {item.id: item.properties for item in templates.of("AWS::Lambda::Function")}
    queues = {item.id: item.properties for item in templates.of("AWS::SQS::Queue")}
    for mapping in templates.of("AWS::Lambda::EventSourceMapping"):
        timeout = functions[mapping.properties["FunctionName"]["Ref"]]["Timeout"]
        queue = queues[mapping.properties["EventSourceArn"]["Fn::GetAtt"][0]]
        assert queue["VisibilityTimeout"] >= 6 * timeout


def test_a_deployment_that_does_not_start_is_rolled_back(templates):
    service = templates.one("AWS::ECS::Service").properties
    deployment = service["DeploymentConfiguration"]
    assert deployment["DeploymentCircuitBreaker"] == {"Enable": True, "Rollback": True}
    assert deployment["MinimumHealthyPercent"] == 100
    assert service["AvailabilityZoneRebalancing"] == "ENABLED"


def test_every_container_is_watched_and_cannot_write_its_own_image(templates):
    task = templates.one("AWS::ECS::TaskDefinition").properties
    for container in task["ContainerDefinitions"]:
        assert container["HealthCheck"]["Command"][0] == "CMD-SHELL"
        assert container["LinuxParameters"]["InitProcessEnabled"] is True
        assert container["ReadonlyRootFilesystem"] is True
        assert container["Essential"] is True


def test_containers_start_from_the_back_and_stop_from_the_front(templates):
    task = templates.one("AWS::ECS::TaskDefinition").properties
    waits = {
        container["Name"]: [item["ContainerName"] for item in container.get("DependsOn", ())]
        for container in task["ContainerDefinitions"]
    }
    assert waits == {"iipsrv": [], "gateway": ["iipsrv"], "nginx": ["gateway"]}


def test_the_three_containers_share_command_form_environment_and_volume(templates):
    task = templates.one("AWS::ECS::TaskDefinition").properties
    (volume,) = task["Volumes"]
    environments = []
    for container in task["ContainerDefinitions"]:
        assert container["Command"] == [f"containers/{container['Name']}/start"]
        (mount,) = container["MountPoints"]
        assert mount["SourceVolume"] == volume["Name"]
        assert mount["ContainerPath"] == "/var/vitrine"
        environments.append(container["Environment"])
    assert environments[0] == environments[1] == environments[2]
