"""Objects and collections by the API: what is put is published, and nobody's change is lost."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.api.api_bench import BASE, CALLER, ApiBench, code, content, letter
from tests.unit.deliver.deliver_records import live
from vitrine.store.layout import publication_key
from vitrine.text.ocr_results.stored import PageReading, Readings, ocr_name, save_readings

NEW = {"if_none_match": "*"}


def test_what_is_put_is_published_and_can_be_read_again(bench: ApiBench) -> None:
    put = bench.ask("PUT", "/objects/letter", letter(), **NEW)
    assert (put.status, put.headers["etag"]) == (201, '"1"')
    assert content(put) == {
        "identifier": "letter",
        "state": "published",
        "revision": 1,
        "changed": True,
        "address": f"{BASE}/presentation/3/letter/manifest.json",
        "missing_images": [],
        "unread_pages": 0,
        "unread_reason": "",
    }
    assert bench.site.head(publication_key("letter"))
    read = bench.ask("GET", "/objects/letter")
    assert (read.status, read.headers["etag"], content(read)) == (200, '"1"', letter())
    assert bench.ask("GET", "/objects/letter", if_none_match='"1"').status == 304


def test_pages_that_ocr_has_yet_to_read_are_counted(bench: ApiBench) -> None:
    reason = "nobody reads texts in this environment: its [ocr] in environments.toml is missing"
    put = content(bench.ask("PUT", "/objects/letter", letter() | {"ocr": "eng"}, **NEW))
    assert (put["unread_pages"], put["unread_reason"]) == (1, reason)
    services = bench.services
    publisher = replace(services.publisher, ocr_languages=("eng",))
    bench.services = replace(services, publisher=publisher)
    read = content(bench.ask("GET", "/publications/letter"))
    assert (read["unread_pages"], read["unread_reason"]) == (1, "")
    note = {ocr_name(live("one", 800, 600).version, "eng"): PageReading("empty", "one")}
    save_readings(bench.records, "letter", Readings(note), "")
    read = content(bench.ask("GET", "/publications/letter"))
    assert (read["unread_pages"], read["unread_reason"]) == (0, "")


def test_of_two_writers_who_read_the_same_one_is_refused(bench: ApiBench) -> None:
    bench.ask("PUT", "/objects/letter", letter(), **NEW)
    first = bench.ask("PUT", "/objects/letter", letter(title="Mine"), if_match='"1"')
    second = bench.ask("PUT", "/objects/letter", letter(title="Yours"), if_match='"1"')
    assert (first.status, first.headers["etag"]) == (200, '"2"')
    assert (code(second), second.headers["etag"]) == ((412, "revision-changed"), '"2"')
    assert content(bench.ask("GET", "/objects/letter"))["label"] == {"en": ["Mine"]}


def test_of_many_writers_at_the_same_moment_one_wins(bench: ApiBench) -> None:
    bench.ask("PUT", "/objects/letter", letter(), **NEW)

    def write(number: int) -> int:
        return bench.ask(
            "PUT", "/objects/letter", letter(title=f"Writer {number}"), if_match='"1"'
        ).status

    with ThreadPoolExecutor(8) as threads:
        statuses = sorted(threads.map(write, range(8)))
    assert statuses == [200] + [412] * 7
    assert len(content(bench.ask("GET", "/histories/letter"))["entries"]) == 2


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_change_says_what_it_replaces(bench: ApiBench, method: str) -> None:
    body = letter() if method == "PUT" else None
    query = "" if method == "PUT" else "reason=A+claim."
    refused = bench.ask(method, "/objects/letter", body, query=query)
    assert code(refused) == (428, "precondition-missing")


def test_existing_objects_are_not_created_again_and_absent_ones_are_not_replaced(
    bench: ApiBench,
) -> None:
    missing = bench.ask("PUT", "/objects/letter", letter(), if_match="*")
    assert code(missing) == (412, "revision-changed")
    assert "etag" not in missing.headers
    bench.ask("PUT", "/objects/letter", letter(), **NEW)
    again = bench.ask("PUT", "/objects/letter", letter(title="Other"), **NEW)
    assert code(again) == (412, "revision-changed")
    changed = bench.ask("PUT", "/objects/letter", letter(title="Other"), if_match='"7", "1"')
    assert changed.status == 200


def test_a_withdrawn_object_answers_its_reason_until_it_is_shown_again(bench: ApiBench) -> None:
    bench.ask("PUT", "/objects/letter", letter(), **NEW)
    gone = bench.ask("DELETE", "/objects/letter", query="reason=A+claim.", if_match='"1"')
    assert (gone.status, content(gone)["state"]) == (200, "withdrawn")
    read = bench.ask("GET", "/objects/letter")
    assert (code(read), content(read)["detail"]) == ((410, "object-gone"), "A claim.")
    refused = bench.ask("PUT", "/objects/letter", letter(), if_match=read.headers["etag"])
    assert code(refused) == (409, "object-withdrawn")
    shown = bench.ask(
        *("PUT", "/objects/letter", letter()),
        query="replace_withdrawn=true",
        if_match=read.headers["etag"],
    )
    assert (shown.status, shown.headers["etag"]) == (200, '"3"')


def test_a_reason_is_asked_for(bench: ApiBench) -> None:
    bench.ask("PUT", "/objects/letter", letter(), **NEW)
    for query in ("", "reason=", "reason=+++"):
        refused = bench.ask("DELETE", "/objects/letter", query=query, if_match='"1"')
        assert code(refused) == (400, "query-invalid")


def test_broken_rules_are_all_named(bench: ApiBench) -> None:
    bad = letter() | {"rights": "mine", "nav_date": "yesterday"}
    refused = bench.ask("PUT", "/objects/letter", bad, **NEW)
    assert code(refused) == (422, "record-invalid")
    assert len(content(refused)["faults"]) == 2


def test_a_collection_is_among_collections(bench: ApiBench) -> None:
    shelf = {"type": "collection", "identifier": "shelf", "label": {"en": ["A shelf"]}}
    put = bench.ask("PUT", "/collections/shelf", shelf, **NEW)
    assert content(put)["address"] == f"{BASE}/presentation/3/shelf/collection.json"
    assert bench.ask("GET", "/collections/shelf").status == 200
    other = bench.ask("GET", "/objects/shelf")
    assert (code(other), content(other)["detail"]) == (
        (404, "no-object"),
        "It is among collections.",
    )
    assert code(bench.ask("PUT", "/objects/shelf", shelf, **NEW)) == (400, "body-invalid")


def test_identifiers_are_listed_page_by_page(bench: ApiBench) -> None:
    names = {f"letter/{number}" for number in range(5)}
    for name in names:
        assert bench.ask("PUT", f"/objects/{name}", letter(name), **NEW).status == 201
    seen: list[str] = []
    after = ""
    while True:
        page = content(bench.ask("GET", "/objects", query=f"limit=2&after={after}"))
        seen += [one["identifier"] for one in page["objects"]]
        after = page["next"]
        if not after:
            break
    assert (set(seen), len(seen)) == (names, 5)


def test_the_list_says_what_each_identifier_is(bench: ApiBench) -> None:
    shelf = {"type": "collection", "identifier": "shelf", "label": {"en": ["A shelf"]}}
    assert bench.ask("PUT", "/collections/shelf", shelf, **NEW).status == 201
    for name in ("letter", "gone", "old"):
        assert bench.ask("PUT", f"/objects/{name}", letter(name), **NEW).status == 201
    reason = {"query": "reason=A claim.", "if_match": "*"}
    assert bench.ask("DELETE", "/objects/gone", **reason).status == 200
    renamed = {"type": "object", "old": "old", "new": "new"}
    assert bench.ask("POST", "/renames", renamed).status == 200
    page = content(bench.ask("GET", "/objects"))
    assert {one["identifier"]: one["kind"] for one in page["objects"]} == {
        "shelf": "collection",
        "letter": "object",
        "gone": "withdrawn",
        "old": "redirect",
        "new": "object",
    }


def test_the_history_says_who_did_it(bench: ApiBench) -> None:
    bench.ask("PUT", "/objects/letter", letter(), **NEW)
    bench.ask("PUT", "/objects/letter", letter(title="2"), if_match="*", caller="issuer subject")
    history = content(bench.ask("GET", "/histories/letter"))["entries"]
    assert [(one["revision"], one["changed_by"], one["summary"]) for one in history] == [
        (2, "issuer subject", "2"),
        (1, CALLER, "A letter"),
    ]
    page = bench.ask("GET", "/histories/letter", query="before=2&limit=1")
    assert [one["revision"] for one in content(page)["entries"]] == [1]
    assert code(bench.ask("GET", "/histories/nothing")) == (404, "no-object")


def test_a_publication_can_be_followed(bench: ApiBench) -> None:
    bench.ask("PUT", "/objects/letter", letter("letter", "A letter", "later"), **NEW)
    waiting = content(bench.ask("GET", "/publications/letter"))
    assert (waiting["state"], waiting["missing_images"]) == ("waiting", ["later"])
    image = ApiBench("later").ingest.identifiers.get("later")
    assert image
    bench.ingest.identifiers.write(image, None)
    published = content(bench.ask("POST", "/publications", {"identifier": "letter"}))
    assert (published["state"], published["changed"]) == ("published", True)
    read = content(bench.ask("GET", "/publications/letter"))
    assert (read["missing_images"], read["changed"]) == ([], False)
    assert code(bench.ask("GET", "/publications/nothing")) == (404, "no-object")


def test_a_renamed_object_leads_to_its_new_name(bench: ApiBench) -> None:
    bench.ask("PUT", "/objects/letter", letter(), **NEW)
    body = {"type": "object", "old": "letter", "new": "ark:/12/letter"}
    assert bench.ask("POST", "/renames", body).status == 200
    moved = bench.ask("GET", "/objects/letter")
    assert (moved.status, moved.headers["location"]) == (301, "./ark%3A%2F12%2Fletter")
    assert bench.ask("GET", "/objects/ark:/12/letter").status == 200
    itself = bench.ask("POST", "/renames", {"type": "object", "old": "a", "new": "a"})
    assert code(itself) == (422, "self")


def test_a_collection_is_not_put_into_itself(bench: ApiBench) -> None:
    def shelf(name: str, other: str) -> dict[str, Any]:
        member = {"identifier": other, "label": {"en": [other]}, "is_collection": True}
        label = {"en": [name]}
        return {"type": "collection", "identifier": name, "label": label, "members": [member]}

    assert bench.ask("PUT", "/collections/outer", shelf("outer", "inner"), **NEW).status == 201
    refused = bench.ask("PUT", "/collections/inner", shelf("inner", "outer"), **NEW)
    assert code(refused) == (422, "collection-in-itself")
    assert "inner > outer > inner" in content(refused)["detail"]
