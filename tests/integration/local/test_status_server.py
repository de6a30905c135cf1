"""Who may ask the served status page, and what for."""

import socket
import struct
from collections.abc import Iterator
from http.client import HTTPConnection
from threading import Thread

import pytest

from vitrine.adapters.memory.edge_keys import MemoryEdgeKeys
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryEventBus, MemoryPipeline, MemoryQueue
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.adapters.memory.outcome_table import MemoryOutcomeTable
from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.status.pages.serve import StatusPages, StatusServer


@pytest.fixture(scope="module")
def server() -> Iterator[StatusServer]:
    """Over an empty service in memory, which has no process on this machine."""
    service = Deployment(
        environment="prod",
        edge_url="https://images.example",
        origin_url="",
        masters=MemoryObjectStore(),
        site=MemoryObjectStore(),
        records=MemoryObjectStore(),
        identifiers=MemoryIdentifierTable(),
        edge_keys=MemoryEdgeKeys(),
        events=MemoryEventBus(),
        outcomes=MemoryOutcomeTable(),
        pipeline=MemoryPipeline(),
        uploads=MemoryQueue(),
        failures=MemoryQueue(),
        dead_letters=MemoryQueue(),
    )
    with StatusServer(StatusPages(service), 0) as made:
        thread = Thread(target=made.serve_forever)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def ask(
    server: StatusServer, path: str = "/", method: str = "GET", hosts: tuple[str, ...] = ()
) -> tuple[int, dict[str, str], str]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    connection.putrequest(method, path, skip_host=True)
    for host in hosts or (f"127.0.0.1:{server.server_port}",):
        connection.putheader("Host", host)
    connection.endheaders()
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, dict(answer.headers), text


def test_it_listens_on_this_machine_only(server: StatusServer) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"


def test_a_page_may_do_nothing_but_be_looked_at(server: StatusServer) -> None:
    status, headers, text = ask(server)
    assert (status, text.count("<script>")) == (200, 1)
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; img-src data:; ")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize("path", ["/", "/status.json"])
def test_head_is_get_without_its_body(server: StatusServer, path: str) -> None:
    status, headers, text = ask(server, path, "HEAD")
    assert (status, text) == (200, "")
    length = len(ask(server, path)[2].encode())
    assert int(headers["Content-Length"]) == length


@pytest.mark.parametrize(
    "path", ["/favicon.ico", "/?", "/status.json/", "/../etc/passwd", "http://127.0.0.1/"]
)
def test_there_is_nothing_else(server: StatusServer, path: str) -> None:
    status, _, text = ask(server, path)
    assert status == 404
    assert "images.example" not in text


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_nothing_can_be_changed(server: StatusServer, method: str) -> None:
    status, headers, _ = ask(server, "/", method)
    assert (status, headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "hosts",
    [
        ("evil.example:{port}",),
        ("127.0.0.1",),
        ("127.0.0.1.evil.example:{port}",),
        ("localhost:{port}", "evil.example"),
        ("[::1]:{port}",),
        ("",),
    ],
)
def test_another_host_name_is_refused(server: StatusServer, hosts: tuple[str, ...]) -> None:
    named = tuple(host.format(port=server.server_port) for host in hosts)
    for path in ("/", "/status.json"):
        status, _, text = ask(server, path, hosts=named)
        assert status == 421
        assert "images.example" not in text


def test_localhost_is_this_machine(server: StatusServer) -> None:
    assert ask(server, hosts=(f"localhost:{server.server_port}",))[0] == 200


def test_a_request_without_a_host_is_refused(server: StatusServer) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as client:
        client.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert b" 421 " in client.recv(100)


def test_who_hangs_up_is_nobodys_trouble(
    server: StatusServer, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as client:
            # Closed with a reset, so that the answer has nowhere to go.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(b"GET / HTTP/1.1\r\n")
    assert ask(server)[0] == 200
    assert capfd.readouterr().err == ""


def test_who_says_nothing_keeps_nobody_waiting(server: StatusServer) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30):
        assert ask(server)[0] == 200


def test_it_is_never_where_another_server_is(server: StatusServer) -> None:
    with pytest.raises(OSError, match="in use"):
        StatusServer(server.pages, server.server_port)
