"""What of an event reaches the gateway, and what its answer is streamed as."""

import gzip
import json

import pytest

from tests.unit.deliver.function.function_events import event
from vitrine.deliver.function.event import compress, encode_response, read_event
from vitrine.deliver.http.exchange import Request, Response, json_response

TILE = "/iiif/3/a/512,0,512,512/256,256/0/default.jpg"
TRACE = "1-67891233-abcdef012345678912345678"
DOCUMENT = json_response(200, {"a": "b" * 300}, (("etag", '"1"'), ("vary", "Accept")))


def test_the_address_is_as_the_edge_wrote_it_with_its_escapes() -> None:
    assert read_event(event("/iiif/3/a%2Fb/info.json")).request.path == "/iiif/3/a%2Fb/info.json"


def test_without_the_edge_the_address_is_the_events() -> None:
    sent = event(TILE)
    del sent["headers"]["x-request-uri"]
    assert read_event(sent).request.path == TILE


def test_answers_name_the_edge_and_not_the_lambda() -> None:
    headers = read_event(event(TILE)).request.headers
    assert headers.get("host") == "images.example.org"
    assert headers.get("x-forwarded-proto") == "https"


def test_on_one_machine_the_edge_speaks_plain_http() -> None:
    sent = event(TILE, x_public_base="http://127.0.0.1:8080")
    headers = read_event(sent).request.headers
    assert (headers.get("host"), headers.get("x-forwarded-proto")) == ("127.0.0.1:8080", "http")


def test_the_gateway_gets_what_nginx_would_pass_on_and_nothing_else() -> None:
    sent = event(
        TILE,
        accept="application/json",
        if_none_match='"1"',
        x_viewer_address="192.0.2.1",
        x_derivative="/.derivative/stolen",
        cookie="a=b",
    )
    headers = read_event(sent).request.headers
    assert headers.get("accept") == "application/json"
    assert headers.get("if-none-match") == '"1"'
    assert headers.get("x-viewer-address") == "192.0.2.1"
    assert headers.get("x-derivative") is None
    assert headers.get("cookie") is None


@pytest.mark.parametrize(
    ("sent", "known"),
    [
        (f"Root={TRACE}", f"Root={TRACE}"),
        (f"Self=1-6-7;Root={TRACE};Parent=abc;Sampled=0", f"Root={TRACE}"),
        ("Root=nonsense", None),
    ],
)
def test_the_trace_is_the_root_of_lambdas(sent: str, known: str | None) -> None:
    assert read_event(event(TILE, x_amzn_trace_id=sent)).request.headers.get("x-amzn-trace-id") == (
        known
    )


@pytest.mark.parametrize("sent", [{}, {"headers": {}}, {"rawPath": "/", "requestContext": {}}])
def test_an_event_of_something_else_is_an_error(sent: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError)):
        read_event(sent)


def test_a_streamed_answer_begins_with_status_and_headers() -> None:
    body = b"\xff\xd8\x00\x00\x00\x00\x00\x00\x00\x00"
    response = Response(status=200, headers=(("link", "<a>"), ("link", "<b>")), body=body)
    prelude, sent = encode_response("GET", response)
    document, _, rest = prelude.partition(bytes(8))
    assert json.loads(document) == {"statusCode": 200, "headers": {"link": "<a>, <b>"}}
    assert (rest, sent) == (b"", body)


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 304), ("OPTIONS", 204)])
def test_what_has_no_body_sends_none(method: str, status: int) -> None:
    assert encode_response(method, Response(status=status, body=b"x"))[1] == b""


def test_documents_are_compressed_for_who_takes_it() -> None:
    request = Request(method="GET", path="/", headers={"accept-encoding": "br,gzip"})
    sent = compress(request, DOCUMENT)
    headers = [value for name, value in sent.headers if name in ("content-encoding", "etag")]
    assert headers == ['W/"1"', "gzip"]
    assert gzip.decompress(sent.body) == DOCUMENT.body
    assert ("vary", "Accept-Encoding") in sent.headers


def test_who_takes_no_compression_gets_the_same_with_a_hint_for_caches() -> None:
    sent = compress(Request(method="GET", path="/"), DOCUMENT)
    assert (sent.body, sent.headers) == (
        DOCUMENT.body,
        (*DOCUMENT.headers, ("vary", "Accept-Encoding")),
    )


def test_images_and_small_documents_stay_as_they_are() -> None:
    request = Request(method="GET", path="/", headers={"accept-encoding": "gzip"})
    image = Response(status=200, headers=(("content-type", "image/jpeg"),), body=bytes(1000))
    for response in (image, json_response(404, {"status": 404})):
        assert compress(request, response) is response
