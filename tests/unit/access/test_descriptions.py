"""Both versions of the access services are described as their specifications have them."""

from typing import Any

import pytest

from vitrine.access.descriptions import CONTEXT_1, describe_services
from vitrine.access.rights import Right

BASE = "https://images.museum.org"
LABEL = {"en": "Sign in to the Museum", "de": "Beim Museum anmelden"}
STAFF = Right(
    label=LABEL, heading={"en": "Staff only"}, note={"en": "Ask us."}, group="museum-staff"
)
ROOM = Right(label=LABEL, networks=("192.0.2.0/24",))
TERMS = Right(label=LABEL, terms={"en": "Read this."}, confirm={"en": "I have read this"})


@pytest.mark.parametrize("right", [STAFF, ROOM, TERMS])
def test_the_probe_holds_one_access_service_and_it_one_token_service(right: Right) -> None:
    probe, _ = describe_services(BASE, "Chart: 3/4", "staff", right)
    assert probe["id"] == f"{BASE}/auth/staff/probe?image=Chart%3A%203%2F4"
    assert probe["type"] == "AuthProbeService2"
    # Section 2.1: the context is that of the whole document, not of the service.
    assert "@context" not in probe
    (access,) = probe["service"]
    assert access["type"] == "AuthAccessService2"
    tokens = [one for one in access["service"] if one["type"] == "AuthAccessTokenService2"]
    assert [one["id"] for one in tokens] == [f"{BASE}/auth/staff/token/2"]


def test_texts_are_language_maps_in_2_and_one_language_in_1() -> None:
    probe, login = describe_services(BASE, "a", "staff", STAFF)
    (access,) = probe["service"]
    assert access["label"] == {"en": ["Sign in to the Museum"], "de": ["Beim Museum anmelden"]}
    assert access["note"] == {"en": ["Ask us."]}
    assert access["heading"] == {"en": ["Staff only"]}
    assert login["label"] == "Sign in to the Museum"
    assert (login["header"], login["description"]) == ("Staff only", "Ask us.")


@pytest.mark.parametrize(
    ("right", "profile_2", "profile_1"),
    [(STAFF, "active", "login"), (TERMS, "active", "clickthrough"), (ROOM, "external", "external")],
)
def test_each_kind_of_right_has_its_pattern(right: Right, profile_2: str, profile_1: str) -> None:
    probe, login = describe_services(BASE, "a", "x", right)
    (access,) = probe["service"]
    assert access["profile"] == profile_2
    assert ("id" in access) is (profile_2 == "active")
    assert login["profile"] == f"http://iiif.io/api/auth/1/{profile_1}"
    assert login["@context"] == CONTEXT_1
    assert _kinds(access) == {"AuthAccessTokenService2"} | (
        {"AuthLogoutService2"} if profile_2 == "active" else set()
    )


def test_the_services_of_1_are_under_addresses_of_their_own() -> None:
    _, login = describe_services(BASE, "a", "staff", STAFF)
    assert login["@id"] == f"{BASE}/auth/staff/login"
    assert [(one["@id"], one["profile"]) for one in login["service"]] == [
        (f"{BASE}/auth/staff/token/1", "http://iiif.io/api/auth/1/token"),
        (f"{BASE}/auth/staff/logout", "http://iiif.io/api/auth/1/logout"),
    ]


def _kinds(access: dict[str, Any]) -> set[str]:
    return {one["type"] for one in access["service"]}


@pytest.mark.parametrize("right", [STAFF, ROOM])
def test_every_service_has_a_profile_without_which_mirador_shows_no_way_in(right: Right) -> None:
    """It reads the profile of each service, and of those inside, before it knows their type."""
    waiting = describe_services(BASE, "a", "staff", right)
    while waiting:
        service = waiting.pop()
        assert service["profile"]
        waiting.extend(service.get("service", []))
