"""Everything can be read in logs afterwards, and what needs attention raises an alarm."""

from dataclasses import replace

import pytest

from stacks.designs import PROD
from tests.infrastructure.own_values import OPERATED


def test_every_log_is_ours_and_ends(templates):
    for log in templates.of("AWS::Logs::LogGroup"):
        assert log.properties["RetentionInDays"] == templates.environment.log_days, log.id
    logs = {log.id for log in templates.of("AWS::Logs::LogGroup")}
    for function in templates.of("AWS::Lambda::Function"):
        assert function.properties["LoggingConfig"]["LogGroup"]["Ref"] in logs, function.id
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    for container in task["ContainerDefinitions"]:
        options = container["LogConfiguration"]["Options"]
        assert options["awslogs-group"]["Ref"] in logs
        assert options["mode"] == "non-blocking"


def test_every_step_is_traced(templates):
    for function in templates.of("AWS::Lambda::Function"):
        assert function.properties["TracingConfig"] == {"Mode": "Active"}, function.id
    for machine in templates.of("AWS::StepFunctions::StateMachine"):
        assert machine.properties["TracingConfiguration"] == {"Enabled": True}, machine.id


def test_log_lines_name_their_step(templates):
    for function in templates.of("AWS::Lambda::Function"):
        variables = function.properties["Environment"]["Variables"]
        step = function.properties["Handler"].split(".")[1]
        assert variables["POWERTOOLS_SERVICE_NAME"] == step


def test_metrics_of_two_environments_in_one_account_are_apart(prod, dev):
    def namespaces(templates):
        functions = templates.of("AWS::Lambda::Function")
        variables = [one.properties["Environment"]["Variables"] for one in functions]
        counted = {one["POWERTOOLS_METRICS_NAMESPACE"] for one in variables}
        alarms = [
            one.properties.get("Namespace", "") for one in templates.of("AWS::CloudWatch::Alarm")
        ]
        assert {
            name for name in alarms if name in ("Vitrine", "Vitrine/prod", "Vitrine/dev")
        } <= counted
        return counted

    assert (namespaces(prod), namespaces(dev)) == ({"Vitrine/prod"}, {"Vitrine/dev"})


def test_prod_logs_executions_only_when_they_fail(prod, dev):
    def level(templates):
        machines = templates.of("AWS::StepFunctions::StateMachine")
        (found,) = {item.properties["LoggingConfiguration"]["Level"] for item in machines}
        return found

    assert (level(prod), level(dev)) == ("ERROR", "ALL")


def test_every_queue_without_a_worker_has_an_alarm_that_notifies(templates):
    worked = {
        item.properties["EventSourceArn"]["Fn::GetAtt"][0]
        for item in templates.of("AWS::Lambda::EventSourceMapping")
    }
    patrolled = {templates.one("AWS::SQS::Queue", "Notifications").id}
    kept = {queue.id for queue in templates.of("AWS::SQS::Queue")} - worked - patrolled
    alarmed = set()
    for alarm in templates.of("AWS::CloudWatch::Alarm"):
        waiting = alarm.properties.get("MetricName") == "ApproximateNumberOfMessagesVisible"
        for dimension in alarm.properties["Dimensions"] if waiting else ():
            if dimension["Name"] == "QueueName":
                assert alarm.properties["AlarmActions"], alarm.id
                assert alarm.properties["Threshold"] == 0
                alarmed.add(dimension["Value"]["Fn::GetAtt"][0])
    assert alarmed == kept


def test_an_alarm_rings_when_nobody_reads_what_s3_reports(templates):
    alarm = templates.one("AWS::CloudWatch::Alarm", "UnreadNotifications").properties
    assert alarm["MetricName"] == "ApproximateAgeOfOldestMessage"
    queue = templates.one("AWS::SQS::Queue", "Notifications")
    assert queue.id in str(alarm["Dimensions"])
    # It waits longer than a message of a quiet queue does, by far.
    assert alarm["Threshold"] > 10 * (queue.properties["DelaySeconds"] + 300)


def test_failed_executions_of_every_machine_raise_an_alarm(templates):
    watched = {
        dimension["Value"]["Ref"]
        for alarm in templates.of("AWS::CloudWatch::Alarm")
        if alarm.properties.get("MetricName") == "ExecutionsFailed"
        for dimension in alarm.properties["Dimensions"]
    }
    assert watched == {machine.id for machine in templates.of("AWS::StepFunctions::StateMachine")}


def test_an_alarm_rings_when_the_reconciler_did_not_run(templates):
    alarm = templates.one("AWS::CloudWatch::Alarm", "ReconcilerAbsent").properties
    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/States", "ExecutionsStarted")
    machine = templates.one("AWS::StepFunctions::StateMachine", "ReconcileMachine")
    assert alarm["Dimensions"] == [{"Name": "StateMachineArn", "Value": {"Ref": machine.id}}]
    # An hour without a run has no value at all.
    assert alarm["TreatMissingData"] == "breaching"
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
    assert "DatapointsToAlarm" not in alarm
    assert alarm["Statistic"] == "Sum"
    hours = alarm["EvaluationPeriods"] * alarm["Period"] / 3600
    assert templates.environment.reconcile_hours < hours <= 7 * 24
    assert alarm["AlarmActions"]


@pytest.mark.slow
def test_alarms_are_mailed_to_the_given_address(operated, synthesize):
    address = OPERATED["alarm_address"]
    elsewhere = synthesize(replace(PROD, alarm_address=address))
    # Alarms on what CloudFront measures are in us-east-1: elsewhere they have their own topic.
    for templates, stages in ((operated, ["ingest"]), (elsewhere, ["ingest", "watch"])):
        mails = templates.of("AWS::SNS::Subscription")
        assert sorted(mail.stage for mail in mails) == stages
        for mail in mails:
            assert mail.properties["Protocol"] == "email"
            assert mail.properties["Endpoint"] == address


def test_alarms_of_the_edge_notify_a_topic_of_their_region(templates):
    is_home = templates.environment.region == "us-east-1"
    composite = templates.one("AWS::CloudWatch::CompositeAlarm", "Availability")
    (action,) = composite.properties["AlarmActions"]
    assert (composite.stage, "Fn::ImportValue" in action) == ("watch", is_home)


def test_alarms_may_reach_their_topic(templates):
    topics = {item.id for item in templates.of("AWS::SNS::Topic") if item.id.startswith("Alarms")}
    reached = set()
    for policy in templates.of("AWS::SNS::TopicPolicy"):
        if not policy.id.startswith("Alarms"):
            continue
        reached |= {item["Ref"] for item in policy.properties["Topics"]}
        allowed = [
            item["Principal"]
            for item in policy.properties["PolicyDocument"]["Statement"]
            if item["Effect"] == "Allow"
        ]
        assert allowed == [{"Service": "cloudwatch.amazonaws.com"}]
    assert reached == topics
