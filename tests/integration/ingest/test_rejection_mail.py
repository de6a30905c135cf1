"""Who subscribed to the topic of rejections reads why a master was not published."""

import json
from collections.abc import Iterator

import pytest

from rigs.service_instance import Instance, start_instance

KEY = 'prints/an "etching", {1640}.tif'
"""Key that an expression of Step Functions or a template of EventBridge could trip over."""
WAITS = 6
"""Long polls of twenty seconds."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    with start_instance(tmp_path_factory.mktemp("rejection-mail")) as service:
        yield service


def test_a_rejection_reaches_those_who_subscribed(running: Instance) -> None:
    sns, sqs = running.access.client("sns"), running.access.client("sqs")
    (topic,) = (
        item["TopicArn"]
        for item in sns.list_topics()["Topics"]
        if "RejectionMailTopic" in item["TopicArn"]
    )
    url = sqs.create_queue(QueueName="curators")["QueueUrl"]
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    queue = attributes["Attributes"]["QueueArn"]
    sending = {
        "Effect": "Allow",
        "Principal": {"Service": "sns.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": queue,
    }
    policy = json.dumps({"Version": "2012-10-17", "Statement": [sending]})
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy})
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=queue)
    running.service.masters.put(KEY, b"Dear curator,\n", content_type="image/tiff")
    for _ in range(WAITS):
        answer = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=20)
        if messages := answer.get("Messages", []):
            break
    (message,) = messages
    mail = json.loads(message["Body"])
    assert mail["Subject"] == "A master was rejected"
    first, empty, sentence, *rest = mail["Message"].splitlines()
    assert first.startswith(f"The master {KEY} was not published as ")
    assert (empty, sentence[-1]) == ("", ".")
    assert [line.partition(":")[0] for line in rest] == ["Seen", "Code", "At"]
