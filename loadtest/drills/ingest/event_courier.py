"""Delivers S3's events as badly as EventBridge may: some twice, some late and so out of order.

EventBridge promises "at least once" and no order (EventBridge User Guide, "Event retry policy and
dead-letter queues"). The rule's target is swapped for a queue of the drill's own, all by public
calls of AWS; what lies there, true events byte for byte, is carried to the uploads queue.
"""

import random
import threading
from collections import Counter

from botocore.exceptions import BotoCoreError, ClientError

from vitrine.adapters.aws.access import AwsAccess

QUEUE = "vitrine-drill-events"
PAGE = 10


class Courier:
    """Carries in a thread of its own. `percent` of the events come twice, and as many late."""

    def __init__(
        self, access: AwsAccess, uploads_queue: str, *, percent: float, latest: int, seed: int
    ) -> None:
        self._access = access
        self._uploads_queue = uploads_queue
        self._percent = percent
        self._latest = latest
        self._chance = random.Random(f"courier {seed}")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._carry_events, name="courier", daemon=True)
        self.counts: Counter[str] = Counter(events=0, twice=0, late=0)
        self.queue_url = ""

    def install(self) -> None:
        """Stand between the rule and the uploads queue. Raises LookupError without such a rule."""
        sqs, events = self._access.client("sqs"), self._access.client("events")
        self.queue_url = sqs.create_queue(QueueName=QUEUE)["QueueUrl"]
        old, new = self._queue_arn(self._uploads_queue), self._queue_arn(self.queue_url)
        for rule in events.list_rules()["Rules"]:
            for target in events.list_targets_by_rule(Rule=rule["Name"])["Targets"]:
                if target["Arn"] == old:
                    moved = {"Id": target["Id"], "Arn": new}
                    events.put_targets(Rule=rule["Name"], Targets=[moved])
                    return
        raise LookupError("no rule of EventBridge fills the uploads queue")

    def start(self) -> None:
        """Begin to carry."""
        self._thread.start()

    def stop(self) -> None:
        """End after the messages in hand."""
        self._ended.set()
        self._thread.join()

    def waiting(self) -> int:
        """Number of events that have not been delivered yet."""
        attributes = self._access.client("sqs").get_queue_attributes(
            QueueUrl=self.queue_url,
            AttributeNames=[
                "ApproximateNumberOfMessages",
                "ApproximateNumberOfMessagesNotVisible",
            ],
        )["Attributes"]
        return sum(map(int, attributes.values()))

    def _queue_arn(self, queue_url: str) -> str:
        answer = self._access.client("sqs").get_queue_attributes(
            QueueUrl=queue_url, AttributeNames=["QueueArn"]
        )
        return str(answer["Attributes"]["QueueArn"])

    def _carry_events(self) -> None:
        while not self._ended.is_set():
            try:
                self._carry_some()
            except (BotoCoreError, ClientError):  # the emulator is dead or comes up
                self._ended.wait(0.5)

    def _carry_some(self) -> None:
        sqs = self._access.client("sqs")
        answer = sqs.receive_message(
            QueueUrl=self.queue_url, MaxNumberOfMessages=PAGE, WaitTimeSeconds=1
        )
        for message in answer.get("Messages", ()):
            self.counts["events"] += 1
            for delay in self._draw_delays():
                sqs.send_message(
                    QueueUrl=self._uploads_queue, MessageBody=message["Body"], DelaySeconds=delay
                )
            sqs.delete_message(QueueUrl=self.queue_url, ReceiptHandle=message["ReceiptHandle"])

    def _draw_delays(self) -> list[int]:
        """Return the delays, in seconds, of the deliveries of one event."""
        roll = self._chance.random() * 100
        later = self._chance.randint(1, self._latest)
        if roll < self._percent:
            self.counts["twice"] += 1
            return [0, self._chance.choice([0, later])]
        if roll < 2 * self._percent:
            self.counts["late"] += 1
            return [later]
        return [0]
