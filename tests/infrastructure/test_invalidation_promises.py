"""A change reaches the edge after all gateways, in batches; nothing else is done there."""

import json

from stacks.constructs.alarms import PERIOD
from stacks.constructs.edge_invalidation import PARALLEL, TIMEOUT_SECONDS
from vitrine.edge.invalidation import AT_ONCE, PAUSES, SETTLING_SECONDS
from vitrine.events import ImageChanged, RulesChanged

IN_PROGRESS = 3_000
"""Items of a distribution that CloudFront invalidates at the same time."""
HOUR = 3_600


def _queue(templates, part=""):
    """Return the queue of changes, or the one for its dead letters."""
    (found,) = [
        item
        for item in templates.of("AWS::SQS::Queue")
        if item.id.startswith("InvalidationChanged") and ("DeadLetters" in item.id) == bool(part)
    ]
    return found


def _mapping(templates):
    (found,) = [
        item
        for item in templates.of("AWS::Lambda::EventSourceMapping")
        if item.properties["EventSourceArn"]["Fn::GetAtt"][0] == _queue(templates).id
    ]
    return found.properties


def test_the_invalidator_may_invalidate_one_distribution_and_nothing_else_of_cloudfront(templates):
    (statement,) = [
        item
        for item in templates.statements
        if any(action.startswith("cloudfront:") for action in item.actions)
    ]
    assert statement.role.startswith("InvalidationInvalidateEdgeRole")
    assert statement.actions == ["cloudfront:CreateInvalidation"]
    (resource,) = statement.resources
    distribution = templates.one("AWS::CloudFront::Distribution").id
    *before, last = resource["Fn::Join"][1]
    assert str(before[-1]).endswith(":distribution/")
    assert last == {"Ref": distribution}


def test_the_invalidator_reads_and_writes_nothing_of_ours(templates):
    for item in templates.allowed("InvalidationInvalidateEdgeRole"):
        assert not item.stored
        services = {action.partition(":")[0] for action in item.actions}
        assert services <= {"cloudfront", "logs", "sqs", "xray"}


def test_the_invalidator_may_ask_for_the_length_of_its_own_queue_alone(templates):
    queue = {"Fn::GetAtt": [_queue(templates).id, "Arn"]}
    found = [
        item
        for item in templates.allowed("InvalidationInvalidateEdgeRole")
        if any(action.startswith("sqs:") for action in item.actions)
    ]
    assert {"sqs:GetQueueUrl", "sqs:GetQueueAttributes"} <= {
        action for item in found for action in item.actions
    }
    assert all(item.resources == [queue] for item in found)


def test_only_what_answered_before_is_invalidated(templates):
    rule = templates.one("AWS::Events::Rule", "InvalidationImageChanged")
    assert rule.properties["EventPattern"] == {
        "source": ["vitrine"],
        "detail-type": [ImageChanged.name()],
        "detail": {"was": ["live", "redirect", "gone"]},
    }


def test_the_images_of_a_collection_are_invalidated_when_its_rule_changes(templates):
    rule = templates.one("AWS::Events::Rule", "InvalidationRulesChanged")
    pattern = {"source": ["vitrine"], "detail-type": [RulesChanged.name()]}
    assert rule.properties["EventPattern"] == pattern


def test_who_publishes_documents_writes_no_rule_and_no_record_of_an_image(templates):
    for item in templates.allowed("PublishObjects"):
        assert "dynamodb:PutItem" not in item.actions
        if "s3:PutObject" in item.actions:
            assert "records" not in json.dumps(item.resources).lower()


def test_a_change_waits_until_no_gateway_trusts_an_older_record(templates):
    (trusted,) = {
        variable["Value"]
        for container in templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties[
            "ContainerDefinitions"
        ]
        for variable in container["Environment"]
        if variable["Name"] == "VITRINE_IDENTIFIER_TTL_SECONDS"
    }
    delay = _queue(templates).properties["DelaySeconds"]
    assert int(trusted) + SETTLING_SECONDS <= delay <= 900


def test_each_of_the_workers_has_room_within_the_quota(templates):
    mapping = _mapping(templates)
    assert mapping["BatchSize"] == AT_ONCE
    assert mapping["MaximumBatchingWindowInSeconds"] >= 1
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": PARALLEL}
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert PARALLEL * AT_ONCE <= IN_PROGRESS


def test_hours_of_refusals_are_outlasted_before_anything_is_a_dead_letter(templates):
    queue = _queue(templates).properties
    assert sum(PAUSES) < TIMEOUT_SECONDS < queue["VisibilityTimeout"]
    tries = queue["RedrivePolicy"]["maxReceiveCount"]
    assert 9 * HOUR < tries * queue["VisibilityTimeout"] < queue["MessageRetentionPeriod"]


def test_a_change_that_the_edge_did_not_get_raises_an_alarm(templates):
    dead = _queue(templates, "DeadLetters")
    assert dead.properties["MessageRetentionPeriod"] == 14 * 86_400
    (alarm,) = [
        item.properties
        for item in templates.of("AWS::CloudWatch::Alarm")
        if dead.id in str(item.properties.get("Dimensions"))
    ]
    assert alarm["Threshold"] == 0
    assert alarm["Period"] == PERIOD.to_seconds()
    assert alarm["AlarmActions"]
