"""The queue that a Lambda's messages came from."""

from typing import Any

from vitrine.adapters.aws.message_queue import SqsQueue, queue_of_arn
from vitrine.bootstrap.aws_access import environment_access


def own_queue(event: dict[str, Any]) -> SqsQueue:
    """Return the queue of a batch of messages. Raises TransientError."""
    return queue_of_arn(environment_access().client("sqs"), event["Records"][0]["eventSourceARN"])
