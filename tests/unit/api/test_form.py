"""The form of requests and answers: strict, bounded, and every refusal a problem document."""

import contextlib
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.api.api_bench import ApiBench, code, content, letter
from vitrine.adapters.memory.faults import Breaking
from vitrine.api.application import MAX_ANSWER_BYTES
from vitrine.api.bodies import MAX_BYTES
from vitrine.api.problems import KINDS, Problem
from vitrine.errors import ServiceRefused

NEW = {"if_none_match": "*"}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff",
        b'{"type":"object"}',
        b"[" * 100_000,
        json.dumps(letter() | {"labels": {}}).encode(),
        json.dumps(letter() | {"canvases": [{"image": "one", "labels": {}}]}).encode(),
        json.dumps(letter() | {"label": "A letter"}).encode(),
        json.dumps(letter() | {"canvases": [{"image": 1}]}).encode(),
        json.dumps(letter("another")).encode(),
        b'{"type":"object","identifier":"letter","label":{"en":["\\ud800"]},"canvases":[]}',
    ],
)
def test_a_body_that_is_not_of_its_schema_is_refused(bench: ApiBench, raw: bytes) -> None:
    refused = bench.ask("PUT", "/objects/letter", raw=raw, **NEW)
    assert code(refused) == (400, "body-invalid")
    assert content(refused)["detail"]


def test_deep_tables_of_contents_end_somewhere(bench: ApiBench) -> None:
    part: dict[str, Any] = {"label": {"en": ["1"]}}
    for _ in range(200):
        part = {"label": {"en": ["1"]}, "ranges": [part]}
    refused = bench.ask("PUT", "/objects/letter", letter() | {"ranges": [part]}, **NEW)
    assert code(refused) == (400, "body-invalid")


def test_a_body_has_an_end(bench: ApiBench) -> None:
    refused = bench.ask("PUT", "/objects/letter", raw=b" " * (MAX_BYTES + 1), **NEW)
    assert code(refused) == (413, "body-too-large")


@pytest.mark.parametrize(
    "headers", [{"content_type": "text/plain"}, {"content_encoding": "gzip"}, {"content_type": ""}]
)
def test_a_body_is_json_as_it_is(bench: ApiBench, headers: dict[str, str]) -> None:
    refused = bench.ask("PUT", "/objects/letter", letter(), **NEW, **headers)
    assert code(refused) == (415, "type-unsupported")


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=x", "limit=1001", "other=1", "limit=1&limit=2", "limit", "after=%ff", "&=&"],
)
def test_a_query_has_known_parameters_with_valid_values(bench: ApiBench, query: str) -> None:
    assert code(bench.ask("GET", "/objects", query=query)) == (400, "query-invalid")


@pytest.mark.parametrize("name", ["info.json", "a/../b", "a\nb", " a", "é" * 128])
def test_a_name_in_a_path_is_an_identifier(bench: ApiBench, name: str) -> None:
    assert code(bench.ask("GET", f"/objects/{name}")) == (400, "identifier-invalid")


@pytest.mark.parametrize("tag", ["1", "W/", '"1', "'1'", '"1" "2"', "\N{SNOWMAN}"])
def test_an_entity_tag_is_in_quotation_marks(bench: ApiBench, tag: str) -> None:
    bench.ask("PUT", "/objects/letter", letter(), **NEW)
    for method, body in (("PUT", letter()), ("GET", None)):
        headers = {"if_match" if body else "if_none_match": tag}
        refused = bench.ask(method, "/objects/letter", body, **headers)
        assert code(refused) == (400, "header-invalid")


@pytest.mark.parametrize("path", ["/", "", "/objects/", "/nothing", "/object", "objects"])
def test_an_unknown_address_is_a_problem(bench: ApiBench, path: str) -> None:
    assert code(bench.ask("GET", path)) == (404, "not-found")


def test_an_address_names_its_methods(bench: ApiBench) -> None:
    refused = bench.ask("PATCH", "/objects/letter", letter())
    assert (code(refused), refused.headers["allow"]) == (
        (405, "method-not-allowed"),
        "DELETE, GET, PUT",
    )


def test_nobody_is_served_whom_the_gateway_does_not_name(bench: ApiBench) -> None:
    for method, path in (("GET", "/objects"), ("PUT", "/objects/letter"), ("GET", "/openapi.json")):
        assert code(bench.ask(method, path, caller="")) == (401, "caller-unknown")


def test_a_store_that_does_not_answer_is_reported_with_a_time(bench: ApiBench) -> None:
    publisher = bench.services.publisher
    broken = replace(publisher, records=Breaking(bench.records, times=99))
    bench.services = replace(bench.services, publisher=broken)
    for method, path in (("GET", "/objects"), ("GET", "/objects/letter")):
        refused = bench.ask(method, path)
        assert (code(refused), refused.headers["retry-after"]) == ((503, "try-again"), "2")
    keyed = bench.ask("POST", "/publications", {"identifier": "letter"})
    assert code(keyed) == (503, "try-again")


class Refusing:
    """A bucket that AWS lets nobody into."""

    def __getattr__(self, call: str) -> Any:
        def refuse(*arguments: Any, **options: Any) -> None:
            raise ServiceRefused(f"{call}: AccessDenied")

        return refuse


def test_a_refusal_of_aws_is_reported_without_a_time_and_logged(
    bench: ApiBench, caplog: pytest.LogCaptureFixture
) -> None:
    broken = replace(bench.services.publisher, records=Refusing())
    bench.services = replace(bench.services, publisher=broken)
    for refused in (
        bench.ask("GET", "/objects/letter"),
        bench.ask("POST", "/publications", {"identifier": "letter"}),
    ):
        assert code(refused) == (503, "service-refused")
        assert "retry-after" not in refused.headers
        assert "AccessDenied" not in refused.body.decode()
    assert caplog.text.count("AccessDenied") >= 2


def test_a_large_answer_is_compressed_for_those_who_take_that(bench: ApiBench) -> None:
    large = letter(title="A letter of many words. " * 5_000)
    assert bench.ask("PUT", "/objects/letter", large, **NEW).status == 201
    plain = bench.ask("GET", "/objects/letter")
    assert "content-encoding" not in plain.headers
    packed = bench.ask("GET", "/objects/letter", accept_encoding="br, gzip;q=0.5")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 10


@pytest.mark.slow
def test_what_commands_published_may_be_larger_than_an_answer(bench: ApiBench) -> None:
    import msgspec

    from vitrine.iiif.presentation.model import PublishedObject

    title = "x" * (MAX_ANSWER_BYTES + 1)
    item = msgspec.convert(letter(title=title), PublishedObject)
    bench.services.objects.put(item)
    assert code(bench.ask("GET", "/objects/letter")) == (406, "answer-too-large")
    assert bench.ask("GET", "/objects/letter", accept_encoding="gzip").status == 200


def test_each_kind_of_problem_has_a_page(bench: ApiBench) -> None:
    for name, kind in KINDS.items():
        page = content(bench.ask("GET", f"/problems/{name}"))
        assert page == {
            "code": name,
            "status": kind.status,
            "title": kind.title,
            "advice": kind.advice,
        }
    assert code(bench.ask("GET", "/problems/nothing")) == (404, "not-found")


def test_a_problem_leaves_any_block_as_itself() -> None:
    with pytest.raises(Problem) as raised, _block():
        raise Problem("no-object")
    assert raised.value.code == "no-object"


@contextlib.contextmanager
def _block() -> Iterator[None]:
    yield
