"""Images, redirects and masters by the API."""

from typing import Any

import pytest
import pyvips

from tests.unit.api.api_bench import BASE, CALLER, ApiBench, code, content
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.api import uploads_in_parts
from vitrine.identify.journal import Journal
from vitrine.records import Gone, Live, Redirect

NEW = {"if_none_match": "*"}
PNG: bytes = pyvips.Image.black(40, 30).pngsave_buffer()


def upload(bench: ApiBench, key: str = "a.png", **more: object) -> None:
    """Send a picture to the address that the API gives."""
    body = {"key": key, "upload": {"bytes": len(PNG), "content_type": "image/png"}, **more}
    started = content(bench.ask("POST", "/ingests", body))
    bench.uploads.send(started["upload"]["address"], PNG)


def test_a_master_is_uploaded_to_an_address_and_followed(bench: ApiBench) -> None:
    body = {"key": "é 1.png", "identifier": "ms/1", "upload": {"bytes": len(PNG)}}
    started = bench.ask("POST", "/ingests", body)
    assert (started.status, started.headers["location"]) == (201, "./ingests/%C3%A9%201.png")
    assert content(bench.ask("GET", "/ingests/é 1.png"))["state"] == "awaiting-upload"
    bench.uploads.send(content(started)["upload"]["address"], PNG)
    ingest = content(bench.ask("GET", "/ingests/é 1.png"))
    assert (ingest["state"], ingest["identifier"]) == ("published", "ms/1")
    assert ingest["info"] == f"{BASE}/iiif/3/ms%2F1/info.json"


def test_a_rejected_master_says_why(bench: ApiBench) -> None:
    started = content(bench.ask("POST", "/ingests", {"key": "a.png", "upload": {"bytes": 3}}))
    bench.uploads.send(started["upload"]["address"], b"not")
    ingest = content(bench.ask("GET", "/ingests/a.png"))
    assert (ingest["state"], bool(ingest["code"]), bool(ingest["sentence"])) == (
        *("rejected", True, True),
    )
    assert ingest["advice"] == "Upload an image."


def test_a_master_that_nothing_has_begun_with_is_not_awaited_any_more(bench: ApiBench) -> None:
    MemoryObjectStore.put(bench.masters, "a.png", b"not seen yet", content_type="image/png")
    assert content(bench.ask("GET", "/ingests/a.png"))["state"] == "unfinished"


def test_a_master_that_was_deleted_keeps_its_outcome(bench: ApiBench) -> None:
    upload(bench)
    bench.masters.delete("a.png")
    assert content(bench.ask("GET", "/ingests/a.png"))["state"] == "published"


def test_an_address_is_for_no_more_than_a_master_may_have(bench: ApiBench) -> None:
    body = {"key": "a.png", "upload": {"bytes": 1_000_001}}
    assert code(bench.ask("POST", "/ingests", body)) == (409, "master-too-large")


def test_a_master_comes_in_parts_of_which_only_the_missing_ones_are_sent_again(
    bench: ApiBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads_in_parts, "MIN_PART_BYTES", 64)
    monkeypatch.setattr(uploads_in_parts, "_MEBIBYTE", 64)
    monkeypatch.setattr(uploads_in_parts, "MAX_ADDRESSES", 2)
    body = {"key": "é 1.png", "identifier": "ms/1"}
    begun = bench.ask("POST", "/ingests", body | {"upload": {"bytes": len(PNG), "in_parts": True}})
    parts = content(begun)["parts"]
    assert (begun.status, len(parts["missing"]), parts["stored_bytes"]) == (201, 2, 0)
    # The first is lost.
    send_parts(bench, parts["missing"][1:])
    more = body | {"upload": {"bytes": len(PNG), "parts": parts["name"]}}
    while (answer := bench.ask("POST", "/ingests", more)).status == 201:
        assert content(answer)["state"] == "awaiting-upload"
        send_parts(bench, content(answer)["parts"]["missing"])
    assert (answer.status, content(answer)["state"]) == (202, "published")
    assert bench.masters.get("é 1.png")[0] == PNG
    assert code(bench.ask("POST", "/ingests", more)) == (409, "upload-missing")


def send_parts(bench: ApiBench, parts: list[dict[str, Any]]) -> None:
    for part in parts:
        end = part["start"] + part["bytes"]
        bench.uploads.send_part(part["address"], PNG[part["start"] : end])


def test_parts_of_a_file_of_another_size_are_no_master(bench: ApiBench) -> None:
    body = {"key": "a.png", "upload": {"bytes": len(PNG), "in_parts": True}}
    parts = content(bench.ask("POST", "/ingests", body))["parts"]
    send_parts(bench, parts["missing"])
    other = {"key": "a.png", "upload": {"bytes": len(PNG) - 1, "parts": parts["name"]}}
    answer = bench.ask("POST", "/ingests", other)
    assert (answer.status, len(content(answer)["parts"]["missing"])) == (201, 1)
    too_many = {"key": "a.png", "upload": {"bytes": 1_000_001, "parts": parts["name"]}}
    assert code(bench.ask("POST", "/ingests", too_many)) == (409, "master-too-large")


