"""Servers that lie, stall, never end or lead elsewhere: refused with a reason, within limits."""

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from tests.unit.sources.harvest.oai_server import OaiServer, oai_server
from vitrine.sources.harvest import guarded_http
from vitrine.sources.harvest.guarded_http import (
    GuardedHttp,
    NotHarvested,
    Patience,
    PublicOnly,
    public_address,
)
from vitrine.sources.harvest.oai_pmh import Repository


@pytest.fixture
def server() -> Iterator[OaiServer]:
    with oai_server(OaiServer({"oai:m:1": ("Title", "2026-11-01")})) as started:
        yield started


def harvest(server: OaiServer) -> None:
    list(Repository(server.address, GuardedHttp(private_too=True).get).pages("oai_dc"))


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "10.1.2.3", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
        *("::1", "fe80::1", "fd00::1", "fec0::1", "ff02::1", "224.0.0.1"),
        *("::ffff:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::"),
    ],
)
def test_no_private_address_is_asked(host: str) -> None:
    with pytest.raises(PublicOnly, match="is not on the public internet"):
        public_address(host, 80)


def test_a_repository_on_this_machine_gets_no_request(server: OaiServer) -> None:
    with pytest.raises(PublicOnly, match="add --private-too"):
        list(Repository(server.address, GuardedHttp().get).pages("oai_dc"))
    assert server.requests == []


def test_a_name_with_one_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [(2, 1, 6, "", (address, 80)) for address in ("93.184.215.14", "127.0.0.1")]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: answers)
    with pytest.raises(PublicOnly):
        public_address("rebinds.example", 80)


def test_a_redirect_to_this_machine_is_not_followed(
    server: OaiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first address is taken for a public one; where it leads to is judged again."""
    judged = guarded_http.public_address
    first = server.address.split("/")[2]

    def lets_the_first_pass(host: str, port: int) -> str:
        return host if f"{host}:{port}" == first else judged(host, port)

    monkeypatch.setattr(guarded_http, "public_address", lets_the_first_pass)
    with oai_server(OaiServer()) as inside:
        server.trouble = lambda question: (302, {"Location": inside.address}, b"")
        with pytest.raises(PublicOnly):
            GuardedHttp().get(f"{server.address}?verb=Identify")
        assert inside.requests == []


def test_a_circle_of_redirects_ends(server: OaiServer) -> None:
    server.trouble = lambda question: (302, {"Location": f"{server.address}?verb=x"}, b"")
    with pytest.raises(NotHarvested, match="too many redirects"):
        harvest(server)
    assert len(server.requests) <= 7


def test_an_answer_without_end_is_left(server: OaiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_http, "MAX_BYTES", 100_000)
    server.trouble = lambda question: (200, {}, b"<a>" * 100_000)
    with pytest.raises(NotHarvested, match="answers more than 0 MiB at once"):
        harvest(server)


def test_a_small_answer_that_unpacks_to_a_large_one_is_left(
    server: OaiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gzip

    monkeypatch.setattr(guarded_http, "MAX_BYTES", 1_000_000)
    bomb = gzip.compress(b" " * 50_000_000)
    server.trouble = lambda question: (200, {"Content-Encoding": "gzip"}, bomb)
    with pytest.raises(NotHarvested, match="answers more than"):
        harvest(server)


def test_a_server_that_stalls_is_left(server: OaiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_http, "READ_SECONDS", 0.2)
    body = server.page("<ListRecords/>")
    server.trouble = lambda question: (200, {"Content-Length": str(len(body) + 9)}, body)
    with pytest.raises(NotHarvested, match="stopped in its answer"):
        harvest(server)


def test_a_server_that_drips_is_left(server: OaiServer) -> None:
    http = GuardedHttp(private_too=True, patience=Patience(answer_seconds=-1))
    with pytest.raises(NotHarvested, match="did not finish its answer"):
        http.get(f"{server.address}?verb=Identify")


def test_a_busy_server_is_asked_again(server: OaiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([(503, {"Retry-After": "0"}, b""), None, None])
    server.trouble = lambda question: next(answers)
    harvest(server)
    assert len(server.requests) == 2


def _error(code: str) -> str:
    return f'<error code="{code}">No.</error>'


@pytest.mark.parametrize(
    ("inner", "sentence"),
    [
        (_error("cannotDisseminateFormat"), "was refused: cannotDisseminateFormat No."),
        (_error("badArgument"), "badArgument"),
        ("<ListRecords><resumptionToken>a</resumptionToken></ListRecords>", "the same next part"),
    ],
)
def test_what_a_repository_says_wrongly_is_named(
    server: OaiServer, inner: str, sentence: str
) -> None:
    server.trouble = lambda question: (200, {}, server.page(inner))
    with pytest.raises(NotHarvested, match=sentence):
        harvest(server)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"<html><body>Maintenance</body></html>", "is no OAI-PMH repository"),
        (b"not XML", "does not answer in XML"),
        (b"", "does not answer in XML"),
        (b"<!DOCTYPE r [<!ENTITY a 'x'>]><r>&a;</r>", "is no OAI-PMH repository"),
    ],
)
def test_what_is_no_repository_is_named(server: OaiServer, body: bytes, sentence: str) -> None:
    server.trouble = lambda question: (200, {}, body)
    with pytest.raises(NotHarvested, match=sentence):
        harvest(server)


def test_a_repository_without_records_that_match_is_no_fault(server: OaiServer) -> None:
    server.records.clear()
    harvest(server)


def test_a_server_that_sends_a_byte_now_and_then_is_left() -> None:
    """Each byte arrives in time; all of them would take an hour."""
    http = GuardedHttp(private_too=True, patience=Patience(answer_seconds=0.3))
    with socket.create_server(("127.0.0.1", 0)) as dripping, ThreadPoolExecutor() as pool:
        pool.submit(_drip, dripping)
        with pytest.raises(NotHarvested, match="did not finish its answer"):
            http.get(f"http://127.0.0.1:{dripping.getsockname()[1]}/")


def _drip(server: socket.socket) -> None:
    connection, _ = server.accept()
    with connection, suppress(OSError):
        connection.recv(1 << 16)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 36000\r\n\r\n")
        for _ in range(200):
            connection.sendall(b" ")
            time.sleep(0.1)
