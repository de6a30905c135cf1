"""What is wrong or hostile is refused at the edge, and changes nothing that others get."""

from itertools import count

import pytest

from tests.integration.edge.edge_client import Answer, EdgeClient
from tests.rigs.edge_rig import EdgeRig

AT_THE_EDGE = ("FUNCTION", "EDGE")
IMAGE = "/iiif/3/plain.tif/full/!100,100/0/default.jpg"
INFORMATION = "/iiif/3/plain.tif/info.json"
NUMBERS = count(1)


def fresh(identifier: str = "plain.tif") -> str:
    """Return an address that was not requested yet."""
    return f"/iiif/3/{identifier}/{next(NUMBERS)},7,300,200/60,40/0/default.jpg"


def assert_refused(answer: Answer, *statuses: int) -> None:
    assert answer.status in statuses
    assert set(answer.json) - {"trace"} == {"status", "reason"}
    assert answer.json["status"] == answer.status
    assert "root:" not in answer.everything()


@pytest.fixture(autouse=True)
def _others_get_what_they_got(edge: EdgeClient) -> object:
    before = edge.ask(IMAGE).body, edge.ask(INFORMATION).body
    yield
    after = edge.ask(IMAGE), edge.ask(INFORMATION)
    assert (after[0].body, after[1].body) == before
    assert [answer.status for answer in after] == [200, 200]


@pytest.mark.parametrize(
    "path",
    [
        "/../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/iiif/../../etc/passwd",
        "/iiif/3/../../../etc/passwd",
        "/iiif/3/%2e%2e%2f%2e%2e%2fetc%2fpasswd/info.json",
        "/iiif/3/%2E%2E/info.json",
        "/iiif/3/..%5c..%5cetc%5cpasswd/full/max/0/default.jpg",
        "/iiif/3/.%2e/.%2e/plain.tif/info.json",
        "/iiif/3/plain.tif/../other.tif/info.json",
        "/iiif/3/./plain.tif/info.json",
        "/.%2e/other-bucket/secret",
    ],
)
def test_no_path_leads_upwards(edge: EdgeClient, path: str) -> None:
    answer = edge.ask(path)
    assert_refused(answer, 400)
    assert answer.cache in AT_THE_EDGE


@pytest.mark.parametrize(
    "path",
    [
        "/iiif/3/%252e%252e%252fetc%252fpasswd/info.json",
        "/iiif/3/%252e%252e/full/max/0/default.jpg",
        "/iiif/3/..%252f..%252fetc%252fpasswd/info.json",
        "/iiif/3/%25252e%25252e/info.json",
    ],
)
def test_what_is_encoded_twice_is_decoded_once(edge: EdgeClient, path: str) -> None:
    assert_refused(edge.ask(path), 404)


@pytest.mark.parametrize(
    "path",
    [
        "/iiif/3/plain.tif%00/info.json",
        "/iiif/3/plain.tif%00.jpg/full/max/0/default.jpg",
        "/iiif/3/plain.tif/full/max/0/default.jpg%00",
        "/iiif/3/a%0d%0aX-Injected:%201/info.json",
        "/iiif/a%0d%0aLocation:%20http:%2f%2fevil.example/info.json",
        "/iiif/a%0aSet-Cookie:%20a=b",
        "/iiif/3/a%7f/info.json",
        "/iiif/3/a%1b/info.json",
        "/%0d%0aX-Injected:1",
    ],
)
def test_control_characters_end_at_the_edge(edge: EdgeClient, path: str) -> None:
    answer = edge.ask(path)
    assert_refused(answer, 400)
    assert answer.cache in AT_THE_EDGE
    assert not {"x-injected", "set-cookie", "location"} & set(answer.headers)


