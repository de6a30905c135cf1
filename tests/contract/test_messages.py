"""What the AWS event bus delivers: read back through a queue."""

import json
from typing import Any

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.event_bus import EventBridgeBus
from vitrine.adapters.aws.stack_outputs import stack_outputs


def received(cloud: AwsAccess, queue_url: str) -> Any:
    answer = cloud.client("sqs").receive_message(QueueUrl=queue_url, WaitTimeSeconds=5)
    return json.loads(answer["Messages"][0]["Body"])


def test_an_event_is_matched_by_source_and_type(cloud: AwsAccess) -> None:
    sqs, events = cloud.client("sqs"), cloud.client("events")
    queue = sqs.create_queue(QueueName="heard")["QueueUrl"]
    attributes = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])
    pattern = {"source": ["vitrine"], "detail-type": ["ImagePublished"]}
    events.put_rule(Name="heard", EventPattern=json.dumps(pattern))
    arn = attributes["Attributes"]["QueueArn"]
    events.put_targets(Rule="heard", Targets=[{"Id": "queue", "Arn": arn}])
    bus = EventBridgeBus(events, "default")
    bus.publish("ImageRejected", {"identifier": "no"})
    bus.publish("ImagePublished", {"identifier": "nächtlich", "width": 3})
    event = received(cloud, queue)
    assert event["detail"] == {"identifier": "nächtlich", "width": 3}


def test_a_stack_that_is_not_there_has_no_outputs(cloud: AwsAccess) -> None:
    assert stack_outputs(cloud.client("cloudformation"), "vitrine-nowhere-store") == {}
