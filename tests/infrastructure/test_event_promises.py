"""Events reach those who need them, after as many tries as it takes, or are kept."""

import json
import re

import pytest

from tests.infrastructure.own_values import PUBLISHED
from vitrine.events import ImageRejected

HOUR = 3_600


def test_events_are_delivered_for_a_day_and_then_kept_for_two_weeks(templates):
    queues = {queue.id: queue.properties for queue in templates.of("AWS::SQS::Queue")}
    machines = {item.id for item in templates.of("AWS::StepFunctions::StateMachine")}
    for rule in templates.of("AWS::Events::Rule"):
        (target,) = rule.properties["Targets"]
        dead = target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0]
        assert queues[dead]["MessageRetentionPeriod"] == 14 * 86_400, rule.id
        if "EventPattern" not in rule.properties:
            continue  # the schedule fires again by itself
        assert target["RetryPolicy"] == {
            "MaximumEventAgeInSeconds": 86_400,
            "MaximumRetryAttempts": 185,
        }
        if target["Arn"].get("Ref") in machines:
            continue
        filled = queues[target["Arn"]["Fn::GetAtt"][0]]
        assert filled["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0] == dead


def test_every_upload_and_deletion_and_nothing_else_reaches_the_starter(templates):
    rule = templates.one("AWS::Events::Rule", "MasterChanged").properties["EventPattern"]
    assert rule["source"] == ["aws.s3"]
    assert rule["detail-type"] == ["Object Created", "Object Deleted"]
    assert list(rule["detail"]) == ["bucket"]
    (bucket,) = rule["detail"]["bucket"]["name"]
    assert ":ExportsOutputRefMasters" in json.dumps(bucket)


def test_an_execution_that_ends_without_a_record_gets_one(templates):
    rule = templates.one("AWS::Events::Rule", "ExecutionUnsuccessful").properties
    pattern = rule["EventPattern"]
    assert pattern["source"] == ["aws.states"]
    assert set(pattern["detail"]["status"]) == {"FAILED", "TIMED_OUT", "ABORTED"}
    machine = templates.one("AWS::StepFunctions::StateMachine", "Machine").id
    assert pattern["detail"]["stateMachineArn"] == [{"Ref": machine}]
    filled = rule["Targets"][0]["Arn"]["Fn::GetAtt"][0]
    (mapping,) = (
        item.properties
        for item in templates.of("AWS::Lambda::EventSourceMapping")
        if item.properties["EventSourceArn"]["Fn::GetAtt"][0] == filled
    )
    assert mapping["FunctionName"]["Ref"].startswith("RecordLostExecution")


@pytest.mark.slow
def test_a_rejection_is_mailed_to_the_address_of_the_environment(templates, published):
    rule = templates.one("AWS::Events::Rule", "RejectionMail").properties
    assert rule["EventPattern"] == {"source": ["vitrine"], "detail-type": ["ImageRejected"]}
    (target,) = rule["Targets"]
    machine = templates.one("AWS::StepFunctions::StateMachine", "RejectionMail")
    assert (target["Arn"], target["InputPath"]) == ({"Ref": machine.id}, "$.detail")
    state = templates.states("RejectionMail")["MailRejection"]
    read = re.findall(r"\$\.(\w+)", state["Parameters"]["Message.$"])
    assert set(read) < set(ImageRejected.fields())
    assert len(read) == state["Parameters"]["Message.$"].count("{}") == 6
    topic = templates.one("AWS::SNS::Topic", "RejectionMail")
    assert topic.id in json.dumps(machine.properties["DefinitionString"])
    subscriptions = [item for item in templates.resources if item.kind == "AWS::SNS::Subscription"]
    assert subscriptions == []
    subscription = published.one("AWS::SNS::Subscription").properties
    expected = ("email", PUBLISHED["rejection_address"])
    assert (subscription["Protocol"], subscription["Endpoint"]) == expected
    assert subscription["TopicArn"]["Ref"] == topic.id


@pytest.mark.slow
def test_all_events_of_ours_go_over_one_bus(operated):
    templates = operated
    for rule in templates.of("AWS::Events::Rule"):
        ours = rule.properties.get("EventPattern", {}).get("source") == ["vitrine"]
        assert ("museum" in json.dumps(rule.properties.get("EventBusName", ""))) is ours, rule.id
    for function in templates.of("AWS::Lambda::Function"):
        given = function.properties["Environment"]["Variables"]
        assert given.get("VITRINE_EVENT_BUS", "museum") == "museum", function.id


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


def test_a_message_outlasts_an_hour_in_which_its_worker_cannot_run(templates):
    """A throttled message counts as received (Lambda Developer Guide, "Using Lambda with SQS")."""
    queues = [queue.properties for queue in templates.of("AWS::SQS::Queue")]
    worked_on = [queue for queue in queues if "RedrivePolicy" in queue]
    assert len(worked_on) >= 4
    for queue in worked_on:
        tries = queue["RedrivePolicy"]["maxReceiveCount"]
        assert HOUR < (tries - 1) * queue["VisibilityTimeout"] < queue["MessageRetentionPeriod"]


def test_the_command_line_finds_the_queues_of_failed_messages(templates):
    """`vitrine failures` looks for these outputs."""
    found = {
        name.removesuffix("DeadLettersUrl")
        for template in templates.stages.values()
        for name in template.get("Outputs", {})
        if name.endswith("DeadLettersUrl")
    }
    queues = [queue.properties for queue in templates.of("AWS::SQS::Queue")]
    assert len(found) == sum("RedrivePolicy" in queue for queue in queues)
    for name in found:
        assert any(
            f"{name}QueueUrl" in item.get("Outputs", {}) for item in templates.stages.values()
        )