@pytest.mark.parametrize(
    "line",
    [
        b"GET /iiif/3/plain\x00.tif/info.json HTTP/1.1",
        b"GET /iiif/3/plain\r.tif/info.json HTTP/1.1",
        b"GET /iiif/3/plain .tif/info.json HTTP/1.1",
        b"GET  HTTP/1.1",
        b"GET iiif/3/plain.tif/info.json HTTP/1.1",
        b"G\x00T /iiif/3/plain.tif/info.json HTTP/1.1",
        b"GET /iiif/3/pl\xc3\xa4in/info.json HTTP/1.1",
        b"GET /iiif/3/\xff/info.json HTTP/1.1",
    ],
)
def test_a_malformed_request_line_is_refused(edge: EdgeClient, line: bytes) -> None:
    answers = edge.ask_raw(line + b"\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert [answer.status for answer in answers] == [400]


def test_the_error_log_has_no_control_characters_of_a_client(
    edge: EdgeClient, rig: EdgeRig
) -> None:
    log = rig.directory / "logs" / "error.log"
    before = len(log.read_text())
    line = b"POST /iiif/3/plain.tif%0a/info.json HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n"
    for hostile in (b"\x1b[2J", "\x9b31m\u202e".encode()):
        answers = edge.ask_raw(line + b"Referer: http://e/" + hostile + b"\r\n\r\n")
        assert [answer.status for answer in answers] == [400]
        assert answers[0].json["status"] == 400
    assert all(entry.isprintable() for entry in log.read_text()[before:].splitlines())


@pytest.mark.parametrize("size", [2_100, 8_192, 20_000])
def test_a_long_address_is_refused(edge: EdgeClient, size: int) -> None:
    for path in (f"/iiif/3/{'x' * size}/info.json", f"/{'y' * size}"):
        answer = edge.ask(path)
        assert_refused(answer, 414)
        assert answer.cache in AT_THE_EDGE
    assert edge.ask(f"{INFORMATION}?{'z' * size}").status == (200 if size < 16_000 else 414)


def test_headers_without_end_are_refused(edge: EdgeClient) -> None:
    assert_refused(edge.ask(INFORMATION, X_Long="x" * 20_000), 400)


@pytest.mark.parametrize(
    "request_",
    [
        b"GET %s HTTP/1.1\r\nHost: evil.example\r\n",
        b"GET %s HTTP/1.1\r\nHost: evil.example:99999\r\n",
        b"GET http://evil.example%s HTTP/1.1\r\nHost: other.example\r\n",
        b"GET http://evil.example%s HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        b"GET %s HTTP/1.1\r\nHost: 127.0.0.1:1@evil.example\r\n",
        b"GET %s HTTP/1.1\r\nHost: evil.example/path?\r\n",
        b'GET %s HTTP/1.1\r\nHost: evil.example"><script>\r\n',
        b"GET %s HTTP/1.1\r\nHost: evil.example\r\nHost: 127.0.0.1\r\n",
        b"GET %s HTTP/1.1\r\n Host: evil.example\r\nHost: 127.0.0.1\r\n",
        b"GET %s HTTP/1.0\r\nHost: evil.example\r\n",
        b"GET %s HTTP/1.0\r\n",
        b"GET %s HTTP/1.1\r\n",
    ],
)
def test_no_host_of_a_viewers_choice_gets_into_an_answer(edge: EdgeClient, request_: bytes) -> None:
    # Cold, so that it is this request that fills the cache.
    for path in (fresh(), "/iiif/2/other.tif/info.json", "/iiif/3/other.tif"):
        raw_request = request_ % path.encode() + b"Connection: close\r\n\r\n"
        for answer in edge.ask_raw(raw_request):
            assert answer.status in (200, 303, 400)
            assert "evil" not in answer.everything()
        later = edge.ask(path)
        assert later.status in (200, 303)
        assert "evil" not in later.everything()


POISONS = {
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Proto": "gopher",
    "X-Forwarded-Scheme": "http://evil.example",
    "X-Forwarded-For": "evil.example",
    "X-Forwarded-Prefix": "/evil",
    "X-Forwarded-Port": "666",
    "Forwarded": "host=evil.example;proto=http",
    "X-Host": "evil.example",
    "X-Original-URL": "/iiif/3/other.tif/info.json",
    "X-Rewrite-URL": "/iiif/3/other.tif/info.json",
    "X-Request-Uri": "/iiif/3/other.tif/info.json",
    "X-Derivative": "/.derivative/0123456789012345678901234567890123456789",
    "X-Accel-Redirect": "/.derivative/0",
    "X-HTTP-Method-Override": "DELETE",
    "X-HTTP-Method": "POST",
    "X-Method-Override": "HEAD",
    "Accept": "text/evil",
    "Accept-Encoding": "evil",
    "Accept-Language": "evil",
    "Origin": "https://evil.example",
    "Cookie": "evil=1",
    "Authorization": "Basic ZXZpbDpldmls",
    "If-None-Match": "*",
    "If-Modified-Since": "Thu, 31 Dec 2099 23:59:59 GMT",
    "Range": "bytes=0-1",
    "Cache-Control": "no-cache, no-store, only-if-cached",
    "Pragma": "no-cache",
    "Expect": "evil",
    "Upgrade": "evil",
    "Via": "1.0 evil",
}


@pytest.mark.parametrize("name", POISONS)
def test_no_header_gets_into_what_others_get(edge: EdgeClient, name: str) -> None:
    poisoned, clean = fresh(), None
    first = edge.ask(poisoned, **{name: POISONS[name]})
    assert first.status in (200, 206, 304)
    later = edge.ask(poisoned)
    clean = edge.ask(fresh())
    assert (later.status, later.body[:4]) == (200, clean.body[:4])
    assert "evil" not in later.everything()
    assert len(later.body) == int(later.headers["content-length"])
    own = {"link", "content-length", "x-cache", "date", "connection", "accept-ranges"}
    assert {key: value for key, value in later.headers.items() if key not in own} == {
        key: value for key, value in clean.headers.items() if key not in own
    }


def test_no_header_changes_the_information_of_others(edge: EdgeClient) -> None:
    for number, (name, value) in enumerate(POISONS.items()):
        # Each time another spelling that the function leaves alone, so that it is cold.
        address = f"/iiif/3/nobody-{number}/info.json"
        assert edge.ask(address, **{name: value}).status in (304, 404)
        later = edge.ask(address)
        assert_refused(later, 404)
        assert "evil" not in later.everything()


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 5\r\nContent-Length: 6\r\n",
        b"Content-Length: 5, 6\r\n",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Transfer-Encoding : chunked\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length: 0x5\r\n",
        b"Content-Length: +5\r\n",
    ],
)
def test_no_request_hides_in_another(edge: EdgeClient, head: bytes) -> None:
    hidden = b"GET /iiif/3/other.tif/info.json HTTP/1.1\r\nHost: a\r\n\r\n"
    start = f"GET {fresh()} HTTP/1.1\r\nHost: a\r\n".encode()
    answers = edge.ask_raw(start + head + b"\r\n0\r\n\r\n" + hidden)
    assert answers[0].status in (400, 501)
    assert len(answers) == 1


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"Content-Length: %d\r\n", b"GET /iiif/3/other.tif/info.json HTTP/1.1\r\nHost: a\r\n\r\n"),
        (
            b"Transfer-Encoding: chunked\r\n",
            b"35\r\nGET /iiif/3/other.tif/info.json HTTP/1.1\r\nHost: a\r\n\r\n\r\n0\r\n\r\n",
        ),
    ],
)
def test_a_body_is_nobodys_request(edge: EdgeClient, method: str, head: bytes, body: bytes) -> None:
    length = head % len(body) if b"%d" in head else head
    start = f"{method} {fresh()} HTTP/1.1\r\nHost: a\r\n".encode()
    last = f"GET {fresh()} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode()
    answers = edge.ask_raw(start + length + b"\r\n" + body + last)
    expected = {"GET": 200, "POST": 405, "OPTIONS": 204}[method]
    # The edge may hang up after a request that has a body it did not ask for.
    assert [answer.status for answer in answers] in ([expected], [expected, 200])
    assert all(answer.headers.get("content-type") != "application/ld+json" for answer in answers)


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "PATCH", "PURGE", "TRACE", "PROPFIND", "get"]
)
def test_other_methods_reach_nothing(edge: EdgeClient, method: str) -> None:
    (answer,) = edge.ask_raw(
        f"{method} {INFORMATION} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode()
    )
    assert_refused(answer, 400 if method == "get" else 405)
    assert answer.cache in AT_THE_EDGE


def test_what_the_edge_keeps_for_itself_is_nobodys_page(edge: EdgeClient) -> None:
    for path in ("/.edge/error", "/.derivative/0", "/nginx.conf", "/cache/", "/healthz", "/readyz"):
        answer = edge.ask(path)
        # There is no bucket of pages here: it gets all requests but those of images.
        assert_refused(answer, 404, 502)
