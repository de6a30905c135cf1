"""What buckets, queues and topics allow to others, in their own policies."""

import json

import pytest

from tests.infrastructure.options import KINDS

UNCONDITIONED = {"backup.amazonaws.com", "lambda.amazonaws.com", "s3.amazonaws.com"}
"""Services of which no document of AWS says that they name an account when they assume a role."""


def test_only_our_distribution_reads_the_site(templates):
    allowed = [
        item
        for bucket, statements in templates.bucket_policies()
        if bucket.startswith("Site")
        for item in statements
        if item["Effect"] == "Allow"
    ]
    assert [item["Action"] for item in allowed] == ["s3:GetObject", "s3:ListBucket"]
    for item in allowed:
        assert item["Principal"] == {"Service": "cloudfront.amazonaws.com"}
        source = json.dumps(item["Condition"]["StringEquals"]["AWS:SourceArn"])
        assert templates.one("AWS::CloudFront::Distribution").id in source


def test_nothing_is_allowed_to_everybody(templates):
    for resource in templates.resources:
        if resource.kind == "AWS::EC2::VPCEndpoint":
            continue  # it takes no other principal, and has conditions: test_network_promises.py
        document = resource.properties.get("PolicyDocument", {})
        for statement in document.get("Statement", ()):
            if statement["Effect"] == "Allow":
                assert statement.get("Principal") not in ("*", {"AWS": "*"}), resource.id


def test_rules_fill_only_their_own_queue(templates):
    rules = {rule.id: rule.properties for rule in templates.of("AWS::Events::Rule")}
    sources = [
        item["Condition"]["ArnEquals"]["aws:SourceArn"]["Fn::GetAtt"][0]
        for policy in templates.of("AWS::SQS::QueuePolicy")
        for item in policy.properties["PolicyDocument"]["Statement"]
        if item["Effect"] == "Allow" and item["Principal"] == {"Service": "events.amazonaws.com"}
    ]
    assert set(sources) == set(rules)
    # Each rule may send to its dead letters, and to the queue that it fills.
    for name, rule in rules.items():
        (target,) = rule["Targets"]
        filled = "Queue" in json.dumps(target["Arn"])
        assert sources.count(name) == 1 + filled, name


def test_s3_fills_the_queue_of_its_own_notifications_and_no_other(templates):
    allowed = [
        (policy.properties["Queues"], item)
        for policy in templates.of("AWS::SQS::QueuePolicy")
        for item in policy.properties["PolicyDocument"]["Statement"]
        if item["Effect"] == "Allow" and item["Principal"] == {"Service": "s3.amazonaws.com"}
    ]
    ((queues, statement),) = allowed
    notifications = templates.one("AWS::SQS::Queue", "Notifications").id
    assert queues == [{"Ref": notifications}]
    assert statement["Action"] == "sqs:SendMessage"
    account = templates.environment.account
    assert statement["Condition"] == {"StringEquals": {"aws:SourceAccount": account}}


def test_a_service_writes_to_a_topic_for_sources_of_ours_only(templates):
    account = templates.environment.account
    conditions = {
        item["Principal"]["Service"]: item.get("Condition", {})
        for policy in templates.of("AWS::SNS::TopicPolicy")
        for item in policy.properties["PolicyDocument"]["Statement"]
        if item["Effect"] == "Allow"
    }
    # A condition on EventBridge would keep our own rules out too: "You can't use Condition blocks
    # in Amazon SNS topic policies for EventBridge" (EventBridge, "Using resource-based policies").
    assert list(conditions) == ["cloudwatch.amazonaws.com"]
    (condition,) = conditions.values()
    assert condition["StringEquals"] == {"aws:SourceAccount": account}
    assert f":{account}:alarm:*" in json.dumps(condition["ArnLike"]["aws:SourceArn"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_service_assumes_a_role_for_our_account_only(kind, synthesize):
    full = synthesize(KINDS[kind])
    ours = ({"Ref": "AWS::AccountId"}, full.environment.account)
    trusts = [
        (role.id, statement)
        for role in full.of("AWS::IAM::Role")
        for statement in role.properties["AssumeRolePolicyDocument"]["Statement"]
        if "Service" in statement["Principal"]
    ]
    assert trusts
    for role, statement in trusts:
        if statement["Principal"]["Service"] not in UNCONDITIONED:
            assert statement["Condition"]["StringEquals"]["aws:SourceAccount"] in ours, role