@pytest.mark.parametrize(
    ("size", "parts"), [(1, 1), (16 << 20, 1), ((16 << 20) + 1, 2), (5 << 40, 9_987)]
)
def test_a_file_has_at_most_the_parts_that_s3_takes(size: int, parts: int) -> None:
    assert -(-size // uploads_in_parts.part_bytes(size)) == parts <= uploads_in_parts.MAX_PARTS


def test_masters_of_a_state_are_listed_with_the_reason(bench: ApiBench) -> None:
    upload(bench)
    started = content(bench.ask("POST", "/ingests", {"key": "b.png", "upload": {"bytes": 3}}))
    bench.uploads.send(started["upload"]["address"], b"not")
    (rejected,) = content(bench.ask("GET", "/ingests", query="state=rejected"))["ingests"]
    assert (rejected["key"], rejected["state"], bool(rejected["sentence"])) == (
        *("b.png", "rejected", True),
    )
    (published,) = content(bench.ask("GET", "/ingests", query="state=published"))["ingests"]
    assert published["key"] == "a.png"
    assert code(bench.ask("GET", "/ingests", query="state=lost")) == (400, "query-invalid")


def test_a_master_that_is_there_is_ingested_again(bench: ApiBench) -> None:
    upload(bench)
    again = bench.ask("POST", "/ingests", {"key": "a.png", "identifier": "other"})
    assert (again.status, content(again)["identifier"]) == (202, "other")
    assert isinstance(bench.ingest.identifiers.get("other"), Live)
    assert code(bench.ask("POST", "/ingests", {"key": "b.png"})) == (409, "master-missing")


@pytest.mark.parametrize("key", ["", "/a", "a//b", "../a", "a/.", "a\x00", "é" * 700])
def test_a_key_that_no_master_may_have_is_refused(bench: ApiBench, key: str) -> None:
    refused = bench.ask("POST", "/ingests", {"key": key, "upload": {"bytes": 1}})
    assert code(refused) in ((400, "key-invalid"), (400, "body-invalid"))


def test_an_image_is_withdrawn_and_restored(bench: ApiBench) -> None:
    upload(bench)
    read = bench.ask("GET", "/images/a")
    assert content(read)["width"] == 40
    query, tag = "reason=A+claim.", read.headers["etag"]
    gone = bench.ask("DELETE", "/images/a", query=query, if_match=tag)
    assert (gone.status, content(gone)["state"], content(gone)["reason"]) == (
        *(200, "gone", "A claim."),
    )
    late = bench.ask("DELETE", "/images/a", query=query, if_match=tag)
    assert code(late) == (412, "revision-changed")
    assert isinstance(bench.ingest.identifiers.get("a"), Gone)
    assert bench.ask("POST", "/restorations", {"identifier": "a"}).status == 202
    assert content(bench.ask("GET", "/images/a"))["state"] == "live"
    again = bench.ask("POST", "/restorations", {"identifier": "a"})
    assert (again.status, content(again)["state"]) == (202, "published")


def test_the_journal_says_who_withdrew_an_image(bench: ApiBench) -> None:
    upload(bench)
    bench.ask("DELETE", "/images/a", query="reason=A+claim.", if_match="*")
    journal = Journal(bench.records)
    assert isinstance(journal.latest("a"), Gone)
    (key,) = [
        entry.key
        for entry in bench.records.list_keys().entries
        if entry.key.endswith("/a/0000000002.json")
    ]
    assert bench.records.head(key).metadata == {"author": CALLER}


def test_a_renamed_image_redirects(bench: ApiBench) -> None:
    upload(bench)
    renamed = bench.ask("POST", "/renames", {"type": "image", "old": "a", "new": "b"})
    assert (renamed.status, renamed.headers["location"]) == (202, "./ingests/a.png")
    assert content(bench.ask("GET", "/images/a"))["target"] == "b"
    taken = bench.ask("POST", "/renames", {"type": "image", "old": "b", "new": "one"})
    assert code(taken) == (409, "identifier-taken")


def test_redirects_are_made_read_listed_and_removed(bench: ApiBench) -> None:
    put = bench.ask("PUT", "/redirects/old", {"target": "one", "note": "1885"}, **NEW)
    assert (put.status, content(put)["target"], put.headers["etag"]) == (201, "one", '"1"')
    other = bench.ask("PUT", "/redirects/old", {"target": "two"}, if_match='"1"')
    assert (other.status, content(other)["note"]) == (200, "1885")
    stale = bench.ask("PUT", "/redirects/old", {"target": "one"}, if_match='"1"')
    assert code(stale) == (412, "revision-changed")
    listed = content(bench.ask("GET", "/redirects", query="target=two"))
    assert [one["identifier"] for one in listed["redirects"]] == ["old"]
    removed = bench.ask("DELETE", "/redirects/old", if_match='"2"')
    assert removed.status == 200
    assert code(bench.ask("GET", "/redirects/old")) == (404, "no-redirect")
    # What was removed does not exist: it may be made again.
    assert bench.ask("PUT", "/redirects/old", {"target": "one"}, **NEW).status == 201


@pytest.mark.parametrize(
    ("identifier", "target", "refusal"),
    [
        ("old", "old", (422, "self")),
        ("old", "nowhere", (422, "dangling")),
        ("two", "one", (409, "live-image")),
    ],
)
def test_a_redirect_that_would_do_harm_is_refused(
    bench: ApiBench, identifier: str, target: str, refusal: tuple[int, str]
) -> None:
    refused = bench.ask("PUT", f"/redirects/{identifier}", {"target": target}, **NEW)
    assert code(refused) == refusal
    assert not isinstance(bench.ingest.identifiers.get(identifier), Redirect)


def test_a_rule_of_access_is_set_and_read(bench: ApiBench) -> None:
    unset = bench.ask("GET", "/access/a")
    nothing = {"is_own": False, "collections": {}}
    assert content(unset) == {"identifier": "a", "access": "open", "revision": 0, **nothing}
    put = bench.ask("PUT", "/access/a", {"access": "closed"}, **NEW)
    assert (put.status, content(put)["access"], put.headers["etag"]) == (200, "closed", '"1"')
    upload(bench)
    read = bench.ask("GET", "/images/a")
    assert content(read)["access"] == "closed"
    late = bench.ask("PUT", "/access/a", {"access": "open"}, if_match='"1"')
    assert code(late) == (412, "revision-changed")
    changed = bench.ask("PUT", "/access/a", {"access": "small:1000"}, if_match='"2"')
    assert content(changed)["access"] == "small:1000"
    for name, rule in (("c", "vip"), ("d", "small:1000:staff")):
        put = bench.ask("PUT", f"/access/{name}", {"access": rule}, **NEW)
        assert content(put)["access"] == content(bench.ask("GET", f"/access/{name}"))["access"]
        assert (put.status, content(put)["access"]) == (200, rule)
    ended = bench.ask("DELETE", "/links/a", if_match="*")
    assert (ended.status, ended.headers["etag"]) == (200, '"4"')
    assert code(bench.ask("DELETE", "/links/a")) == (428, "precondition-missing")
    assert code(bench.ask("DELETE", "/links/c", if_match="*")) == (404, "no-image")
    refused = bench.ask("PUT", "/access/a", {"access": "wizards!"}, if_match="*")
    assert code(refused) == (422, "access-invalid")
    bench.ask("POST", "/renames", {"type": "image", "old": "a", "new": "b"})
    assert content(bench.ask("GET", "/access/b"))["access"] == "small:1000"
    refused = bench.ask("PUT", "/access/a", {"access": "open"}, if_match="*")
    assert code(refused) == (404, "no-image")


def test_a_collections_rule_is_that_of_its_images_unless_one_is_said(bench: ApiBench) -> None:
    upload(bench)
    shelf = {
        "type": "collection",
        "identifier": "shelf",
        "label": {"en": ["A shelf"]},
        "members": [{"identifier": "a", "label": {"en": ["An image by itself"]}}],
        "access": "closed",
    }
    assert bench.ask("PUT", "/collections/shelf", shelf, **NEW).status == 201
    read = content(bench.ask("GET", "/access/a"))
    assert (read["access"], read["is_own"]) == ("closed", False)
    assert read["collections"] == {"shelf": "closed"}
    bench.ask("PUT", "/access/a", {"access": "open"}, if_match="*")
    del shelf["access"]
    bench.ask("PUT", "/collections/shelf", shelf, if_match="*")
    assert content(bench.ask("GET", "/collections/shelf"))["access"] == "closed"
    [entry] = content(bench.ask("GET", "/histories/shelf"))["entries"]
    assert entry["access"] == "closed"
    read = content(bench.ask("GET", "/access/a"))
    assert (read["access"], read["is_own"]) == ("open", True)
    back = bench.ask("PUT", "/access/a", {"access": "inherited"}, if_match="*")
    assert (content(back)["access"], content(back)["is_own"]) == ("closed", False)
    refused = bench.ask("PUT", "/collections/shelf", shelf | {"access": "Staff"}, if_match="*")
    assert code(refused) == (422, "record-invalid")
