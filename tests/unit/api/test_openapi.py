"""The OpenAPI document: complete, valid, and true to what is answered."""

import re
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from tests.unit.api.api_bench import ApiBench, code, content
from vitrine.api.application import OPERATIONS
from vitrine.api.openapi import document, problem_codes
from vitrine.api.photo_problems import PHOTO_KINDS
from vitrine.api.problems import KINDS

DOCUMENT: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document(OPERATIONS)))


def validate(instance: Any, schema: dict[str, Any]) -> None:
    """Raise jsonschema_rs.ValidationError unless an instance has the schema."""
    jsonschema_rs.validate({**schema, "components": DOCUMENT["components"]}, instance)


def test_the_rule_that_gives_an_image_back_to_its_collections_is_described() -> None:
    schema = str(DOCUMENT["components"]["schemas"]["SetAccess"])
    assert "Or `inherited`: the image has no rule of its own" in schema


def test_every_operation_is_documented_and_nothing_else() -> None:
    described = {
        (method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods
    }
    assert described == {(operation.method, operation.path) for operation in OPERATIONS}
    names = [operation.name for operation in OPERATIONS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "operation", [one for one in OPERATIONS if one.body], ids=lambda one: one.name
)
def test_the_example_of_each_body_is_valid(operation: Any) -> None:
    body = DOCUMENT["paths"][operation.path][operation.method.lower()]["requestBody"]
    content = body["content"]["application/json"]
    validate(content["example"], content["schema"])
    msgspec.convert(content["example"], operation.body)


OF_SEARCHES = "damaged"
"""Code with which only searches answer."""

OF_LISTS = "identifier-owned"
"""Code of a redirect in a list of them, which is answered as a whole."""


def test_every_kind_of_problem_belongs_to_an_operation() -> None:
    used = {name for operation in OPERATIONS for name in problem_codes(operation)}
    assert used | PHOTO_KINDS.keys() | {OF_SEARCHES, OF_LISTS} == set(KINDS)
    assert not used & {*PHOTO_KINDS, OF_SEARCHES, OF_LISTS}


def test_no_advice_is_given_for_another_door() -> None:
    allowed = re.compile(r"\bvitrine (ingest|image|object put|object show)\b")
    for kind in KINDS.values():
        text = allowed.sub("", kind.title + kind.advice)
        assert not re.search(r"--\w|vitrine ", text), text


def test_every_name_that_schemas_refer_to_exists() -> None:
    text = msgspec.json.encode(DOCUMENT).decode()
    names = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert names == set(DOCUMENT["components"]["schemas"]) - {"ProblemDocument"} | (
        names & {"ProblemDocument"}
    )
    assert names <= set(DOCUMENT["components"]["schemas"])


def test_the_document_is_served() -> None:
    bench = ApiBench()
    assert content(bench.ask("GET", "/openapi.json")) == DOCUMENT


@pytest.mark.parametrize("name", ["Operation", "Problem"])
def test_answers_are_as_documented(name: str) -> None:
    bench = ApiBench("one")
    if name == "Problem":
        refused = bench.ask("GET", "/objects/nothing")
        assert code(refused)[0] == 404
        validate(content(refused), {"$ref": "#/components/schemas/ProblemDocument"})
        return
    answer = bench.ask("GET", "/images/one")
    validate(content(answer), {"$ref": "#/components/schemas/ImageRecord"})
