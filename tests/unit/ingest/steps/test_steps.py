"""The way of a master through the steps, with the store and tables in memory."""

import json
import struct
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile

from tests.rigs.corpora.format_masters import KINDS
from tests.unit.ingest.steps.taken_steps import KEY, converted, request, upload
from vitrine.adapters.memory.faults import Breaking
from vitrine.errors import MasterRejected, Rejection, SupersededMaster, TransientError
from vitrine.ingest.messages import IngestMaster, MasterConverted
from vitrine.ingest.recipe import STANDARD
from vitrine.ingest.record_outcome import record_failure, record_rejection, rejection_in
from vitrine.ingest.services import IngestServices
from vitrine.ingest.steps.check_master import check_master
from vitrine.ingest.steps.convert_master import convert_master
from vitrine.ingest.steps.publish_image import publish_image
from vitrine.ingest.steps.verify_access_master import verify_access_master
from vitrine.records import Live

pytestmark = pytest.mark.slow

Save = Callable[..., Path]


@pytest.fixture
def master(picture: Any, save: Save) -> Path:
    """An 8-bit sRGB TIFF."""
    return save("master.tif", (picture * 255).astype("u1"), photometric="rgb")


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(MasterRejected) as raised:
        call()
    return raised.value.rejection.code


def test_a_master_becomes_a_published_image(services: IngestServices, master: Path) -> None:
    upload(services, master)
    image = publish_image(services, converted(services))
    assert services.identifiers.get("nachtwache") == image
    assert image.levels == ((700, 500), (350, 250), (175, 125))
    info = services.access_masters.head(image.access_master_key)
    assert info.size == image.access_master_bytes
    assert info.metadata["recipe"] == STANDARD.label
    outcome = services.outcomes.get(KEY)
    assert outcome
    assert outcome.state == "published"
    events = services.events.events  # type: ignore[attr-defined]
    assert [(kind, detail["identifier"]) for kind, detail in events] == [
        ("ImageChanged", "nachtwache"),
        ("ImagePublished", "nachtwache"),
    ]


def test_a_header_costs_few_reads_and_no_download(services: IngestServices, master: Path) -> None:
    upload(services, master)
    step_input = request(services)
    no_download = replace(
        services, masters=Breaking(services.masters, times=9, methods=frozenset({"download"}))
    )
    check_master(no_download, step_input)


@pytest.mark.parametrize("times", [1, 2])
def test_what_a_curator_should_know_reaches_the_outcome(
    services: IngestServices, save: Save, times: int
) -> None:
    """Of the picture and of its metadata; also when the same bytes were converted before."""
    options: Any = {"photometric": "rgb", "extrasamples": ["unspecified"]}
    tags = [(65000, "B", 2_000, bytes(2_000), True)]
    master = save("m.tif", np.zeros((90, 90, 4), "u1"), extratags=tags, **options)
    head, field, rest = master.read_bytes().partition(struct.pack("<HHI", 65000, 1, 2_000))
    master.write_bytes(head + field + struct.pack("<I", 1_000_000_000) + rest[4:])
    for _ in range(times):
        upload(services, master)
        publish_image(services, converted(services))
    outcome = services.outcomes.get(KEY)
    assert outcome
    picture, metadata = outcome.notes
    assert picture.startswith("Channels that are neither colours nor transparency")
    assert metadata.startswith("Tag 65000 was left out.")


def test_a_master_of_many_pages_is_converted(services: IngestServices, tmp_path: Path) -> None:
    """More than an access master's reader would follow."""
    with tifffile.TiffWriter(tmp_path / "m.tif") as writer:
        writer.write(np.zeros((90, 90, 3), "u1"), photometric="rgb", description="first")
        for _ in range(300):
            writer.write(np.zeros((9, 9, 3), "u1"), photometric="rgb")
    upload(services, tmp_path / "m.tif")
    assert converted(services).levels == [[90, 90]]


def test_a_message_from_before_a_field_was_added_is_read() -> None:
    old = {item.name: 1 for item in fields(MasterConverted) if item.name != "notes"}
    assert MasterConverted.from_json(old).notes == []
    with pytest.raises(KeyError, match="width"):
        MasterConverted.from_json({name: 1 for name in old if name != "width"})


def test_identical_bytes_are_not_converted_again(services: IngestServices, master: Path) -> None:
    upload(services, master)
    first = publish_image(services, converted(services))
    upload(services, master)
    no_upload = replace(
        services,
        access_masters=Breaking(
            services.access_masters, times=9, methods=frozenset({"upload", "put", "multipart"})
        ),
    )
    again = publish_image(no_upload, converted(no_upload))
    assert again.version == first.version
    assert again.master_version != first.master_version
    assert services.outcomes.get(KEY).state == "published"  # type: ignore[union-attr]


def test_another_recipe_makes_another_version(services: IngestServices, master: Path) -> None:
    upload(services, master)
    step_input = request(services)
    revised = replace(services, recipe=replace(STANDARD, revision=99))
    assert (
        convert_master(services, step_input).version != convert_master(revised, step_input).version
    )


def test_a_wrong_picture_is_not_published(
    services: IngestServices, master: Path, save: Save
) -> None:
    upload(services, master)
    good = converted(services)
    other = save("other.tif", np.full((500, 700, 3), 200, "u1"), photometric="rgb")
    upload(services, other, "other.tif")
    wrong = converted(services, "other.tif")
    swapped = replace(good, access_master_key=wrong.access_master_key)
    swapped = replace(swapped, access_master_bytes=wrong.access_master_bytes)
    assert code_of(lambda: verify_access_master(services, swapped)) == "conversion-differs"


