"""All errors that Vitrine raises, and what the outside world sees of each.

    VitrineError
    ├── RequestError            the viewer's request cannot be answered
    │   ├── InvalidRequest      400  malformed IIIF request
    │   ├── TicketRequired      401  shown only to those with a ticket
    │   ├── AccessDenied        403  its rule of access shows this to nobody
    │   │   └── LinkDenied      403  this link shows it in other formats only
    │   ├── UnknownImage        404  no such identifier
    │   ├── MethodNotAllowed    405  not GET, HEAD or OPTIONS
    │   ├── ImageGone           410  the image was withdrawn
    │   ├── AddressTooLong      414  longer than any valid address
    │   └── Unavailable         503  try again later
    │       ├── Overloaded      503  it costs more than there is room for now
    │       ├── DamagedAccessMaster  503  its bytes make no sense: they are fetched again
    │       └── PoisonedRequest  503  it killed its renderer twice: not tried for a while
    ├── MasterRejected          the master breaks a rule; recorded, never retried
    ├── IdentifierRefused       this change of an identifier is not allowed; says what to do
    ├── ObjectRefused           this record of an object is not usable; says what to do
    ├── ThemeRefused            this theme of the site is not usable; says what to do
    ├── TextRefused             this text of a page is not usable; its code and words say why
    ├── AccessRefused           an `access.toml` is not usable; says why
    ├── TicketRefused           a ticket gives no access, here or now; its code says why
    ├── RevisionChanged         a change for one revision found another; nothing was changed
    ├── SupersededMaster        a newer version of the master exists; nothing to do
    ├── ObjectMissing           the object is not in the store
    ├── PreconditionFailed      a conditional request found another object
    ├── Replaced                the object under a key was replaced: open it again
    ├── IngestUnfinished        an ingest has not ended yet: call again later
    ├── ConverterTooSmall       a master needs more than this converter has: use a larger one
    ├── ConvertersBusy          no slot is free for converting a giant: wait for one
    ├── ConversionLost          a task that converted a giant ended without a result
    ├── MigrationUnusable       a manifest or an option of a migration is not usable; says why
    ├── NotMigrated             too much of a migration's batch failed; the text is JSON
    └── ServiceFailed           a service of AWS did not do what was requested
        ├── TransientError      throttled, timed out or unreachable: try again
        └── ServiceRefused      rights, credentials, a key or a bucket are not as deployed
            └── RecordDamaged   the table's item of an identifier makes no sense

`STATUS` is the only map to HTTP, `RETRYABLE` the only list for Step Functions.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass


class VitrineError(Exception):
    """The root of the tree."""


class RequestError(VitrineError):
    """The viewer's request cannot be answered; the message is sent as the reason."""


class InvalidRequest(RequestError):
    """The request is not a valid IIIF request."""


class TicketRequired(RequestError):
    """The image is shown to those with a ticket, and no valid one came with the request."""


class AccessDenied(RequestError):
    """The image's rule of access does not show this."""


class LinkDenied(AccessDenied):
    """A share link does not show this format; another link with the same address behind it may."""


class UnknownImage(RequestError):
    """There is no such identifier."""


class MethodNotAllowed(RequestError):
    """The method is not GET, HEAD or OPTIONS."""


class ImageGone(RequestError):
    """The identifier is a tombstone; the public reads the day, from an RFC 3339 time, and why."""

    def __init__(self, reason: str, since: str) -> None:
        super().__init__(f"withdrawn {since[:10]}: {reason}".rstrip(": "))


class AddressTooLong(RequestError):
    """The path is longer than any valid address."""


class Unavailable(RequestError):
    """Something that the gateway depends on does not answer; a later attempt may succeed."""

    retry_seconds = 2
    """Seconds until the next attempt: short, since what is missing is mostly a free slot."""


class DamagedAccessMaster(Unavailable):
    """What was read of an access master makes no sense, on its way or in the store."""


class Overloaded(Unavailable):
    """More is asked than the machine can do, and this request gives way to cheaper ones."""

    def __init__(self, message: str, retry_seconds: int) -> None:
        self.retry_seconds = retry_seconds
        super().__init__(message)


class PoisonedRequest(Unavailable):
    """This very request killed the process that rendered it, twice: it is not tried for a while."""

    def __init__(self, message: str, retry_seconds: int) -> None:
        self.retry_seconds = retry_seconds
        super().__init__(message)


