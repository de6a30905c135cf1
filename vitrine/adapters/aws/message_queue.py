"""An SQS queue."""

import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from vitrine.adapters.aws.errors import translate_errors
from vitrine.errors import TransientError
from vitrine.ports import TakenMessage
from vitrine.store.clock import rfc3339

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

PAGE = 10
"""Messages in one request of SQS."""
HIDDEN_SECONDS = 300


class SqsQueue:
    """Messages are texts of at most 1 MiB."""

    def __init__(self, client: "SQSClient", queue_url: str) -> None:
        self._client = client
        self._queue_url = queue_url

    def send(self, body: str, *, delay_seconds: int = 0) -> None:
        with translate_errors("queue"):
            self._client.send_message(
                QueueUrl=self._queue_url, MessageBody=body, DelaySeconds=delay_seconds
            )

    def take(self, most: int = sys.maxsize) -> list[TakenMessage]:
        """Use long polls, which ask all of SQS's servers: a short one may miss messages."""
        taken: list[TakenMessage] = []
        while len(taken) < most:
            with translate_errors("queue"):
                answer = self._client.receive_message(
                    QueueUrl=self._queue_url,
                    MaxNumberOfMessages=PAGE,
                    VisibilityTimeout=HIDDEN_SECONDS,
                    WaitTimeSeconds=1,
                    MessageSystemAttributeNames=["SentTimestamp"],
                )
            messages = answer.get("Messages", [])
            if not messages:
                break
            for message in messages:
                sent = int(message["Attributes"]["SentTimestamp"]) / 1000
                sent_at = rfc3339(datetime.fromtimestamp(sent, UTC))
                taken.append(TakenMessage(message["Body"], sent_at, message["ReceiptHandle"]))
        return taken

    def give_back(self, messages: Iterable[TakenMessage]) -> None:
        for page in _split_pages(messages):
            with translate_errors("queue"):
                self._client.change_message_visibility_batch(
                    QueueUrl=self._queue_url,
                    Entries=[
                        {"Id": str(number), "ReceiptHandle": receipt, "VisibilityTimeout": 0}
                        for number, receipt in enumerate(page)
                    ],
                )

    def delete(self, messages: Iterable[TakenMessage]) -> None:
        """Delete ten a request; a receipt that is not valid any more is the sender's fault."""
        for page in _split_pages(messages):
            with translate_errors("queue"):
                answer = self._client.delete_message_batch(
                    QueueUrl=self._queue_url,
                    Entries=[
                        {"Id": str(number), "ReceiptHandle": receipt}
                        for number, receipt in enumerate(page)
                    ],
                )
            if any(not failed["SenderFault"] for failed in answer.get("Failed", ())):
                raise TransientError("queue: SQS did not delete all messages")

    def length(self) -> int:
        with translate_errors("queue"):
            answer = self._client.get_queue_attributes(
                QueueUrl=self._queue_url,
                AttributeNames=[
                    "ApproximateNumberOfMessages",
                    "ApproximateNumberOfMessagesNotVisible",
                    "ApproximateNumberOfMessagesDelayed",
                ],
            )
        return sum(int(count) for count in answer["Attributes"].values())


def queue_of_arn(client: "SQSClient", arn: str) -> SqsQueue:
    """Return the queue of this account and region that has an ARN. Raises TransientError."""
    with translate_errors("queue"):
        url = client.get_queue_url(QueueName=arn.rpartition(":")[2])["QueueUrl"]
    return SqsQueue(client, url)


def _split_pages(messages: Iterable[TakenMessage]) -> Iterator[list[str]]:
    receipts = [message.receipt for message in messages]
    for start in range(0, len(receipts), PAGE):
        yield receipts[start : start + PAGE]
