"""The API of a one-machine service, called with a signature."""

import json
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

if TYPE_CHECKING:
    from conftest import Service

CURATOR = Credentials("test", "test")


class Api:
    """Calls of one caller."""

    def __init__(self, address: str, credentials: Credentials | None) -> None:
        self.address = address
        self._credentials = credentials

    def call(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, Mapping[str, str], Any]:
        """Return status, headers and JSON of an answer."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if method == "POST":
            named.setdefault("idempotency-key", str(uuid.uuid4()))
        data = None if body is None else json.dumps(body).encode()
        if data:
            named["content-type"] = "application/json"
        request = AWSRequest(method=method, url=self.address + path, data=data, headers=named)
        if self._credentials:
            SigV4Auth(self._credentials, "execute-api", "us-east-1").add_auth(request)
        sent = urllib.request.Request(
            request.url, data=data, headers=dict(request.headers.items()), method=method
        )
        try:
            with urllib.request.urlopen(sent, timeout=180) as answer:
                return answer.status, _lower(answer.headers), json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _lower(error.headers), json.loads(error.read() or b"null")


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def open_api(service: "Service") -> Api:
    """Return the API of a service, as the account's root calls it."""
    done = service.run("api", "show", "--json")
    assert done.returncode == 0, done.stderr
    return Api(json.loads(done.stdout)["address"], CURATOR)