STATUS: dict[type[RequestError], int] = {
    InvalidRequest: 400,
    TicketRequired: 401,
    AccessDenied: 403,
    LinkDenied: 403,
    UnknownImage: 404,
    MethodNotAllowed: 405,
    ImageGone: 410,
    AddressTooLong: 414,
    Unavailable: 503,
    DamagedAccessMaster: 503,
    Overloaded: 503,
    PoisonedRequest: 503,
}


@dataclass(frozen=True)
class Rejection:
    """Why a master was rejected: a stable code, a sentence for the curator, the offending value."""

    code: str
    sentence: str
    value: str = ""


class MasterRejected(VitrineError):
    """The master breaks a rule. Its text is JSON, so that it crosses Step Functions whole."""

    def __init__(self, rejection: Rejection) -> None:
        self.rejection = rejection
        super().__init__(json.dumps(asdict(rejection), ensure_ascii=False))


class IdentifierRefused(VitrineError):
    """This change of an identifier is not allowed. `code` is stable; the text says what to do."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        super().__init__(sentence)


class ObjectRefused(VitrineError):
    """A record of an object or collection is not usable, or may not be changed so; says why.

    `code` is stable. `faults` are sentences that each name a place in the record.
    """

    def __init__(self, code: str, sentence: str, faults: Sequence[str] = ()) -> None:
        self.code = code
        self.faults = faults
        super().__init__(sentence)


class ThemeRefused(VitrineError):
    """A theme of the site is not usable; says why."""


class TextRefused(VitrineError):
    """The text of a page is not usable. `code` is stable; the words say why."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        super().__init__(sentence)


class AccessRefused(VitrineError):
    """An `access.toml` is not usable; says why."""


class TicketRefused(VitrineError):
    """A ticket gives no access, here or now. `code` is stable (`vitrine.access.tickets`)."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(f"the ticket is refused: {code}")


class RevisionChanged(VitrineError):
    """A change for one revision of a record found another: somebody was faster."""

    def __init__(self, identifier: str, found: int, expected: int) -> None:
        self.found = found
        super().__init__(
            f'"{identifier}" has revision {found}, not {expected}: somebody changed it. Look at '
            "it as it is now, and put your change on top of that."
        )


class SupersededMaster(VitrineError):
    """A newer version of the master exists, or it was deleted: there is nothing to do."""


class ObjectMissing(VitrineError):
    """The object is not in the store. `deletion` is its delete marker's version, "" without one."""

    def __init__(self, message: str, deletion: str = "") -> None:
        self.deletion = deletion
        super().__init__(message)


class PreconditionFailed(VitrineError):
    """A conditional request found another object: a write lost a race, a read came too late."""


class Replaced(VitrineError):
    """The object under a key is not the one that was opened: open it again."""


class IngestUnfinished(VitrineError):
    """The ingest of one master has not ended yet: call again later."""


class ConverterTooSmall(VitrineError):
    """A master needs more memory, disk or time than this converter has: use a larger one."""


class ConvertersBusy(VitrineError):
    """As many giants are being converted as may be at a time: wait for a slot."""


class ConversionLost(VitrineError):
    """A task that converted a giant ended without a result; the text says how."""


class MigrationUnusable(VitrineError):
    """A manifest or an option of a migration is not usable; the message says why."""


class NotMigrated(VitrineError):
    """Too many masters of a batch were not published. Its text is JSON: their numbers by state."""


class ServiceFailed(VitrineError):
    """A service of AWS did not do what was requested, which viewers see as a 503."""


class TransientError(ServiceFailed):
    """A call was throttled, timed out or did not reach its target: try again."""


class ServiceRefused(ServiceFailed):
    """AWS refused a call for lack of a right, of credentials, of a key or of the bucket itself.

    No retry helps before somebody mends the deployment.
    """


class RightMissing(ServiceRefused):
    """AWS refused a call since who made it may not: no policy allows it, or one denies it."""


class RecordDamaged(ServiceRefused):
    """The item of an identifier in the table cannot be read. The journal has it whole.

    The next change of the identifier puts it right, and so does `vitrine identifiers rebuild`.
    `revision` is that of the item, 0 if it has none.
    """

    def __init__(self, identifier: str, revision: int, reason: str) -> None:
        self.revision = revision
        super().__init__(
            f'The item of "{identifier}" in the table of identifiers is damaged ({reason}): '
            "`vitrine identifiers rebuild` writes it again."
        )


RETRYABLE: tuple[str, ...] = (TransientError.__name__,)
