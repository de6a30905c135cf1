"""Image information tells viewers the way in to a restricted image, in both versions."""

import json
from typing import Any

import pytest

from tests.unit.authorization.made_services import TABLE
from tests.unit.deliver.deliver_records import live
from vitrine.access.descriptions import CONTEXT_1, CONTEXT_2
from vitrine.access.tickets import Ticket
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.answer.access_paths import PUBLIC, AccessPath, RightPath, SharePath
from vitrine.deliver.answer.image_view import ImageView
from vitrine.deliver.answer.info import Info, InfoDocuments
from vitrine.deliver.http.exchange import Request
from vitrine.errors import Unavailable
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V2, V3, Version
from vitrine.settings.deliver import DeliverSettings
from vitrine.store.layout import ACCESS_TABLE
from vitrine.store.rights_table import RightsTable

SETTINGS = DeliverSettings(
    access_masters_bucket="a",
    site_bucket="s",
    identifiers_table="t",
    public_base_url="https://images.museum.org",
)
STAFF = RightPath("staff", "/restricted/staff", is_admitted=False)
REQUEST = Request(method="GET", path="/", headers={"host": "images.museum.org"})


@pytest.fixture
def records() -> MemoryObjectStore:
    records = MemoryObjectStore()
    records.put(ACCESS_TABLE, TABLE.encode(), content_type="application/toml")
    return records


def information(
    records: MemoryObjectStore,
    rule: str,
    version: Version = V3,
    door: AccessPath = STAFF,
    *,
    is_admitted: bool = False,
) -> tuple[int, dict[str, Any]]:
    """Return the status and the document."""
    table = RightsTable(records, start=lambda read: read())
    documents = InfoDocuments(SETTINGS, Limits(area=25_000_000), table)
    view = door.view(live("Chart: 3/4", access=rule))
    assert isinstance(view, ImageView)
    info = Info(view.image, version, True, door.prefix, view.right, is_admitted)
    response = documents.respond(REQUEST, info)
    return response.status, json.loads(response.body)


def test_those_without_a_ticket_get_401_and_both_ways_in(records: MemoryObjectStore) -> None:
    status, document = information(records, "staff")
    assert status == 401
    # Authorization Flow 2.0, section 2.1: its context comes first, and once.
    assert document["@context"] == [CONTEXT_2, V3.context]
    probe, login = document["service"]
    assert probe["type"] == "AuthProbeService2"
    assert probe["id"].endswith("/auth/staff/probe?image=Chart%3A%203%2F4")
    assert login["@context"] == CONTEXT_1
    assert login["profile"] == "http://iiif.io/api/auth/1/login"


def test_those_with_one_get_the_same_and_200(records: MemoryObjectStore) -> None:
    status, document = information(records, "staff", is_admitted=True)
    assert (status, len(document["service"])) == (200, 2)


def test_in_version_2_each_service_says_its_context(records: MemoryObjectStore) -> None:
    _, document = information(records, "staff", V2)
    assert document["@context"] == V2.context
    assert [one["@context"] for one in document["service"]] == [CONTEXT_2, CONTEXT_1]


def test_a_small_image_that_everybody_sees_tells_how_to_see_more(
    records: MemoryObjectStore,
) -> None:
    status, document = information(records, "small:1000:staff", door=PUBLIC, is_admitted=True)
    assert (status, len(document["service"])) == (200, 2)


@pytest.mark.parametrize("rule", ["", "open", "small:1000", "small:1000:unheard-of"])
def test_an_image_without_a_right_that_exists_tells_nothing(
    records: MemoryObjectStore, rule: str
) -> None:
    _, document = information(records, rule, door=PUBLIC, is_admitted=True)
    assert "service" not in document
    assert document["@context"] == V3.context


def test_a_share_link_leads_to_no_way_in(records: MemoryObjectStore) -> None:
    door = SharePath(Ticket(issued_at=1, expires_at=2), "/restricted/share/ticket")
    _, document = information(records, "staff", door=door, is_admitted=True)
    assert "service" not in document


def test_an_institution_without_a_table_has_no_way_in() -> None:
    _, document = information(MemoryObjectStore(), "staff")
    assert "service" not in document


def test_until_the_table_was_read_viewers_are_asked_to_come_again() -> None:
    table = RightsTable(MemoryObjectStore(), start=lambda read: None)
    documents = InfoDocuments(SETTINGS, Limits(area=25_000_000), table)
    with pytest.raises(Unavailable):
        documents.respond(REQUEST, Info(live("a", access="staff"), V3, right="staff"))


def test_a_table_that_is_not_usable_leaves_the_one_before(records: MemoryObjectStore) -> None:
    now = [0.0]
    table = RightsTable(records, 60, lambda: now[0], start=lambda read: read())
    before = table.current()
    records.put(ACCESS_TABLE, b"rights = [", content_type="application/toml")
    now[0] = 61
    assert table.current() == before
    assert before
