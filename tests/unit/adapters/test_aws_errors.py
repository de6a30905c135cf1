"""botocore's errors are translated into ours in one place."""

import pytest
from botocore.exceptions import (
    ClientError,
    CredentialRetrievalError,
    EndpointConnectionError,
    FlexibleChecksumError,
    NoCredentialsError,
    ReadTimeoutError,
)
from s3transfer.exceptions import RetriesExceededError

from vitrine.adapters.aws.errors import translate_errors, translate_table_errors
from vitrine.errors import (
    RETRYABLE,
    ObjectMissing,
    PreconditionFailed,
    ServiceRefused,
    TransientError,
)


def client_error(code: str, status: int) -> ClientError:
    return ClientError(
        {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}},  # type: ignore[typeddict-item]
        "Operation",
    )


@pytest.mark.parametrize(
    ("error", "translation"),
    [
        (client_error("404", 404), ObjectMissing),
        (client_error("NoSuchKey", 404), ObjectMissing),
        (client_error("412", 412), PreconditionFailed),
        (client_error("ConditionalCheckFailedException", 400), PreconditionFailed),
        (client_error("SlowDown", 503), TransientError),
        (client_error("ProvisionedThroughputExceededException", 400), TransientError),
        (client_error("never heard of", 500), TransientError),
        (client_error("", 429), TransientError),
        (EndpointConnectionError(endpoint_url="http://127.0.0.1:1"), TransientError),
        (ReadTimeoutError(endpoint_url="http://127.0.0.1:1"), TransientError),
        (RetriesExceededError(OSError("reset")), TransientError),
        (FlexibleChecksumError(error_msg="crc32 did not match"), TransientError),
        (client_error("AccessDenied", 403), ServiceRefused),
        (client_error("403", 403), ServiceRefused),
        (client_error("400", 400), ServiceRefused),
        (client_error("AccessDeniedException", 400), ServiceRefused),
        (client_error("ExpiredTokenException", 400), ServiceRefused),
        (client_error("UnrecognizedClientException", 400), ServiceRefused),
        (client_error("KMS.DisabledException", 400), ServiceRefused),
        (client_error("NoSuchBucket", 404), ServiceRefused),
        (NoCredentialsError(), ServiceRefused),
        (CredentialRetrievalError(provider="task", error_msg="silent"), ServiceRefused),
    ],
)
def test_errors_are_named_for_what_the_caller_can_do(
    error: Exception, translation: type[Exception]
) -> None:
    with pytest.raises(translation, match=r"a\.tif"), translate_errors("a.tif"):
        raise error


@pytest.mark.parametrize("code", ["ValidationException", "ResourceNotFoundException"])
def test_calls_that_are_wrong_in_themselves_stay_what_they_are(code: str) -> None:
    with pytest.raises(ClientError), translate_errors("a.tif"):
        raise client_error(code, 400)


def test_no_step_tries_again_what_aws_refused() -> None:
    assert not issubclass(ServiceRefused, TransientError)
    assert ServiceRefused.__name__ not in RETRYABLE


def test_a_table_that_was_deleted_is_one_that_does_not_answer() -> None:
    with pytest.raises(TransientError, match="an-image"), translate_table_errors("an-image"):
        raise client_error("ResourceNotFoundException", 400)
    with pytest.raises(ServiceRefused), translate_table_errors("an-image"):
        raise client_error("AccessDenied", 403)


@pytest.mark.parametrize(
    ("headers", "deletion"),
    [
        ({"x-amz-delete-marker": "true", "x-amz-version-id": "m1"}, "m1"),
        ({"x-amz-delete-marker": "true"}, ""),
        ({"x-amz-version-id": "v1"}, ""),
        ({}, ""),
    ],
)
def test_a_deleted_object_names_its_delete_marker(headers: dict[str, str], deletion: str) -> None:
    error = client_error("404", 404)
    error.response["ResponseMetadata"]["HTTPHeaders"] = headers
    with pytest.raises(ObjectMissing) as missing, translate_errors("a.tif"):
        raise error
    assert missing.value.deletion == deletion
