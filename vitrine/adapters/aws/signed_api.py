"""The API of an environment, called with signatures of AWS (version 4)."""

from collections.abc import Mapping

import urllib3
from botocore.awsrequest import AWSRequest
from urllib3.util import Retry, Timeout

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.errors import translate_errors
from vitrine.api.http import ApiResponse
from vitrine.errors import TransientError

AT_ONCE = 16
SECONDS = 35
"""For an answer: the gateway waits 30 seconds for its function."""


class SignedApi:
    """The API at `address`, without a slash at its end, which is in the region of `access`."""

    def __init__(self, access: AwsAccess, address: str) -> None:
        self._access = access
        self._address = address
        self._pool = urllib3.PoolManager(
            maxsize=AT_ONCE,
            block=True,
            timeout=Timeout(connect=3, read=SECONDS),
            retries=Retry(total=2, redirect=False, status=False, allowed_methods=None),
        )

    def send(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
    ) -> ApiResponse:
        """Return the answer to a request. Raises ServiceRefused, TransientError."""
        address = f"{self._address}{path}" + (f"?{query}" if query else "")
        request = AWSRequest(method=method, url=address, data=body, headers=dict(headers))
        with translate_errors(self._address):
            self._access.sign(request, "execute-api")
        try:
            answer = self._pool.request(
                method, address, body=body, headers=dict(request.headers.items())
            )
        except urllib3.exceptions.HTTPError as error:
            raise TransientError(f"The API does not answer: {error}") from error
        named = {name.lower(): value for name, value in answer.headers.items()}
        return ApiResponse(status=answer.status, headers=named, body=answer.data)
