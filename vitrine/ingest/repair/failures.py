"""What failed for reasons that are not the master's, and how it is tried once more.

Failures lie in the failures queue, unusable messages in the dead letters of the queue they came
from; the queues keep both for two weeks, the outcomes table keeps a failure for ever. A redrive of
a master is a hint in the uploads queue: from there on it goes the way of an upload, at the same
pace. What names no upload goes back into its worker's queue as it was.
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
    hint_in,
    useless,
)
from vitrine.ingest.start.upload_hints import Hint
from vitrine.ports import MessageQueue, OutcomeTable, TakenMessage
from vitrine.records import Outcome

LISTED = 10_000
"""Outcomes that are looked at; each state's newest."""
_ID_DIGITS = 8
_SEEN_CHARACTERS = 200


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One failure, of a master or a message. `code`, `sentence` and `value` as in an outcome."""

    master_key: str = ""
    """Empty where the message names none."""
    identifier: str = ""
    code: str
    sentence: str
    value: str = ""
    failed_at: str
    """RFC 3339 UTC."""
    execution: str = ""
    """Name of the failed execution; empty when there was none yet."""
    message: TakenMessage | None = None
    """What lies in a queue of it; None when the queue has forgotten it."""
    queue: MessageQueue | None = None
    """Where the message lies."""
    kept_in: str = "the outcomes table"
    """The same, in words."""
    worker: Worker | None = None
    """Who failed at the message; None for the starter and for the pipeline's steps."""

    @property
    def redrivable(self) -> bool:
        """Is it known what to start, or where to send it?"""
        return bool(self.master_key or self.worker)

    @property
    def message_id(self) -> str:
        """A name for what names no master: 8 hex digits of its message; else empty."""
        if self.master_key or self.message is None:
            return ""
        text = f"{self.message.sent_at}\0{self.message.body}"
        return hashlib.sha256(text.encode()).hexdigest()[:_ID_DIGITS]


@dataclass(frozen=True, kw_only=True)
class FailureServices:
    """Where failures lie, and where a redrive begins."""

    failures: MessageQueue
    dead_letters: MessageQueue
    """Of the uploads queue."""
    uploads: MessageQueue
    outcomes: OutcomeTable
    workers: tuple[Worker, ...] = ()
    """All but the starter."""

    def take(self) -> list[Failure]:
        """All failures, newest first. Their messages are hidden from others: `give_back` them."""
        # All at once: it takes a second to be sure that a queue is empty.
        queues = [self.failures, self.dead_letters, *self._others()]
        with ThreadPoolExecutor(len(queues)) as threads:
            failed, unused, *others = threads.map(lambda queue: queue.take(), queues)
        found = [_failure(message, self.failures) for message in failed]
        found += [_upload(message, self.dead_letters) for message in unused]
        for worker, messages in zip(self.workers, others, strict=True):
            found += [_message(message, worker) for message in messages]
        known = {failure.execution for failure in found if failure.execution}
        forgotten = [
            _forgotten(outcome)
            for outcome in self.outcomes.by_state("failed", LISTED)
            if outcome.execution not in known
        ]
        return sorted(found + forgotten, key=lambda failure: failure.failed_at, reverse=True)

    def give_back(self, failures: Iterable[Failure]) -> None:
        """Let others see the messages of these again."""
        failures = list(failures)
        for queue in (self.failures, self.dead_letters, *self._others()):
            queue.give_back(_messages(failures, queue))

    def redrive(self, failure: Failure) -> None:
        """Have the starter look at the master again, or the worker at its message; forget it here.

        In this order: killed in between, it comes twice, and the second changes nothing. Raises
        ValueError for what cannot be redriven.
        """
        if failure.master_key:
            hint = Hint(master_key=failure.master_key, redrives=failure.execution)
            self.uploads.send(hint.as_body())
        elif failure.worker and failure.message:
            failure.worker.queue.send(failure.message.body)
        else:
            raise ValueError(f"nobody knows what to do with {failure.message_id}")
        _forget(failure)

    def discard(self, failure: Failure) -> None:
        """Forget a message that names no master. Raises ValueError for a failure of a master."""
        if failure.master_key or failure.message is None:
            raise ValueError(f"a failure of {failure.master_key} is redriven, not discarded")
        _forget(failure)

    def _others(self) -> list[MessageQueue]:
        return [worker.dead_letters for worker in self.workers]


def _forget(failure: Failure) -> None:
    if failure.message and failure.queue:
        failure.queue.delete(failure.message)


def _messages(failures: Iterable[Failure], queue: MessageQueue) -> Iterator[TakenMessage]:
    for failure in failures:
        if failure.message and failure.queue is queue:
            yield failure.message


def _failure(message: TakenMessage, queue: MessageQueue) -> Failure:
    place = "the failures queue"
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
            kept_in=place,
        )
    except (ValueError, TypeError, KeyError):
        return _nameless(UNREADABLE_EVENT, message, queue, place)


def _upload(message: TakenMessage, queue: MessageQueue) -> Failure:
    place = "the dead letters of the uploads queue"
    hint = hint_in(message.body)
    if hint is None:
        return _nameless(useless(message.body), message, queue, place)
    return Failure(
        master_key=hint.master_key,
        code=UNUSED_EVENT,
        sentence=SENTENCES[UNUSED_EVENT],
        failed_at=message.sent_at,
        execution=hint.redrives,
        message=message,
        queue=queue,
        kept_in=place,
    )


def _message(message: TakenMessage, worker: Worker) -> Failure:
    place = f"the dead letters of {worker.name}"
    failure = _nameless(UNUSED_MESSAGE, message, worker.dead_letters, place)
    return replace(failure, worker=worker)


def _nameless(code: str, message: TakenMessage, queue: MessageQueue, place: str) -> Failure:
    return Failure(
        code=code,
        sentence=SENTENCES[code],
        value=message.body[:_SEEN_CHARACTERS],
        failed_at=message.sent_at,
        message=message,
        queue=queue,
        kept_in=place,
    )


def _forgotten(outcome: Outcome) -> Failure:
    return Failure(
        master_key=outcome.master_key,
        identifier=outcome.identifier,
        code=outcome.code,
        sentence=outcome.sentence,
        value=outcome.value,
        failed_at=outcome.changed_at,
        execution=outcome.execution,
    )
