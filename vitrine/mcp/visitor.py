"""Reads of the service's public addresses, as a visitor whom nobody knows."""

from dataclasses import dataclass
from typing import TypeVar

import httpx2
import msgspec
from mcp.server.mcpserver.exceptions import ToolError

from vitrine import __version__

MAX_REDIRECTS = 3
READ_SECONDS = 20.0
"""Seconds that an answer may let wait: API Gateway waits 30 for all that a tool does."""
CONNECTIONS = 10
MAX_JSON_BYTES = 16 << 20
AGENT = f"vitrine-mcp/{__version__} (bot)"
"""The word bot keeps what programs look at out of the figures of visits."""
Form = TypeVar("Form")


@dataclass(frozen=True)
class Answer:
    """What an address answered well."""

    address: str
    """Address that answered, after redirects."""
    body: bytes
    content_type: str


class Refusal(msgspec.Struct, frozen=True):
    """What the gateway and the searches say of a request that they do not answer."""

    reason: str = ""
    detail: str = ""


class Visitor:
    """Reads below `base`, scheme and host, by `client`, which must follow no redirects."""

    def __init__(self, client: httpx2.AsyncClient, base: str) -> None:
        self._client = client
        self.base = base

    async def read_json(self, path: str, form: type[Form]) -> Form:
        """Return the JSON at a path. Raises ToolError."""
        answer = await self.read(path, MAX_JSON_BYTES)
        try:
            return msgspec.json.decode(answer.body, type=form)
        except msgspec.DecodeError as error:
            raise ToolError(f"{answer.address} answers what is not as expected: {error}.") from None

    async def find_json(self, path: str, form: type[Form]) -> Form | None:
        """Return the JSON at a path, None if nothing is there. Raises ToolError."""
        try:
            return await self.read_json(path, form)
        except NothingThere:
            return None

    async def read(self, path: str, most: int) -> Answer:
        """Return what a path answers, of at most `most` bytes. Raises ToolError."""
        if {".", ".."} & {*path.split("/")}:
            # The server in front would read the address without them: another one.
            raise NothingThere('There is nothing at this name: no name is "." or "..".')
        address = self.base + path
        for _ in range(MAX_REDIRECTS + 1):
            status, headers, body = await self._request(address, most)
            if status not in (301, 302, 303, 307, 308):
                kind = headers.get("content-type", "")
                return _require_good(Answer(address, body, kind), status, headers)
            address = str(httpx2.URL(address).join(headers["location"]))
            if not address.startswith(f"{self.base}/"):
                raise ToolError(f"{path} moved to {address}, which is not on this server.")
        raise ToolError(f"{path} is redirected more than {MAX_REDIRECTS} times.")

    async def _request(self, address: str, most: int) -> tuple[int, httpx2.Headers, bytes]:
        try:
            async with self._client.stream("GET", address) as response:
                body = bytearray()
                async for part in response.aiter_bytes():
                    body += part
                    if len(body) > most:
                        raise ToolError(f"{address} has more than {most:,} bytes.")
                return response.status_code, response.headers, bytes(body)
        except httpx2.RequestError as error:
            reason = str(error) or type(error).__name__
            raise ToolError(f"{address} does not answer ({reason}); try again later.") from None


class NothingThere(ToolError):
    """The address names nothing."""


def new_client() -> httpx2.AsyncClient:
    """Return what visits an address without cookies and without credentials."""
    return httpx2.AsyncClient(
        headers={"user-agent": AGENT},
        timeout=READ_SECONDS,
        limits=httpx2.Limits(max_connections=CONNECTIONS),
        # Not what the environment of the process says of proxies, nor a netrc file.
        trust_env=False,
    )


def _require_good(answer: Answer, status: int, headers: httpx2.Headers) -> Answer:
    """Return an answer of status 200. Raises ToolError for any other, with the reason."""
    if status == 200:
        return answer
    reason = _read_reason(answer.body) or f"status {status}"
    match status:
        case 404:
            raise NothingThere(f"There is nothing at this name: {reason}.")
        case 410:
            raise ToolError(f"This is no longer shown: {reason}.")
        case 401 | 403:
            raise ToolError(f"This is not shown to everybody: {reason}.")
        case 429 | 502 | 503 | 504:
            seconds = headers.get("retry-after", "some")
            raise ToolError(f"The service is busy ({reason}). Try again after {seconds} seconds.")
        case _:
            raise ToolError(f"{answer.address} answers {status}: {reason}.")


def _read_reason(body: bytes) -> str:
    try:
        refusal = msgspec.json.decode(body, type=Refusal)
    except msgspec.DecodeError:
        return ""
    return (refusal.detail or refusal.reason).rstrip(".")
