"""Two departments publish folders with the same names through the API, each what is its own."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.unit.api.api_bench import ApiBench
from tests.unit.deliver.deliver_records import live
from vitrine.api.application import answer
from vitrine.api.client import ApiClient
from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.api.problems import Problem, problem_response
from vitrine.api.redirect_list_operations import RequestedRedirect, SetRedirects
from vitrine.api.table_client import TableClient
from vitrine.catalogue.records import Described
from vitrine.errors import IdentifierRefused, ObjectRefused, ServiceRefused, TransientError
from vitrine.iiif.presentation.model import Canvas, ObjectCollection, PublishedObject
from vitrine.ingest.publish.table_rules import TableRules, set_rules
from vitrine.settings.departments import Department
from vitrine.sources.mapping.mapping_file import MappingFile, MappingUnusable
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.to_objects import MappedObject

USER = "arn:aws:iam::123456789012:user/{}"
DEPARTMENTS = {
    "works-on-paper": Department(
        collections=("prints", "posters"), members=(USER.format("prints"),)
    ),
    "map-room": Department(collections=("maps",), members=(USER.format("maps"),)),
    "registrars": Department(collections=("*",), members=(USER.format("registrar"),)),
}


class Museum:
    """The API in one process, as several people reach it."""

    def __init__(self) -> None:
        self.bench = ApiBench()
        self.services = replace(self.bench.services, departments=DEPARTMENTS)

    def api(self, person: str) -> ApiClient:
        def send(
            method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
        ) -> ApiResponse:
            request = ApiRequest(
                method=method,
                path=path,
                query=query,
                headers=headers,
                body=body,
                caller=USER.format(person),
            )
            return answer(self.services, request)

        return ApiClient(send=send)

    def client(self, person: str, collection: str, **options: Any) -> TableClient:
        publisher = self.services.publisher
        return TableClient(
            api=self.api(person), publisher=publisher, collection=collection, **options
        )

    def add_image(self, name: str, owner: str) -> None:
        image = live(name, 800, 600, revision=1)
        self.services.register.table.write(replace(image, owner=owner), None)

    def owner(self, name: str) -> str:
        record = self.services.publisher.journal.latest(name)
        return record.owner if record else ""


@pytest.fixture
def museum() -> Museum:
    return Museum()


def mapping_of(folder: Path, collection: str, access: str = "") -> MappingFile:
    rules, rule = folder / f"{collection}.toml", f'access = "{access}"\n' if access else ""
    (folder / "table.csv").write_text("id\n1\n")
    rules.write_text(
        f'[source]\ntable = "table.csv"\n'
        f'[collection]\nidentifier = "{collection}"\nlabel = "{collection}"\n'
        f'{rule}[object]\nidentifier = "{{id}}"\nlabel = "{{id}}"\nimage = "{{id}}"\n'
    )
    return read_mapping(rules)


def mapped(identifier: str, *images: str, part_of: str) -> MappedObject:
    item = PublishedObject(
        identifier=identifier,
        label={"en": (identifier,)},
        canvases=tuple(Canvas(image=image) for image in images),
        part_of=(part_of,),
    )
    return MappedObject(1, item)


def test_each_publishes_its_folder_and_is_refused_what_the_other_has(
    museum: Museum, tmp_path: Path
) -> None:
    museum.add_image("001", "prints")
    museum.add_image("maps-001", "maps")
    first = museum.client("prints", "prints").publish(
        mapping_of(tmp_path, "prints"), [mapped("sheet", "001", part_of="prints")]
    )
    assert (first.made, first.refused, first.waiting) == (1, [], [])
    maps = museum.client("maps", "maps")
    second = maps.publish(
        mapping_of(tmp_path, "maps"),
        [mapped("sheet", "maps-001", part_of="maps"), mapped("plan", "maps-001", part_of="maps")],
    )
    assert second.made == 1
    ((row, sentence),) = second.refused
    assert row == 1
    assert 'belongs to the collection "prints", and you may change what belongs to "maps"' in (
        sentence
    )
    assert [museum.owner(name) for name in ("sheet", "plan", "maps")] == ["prints", "maps", "maps"]
    again = maps.publish(mapping_of(tmp_path, "maps"), [mapped("plan", "maps-001", part_of="maps")])
    assert (again.made, again.unchanged) == (0, 1)


def test_nobody_publishes_for_a_collection_of_others(museum: Museum, tmp_path: Path) -> None:
    report = museum.client("maps", "prints").publish(
        mapping_of(tmp_path, "prints"), [mapped("sheet", "001", part_of="prints")]
    )
    assert [row for row, _ in report.refused] == [1, 0]
    assert '"prints" is no collection of yours' in report.refused[0][1]
    assert report.collection is None
    assert museum.owner("sheet") == ""


def test_the_second_collection_of_a_department_gets_what_is_its_own(
    museum: Museum, tmp_path: Path
) -> None:
    posters = museum.client("prints", "posters")
    posters.publish(mapping_of(tmp_path, "posters"), [mapped("bill", "a", part_of="posters")])
    assert (museum.owner("bill"), museum.owner("posters")) == ("posters", "posters")
    # As for everybody, a table does not take what another collection of its people has, or is.
    with pytest.raises(ObjectRefused, match='"prints" belongs to the collection "prints"'):
        posters.put(mapped("prints", "a", part_of="posters").item)
    with pytest.raises(ObjectRefused, match='belongs to the collection "posters"'):
        museum.client("prints", "prints").put(mapped("bill", "a", part_of="prints").item)


def test_images_are_closed_before_they_are_uploaded(museum: Museum, tmp_path: Path) -> None:
    client, mapping = museum.client("maps", "maps"), mapping_of(tmp_path, "maps", "closed")
    client.begin(mapping)
    client.announce([mapped("plan", "m1", "m2", part_of="maps")], {"m1", "m2"})
    record = museum.services.publisher.shown.get("m1")
    assert record
    assert record.access == "closed"
    rules = TableRules(owner="maps", default="closed", decides=True)
    rules.add("m1", "")
    rules.add("m2", "staff")
    done = set_rules(client, rules, museum.services.publisher.rules, lambda: True)
    assert (done.changed, done.kept_closed, done.of_others) == (1, (), ())
    own = museum.services.register.table.get("m2")
    assert own
    assert (own.access, own.owner) == ("staff", "maps")


def test_rules_of_images_of_others_stay_as_they_are(museum: Museum) -> None:
    museum.add_image("001", "prints")
    museum.add_image("stray", "")
    client = museum.client("maps", "maps")
    rules = TableRules(owner="maps")
    rules.add("001", "closed")
    assert set_rules(client, rules, museum.services.publisher.rules, lambda: True).of_others == (
        "001",
    )
    rules = TableRules(owner="maps")
    rules.add("stray", "closed")
    with pytest.raises(IdentifierRefused, match="belongs to no collection"):
        set_rules(client, rules, museum.services.publisher.rules, lambda: True)
    table = museum.services.register.table
    assert [record and record.access for record in map(table.get, ("001", "stray"))] == ["", ""]


def test_a_collection_that_others_have_ends_it_before_anything_is_uploaded(
    museum: Museum, tmp_path: Path
) -> None:
    with pytest.raises(MappingUnusable, match='"prints" is no collection of yours'):
        museum.client("maps", "prints").begin(mapping_of(tmp_path, "prints", "closed"))


def test_somebody_who_changes_it_at_the_same_moment_is_overtaken_only_if_it_is_still_ours(
    museum: Museum, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, objects = museum.client("maps", "maps"), museum.services.objects
    item = mapped("plan", "m1", part_of="maps").item
    client.put(item)
    latest, looks = client.publisher.journal.latest, iter(range(9))

    def latest_too_early(name: str) -> Any:
        found = latest(name)
        if next(looks) == 0:
            taken = replace_owner(found, "prints")
            objects.change(name, lambda _: taken)
        return found

    monkeypatch.setattr(type(client.publisher.journal), "latest", lambda _, n: latest_too_early(n))
    with pytest.raises(ObjectRefused, match='belongs to the collection "prints"'):
        client.put(replace_label(item))
    assert museum.owner("plan") == "prints"


def replace_owner(record: Any, owner: str) -> Described:
    found: Described = msgspec.structs.replace(record, owner=owner)
    return found


def replace_label(item: PublishedObject) -> PublishedObject:
    return msgspec.structs.replace(item, label={"en": ("Another title",)})


@pytest.mark.parametrize(
    ("person", "everything", "collections"),
    [
        ("prints", False, ("prints", "posters")),
        ("registrar", True, ("*",)),
        ("stranger", False, ()),
    ],
)
def test_the_api_says_what_its_caller_may_change(
    museum: Museum, person: str, everything: bool, collections: tuple[str, ...]
) -> None:
    caller = museum.api(person).caller()
    assert caller
    assert caller.caller == USER.format(person)
    assert (caller.changes_everything, caller.collections) == (everything, collections)


def answers(*statuses: int) -> tuple[ApiClient, Iterator[int]]:
    remaining = iter(statuses)

    def send(*_: Any) -> ApiResponse:
        return ApiResponse(status=next(remaining), headers={}, body=b'{"message":"Forbidden"}')

    return ApiClient(send=send, pause=lambda seconds: None), remaining


def test_a_busy_api_is_asked_again() -> None:
    client, remaining = answers(503, 429, 403, 200)
    assert client.caller() is None
    assert list(remaining) == [200]
    client, _ = answers(*[503] * 6)
    with pytest.raises(TransientError, match="answers 503"):
        client.caller()


def test_what_the_gateway_refuses_is_no_fault_of_the_record() -> None:
    client, _ = answers(403)
    with pytest.raises(ServiceRefused, match="Forbidden"):
        client.put_item(
            ObjectCollection(identifier="a", label={"en": ("a",)}), over=0, collection="a"
        )


def test_a_space_in_a_query_is_no_plus_which_a_signature_would_take_for_one() -> None:
    sent: list[str] = []

    def send(
        method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
    ) -> ApiResponse:
        sent.append(query)
        return ApiResponse(status=200)

    ApiClient(send=send).withdraw_image("one", "A claim + more.", over=1)
    assert sent == ["reason=A%20claim%20%2B%20more."]


def test_a_request_that_is_still_being_answered_is_sent_again_with_its_key() -> None:
    keys: list[str] = []

    def send(
        method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
    ) -> ApiResponse:
        keys.append(headers["idempotency-key"])
        if len(keys) < 3:
            return problem_response(Problem("key-in-use"))
        return ApiResponse(status=200, body=b'{"redirects": []}')

    row = RequestedRedirect(identifier="old", target="one")
    api = ApiClient(send=send, pause=lambda seconds: None)
    assert api.set_redirects(SetRedirects(redirects=(row,))) == ()
    assert len(keys) == 3
    assert len(set(keys)) == 1
