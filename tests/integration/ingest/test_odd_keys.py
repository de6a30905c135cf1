"""Whatever a curator calls a file, it is published or refused as docs/reference/keys.md says."""

import json
import time
import urllib.request
from collections.abc import Iterator
from urllib.parse import quote

import numpy as np
import pytest
import pyvips

from docs.build.keys_page import CASES, KeyCase
from rigs.service_instance import start_instance
from vitrine.bootstrap.deployment import Deployment
from vitrine.records import Outcome

SIDE = 70
SECONDS = 300


def contents() -> dict[str, bytes]:
    ramp = np.linspace(0, 255, SIDE * SIDE * 3, dtype=np.uint8).reshape(SIDE, SIDE, 3)
    image = pyvips.Image.new_from_array(ramp, interpretation="srgb")
    return {
        "TIFF": image.tiffsave_buffer(),
        "JPEG": image.jpegsave_buffer(),
        "PNG": image.pngsave_buffer(),
        "text": b"Dear curator,\n",
        "nothing": b"",
    }


def upload(service: Deployment, cases: list[KeyCase]) -> None:
    bodies = contents()
    for case in cases:
        service.masters.put(
            case.key,
            bodies[case.content],
            content_type=case.content_type,
            metadata={"identifier": case.given} if case.given else None,
        )


def ended(service: Deployment, keys: list[str]) -> dict[str, Outcome]:
    """The outcomes, once there is one for each key."""
    deadline = time.monotonic() + SECONDS
    found: dict[str, Outcome] = {}
    while time.monotonic() < deadline:
        found = service.outcomes.get_many(keys)
        if len(found) == len(keys) and all(item.state != "running" for item in found.values()):
            return found
        time.sleep(0.2)
    raise AssertionError(f"no end of {sorted(set(keys) - set(found))}")


def heeded(cases: list[KeyCase]) -> list[str]:
    return [case.key for case in cases if case.identifier or case.code]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    with start_instance(tmp_path_factory.mktemp("odd-keys")) as running:
        yield running.service


@pytest.fixture(scope="module")
def outcomes(service: Deployment) -> dict[str, Outcome]:
    first = [case for case in CASES if not case.after]
    upload(service, first)
    found = ended(service, heeded(first))
    later = [case for case in CASES if case.after]
    upload(service, later)
    return found | ended(service, heeded(later))


def test_every_key_is_published_or_refused_as_the_page_says(
    outcomes: dict[str, Outcome],
) -> None:
    expected = {
        case.key: (case.identifier if not case.code else None, case.code)
        for case in CASES
        if case.identifier or case.code
    }
    found = {
        key: (outcome.identifier if outcome.state == "published" else None, outcome.code)
        for key, outcome in outcomes.items()
    }
    assert found == expected


def test_nothing_becomes_of_a_folder(service: Deployment, outcomes: dict[str, Outcome]) -> None:
    folders = [case.key for case in CASES if not case.identifier and not case.code]
    assert folders
    assert not service.outcomes.get_many(folders)


def test_every_published_key_has_an_address_under_which_it_is_served(
    service: Deployment, outcomes: dict[str, Outcome]
) -> None:
    published = [outcome for outcome in outcomes.values() if outcome.state == "published"]
    assert len(published) > 20
    for outcome in published:
        base = f"{service.edge_url}/iiif/3/{quote(outcome.identifier, safe='')}"
        with urllib.request.urlopen(f"{base}/info.json", timeout=30) as answer:
            info = json.load(answer)
        assert (info["width"], info["height"]) == (SIDE, SIDE), outcome.identifier
        with urllib.request.urlopen(f"{info['id']}/full/max/0/default.jpg", timeout=30) as answer:
            assert answer.read(2) == b"\xff\xd8", outcome.identifier


def test_every_refusal_says_what_to_do(outcomes: dict[str, Outcome]) -> None:
    refused = [outcome for outcome in outcomes.values() if outcome.state == "rejected"]
    assert refused
    assert all(outcome.sentence.endswith(".") for outcome in refused)
