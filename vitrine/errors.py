"""Every error Vitrine raises, and what the outside world sees of each.

    VitrineError
    ├── RequestError            the viewer's request cannot be answered
    │   ├── InvalidRequest      400  malformed IIIF request
    │   ├── UnknownImage        404  no such identifier
    │   ├── MethodNotAllowed    405  other than GET, HEAD, OPTIONS
    │   ├── ImageGone           410  withdrawn: a tombstone answers
    │   ├── UnsupportedRequest  501  valid IIIF that this server does not offer
    │   └── Unavailable         503  try again later
    ├── MasterRejected          the master breaks a rule; recorded, never retried
    ├── SupersededMaster        a newer version of the master exists; nothing to do
    ├── ObjectMissing           the object is not in the store
    ├── PreconditionFailed      a conditional request met another object
    ├── Replaced                the object under a key is another now: open it anew
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


class UnsupportedRequest(RequestError):
    """Valid IIIF that this server does not offer."""


class Unavailable(RequestError):
    """Something behind us does not answer; a later try may succeed."""


STATUS: dict[type[RequestError], int] = {
    InvalidRequest: 400,
    UnknownImage: 404,
    MethodNotAllowed: 405,
    ImageGone: 410,
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


class TransientError(VitrineError):
    """Throttled, timed out or unreachable: worth a retry."""


RETRYABLE: tuple[str, ...] = (TransientError.__name__,)
