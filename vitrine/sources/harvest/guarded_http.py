"""Asks servers of others: with limits of bytes and time, and never one on a private network.

A name is resolved once, its addresses are judged, and the connection goes to one that passed: no
second answer of a name server, and no redirect, leads elsewhere.
"""

import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, LocationParseError, NameResolutionError
from urllib3.util import Retry, Timeout
from urllib3.util.connection import create_connection

from vitrine import __version__
from vitrine.errors import VitrineError

CONNECT_SECONDS, READ_SECONDS = 10, 60
MAX_FILE_SECONDS = 1_800
"""Seconds of an answer that is written to a file."""
MAX_BYTES, MAX_FILE_BYTES = 64 << 20, 2 << 30
"""Bytes of one answer, uncompressed, and of one that is written to a file."""
MAX_REDIRECTS = 5
_CHUNK = 1 << 16
_NAT64 = IPv6Network("64:ff9b::/96")
"""Stands for the IPv4 address in its last four bytes (RFC 6052)."""


class NotHarvested(VitrineError):
    """A server's answer cannot be used; the message says why and what to do."""


class Refused(NotHarvested):
    """A server answers another status than 200."""


class PublicOnly(NotHarvested):
    """A server is on a private network, or on this machine."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long a server is waited for."""

    answer_seconds: float = 300
    """For one answer."""
    wait_seconds: int = 120
    """Seconds that a server may ask for by Retry-After."""


class GuardedHttp:
    """Gets what stands under addresses."""

    def __init__(self, *, private_too: bool = False, patience: Patience = Patience()) -> None:
        self._limits = _Limits(MAX_BYTES, patience.answer_seconds)
        self._pool = urllib3.PoolManager(
            headers={"User-Agent": f"Vitrine/{__version__}", "Accept-Encoding": "gzip"},
            timeout=Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS),
            retries=Retry(
                total=6,
                connect=2,
                read=2,
                redirect=MAX_REDIRECTS,
                status_forcelist=(429, 500, 502, 503, 504),
                backoff_factor=0.5,
                retry_after_max=patience.wait_seconds,
            ),
        )
        if not private_too:
            self._pool.pool_classes_by_scheme = {"http": _PublicHttp, "https": _PublicHttps}

    def get(self, address: str) -> bytes:
        """Return the body of an answer 200. Raises NotHarvested."""
        return b"".join(self._read(address, {}, self._limits))

    def get_changed(self, address: str, tag: str) -> tuple[bytes | None, str]:
        """Return the body and its ETag, None if the ETag is still `tag`. Raises NotHarvested."""
        conditions = {"If-None-Match": tag} if tag else {}
        kept: dict[str, str] = {}
        chunks = list(self._read(address, conditions, self._limits, kept))
        if "unchanged" in kept:
            return None, tag
        return b"".join(chunks), kept.get("etag", "")

    def download(self, address: str, path: Path) -> None:
        """Write the body of an answer 200 to a file, whole or not at all.

        Raises NotHarvested, OSError.
        """
        beside = path.with_name(f"{path.name}.part")
        try:
            with beside.open("wb") as file:
                limits = _Limits(MAX_FILE_BYTES, MAX_FILE_SECONDS)
                for chunk in self._read(address, {"Accept": "image/*"}, limits):
                    file.write(chunk)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)

    def _read(
        self,
        address: str,
        headers: dict[str, str],
        limits: "_Limits",
        kept: dict[str, str] | None = None,
    ) -> Iterator[bytes]:
        """Yield the body of an answer 200. `kept` gets its ETag, or "unchanged" of a 304."""
        deadline = time.monotonic() + limits.seconds
        try:
            answer = self._pool.request(
                "GET", address, headers={**self._pool.headers, **headers}, preload_content=False
            )
        except PublicOnly:
            raise
        except LocationParseError:
            raise NotHarvested(f"{address} is no address") from None
        except HTTPError as error:
            raise NotHarvested(f"{address} does not answer: {_reason(error)}") from None
        try:
            if kept is not None and headers and answer.status == 304:
                kept["unchanged"] = "yes"
                return
            if answer.status != 200:
                raise Refused(f"{address} answers {answer.status}")
            if kept is not None:
                kept["etag"] = answer.headers.get("ETag", "")
            yield from _chunks(answer, address, limits, deadline)
        except HTTPError as error:
            raise NotHarvested(f"{address} stopped in its answer: {_reason(error)}") from None
        finally:
            answer.close()


@dataclass(frozen=True)
class _Limits:
    """Limits of one answer."""

    most_bytes: int
    seconds: float


def _chunks(answer: Any, address: str, limits: _Limits, deadline: float) -> Iterator[bytes]:
    """Yield what has arrived, each time that something has: a server that drips is noticed."""
    size = 0
    while chunk := answer.read1(_CHUNK, decode_content=True):
        size += len(chunk)
        if size > limits.most_bytes:
            raise NotHarvested(f"{address} answers more than {limits.most_bytes >> 20} MiB at once")
        if time.monotonic() > deadline:
            raise NotHarvested(f"{address} did not finish its answer in {limits.seconds} seconds")
        yield chunk


def _reason(error: BaseException) -> str:
    """Return the innermost reason, which urllib3 wraps."""
    while (inner := getattr(error, "reason", None)) and isinstance(inner, BaseException):
        error = inner
    return str(error).partition(": ")[2] or str(error)


def public_address(host: str, port: int) -> str:
    """Return an address of a host. Raises PublicOnly if any of them is private, and OSError."""
    found = [item[4][0] for item in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    for address in found:
        if not is_public(str(address).partition("%")[0]):
            raise PublicOnly(
                f"{host} is {address}, which is not on the public internet: to ask it all the "
                "same, add --private-too"
            )
    return str(found[0])


def is_public(text: str) -> bool:
    """Return whether an address is one of the public internet, and so is any that it stands for."""
    address = ip_address(text)
    inner = [address]
    if isinstance(address, IPv6Address):
        inner += filter(None, (address.ipv4_mapped, address.sixtofour))
        if address in _NAT64:
            inner.append(IPv4Address(int(address) & 0xFFFFFFFF))
        if address.is_site_local:
            return False
    return all(one.is_global and not one.is_multicast for one in inner)


class _Connection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        try:
            address = public_address(self.host, self.port)
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        try:
            return create_connection(
                (address, self.port), self.timeout, socket_options=self.socket_options
            )
        except OSError as error:
            raise urllib3.exceptions.NewConnectionError(self, str(error)) from error


class _SecureConnection(_Connection, HTTPSConnection):
    pass


class _PublicHttp(urllib3.HTTPConnectionPool):
    ConnectionCls = _Connection


class _PublicHttps(urllib3.HTTPSConnectionPool):
    ConnectionCls = _SecureConnection
