"""Every error Vitrine raises, and what the outside world sees of each.

    VitrineError
    ├── RequestError            the viewer's request cannot be answered
    │   ├── InvalidRequest      400  malformed IIIF request
    │   ├── UnknownImage        404  no such identifier
    │   ├── MethodNotAllowed    405  other than GET, HEAD, OPTIONS
    │   ├── ImageGone           410  withdrawn: a tombstone answers
    │   ├── AddressTooLong      414  longer than any address of ours
    │   ├── TooManyRenders      429  this viewer has large renders under way already
    │   ├── UnsupportedRequest  501  valid IIIF that this server does not offer
    │   └── Unavailable         503  try again later
    ├── MasterRejected          the master breaks a rule; recorded, never retried
    ├── IdentifierRefused       an identifier must not change so; its text says what to do
    ├── SupersededMaster        a newer version of the master exists; nothing to do
    ├── ObjectMissing           the object is not in the store
    ├── PreconditionFailed      a conditional request met another object
    ├── Replaced                the object under a key is another now: open it anew
    ├── InvalidScenario         a workload's scenario or catalogue cannot be used
    ├── PlanImpossible          no service can be what a plan asks for; its text says why
    ├── IngestUnfinished        an ingest has not ended yet: ask again later
    ├── ConvertersBusy          as many giants are converted as may be: wait for a place
    ├── ConversionLost          a task that converted a giant ended without a result
    ├── MigrationUnusable       a manifest, or what a migration was asked for, cannot be used
    ├── NotMigrated             one image of a migration was not published; its text is JSON
    └── TransientError          worth a retry: throttled, timed out, unreachable

`STATUS` is the one map to HTTP, `RETRYABLE` the one list for Step Functions.
"""

import json
from dataclasses import asdict, dataclass


class VitrineError(Exception):
    """Root of the tree."""


class RequestError(VitrineError):
    """The viewer's request cannot be answered; the message is the reason it is told."""


class InvalidRequest(RequestError):
    """Malformed IIIF request."""


class UnknownImage(RequestError):
    """No such identifier."""


class MethodNotAllowed(RequestError):
    """A method other than GET, HEAD or OPTIONS."""


class ImageGone(RequestError):
    """The identifier is a tombstone."""


class AddressTooLong(RequestError):
    """The path is longer than any address of ours."""


class TooManyRenders(RequestError):
    """This viewer's large renders under way are as many as one viewer may have."""


class UnsupportedRequest(RequestError):
    """Valid IIIF that this server does not offer."""


class Unavailable(RequestError):
    """Something behind us does not answer; a later try may succeed."""


STATUS: dict[type[RequestError], int] = {
    InvalidRequest: 400,
    UnknownImage: 404,
    MethodNotAllowed: 405,
    ImageGone: 410,
    AddressTooLong: 414,
    TooManyRenders: 429,
    UnsupportedRequest: 501,
    Unavailable: 503,
}


@dataclass(frozen=True)
class Rejection:
    """Why a master was refused: a stable code, a sentence for the curator, the offending value."""

    code: str
    sentence: str
    value: str = ""


class MasterRejected(VitrineError):
    """The master breaks a rule. Its text is JSON, so that it crosses Step Functions whole."""

    def __init__(self, rejection: Rejection) -> None:
        self.rejection = rejection
        super().__init__(json.dumps(asdict(rejection), ensure_ascii=False))


class IdentifierRefused(VitrineError):
    """An identifier must not change so. `code` is stable; the text says why, and what to do."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        super().__init__(sentence)


class SupersededMaster(VitrineError):
    """A newer version of the master exists, or it was deleted: this run has nothing to do."""


class ObjectMissing(VitrineError):
    """The object is not in the store. `deletion` is its delete marker's version, "" without one."""

    def __init__(self, message: str, deletion: str = "") -> None:
        self.deletion = deletion
        super().__init__(message)


class PreconditionFailed(VitrineError):
    """A conditional request met another object: a write lost the race, a read came too late."""


class Replaced(VitrineError):
    """The object under a key is another than the one that was opened: open it anew."""


class InvalidScenario(VitrineError):
    """A workload's scenario, list or catalogue cannot be used; the message says what to mend."""


class PlanImpossible(VitrineError):
    """No service can be what a plan asks for; the message says what is impossible, and why."""


class IngestUnfinished(VitrineError):
    """The ingest of one master has not ended yet: ask again later."""


class ConvertersBusy(VitrineError):
    """As many giants are converted as may be at a time: wait for a place."""


class ConversionLost(VitrineError):
    """A task that converted a giant ended without a result; its text says how."""


class MigrationUnusable(VitrineError):
    """A manifest, or what a migration was asked for, cannot be used; the message says why."""


class NotMigrated(VitrineError):
    """One image of a migration was not published. Its text is the result as JSON."""


class TransientError(VitrineError):
    """Throttled, timed out or unreachable: worth a retry."""


RETRYABLE: tuple[str, ...] = (TransientError.__name__,)
