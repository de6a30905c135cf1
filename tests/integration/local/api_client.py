"""The API of a one-machine service, called with a signature."""

import json
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyvips
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.patience import until

if TYPE_CHECKING:
    from conftest import Service

CURATOR = Credentials("test", "test")
PNG: bytes = pyvips.Image.black(600, 400).pngsave_buffer()


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


def follow(api: Api, key: str) -> dict[str, Any]:
    """Wait for the end of an ingest."""

    def ended() -> dict[str, Any] | None:
        _, _, ingest = api.call("GET", f"/ingests/{quote(key, safe='')}")
        is_over = ingest["state"] not in ("awaiting-upload", "unfinished")
        return dict(ingest) if is_over else None

    return until(ended, key, pause=0.5)


def send(api: Api, key: str, identifier: str, master: bytes = PNG) -> dict[str, Any]:
    """Upload a master by the address that the API gives, and wait for its image."""
    body = {"key": key, "identifier": identifier, "upload": {"bytes": len(master)}}
    status, headers, started = api.call("POST", "/ingests", body)
    assert (status, headers["location"]) == (201, f"./ingests/{quote(key, safe='')}")
    upload = started["upload"]
    request = urllib.request.Request(
        upload["address"], data=master, headers=upload["headers"], method="PUT"
    )
    with urllib.request.urlopen(request, timeout=180) as answer:
        assert answer.status == 200
    return follow(api, key)


def send_part(part: dict[str, Any], body: bytes) -> None:
    """Send a part of a file to its address."""
    request = urllib.request.Request(
        part["address"],
        data=body[part["start"] : part["start"] + part["bytes"]],
        headers=part["headers"],
        method="PUT",
    )
    with urllib.request.urlopen(request, timeout=180) as answer:
        assert answer.status == 200


def read_page(address: str) -> str:
    """Return the text at an address."""
    with urllib.request.urlopen(address, timeout=180) as answer:
        return str(answer.read().decode())


def letter(identifier: str, image: str, title: str = "A letter") -> dict[str, Any]:
    """Return the record of an object of one image."""
    return {
        "type": "object",
        "identifier": identifier,
        "label": {"en": [title]},
        "canvases": [{"image": image}],
    }
