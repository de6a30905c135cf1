"""Credentials of boto3's usual chain, for processes that outlive them."""

import threading
import time
from collections.abc import Callable
from typing import Any

import botocore.session
from botocore.credentials import Credentials
from botocore.exceptions import CredentialRetrievalError

LOAD_SECONDS = 10.0
"""Between two loads: requests must not wait for one each while there are no better ones."""
REFUSED = frozenset(
    {
        "400",  # all that a HEAD says of an expired token: it has no body
        "ExpiredToken",
        "ExpiredTokenException",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidToken",
        "TokenRefreshRequired",
        "UnrecognizedClientException",
    }
)
"""Codes with which services refuse credentials whatever they are used for. Sources: S3 API
Reference, "Error responses"; DynamoDB Developer Guide, "Error handling"; IAM API Reference,
"Common errors"."""


def load_from_chain(region: str | None) -> Credentials | None:
    """Return what the chain finds now: a new session keeps nothing that an earlier one read."""
    session = botocore.session.Session()
    if region:
        session.set_config_variable("region", region)
    found: Credentials | None = session.get_credentials()
    return found


class RenewableCredentials(Credentials):
    """Credentials that are loaded when they are needed, and again after they failed.

    Loading and refreshing them raise all sorts of errors, by the place they come from: a file, a
    program, STS, the metadata of a container. Here each is a CredentialRetrievalError, which
    `translate_errors` knows.
    """

    def __init__(
        self,
        load: Callable[[], Credentials | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.method = "renewable"
        self._load = load
        self._clock = clock
        self._lock = threading.Lock()
        self._found: Credentials | None = None
        self._fault: Exception | None = None
        """Why they could not be loaded."""
        self._loaded_at = -float("inf")
        self._is_due = True

    def get_frozen_credentials(self) -> Any:
        """Return the credentials to sign a request with, None if the chain finds nothing."""
        try:
            found = self._find_credentials()
            return found.get_frozen_credentials() if found else None
        except Exception as error:
            self._is_due = True
            provider = getattr(self._found, "method", self.method)
            raise CredentialRetrievalError(
                provider=provider, error_msg=f"{type(error).__name__}: {error}"
            ) from error

    def get_deferred_property(self, property_name: str) -> Callable[[], str | None]:
        """Return what reads a property, such as `account_id`, when a request is made."""
        return lambda: getattr(self.get_frozen_credentials(), property_name, None)

    def note_answer(self, **event: Any) -> None:
        """Load them again if the answer of a service refuses them: a handler of `after-call`."""
        if event["parsed"].get("Error", {}).get("Code") in REFUSED:
            self._is_due = True

    def load_credentials(self) -> Credentials:
        """Return itself: it stands in place of the session's chain of providers."""
        return self

    def _find_credentials(self) -> Credentials | None:
        with self._lock:
            if self._is_due and self._clock() - self._loaded_at >= LOAD_SECONDS:
                self._found, self._fault = None, None
                try:
                    self._found = self._load()
                except Exception as error:
                    self._fault = error
                self._loaded_at, self._is_due = self._clock(), self._found is None
            if self._fault:
                raise self._fault
            return self._found
