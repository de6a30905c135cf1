"""Share links by the API: the same as those of the command, for the caller's own images."""

import time
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from tests.unit.api.api_bench import BASE, ApiBench, code, content
from vitrine.access.tickets import verify_ticket
from vitrine.settings.departments import Department
from vitrine.store.ticket_keys import TicketKeys, change_ticket_keys

RESTRICTED = {"access": "small:256:staff"}


@pytest.fixture
def shared(bench: ApiBench) -> ApiBench:
    """An API whose image "one" may be shared."""
    change_ticket_keys(bench.records, TicketKeys.rotate)
    assert bench.ask("PUT", "/access/one", RESTRICTED, if_match="*").status == 200
    return bench


def test_a_link_shows_what_it_says_until_it_ends(shared: ApiBench) -> None:
    before = [entry.key for entry in shared.records.list_keys("", 10_000).entries]
    body = {"identifier": "one", "days": 2, "region": "0,0,400,300", "formats": ["png"]}
    made = content(shared.ask("POST", "/links", body))
    path = urlsplit(made["picture"]).path
    assert made["picture"].startswith(f"{BASE}/restricted/share/v1.")
    assert path.endswith("/iiif/3/one/0,0,400,300/max/0/default.png")
    assert made["info"] == ""
    keys = change_ticket_keys(shared.records, lambda kept: kept).keys
    ticket = verify_ticket(path.split("/")[3], keys, time.time())
    assert (ticket.identifier, ticket.link, ticket.formats) == ("one", made["link"], ("png",))
    assert ticket.region == "0,0,400,300,800,600"
    assert ticket.expires_at - ticket.issued_at == 2 * 86_400
    assert [entry.key for entry in shared.records.list_keys("", 10_000).entries] == before


def test_a_link_to_all_of_it_has_image_information(shared: ApiBench) -> None:
    made = content(shared.ask("POST", "/links", {"identifier": "one"}))
    assert made["info"].endswith("/iiif/3/one/info.json")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"identifier": "two"}, (409, "open-image")),
        ({"identifier": "nothing"}, (404, "no-image")),
        ({"identifier": "one", "region": "800,0,10,10"}, (422, "region-outside")),
        ({"identifier": "one", "size": 1}, (422, "size-too-small")),
        ({"identifier": "one", "region": "a,b,c,d"}, (400, "body-invalid")),
        ({"identifier": "one", "days": 400}, (400, "body-invalid")),
        ({"identifier": "one", "formats": ["exe"]}, (400, "body-invalid")),
    ],
)
def test_what_cannot_be_shared_is_refused(
    shared: ApiBench, body: dict[str, object], expected: tuple[int, str]
) -> None:
    assert code(shared.ask("POST", "/links", body)) == expected


def test_a_closed_image_is_not_shared(shared: ApiBench) -> None:
    shared.ask("PUT", "/access/two", {"access": "closed"}, if_match="*")
    assert code(shared.ask("POST", "/links", {"identifier": "two"})) == (409, "closed-image")


def test_without_a_key_the_answer_says_who_makes_one(bench: ApiBench) -> None:
    bench.ask("PUT", "/access/one", RESTRICTED, if_match="*")
    assert code(bench.ask("POST", "/links", {"identifier": "one"})) == (409, "keys-missing")


def test_another_department_shares_nothing_of_ours(shared: ApiBench) -> None:
    departments = {"maps": Department(collections=("maps",), members=("arn:maps",))}
    shared.services = replace(shared.services, departments=departments)
    refused = shared.ask("POST", "/links", {"identifier": "one"})
    assert code(refused) == (403, "collection-forbidden")
