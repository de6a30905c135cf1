"""Keys are rotated, and share links made and revoked, from the command line."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from vitrine.access.rules import SHARE
from vitrine.access.tickets import Ticket, verify_ticket
from vitrine.adapters.memory.edge_keys import MemoryEdgeKeys
from vitrine.bootstrap.deployment import Deployment
from vitrine.errors import TicketRefused
from vitrine.records import Live
from vitrine.store.ticket_keys import read_ticket_keys

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("curated")]

DAY = 86_400


@pytest.fixture(autouse=True)
def restricted(run: Any, picture: Path) -> None:
    """The image `ms/5`, which needs a right."""
    assert run("access", "image", "ms/5", "staff").exit_code == 0
    assert run("ingest", picture, "--identifier", "ms/5").exit_code == 0


def ticket_of(address: str) -> str:
    return urlsplit(address).path.split("/")[3]


def read_ticket(service: Deployment, address: str) -> Ticket:
    keys = read_ticket_keys(service.records).keys
    shown = verify_ticket(ticket_of(address), keys, time.time())
    assert isinstance(shown, Ticket)
    return shown


def test_a_link_holds_what_it_says(
    run: Any, read_json: Callable[..., Any], service: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: 0.0)
    made = read_json("access", "share", "ms/5", "--days", "3", "--format", "png")
    ticket = read_ticket(service, made["picture"])
    assert (ticket.use, ticket.identifier, ticket.link) == (SHARE, "ms/5", made["link"])
    assert (ticket.expires_at, ticket.formats) == (3 * DAY, ("png",))
    path = unquote(urlsplit(made["picture"]).path)
    assert path.endswith("/iiif/3/ms/5/full/max/0/default.png")
    assert made["info_url"].endswith("/iiif/3/ms%2F5/info.json")


def test_a_link_to_a_part_names_it_as_it_is_asked_for(
    read_json: Callable[..., Any], service: Deployment
) -> None:
    made = read_json("access", "share", "ms/5", "--region", "1,1,10,10")
    image = service.identifiers.get("ms/5")
    assert isinstance(image, Live)
    part = f"1,1,10,10,{image.width},{image.height}"
    assert read_ticket(service, made["picture"]).region == part
    assert made["info_url"] == ""
    assert "/1,1,10,10/max/0/default.jpg" in made["picture"]


@pytest.mark.parametrize(
    ("rule", "options", "word"),
    [
        ("open", (), "open to everybody"),
        ("closed", (), "closed, for links as well"),
        ("staff", ("--region", "9000,9000,5,5"), "nothing of the image"),
        ("staff", ("--region", "x"), "four whole numbers"),
        ("staff", ("--size", "10"), "the smallest size of ms/5 is of 150 pixels"),
        ("staff", ("--format", "bmp"), "--format is one of"),
    ],
)
def test_what_cannot_be_shared_is_not(
    run: Any, rule: str, options: tuple[str, ...], word: str
) -> None:
    run("access", "image", "ms/5", rule)
    refused = run("access", "share", "ms/5", *options)
    assert refused.exit_code != 0
    assert word in refused.stderr


def test_all_links_to_an_image_are_ended(
    run: Any, read_json: Callable[..., Any], service: Deployment
) -> None:
    first = read_ticket(service, read_json("access", "share", "ms/5")["picture"])
    assert run("access", "unshare", "ms/5").stdout == "ms/5: all links to it end\n"
    second = read_ticket(service, read_json("access", "share", "ms/5")["picture"])
    assert first.since < second.since
    run("access", "image", "ms/5", "open")
    assert read_json("access", "unshare", "ms/5") == {"identifier": "ms/5", "made": False}
    assert "not a live image" in run("access", "unshare", "nothing").stderr


def test_an_identifier_without_an_image_is_not_shared(run: Any) -> None:
    assert "is not a live image" in run("access", "share", "nothing").stderr


def test_the_edge_knows_the_keys_and_the_revoked_links(
    run: Any, read_json: Callable[..., Any], service: Deployment
) -> None:
    made = read_json("access", "share", "ms/5")
    edge = service.edge_keys
    assert isinstance(edge, MemoryEdgeKeys)
    (first,) = edge.values
    assert run("access", "revoke", made["link"]).exit_code == 0
    assert set(edge.values) == {first, f"revoked-{made['link']}"}
    edge.values = {}
    assert run("access", "sync").stdout == "The edge has 1 keys and 1 revoked links.\n"
    assert set(edge.values) == {first, f"revoked-{made['link']}"}
    assert run("access", "revoke", "all").exit_code == 2


def test_two_rotations_end_every_link(
    run: Any, read_json: Callable[..., Any], service: Deployment
) -> None:
    text = ticket_of(read_json("access", "share", "ms/5")["picture"])
    now = time.time()
    assert "stay valid" in run("access", "rotate-keys").stdout
    assert verify_ticket(text, read_ticket_keys(service.records).keys, now)
    assert len(read_json("access", "rotate-keys")["keys"]) == 2
    with pytest.raises(TicketRefused):
        verify_ticket(text, read_ticket_keys(service.records).keys, now)


def test_a_right_that_nobody_can_have_is_named(run: Any, tmp_path: Path) -> None:
    table = tmp_path / "access.toml"
    table.write_text('[rights.staff]\nterms = { en = "Yes?" }\nlabel = { en = "Read this" }\n')
    assert "right staff" in run("access", "image", "ms/5", "staff").stderr
    assert run("access", "rights", "use", table).exit_code == 0
    assert run("access", "image", "ms/5", "staff").stderr == ""
    misspelt = run("access", "image", "ms/5", "stafff")
    assert misspelt.exit_code == 0
    assert "right stafff" in misspelt.stderr
    assert run("access", "image", "ms/5", "closed").stderr == ""


def test_a_table_without_services_that_let_people_in_is_used_with_a_warning(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("access", "rights", "use", table_of(tmp_path, "staff")).stderr == ""
    monkeypatch.setattr("vitrine.cli.access.rights.has_access_services", lambda environment: False)
    used = run("access", "rights", "use", table_of(tmp_path, "staff", "friends"), "--json")
    assert used.exit_code == 0
    assert set(json.loads(used.stdout)["rights"]) == {"staff", "friends"}
    assert "lets nobody in" in used.stderr
    assert "`make up ACCESS=yes`" in used.stderr


def table_of(folder: Path, *rights: str) -> Path:
    table = folder / "access.toml"
    table.write_text(
        "".join(
            f'[rights.{name}]\nterms = {{ en = "Yes?" }}\nlabel = {{ en = "Read this" }}\n'
            for name in rights
        )
    )
    return table


def test_a_place_by_addresses_of_a_local_network_is_refused(run: Any, tmp_path: Path) -> None:
    table = tmp_path / "access.toml"
    table.write_text(
        'origins = ["https://www.museum.org"]\n[rights.room]\nnetworks = ["192.168.1.0/24"]\n'
        'label = { en = "Here" }\n'
    )
    refused = run("access", "rights", "use", table)
    assert refused.exit_code == 1
    assert "192.168.1.0/24 has addresses that nobody comes from" in refused.stderr


def test_a_right_that_images_need_is_not_dropped(run: Any, tmp_path: Path) -> None:
    assert run("access", "rights", "use", table_of(tmp_path, "staff", "friends")).exit_code == 0
    run("access", "image", "ms/6", "small:1000:staff")
    refused = run("access", "rights", "use", table_of(tmp_path, "friends"))
    assert refused.exit_code == 1
    assert "no right staff" in refused.stderr
    assert "ms/5 (staff), ms/6 (small:1000:staff)" in refused.stderr
    assert "staff: everybody who accepts" in run("access", "rights", "show").stdout
    assert run("access", "rights", "use", table_of(tmp_path, "staff")).exit_code == 0
    for name in ("ms/5", "ms/6"):
        run("access", "image", name, "friends")
    assert run("access", "rights", "use", table_of(tmp_path, "friends")).exit_code == 0


@pytest.mark.parametrize("late", [("access", "sync"), ("access", "rotate-keys")])
def test_a_link_stays_revoked_whatever_another_command_had_read_before(
    run: Any,
    read_json: Callable[..., Any],
    service: Deployment,
    monkeypatch: pytest.MonkeyPatch,
    late: tuple[str, ...],
) -> None:
    """The late command has read the links, and writes them after another has revoked one."""
    link = read_json("access", "share", "ms/5")["link"]
    edge = service.edge_keys
    assert isinstance(edge, MemoryEdgeKeys)
    write = edge.replace

    def wait_for_the_other(values: Mapping[str, str]) -> None:
        monkeypatch.setattr(edge, "replace", write)
        assert run("access", "revoke", link).exit_code == 0
        write(values)

    monkeypatch.setattr(edge, "replace", wait_for_the_other)
    assert run(*late).exit_code == 0
    assert f"revoked-{link}" in edge.values
    assert edge.values == read_ticket_keys(service.records).edge_values()


def test_a_new_link_writes_nothing_to_the_edge(
    run: Any, read_json: Callable[..., Any], service: Deployment
) -> None:
    read_json("access", "share", "ms/5")
    edge = service.edge_keys
    assert isinstance(edge, MemoryEdgeKeys)
    edge.values = {"key-of": "another"}
    read_json("access", "share", "ms/5")
    assert edge.values == {"key-of": "another"}
