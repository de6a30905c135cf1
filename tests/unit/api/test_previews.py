"""Previews: every rule is checked, the page is the one to be published, nothing is stored."""

import json
from typing import Any

import pytest

from tests.unit.api.api_bench import CALLER, ApiBench, code, content, letter
from tests.unit.deliver.deliver_records import live
from vitrine.api.application import answer
from vitrine.api.http import ApiRequest
from vitrine.store.site_layout import collection_page_key, object_page_key


def ask(bench: ApiBench, *records: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the previews of records, asked for without an Idempotency-Key."""
    request = ApiRequest(
        method="POST",
        path="/previews",
        headers={"content-type": "application/json"},
        body=json.dumps({"records": list(records)}).encode(),
        caller=CALLER,
    )
    answered = answer(bench.services, request)
    assert answered.status == 200
    previews: list[dict[str, Any]] = content(answered)["previews"]
    return previews


def shelf(identifier: str, *members: str, collections: bool = False) -> dict[str, Any]:
    return {
        "type": "collection",
        "identifier": identifier,
        "label": {"en": ["A shelf"]},
        "members": [
            {"identifier": name, "label": {"en": [name]}, "image": "one"}
            | ({"is_collection": True} if collections else {})
            for name in members
        ],
    }


def stored(bench: ApiBench) -> list[str]:
    """Return everything that is stored."""
    return [
        entry.key
        for store in (bench.records, bench.site)
        for entry in store.list_keys("", 10_000).entries
    ]


@pytest.mark.parametrize(
    "record",
    [letter(), letter("letter", "<b>A</b> letter &<script>", "two", "absent"), shelf("shelf", "a")],
)
def test_the_page_is_the_one_that_publishing_writes(bench: ApiBench, record: Any) -> None:
    before = stored(bench)
    [preview] = ask(bench, record)
    assert preview["faults"] == []
    assert stored(bench) == before
    is_object = record["type"] == "object"
    path = f"/{'objects' if is_object else 'collections'}/{record['identifier']}"
    assert bench.ask("PUT", path, record, if_none_match="*").status == 201
    key = (object_page_key if is_object else collection_page_key)(record["identifier"])
    assert preview["page"] == bench.site.get(key)[0].decode()
    assert "<script>" not in preview["page"].replace("<script src", "")


def test_an_object_without_a_published_image_has_the_page_that_says_so(bench: ApiBench) -> None:
    [waiting] = ask(bench, letter("letter", "A letter", "absent"))
    assert "A letter" not in waiting["page"]
    bench.ingest.identifiers.write(live("absent", 10, 10, revision=1), None)
    [shown] = ask(bench, letter("letter", "A letter", "absent"))
    assert "A letter" in shown["page"]


def test_faults_name_their_places_and_there_is_no_page(bench: ApiBench) -> None:
    record = letter() | {"rights": "mine", "label": {"en": [""]}}
    record["canvases"][1]["alt_text"] = {"English!": ["A page"]}
    [preview] = ask(bench, record)
    reasons = {fault["place"]: fault["reason"] for fault in preview["faults"]}
    assert reasons.keys() == {"label", "rights", "canvases[1].alt_text"}
    assert reasons["label"] == "there is no text."
    assert preview["page"] == ""
    put = bench.ask("PUT", "/objects/letter", record, if_none_match="*")
    assert content(put)["faults"] == [f"{place}: {reason}" for place, reason in reasons.items()]


def test_a_collection_that_would_be_in_itself_has_a_fault(bench: ApiBench) -> None:
    inner, outer = shelf("inner"), shelf("outer", "inner", collections=True)
    for record in (inner, outer):
        path = f"/collections/{record['identifier']}"
        assert bench.ask("PUT", path, record, if_none_match="*").status == 201
    [preview] = ask(bench, shelf("inner", "outer", collections=True))
    [fault] = preview["faults"]
    assert fault["place"] == "members"
    assert "inner > outer > inner" in fault["reason"]


def test_many_records_are_checked_at_once_without_their_pages(bench: ApiBench) -> None:
    bad = letter() | {"rights": "mine"}
    previews = ask(bench, *[letter(), bad] * 50)
    assert [len(one["faults"]) for one in previews] == [0, 1] * 50
    assert {one["page"] for one in previews} == {""}


@pytest.mark.parametrize("records", [[], [letter()] * 101])
def test_there_is_one_record_and_a_hundred_at_most(bench: ApiBench, records: Any) -> None:
    assert code(bench.ask("POST", "/previews", {"records": records})) == (400, "body-invalid")
