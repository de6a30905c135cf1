"""An SQS queue of failed executions' inputs."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vitrine.adapters.aws.errors import translated

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


class SqsFailureQueue:
    """Messages are JSON."""

    def __init__(self, client: "SQSClient", queue_url: str) -> None:
        self._client = client
        self._queue_url = queue_url

    def send(self, message: Mapping[str, Any]) -> None:
        with translated("failures queue"):
            self._client.send_message(
                QueueUrl=self._queue_url,
                MessageBody=json.dumps(dict(message), ensure_ascii=False),
            )
