"""The list of views that lack a text: complete, in order, page by page."""

from typing import Any

import pytest

from tests.unit.api.api_bench import ApiBench, code, content
from vitrine.api import missing_text_operations

NEW = {"if_none_match": "*"}
TEXT = "0" * 32


def put_object(bench: ApiBench, name: str, *canvases: dict[str, Any], **more: Any) -> None:
    record = {
        "type": "object",
        "identifier": name,
        "label": {"en": [name]},
        "canvases": [{"image": f"{name}-{place}", **one} for place, one in enumerate(canvases)],
        **more,
    }
    assert bench.ask("PUT", f"/objects/{name}", record, **NEW).status == 201


def put_shelf(bench: ApiBench, *members: str) -> None:
    record = {
        "type": "collection",
        "identifier": "shelf",
        "label": {"en": ["A shelf"]},
        "members": [{"identifier": name, "label": {"en": [name]}} for name in members],
    }
    assert bench.ask("PUT", "/collections/shelf", record, **NEW).status == 201


def list_all(bench: ApiBench, limit: int = 100) -> list[tuple[str, int, list[str]]]:
    """Return the views of all pages."""
    found, after, pages = [], "", 0
    while pages == 0 or after:
        query = f"limit={limit}" + (f"&after={after}" if after else "")
        page = content(bench.ask("GET", "/missing-texts/shelf", query=query))
        found += [(one["object"], one["canvas"], one["lacks"]) for one in page["canvases"]]
        after, pages = page["next"], pages + 1
        assert pages < 100
    return found


DESCRIBED = {"alt_text": {"en": ["A letter"]}}


@pytest.fixture
def shelf(bench: ApiBench) -> ApiBench:
    put_object(bench, "bare", {}, {})
    put_object(bench, "done", DESCRIBED, DESCRIBED)
    put_object(bench, "book", {**DESCRIBED, "text": TEXT}, DESCRIBED, {"alt_text": {"en": [""]}})
    put_object(bench, "read", {**DESCRIBED, "text": TEXT}, DESCRIBED, ocr="eng")
    put_shelf(bench, "bare", "done", "nothing", "book", "read")
    return bench


EXPECTED = [
    ("bare", 0, ["alt_text"]),
    ("bare", 1, ["alt_text"]),
    ("book", 1, ["text"]),
    ("book", 2, ["alt_text", "text"]),
]


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
@pytest.mark.parametrize("read", [1, 2, 400])
def test_every_view_that_lacks_a_text_is_listed_once(
    shelf: ApiBench, limit: int, read: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missing_text_operations, "MAX_READ", read)
    assert list_all(shelf, limit) == EXPECTED


def test_a_view_comes_with_what_one_needs_to_describe_it(shelf: ApiBench) -> None:
    page = content(shelf.ask("GET", "/missing-texts/shelf", query="limit=1"))
    assert page["canvases"] == [
        {
            "object": "bare",
            "revision": 1,
            "title": {"en": ["bare"]},
            "canvas": 0,
            "image": "bare-0",
            "label": {},
            "lacks": ["alt_text"],
        }
    ]


def test_what_was_described_is_listed_no_longer(shelf: ApiBench) -> None:
    record = content(shelf.ask("GET", "/objects/bare"))
    for canvas in record["canvases"]:
        canvas |= DESCRIBED
    assert shelf.ask("PUT", "/objects/bare", record, if_match='"1"').status == 200
    assert [one[0] for one in list_all(shelf)] == ["book", "book"]


def test_only_a_collection_has_such_a_list(shelf: ApiBench) -> None:
    assert code(shelf.ask("GET", "/missing-texts/bare")) == (404, "no-object")
    refused = shelf.ask("GET", "/missing-texts/shelf", query="after=x")
    assert code(refused) == (400, "query-invalid")
