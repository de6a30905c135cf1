"""The desk at the edge of one machine, and the API that the edge passes on for its pages alone."""

import json
from collections.abc import Iterator

import pytest

from tests.unit.edge.edge_bench import Edge, Upstream, run_edge

pytestmark = pytest.mark.enable_socket


@pytest.fixture(scope="module")
def running_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    emulator = Upstream()
    emulator.serve()
    folder = tmp_path_factory.mktemp("desk")
    with run_edge(folder, emulator, emulator, api="abc") as edge:
        yield edge
    emulator.stop()


@pytest.fixture
def desk(running_desk: Edge) -> Edge:
    running_desk.emulator.headers = {}
    running_desk.emulator.received.clear()
    return running_desk


def test_the_desk_has_a_policy_of_its_own(desk: Edge) -> None:
    status, headers, body = desk.ask("/desk/")
    assert (status, json.loads(body)["path"]) == (200, "/site-bucket/desk/index.html")
    policy = dict(
        part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["connect-src"] == f"'self' http://127.0.0.1:{desk.emulator.port}"
    assert policy["require-trusted-types-for"] == "'script'"
    assert desk.ask("/desk")[1]["location"] == "/desk/"


def test_the_api_gets_a_request_of_the_desk_as_it_was_written(desk: Edge) -> None:
    own = f"http://127.0.0.1:{desk.port}"
    path = "/api/objects/ark%3A%2F12%2F%C3%A9?reason=a%20b"
    named = {"If_Match": '"1"', "Idempotency_Key": "k", "Origin": own}
    status, headers, body = desk.ask(path, "PUT", **named, Sec_Fetch_Site="same-origin", Cookie="a")
    assert status == 200
    expected = "/_aws/execute-api/abc/objects/ark%3A%2F12%2F%C3%A9?reason=a%20b"
    assert json.loads(body)["path"] == expected
    [(_, sent)] = desk.emulator.received
    assert (sent["if-match"], sent["idempotency-key"]) == ('"1"', "k")
    assert sent["authorization"].startswith("AWS4-HMAC-SHA256 Credential=test/")
    assert not {"cookie", "origin"} & sent.keys()
    assert headers["x-content-type-options"] == "nosniff"


def test_programs_of_this_machine_and_the_address_bar_may_call_it(desk: Edge) -> None:
    for name in ("127.0.0.1", "localhost", "[::1]"):
        assert desk.ask("/api/caller", Host=f"{name}:{desk.port}")[0] == 200
    assert desk.ask("/api/caller", Sec_Fetch_Site="none")[0] == 200


@pytest.mark.parametrize(
    "named",
    [
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1.evil.example:{port}"},
        {"Host": "localhost:1"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://localhost:{port}"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://127.0.0.1:{port}.evil.example"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Origin": "http://127.0.0.1:{port}", "Sec_Fetch_Site": "cross-site"},
        {"Origin": "http://evil.example:{port}", "Host": "evil.example:{port}"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "PUT", "OPTIONS"])
def test_no_page_of_others_may_call_the_api(desk: Edge, method: str, named: dict[str, str]) -> None:
    desk.emulator.headers = {"Access-Control-Allow-Origin": "*"}
    sent = {name: value.format(port=desk.port) for name, value in named.items()}
    status, headers, _ = desk.ask("/api/objects/a", method, **sent)
    assert status == 403
    assert not [name for name in headers if name.startswith("access-control")]
    assert not desk.emulator.received


def test_no_answer_of_the_api_may_be_read_by_other_origins(desk: Edge) -> None:
    desk.emulator.headers = {"Access-Control-Allow-Origin": "*"}
    _, headers, _ = desk.ask("/api/caller")
    assert not [name for name in headers if name.startswith("access-control")]
    assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    "path", ["/api/../objects", "/desk/../api/caller", "//api/caller", "/api/%2e%2e/site-bucket/a"]
)
def test_only_what_is_below_the_api_reaches_the_emulator_by_it(desk: Edge, path: str) -> None:
    desk.ask(path)
    assert not [path for path, _ in desk.emulator.received if "execute-api" in path]


def test_an_edge_without_an_api_passes_nothing_on(edge: Edge) -> None:
    assert json.loads(edge.ask("/api/caller")[2])["path"] == "/site-bucket/api/caller"
