"""What failed for reasons that are not the master's, and how it is given to the pipeline again.

Failures lie in the failures queue, unusable events in the dead letters of the uploads queue; the
queues keep both for two weeks, the outcomes table keeps a failure for ever. A redrive is a hint
in the uploads queue: from there on it goes the way of an upload, at the same pace.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vitrine.ingest.hints import Hint
from vitrine.ingest.outcome import Outcome
from vitrine.ports import MessageQueue, OutcomeTable, Taken

LISTED = 10_000
"""Outcomes that are looked at; each state's newest."""
UNUSED_EVENT = "event-not-used"
UNREADABLE_EVENT = "event-not-readable"
_UNUSED = "The starter failed five times at this event. It can be redriven."
_UNREADABLE = "The message names no master and cannot be redriven; read it, then discard it."
_ID_DIGITS = 8


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One failure of one master. `code`, `sentence` and `value` as in an outcome."""

    master_key: str
    """Empty where the message names none."""
    identifier: str = ""
    code: str
    sentence: str
    value: str = ""
    failed_at: str
    """RFC 3339 UTC."""
    execution: str = ""
    """Name of the failed execution; empty when there was none yet."""
    message: Taken | None = None
    """What lies in a queue of it; None when the queue has forgotten it."""
    dead_letter: bool = False

    @property
    def redrivable(self) -> bool:
        """Is it known what to start?"""
        return bool(self.master_key)

    @property
    def message_id(self) -> str:
        """A name for what names no master: 8 hex digits of its message; else empty."""
        if self.redrivable or self.message is None:
            return ""
        text = f"{self.message.sent_at}\0{self.message.body}"
        return hashlib.sha256(text.encode()).hexdigest()[:_ID_DIGITS]


@dataclass(frozen=True, kw_only=True)
class FailureServices:
    """Where failures lie, and where a redrive begins."""

    failures: MessageQueue
    dead_letters: MessageQueue
    uploads: MessageQueue
    outcomes: OutcomeTable

    def take(self) -> list[Failure]:
        """All failures, newest first. Their messages are hidden from others: `give_back` them."""
        found = [_failure(message) for message in self.failures.take()]
        found += [_dead_letter(message) for message in self.dead_letters.take()]
        known = {failure.execution for failure in found}
        forgotten = [
            _forgotten(outcome)
            for outcome in self.outcomes.by_state("failed", LISTED)
            if outcome.execution not in known
        ]
        return sorted(found + forgotten, key=lambda failure: failure.failed_at, reverse=True)

    def give_back(self, failures: Iterable[Failure]) -> None:
        """Let others see the messages of these again."""
        failures = list(failures)
        self.failures.give_back(_messages(failures, dead_letters=False))
        self.dead_letters.give_back(_messages(failures, dead_letters=True))

    def redrive(self, failure: Failure) -> None:
        """Have the starter look at the master again, then forget the failure's message.

        In this order: killed in between, it comes twice, and the second changes nothing.
        """
        hint = Hint(master_key=failure.master_key, redrives=failure.execution)
        self.uploads.send(hint.as_body())
        if failure.message:
            queue = self.dead_letters if failure.dead_letter else self.failures
            queue.delete(failure.message)

    def discard(self, failure: Failure) -> None:
        """Forget a message that names no master. Raises ValueError for a failure of a master."""
        if failure.redrivable or failure.message is None:
            raise ValueError(f"a failure of {failure.master_key} is redriven, not discarded")
        queue = self.dead_letters if failure.dead_letter else self.failures
        queue.delete(failure.message)


def _messages(failures: Iterable[Failure], *, dead_letters: bool) -> Iterator[Taken]:
    for failure in failures:
        if failure.message and failure.dead_letter is dead_letters:
            yield failure.message


def _failure(message: Taken) -> Failure:
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
    )


def _dead_letter(message: Taken) -> Failure:
    try:
        hint = Hint.from_body(message.body)
    except ValueError:
        hint = None
    return Failure(
        master_key=hint.master_key if hint else "",
        code=UNUSED_EVENT if hint else UNREADABLE_EVENT,
        sentence=_UNUSED if hint else _UNREADABLE,
        value="" if hint else message.body[:200],
        failed_at=message.sent_at,
        execution=hint.redrives if hint else "",
        message=message,
        dead_letter=True,
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
