"""The members of a collection with their records, and records as they were."""

from typing import Any

import pytest

from tests.unit.api.api_bench import ApiBench, code, content, letter
from vitrine.api import member_operations

NEW = {"if_none_match": "*"}


def put_shelf(bench: ApiBench, *members: str) -> None:
    record = {
        "type": "collection",
        "identifier": "shelf",
        "label": {"en": ["A shelf"]},
        "members": [{"identifier": name, "label": {"en": [name]}} for name in members],
    }
    assert bench.ask("PUT", "/collections/shelf", record, **NEW).status == 201


def listed(bench: ApiBench, query: str = "") -> dict[str, Any]:
    answered = bench.ask("GET", "/members/shelf", query=query)
    assert answered.status == 200
    found: dict[str, Any] = content(answered)
    return found


def test_members_come_with_their_records_and_what_they_lack(bench: ApiBench) -> None:
    bench.ask("PUT", "/objects/a", letter("a"), **NEW)
    bench.ask("PUT", "/objects/b", letter("b", "Another", "one", "absent"), **NEW)
    bench.ask("PUT", "/objects/gone", letter("gone"), **NEW)
    bench.ask("DELETE", "/objects/gone", query="reason=A+claim.", if_match='"1"')
    bench.ask("PUT", "/objects/old", letter("old"), **NEW)
    bench.ask("POST", "/renames", {"type": "object", "old": "old", "new": "new"})
    put_shelf(bench, "a", "b", "gone", "old", "one")
    members = {one["identifier"]: one for one in listed(bench)["members"]}
    assert list(members) == ["a", "b", "gone", "old", "one"]
    assert members["a"] == {
        "identifier": "a",
        "revision": 1,
        "state": "described",
        "record": letter("a"),
        "missing_images": [],
    }
    assert members["b"]["missing_images"] == ["absent"]
    states = {name: (one["state"], one["revision"]) for name, one in members.items()}
    assert states["gone"] == ("gone", 2)
    assert states["old"] == ("redirect", 2)
    assert states["one"] == ("absent", 0)
    assert not any(members[name]["record"] for name in ("gone", "old", "one"))


def test_a_collection_is_read_page_by_page(bench: ApiBench) -> None:
    put_shelf(bench, *(f"m{number}" for number in range(5)))
    found, after = [], "0"
    while after:
        page = listed(bench, f"after={after}&limit=2")
        found += [one["identifier"] for one in page["members"]]
        after = page["next"]
    assert found == [f"m{number}" for number in range(5)]
    assert listed(bench, "after=5") == {"members": [], "next": ""}


def test_long_records_come_in_several_answers_and_one_too_long_without_itself(
    bench: ApiBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, title in (("a", "A"), ("b", "B"), ("long", "x" * 1_000), ("c", "C")):
        bench.ask("PUT", f"/objects/{name}", letter(name, title), **NEW)
    put_shelf(bench, "a", "b", "long", "c")
    monkeypatch.setattr(member_operations, "MAX_RECORD_BYTES", 300)
    found, after = [], "0"
    while after:
        page = listed(bench, f"after={after}")
        found.append([(one["identifier"], bool(one["record"])) for one in page["members"]])
        after = page["next"]
    assert found == [[("a", True), ("b", True)], [("long", False)], [("c", True)]]


def test_only_a_collection_has_members(bench: ApiBench) -> None:
    bench.ask("PUT", "/objects/a", letter("a"), **NEW)
    for name in ("a", "nothing"):
        assert code(bench.ask("GET", f"/members/{name}")) == (404, "no-object")


def test_an_earlier_record_can_be_read_and_published_again(bench: ApiBench) -> None:
    bench.ask("PUT", "/objects/a", letter("a", "First"), **NEW)
    bench.ask("PUT", "/objects/a", letter("a", "Second"), if_match='"1"')
    bench.ask("DELETE", "/objects/a", query="reason=A+claim.", if_match='"2"')
    earlier = bench.ask("GET", "/objects/a", query="revision=1")
    assert (earlier.status, content(earlier)["label"]) == (200, {"en": ["First"]})
    assert "etag" not in earlier.headers
    back = bench.ask(
        "PUT", "/objects/a", content(earlier), query="replace_withdrawn=true", if_match='"3"'
    )
    assert back.status == 200
    assert content(bench.ask("GET", "/objects/a"))["label"] == {"en": ["First"]}
    assert code(bench.ask("GET", "/objects/a", query="revision=3")) == (410, "object-gone")
    assert code(bench.ask("GET", "/objects/a", query="revision=9")) == (404, "no-object")
    assert code(bench.ask("GET", "/collections/a", query="revision=1")) == (404, "no-object")
    assert code(bench.ask("GET", "/objects/a", query="revision=-1")) == (400, "query-invalid")
