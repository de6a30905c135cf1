"""The only place where botocore's errors are translated into ours."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    ClientError,
    ConnectionError,
    CredentialRetrievalError,
    FlexibleChecksumError,
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
    ResponseStreamingError,
)
from s3transfer.exceptions import RetriesExceededError

from vitrine.errors import (
    ObjectMissing,
    PreconditionFailed,
    RightMissing,
    ServiceRefused,
    TransientError,
    VitrineError,
)

_CODES: dict[str, type[VitrineError]] = {
    "404": ObjectMissing,
    "NoSuchKey": ObjectMissing,
    "NoSuchUpload": ObjectMissing,
    "NoSuchVersion": ObjectMissing,
    "412": PreconditionFailed,
    "PreconditionFailed": PreconditionFailed,
    "ConditionalRequestConflict": PreconditionFailed,
    "ConditionalCheckFailedException": PreconditionFailed,
    "ConflictException": PreconditionFailed,  # of a key-value store that another has changed
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
_REFUSALS = frozenset(
    {
        "400",  # all that a HEAD says of expired credentials: it has no body
        "AllAccessDisabled",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "InvalidToken",
        "MissingAuthenticationTokenException",
        "NoSuchBucket",
        "RequestExpired",
        "SignatureDoesNotMatch",
        "TokenRefreshRequired",
        "UnrecognizedClientException",
    }
)
"""Codes of mistakes in the deployment that do not come with the status 401 or 403, and of those
that one may look for here. Sources: S3 API Reference, "Error responses"; DynamoDB Developer Guide,
"Error handling"; IAM API Reference, "Common errors"."""
_KEY_REFUSALS = ("KMS.", "KMSAccessDenied", "KMSDisabled", "KMSInvalidState", "KMSNotFound")
"""Beginnings of codes of a key that is disabled, deleted or not ours to use."""
_WITHOUT_CREDENTIALS = (
    CredentialRetrievalError,  # whatever failed (`vitrine.adapters.aws.credentials`)
    NoCredentialsError,
)
_UNREACHABLE = (
    ConnectionError,
    FlexibleChecksumError,  # the body is not what its checksum in the same response says
    HTTPClientError,
    IncompleteReadError,
    ResponseStreamingError,
    RetriesExceededError,  # of a download whose connections broke
)


@contextmanager
def translate_errors(subject: str) -> Iterator[None]:
    """Raise botocore's errors in the `with` block as Vitrine's, with `subject` in their text.

    Those that say that a call is wrong in itself pass unchanged: they are mistakes of ours.
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
    except _WITHOUT_CREDENTIALS as error:
        raise ServiceRefused(f"{subject}: {error}") from error
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
    if code.startswith("AccessDenied"):  # of DynamoDB, with the status 400
        return RightMissing
    if code in _REFUSALS or code.startswith(_KEY_REFUSALS) or status in (401, 403):
        return ServiceRefused
    return TransientError if status == 429 or status >= 500 else None
