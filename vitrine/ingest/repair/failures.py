"""Failures that are not the master's fault, and how they are tried again.

Failures are in the failures queue, unusable messages in the dead letters of the queue they came
from; the queues keep both for two weeks, the outcomes table keeps a failure for ever. A redrive of
a master is a hint in the uploads queue: from there it goes the way of an upload, through the same
throttle. A message that names no upload goes back into its worker's queue unchanged.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from vitrine.ingest.repair.dead_letters import (
    SENTENCES,
    UNREADABLE_EVENT,
    UNUSED_EVENT,
    UNUSED_MESSAGE,
    Worker,
    classify_unusable,
    parse_hint,
)
from vitrine.ingest.start.upload_hints import Hint
from vitrine.ports import MessageQueue, OutcomeTable, TakenMessage
from vitrine.records import Outcome

LISTED = 10_000
"""Most failed outcomes that are listed, the newest."""
_ID_DIGITS = 8
_SEEN_CHARACTERS = 200


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One failure, of a master or a message; code, sentence and value are those of an outcome."""

    master_key: str = ""
    """Empty if the message names no master."""
    identifier: str = ""
    code: str
    sentence: str
    value: str = ""
    failed_at: str
    """RFC 3339 UTC."""
    execution: str = ""
    """Name of the failed execution; empty if it failed before an execution started."""
    message: TakenMessage | None = None
    """Its message; None when the queue does not hold it any more."""
    queue: MessageQueue | None = None
    """The queue that holds the message."""
    kept_in: str = "the outcomes table"
    """Place in which the failure is kept, in words."""
    worker: Worker | None = None
    """The Lambda that failed at the message; None for the starter and the pipeline's steps."""

    @property
    def redrivable(self) -> bool:
        """True if there is a master to start or a worker to send the message to."""
        return bool(self.master_key or self.worker)

    @property
    def message_id(self) -> str:
        """Name of a failure without a master: 8 hex digits of its message; else empty."""
        if self.master_key or self.message is None:
            return ""
        text = f"{self.message.sent_at}\0{self.message.body}"
        return hashlib.sha256(text.encode()).hexdigest()[:_ID_DIGITS]


@dataclass(frozen=True, kw_only=True)
class FailureServices:
    """Where failures are kept, and where a redrive begins."""

    failures: MessageQueue
    dead_letters: MessageQueue
    """Dead letters of the uploads queue."""
    uploads: MessageQueue
    outcomes: OutcomeTable
    workers: tuple[Worker, ...] = ()
    """All workers but the starter."""

    def take(self) -> list[Failure]:
        """Return all failures, newest first.

        Their messages are hidden from others until `give_back`.
        """
        # All queues at once: it takes a second to be sure that one is empty.
        queues = [self.failures, self.dead_letters, *self._dead_letter_queues()]
        with ThreadPoolExecutor(len(queues)) as threads:
            failed, unused, *others = threads.map(lambda queue: queue.take(), queues)
        failures = [_step_failure(message, self.failures) for message in failed]
        failures += [_hint_failure(message, self.dead_letters) for message in unused]
        for worker, messages in zip(self.workers, others, strict=True):
            failures += [_worker_failure(message, worker) for message in messages]
        known = {failure.execution for failure in failures if failure.execution}
        recorded = [
            _recorded_failure(outcome)
            for outcome in self.outcomes.by_state("failed", LISTED)
            if outcome.execution not in known
        ]
        return sorted(failures + recorded, key=lambda failure: failure.failed_at, reverse=True)

    def give_back(self, failures: Iterable[Failure]) -> None:
        """Let others see the messages of `failures` again."""
        failures = list(failures)
        for queue in (self.failures, self.dead_letters, *self._dead_letter_queues()):
            queue.give_back(_messages_in(failures, queue))

    def redrive(self, failure: Failure) -> None:
        """Send the master to the starter again, or the message to its worker; then delete it here.

        In this order: if we are killed in between, it comes twice, and the second time changes
        nothing. Raises ValueError for a failure that cannot be redriven.
        """
        if failure.master_key:
            hint = Hint(master_key=failure.master_key, redrives=failure.execution)
            self.uploads.send(hint.as_body())
        elif failure.worker and failure.message:
            failure.worker.queue.send(failure.message.body)
        else:
            raise ValueError(f"{failure.message_id} names no master and cannot be redriven")
        _delete_message(failure)

    def discard(self, failure: Failure) -> None:
        """Delete a message that names no master. Raises ValueError for a failure of a master."""
        if failure.master_key or failure.message is None:
            raise ValueError(f"a failure of {failure.master_key} can be redriven, not discarded")
        _delete_message(failure)

    def _dead_letter_queues(self) -> list[MessageQueue]:
        return [worker.dead_letters for worker in self.workers]


def _delete_message(failure: Failure) -> None:
    if failure.message and failure.queue:
        failure.queue.delete([failure.message])


def _messages_in(failures: Iterable[Failure], queue: MessageQueue) -> Iterator[TakenMessage]:
    for failure in failures:
        if failure.message and failure.queue is queue:
            yield failure.message


def _step_failure(message: TakenMessage, queue: MessageQueue) -> Failure:
    kept_in = "the failures queue"
    try:
        content = json.loads(message.body)
        return Failure(
            master_key=content["request"]["master_key"],
            identifier=content["request"]["identifier"],
            code=content["code"],
            sentence=content["sentence"],
            value=content["value"],
            failed_at=message.sent_at,
            execution=content["execution"],
            message=message,
            queue=queue,
            kept_in=kept_in,
        )
    except (ValueError, TypeError, KeyError):
        return _nameless_failure(UNREADABLE_EVENT, message, queue, kept_in)


def _hint_failure(message: TakenMessage, queue: MessageQueue) -> Failure:
    kept_in = "the dead letters of the uploads queue"
    hint = parse_hint(message.body)
    if hint is None:
        return _nameless_failure(classify_unusable(message.body), message, queue, kept_in)
    return Failure(
        master_key=hint.master_key,
        code=UNUSED_EVENT,
        sentence=SENTENCES[UNUSED_EVENT],
        failed_at=message.sent_at,
        execution=hint.redrives,
        message=message,
        queue=queue,
        kept_in=kept_in,
    )


def _worker_failure(message: TakenMessage, worker: Worker) -> Failure:
    kept_in = f"the dead letters of {worker.name}"
    failure = _nameless_failure(UNUSED_MESSAGE, message, worker.dead_letters, kept_in)
    return replace(failure, worker=worker)


def _nameless_failure(
    code: str, message: TakenMessage, queue: MessageQueue, kept_in: str
) -> Failure:
    return Failure(
        code=code,
        sentence=SENTENCES[code],
        value=message.body[:_SEEN_CHARACTERS],
        failed_at=message.sent_at,
        message=message,
        queue=queue,
        kept_in=kept_in,
    )


def _recorded_failure(outcome: Outcome) -> Failure:
    return Failure(
        master_key=outcome.master_key,
        identifier=outcome.identifier,
        code=outcome.code,
        sentence=outcome.sentence,
        value=outcome.value,
        failed_at=outcome.changed_at,
        execution=outcome.execution,
    )
