"""Asks servers of others: with limits of bytes and time, and never one on a private network.

A name is resolved once, its addresses are judged, and the connection goes to one that passed: no
second answer of a name server, and no redirect, leads elsewhere.
"""

import socket
import time
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, NameResolutionError
from urllib3.util import Retry, Timeout
from urllib3.util.connection import create_connection

from vitrine import __version__
from vitrine.errors import VitrineError

CONNECT_SECONDS, READ_SECONDS = 10, 60
MOST_SECONDS = 300
"""Of one answer."""
MOST_BYTES = 64 << 20
"""Of one answer, uncompressed."""
MOST_WAIT_SECONDS = 120
"""That a server may ask for by Retry-After."""
MOST_REDIRECTS = 5
_CHUNK = 1 << 16
_NAT64 = IPv6Network("64:ff9b::/96")
"""Stands for the IPv4 address in its last four bytes (RFC 6052)."""


class NotHarvested(VitrineError):
    """A server's answer cannot be used; the message says why and what to do."""


class PublicOnly(NotHarvested):
    """A server is on a private network, or on this machine."""


class GuardedHttp:
    """Gets what stands under addresses."""

    def __init__(self, *, private_too: bool = False) -> None:
        self._pool = urllib3.PoolManager(
            headers={"User-Agent": f"Vitrine/{__version__}", "Accept-Encoding": "gzip"},
            timeout=Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS),
            retries=Retry(
                total=6,
                connect=2,
                read=2,
                redirect=MOST_REDIRECTS,
                status_forcelist=(429, 500, 502, 503, 504),
                backoff_factor=0.5,
                retry_after_max=MOST_WAIT_SECONDS,
            ),
        )
        if not private_too:
            self._pool.pool_classes_by_scheme = {"http": _PublicHttp, "https": _PublicHttps}

    def get(self, address: str) -> bytes:
        """Return the body of an answer 200. Raises NotHarvested."""
        deadline = time.monotonic() + MOST_SECONDS
        try:
            answer = self._pool.request("GET", address, preload_content=False)
        except PublicOnly:
            raise
        except HTTPError as error:
            raise NotHarvested(f"{address} does not answer: {_reason(error)}") from None
        try:
            if answer.status != 200:
                raise NotHarvested(f"{address} answers {answer.status}")
            return _read(answer, address, deadline)
        except HTTPError as error:
            raise NotHarvested(f"{address} stopped in its answer: {_reason(error)}") from None
        finally:
            answer.close()


def _read(answer: Any, address: str, deadline: float) -> bytes:
    body = bytearray()
    for chunk in answer.stream(_CHUNK, decode_content=True):
        body += chunk
        if len(body) > MOST_BYTES:
            raise NotHarvested(f"{address} answers more than {MOST_BYTES >> 20} MiB at once")
        if time.monotonic() > deadline:
            raise NotHarvested(f"{address} did not finish its answer in {MOST_SECONDS} seconds")
    return bytes(body)


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