def test_a_store_that_fails_is_not_a_damaged_master(services: IngestServices, master: Path) -> None:
    upload(services, master)
    step_input = converted(services)
    broken = replace(
        services,
        masters=Breaking(services.masters, times=9),
        access_masters=Breaking(services.access_masters, times=9),
    )
    with pytest.raises(TransientError):
        check_master(broken, step_input)
    with pytest.raises(TransientError):
        verify_access_master(broken, step_input)


def test_an_identifier_of_another_master_is_taken(services: IngestServices, master: Path) -> None:
    upload(services, master)
    publish_image(services, converted(services))
    upload(services, master, "b/nachtwache.jpg")
    other = request(services, "b/nachtwache.jpg")
    assert code_of(lambda: check_master(services, other)) == "identifier-taken"


@pytest.mark.parametrize("name", ["avif-alpha", "gif", "bmp-palette", "psd-cmyk"])
def test_every_format_becomes_a_published_image(
    services: IngestServices, tmp_path: Path, name: str
) -> None:
    [kind] = [kind for kind in KINDS if kind.name == name]
    kind.make(tmp_path / name)
    key = f"a/nachtwache{kind.suffix}"
    upload(services, tmp_path / name, key)
    image = publish_image(services, converted(services, key))
    assert image.levels == ((240, 160),)


def test_both_reasons_are_given_when_format_and_identifier_are_refused(
    services: IngestServices, master: Path, tmp_path: Path
) -> None:
    upload(services, master)
    publish_image(services, converted(services))
    photo = tmp_path / "nachtwache.heic"
    photo.write_bytes(b"\0\0\0\x18ftypheic" + bytes(90))
    upload(services, photo, "b/nachtwache.heic")
    other = request(services, "b/nachtwache.heic")
    with pytest.raises(MasterRejected) as raised:
        check_master(services, other)
    assert raised.value.rejection.code == "unsupported-format"
    assert "Preview" in raised.value.rejection.sentence
    assert "vitrine ingest FILE --identifier nachtwache-2" in raised.value.rejection.sentence


def test_two_masters_of_one_identifier_publish_once(services: IngestServices, master: Path) -> None:
    upload(services, master)
    upload(services, master, "b/nachtwache.tif")
    first, second = converted(services), converted(services, "b/nachtwache.tif")
    publish_image(services, first)
    assert code_of(lambda: publish_image(services, second)) == "identifier-taken"


def test_a_superseded_master_is_not_published(services: IngestServices, master: Path) -> None:
    upload(services, master)
    older = converted(services)
    upload(services, master)
    newer = converted(services)
    with pytest.raises(SupersededMaster):
        publish_image(services, older)
    published = publish_image(services, newer)
    assert published.master_version == newer.master_version


def test_a_deleted_master_is_not_published(services: IngestServices, master: Path) -> None:
    upload(services, master)
    ready = converted(services)
    services.masters.delete(KEY)  # type: ignore[attr-defined]
    assert code_of(lambda: publish_image(services, ready)) == "master-deleted"
    services.masters.purge(KEY)  # type: ignore[attr-defined]
    assert code_of(lambda: convert_master(services, ready)) == "master-deleted"


def test_a_rejection_is_recorded_with_its_reason(services: IngestServices, tmp_path: Path) -> None:
    file = tmp_path / "letter"
    file.write_text("Dear colleague")
    upload(services, file)
    step_input = request(services)
    with pytest.raises(MasterRejected) as raised:
        check_master(services, step_input)
    cause = json.dumps({"errorMessage": str(raised.value), "errorType": "MasterRejected"})
    reason = rejection_in({"Error": "MasterRejected", "Cause": cause})
    assert reason == raised.value.rejection
    record_rejection(services, step_input, reason)
    outcome = services.outcomes.get(KEY)
    assert outcome
    assert (outcome.state, outcome.code) == ("rejected", "not-an-image")
    assert services.identifiers.get("nachtwache") is None


def test_a_late_rejection_does_not_cover_a_newer_upload(
    services: IngestServices, master: Path
) -> None:
    upload(services, master)
    older = request(services)
    upload(services, master)
    publish_image(services, converted(services))
    record_rejection(services, older, Rejection("not-an-image", "No."))
    assert services.outcomes.get(KEY).state == "published"  # type: ignore[union-attr]


def test_a_failure_can_be_redriven(services: IngestServices, master: Path) -> None:
    upload(services, master)
    step_input = request(services)
    error = {"Error": "States.Timeout", "Cause": "no JSON"}
    record_failure(services, step_input, error)
    [message] = services.failures.messages  # type: ignore[attr-defined]
    assert IngestMaster.from_json(json.loads(message)["request"]) == step_input
    outcome = services.outcomes.get(KEY)
    assert outcome
    assert (outcome.state, outcome.code, outcome.value) == ("failed", "States.Timeout", "no JSON")


def test_no_scratch_file_is_left(
    services: IngestServices, master: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    upload(services, master)
    converted(services)
    assert list(scratch.iterdir()) == []


def test_a_live_image_survives_a_broken_new_master(
    services: IngestServices, master: Path, tmp_path: Path
) -> None:
    upload(services, master)
    image = publish_image(services, converted(services))
    broken = tmp_path / "broken"
    broken.write_bytes(master.read_bytes()[:200_000])
    upload(services, broken)
    step_input = request(services)
    with pytest.raises(MasterRejected):
        convert_master(services, step_input)
    current = services.identifiers.get("nachtwache")
    assert isinstance(current, Live)
    assert current == image
