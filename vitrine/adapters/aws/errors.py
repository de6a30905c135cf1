"""The only place where botocore's errors are translated into ours."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    ClientError,
    ConnectionError,
    HTTPClientError,
    IncompleteReadError,
    ResponseStreamingError,
)
from s3transfer.exceptions import RetriesExceededError

from vitrine.errors import ObjectMissing, PreconditionFailed, TransientError, VitrineError

_CODES: dict[str, type[VitrineError]] = {
    "404": ObjectMissing,
    "NoSuchKey": ObjectMissing,
    "NoSuchVersion": ObjectMissing,
    "412": PreconditionFailed,
    "PreconditionFailed": PreconditionFailed,
    "ConditionalRequestConflict": PreconditionFailed,
    "ConditionalCheckFailedException": PreconditionFailed,
    "InternalError": TransientError,
    "InternalFailure": TransientError,
    "InternalServerError": TransientError,
    "LimitExceededException": TransientError,
    "ProvisionedThroughputExceededException": TransientError,
    "RequestLimitExceeded": TransientError,
    "RequestThrottled": TransientError,
    "RequestTimeout": TransientError,
    "ServiceUnavailable": TransientError,
    "SlowDown": TransientError,
    "Throttling": TransientError,
    "ThrottlingException": TransientError,
    "TooManyInvalidationsInProgress": TransientError,
    "TooManyRequestsException": TransientError,
    "TransactionInProgressException": TransientError,
}
_UNREACHABLE = (
    ConnectionError,
    HTTPClientError,
    IncompleteReadError,
    ResponseStreamingError,
    RetriesExceededError,  # of a download whose connections broke
)


@contextmanager
def translate_errors(subject: str) -> Iterator[None]:
    """Raise botocore's errors in the `with` block as Vitrine's, with `subject` in their text.

    Errors that are not in the table (access denied, no such bucket) pass unchanged: they are
    mistakes in the deployment, which neither a retry nor the caller can correct.
    """
    try:
        yield
    except ClientError as error:
        translation = _find_translation(error)
        if translation is None:
            raise
        if translation is ObjectMissing:
            raise ObjectMissing(f"{subject}: {error}", _delete_marker_version(error)) from error
        raise translation(f"{subject}: {error}") from error
    except _UNREACHABLE as error:
        raise TransientError(f"{subject}: {error}") from error


@contextmanager
def translate_table_errors(subject: str) -> Iterator[None]:
    """Raise the errors of a read from a table as `translate_errors` does.

    A table that was deleted is one that does not answer: it is restored under its name, and until
    then the gateways go on with what they remember.
    """
    try:
        with translate_errors(subject):
            yield
    except ClientError as error:
        if error.response.get("Error", {}).get("Code", "") != "ResourceNotFoundException":
            raise
        raise TransientError(f"{subject}: {error}") from error


def _delete_marker_version(error: ClientError) -> str:
    """Return the version of the delete marker that hides the object, "" without one.

    Source: S3 User Guide, "Working with delete markers".
    """
    headers = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    marked = headers.get("x-amz-delete-marker") == "true"
    return headers.get("x-amz-version-id", "") if marked else ""


def _find_translation(error: ClientError) -> type[VitrineError] | None:
    code = error.response.get("Error", {}).get("Code", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in _CODES:
        return _CODES[code]
    return TransientError if status == 429 or status >= 500 else None
