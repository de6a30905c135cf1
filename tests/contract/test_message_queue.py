"""What every MessageQueue promises."""

import time

from tests.unit.lambdas.lambda_functions import batch_of
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.message_queue import SqsQueue, queue_of_arn
from vitrine.adapters.aws.sqs_batch import give_one_back
from vitrine.ports import MessageQueue


def bodies(queue: MessageQueue) -> list[str]:
    """Return the bodies of all visible messages, which are given back at once."""
    taken = queue.take()
    queue.give_back(taken)
    return sorted(message.body for message in taken)


def test_a_message_stays_until_it_is_deleted(queue: MessageQueue) -> None:
    queue.send("Ä 1")
    assert bodies(queue) == ["Ä 1"]
    [message] = queue.take()
    assert message.sent_at.endswith("Z")
    queue.delete([message])
    queue.give_back([message])
    queue.delete([message])
    assert bodies(queue) == []


def test_all_messages_are_taken_however_many(queue: MessageQueue) -> None:
    sent = [f"message {number}" for number in range(35)]
    for body in sent:
        queue.send(body)
    assert bodies(queue) == sorted(sent)
    assert bodies(queue) == sorted(sent)


def test_no_more_pages_are_taken_than_are_wanted(queue: MessageQueue) -> None:
    for number in range(35):
        queue.send(f"message {number}")
    first = queue.take(20)
    assert 20 <= len(first) < 30
    queue.delete(first)
    assert len(queue.take()) == 35 - len(first)


def test_what_is_taken_is_hidden_until_it_is_given_back(queue: MessageQueue) -> None:
    queue.send("one")
    taken = queue.take()
    assert queue.take() == []
    queue.give_back(taken)
    assert bodies(queue) == ["one"]


def test_nothing_can_be_given_back(queue: MessageQueue) -> None:
    queue.give_back([])
    assert bodies(queue) == []


def test_the_length_counts_hidden_and_delayed_messages(queue: MessageQueue) -> None:
    assert queue.length() == 0
    queue.send("seen")
    queue.take()
    queue.send("waiting")
    queue.send("delayed", delay_seconds=900)
    deadline = time.monotonic() + 10
    while queue.length() != 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert queue.length() == 3


def test_one_message_of_a_batch_can_be_given_back_the_one_received_least_often(
    queue: MessageQueue,
) -> None:
    for body in ("one", "two", "three"):
        queue.send(body)
    event = batch_of(queue.take())
    for record in event["Records"]:
        record["attributes"]["ApproximateReceiveCount"] = "1" if record["body"] == "two" else "2"
    [kept] = give_one_back(event, queue)["batchItemFailures"]
    [again] = queue.take()
    assert again.body == "two"
    assert kept["itemIdentifier"] in {
        record["messageId"] for record in event["Records"] if record["body"] == "two"
    }


def test_a_lambda_finds_its_queue_by_what_its_messages_say(cloud: AwsAccess) -> None:
    client = cloud.client("sqs")
    url = client.create_queue(QueueName="own-queue")["QueueUrl"]
    named = client.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    found = queue_of_arn(client, named["Attributes"]["QueueArn"])
    found.send("here")
    assert bodies(SqsQueue(client, url)) == ["here"]
