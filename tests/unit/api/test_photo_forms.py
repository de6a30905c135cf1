"""Forms for the photo door, signed by the API."""

from dataclasses import replace

import pytest

from tests.unit.api.api_bench import BASE, CALLER, ApiBench, code, content
from vitrine.api.photo_forms import Forms


@pytest.fixture
def bench() -> ApiBench:
    bench = ApiBench()
    bench.services = replace(bench.services, most_photo_bytes=1 << 20)
    return bench


def test_the_api_signs_what_the_photo_door_verifies(bench: ApiBench) -> None:
    response = bench.ask("POST", "/photo-forms", {"photos_per_hour": 7, "store": False})
    assert response.status == 201
    signed = content(response)
    assert signed["address"] == f"{BASE}/photos"
    form = Forms(bench.records).verify(signed["token"])
    assert (form.subject, form.photos_per_hour, form.store) == (CALLER, 7, False)


def test_a_form_for_one_upload_names_it(bench: ApiBench) -> None:
    upload = {"bytes": 900, "content_type": "image/jpeg"}
    signed = content(bench.ask("POST", "/photo-forms", {"upload": upload}))
    form = Forms(bench.records).verify(signed["token"])
    assert form.upload == signed["key"]
    assert form.most_bytes == 900
    stored = bench.uploads.send(signed["upload"]["address"], bytes(900))
    assert stored.key.startswith("photos/")
    assert stored.metadata["identifier"].startswith("photo-")


def test_an_upload_that_the_door_cannot_hold_is_refused(bench: ApiBench) -> None:
    response = bench.ask("POST", "/photo-forms", {"upload": {"bytes": 1 << 30}})
    assert code(response) == (409, "master-too-large")


def test_without_a_photo_door_nothing_is_signed() -> None:
    assert code(ApiBench().ask("POST", "/photo-forms", {})) == (404, "not-found")


def test_all_processes_sign_with_one_key(bench: ApiBench) -> None:
    first, second = (content(bench.ask("POST", "/photo-forms", {}))["token"] for _ in range(2))
    forms = Forms(bench.records)
    assert forms.verify(first).subject == forms.verify(second).subject == CALLER
