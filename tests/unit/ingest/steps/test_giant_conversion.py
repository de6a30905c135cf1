"""A master too large for any Lambda: requested, converted in a task, and its result read."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vitrine.adapters.memory.faults import Breaking
from vitrine.errors import (
    ConversionLost,
    ConvertersBusy,
    ConverterTooSmall,
    MasterRejected,
    SupersededMaster,
    TransientError,
)
from vitrine.ingest.failure_reasons import failure_reason
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import start_ingest
from vitrine.ingest.steps import convert_giant as giant_task
from vitrine.ingest.steps.check_master import check_master
from vitrine.ingest.steps.convert_giant import convert_giant
from vitrine.ingest.steps.convert_master import convert_master
from vitrine.ingest.steps.giant_conversion import (
    describe_task_error,
    read_conversion,
    request_conversion,
)
from vitrine.ingest.steps.publish_image import publish_image
from vitrine.ingest.steps.verify_access_master import verify_access_master
from vitrine.records import Live

KEY = "a/nachtwache.tif"
KILLED = {
    "Error": "States.TaskFailed",
    "Cause": json.dumps(
        {
            "StopCode": "EssentialContainerExited",
            "StoppedReason": "Essential container in task exited",
            "Containers": [{"ExitCode": 137, "Reason": "OutOfMemoryError: killed"}],
        }
    ),
}


@pytest.fixture
def services(services: IngestServices) -> IngestServices:
    """With two slots for giants, and every master is one."""
    limits = replace(services.limits, giants_at_once=2, converter_disk_bytes=0)
    return replace(services, limits=limits)


@pytest.fixture
def giant(services: IngestServices, picture: Any, save: Callable[..., Path]) -> IngestMaster:
    """A master that was uploaded and is a giant by the limits."""
    master = save("master.tif", (picture * 255).astype("u1"), photometric="rgb")
    services.masters.upload(master, KEY, content_type="image/tiff", metadata={})
    start_ingest(services, KEY)
    (request,) = services.pipeline.executions.values()  # type: ignore[attr-defined]
    return IngestMaster.from_json(request)


def another(giant: IngestMaster, key: str) -> IngestMaster:
    return replace(giant, master_key=key)


def test_a_giant_is_converted_as_any_master_and_published(
    services: IngestServices, giant: IngestMaster
) -> None:
    with pytest.raises(ConverterTooSmall):
        check_master(services, giant)
    convert_giant(services, request_conversion(services, giant))
    converted = read_conversion(services, giant, None)
    assert converted == convert_master(services, giant)
    publish_image(services, verify_access_master(services, converted))
    assert isinstance(services.identifiers.get(giant.identifier), Live)


def test_a_rejection_crosses_the_task_with_its_reason(
    services: IngestServices, giant: IngestMaster
) -> None:
    body, _ = services.masters.get(KEY)
    services.masters.put(KEY, body[: len(body) // 2], content_type="image/tiff")
    cut_off = replace(giant, master_version=services.masters.head(KEY).version)
    convert_giant(services, request_conversion(services, cut_off))
    with pytest.raises(MasterRejected) as raised:
        read_conversion(services, cut_off, None)
    assert raised.value.rejection.code in ("damaged-file", "unreadable-file")
    assert raised.value.rejection.sentence


def test_an_overtaken_master_gives_way(
    services: IngestServices, giant: IngestMaster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(*_: Any) -> None:
        raise SupersededMaster("a newer one")

    monkeypatch.setattr(giant_task, "convert_master", overtaken)
    convert_giant(services, request_conversion(services, giant))
    with pytest.raises(SupersededMaster, match="a newer one"):
        read_conversion(services, giant, None)


def test_a_task_that_meets_a_passing_fault_fails_and_can_be_tried_again(
    services: IngestServices, giant: IngestMaster
) -> None:
    name = request_conversion(services, giant)
    broken = replace(services, masters=Breaking(services.masters, times=9))  # type: ignore[arg-type]
    with pytest.raises(TransientError):
        convert_giant(broken, name)
    with pytest.raises(ConversionLost):
        read_conversion(services, giant, None)
    convert_giant(services, name)
    assert read_conversion(services, giant, None).access_master_bytes > 0


def test_a_killed_task_is_a_failure_that_says_how_it_ended(
    services: IngestServices, giant: IngestMaster
) -> None:
    request_conversion(services, giant)
    with pytest.raises(ConversionLost) as raised:
        read_conversion(services, giant, KILLED)
    assert "exit code 137" in str(raised.value)
    assert "OutOfMemoryError" in str(raised.value)
    assert "killed" in failure_reason("ConversionLost", str(raised.value)).sentence


@pytest.mark.parametrize("cause", ["Task timed out", "[]", '"text"', "", "{}"])
def test_whatever_ended_a_task_is_reported(cause: str) -> None:
    sentence = describe_task_error({"Error": "States.Timeout", "Cause": cause})
    assert "exit code None" in sentence if cause == "{}" else sentence == f"States.Timeout: {cause}"


def test_no_more_giants_are_converted_than_there_are_slots(
    services: IngestServices, giant: IngestMaster
) -> None:
    first, second, third = (another(giant, f"{name}.tif") for name in "abc")
    request_conversion(services, first)
    request_conversion(services, second)
    with pytest.raises(ConvertersBusy):
        request_conversion(services, third)
    request_conversion(services, first)  # a retry finds its own place
    with pytest.raises(ConversionLost):
        read_conversion(services, first, KILLED)
    request_conversion(services, third)
    with pytest.raises(ConvertersBusy):
        request_conversion(services, first)


def test_who_never_came_back_loses_its_place(services: IngestServices, giant: IngestMaster) -> None:
    one = replace(services, limits=replace(services.limits, giants_at_once=1))
    at_once = replace(one, limits=replace(one.limits, giant_seconds=-1))
    request_conversion(one, another(giant, "lost.tif"))
    with pytest.raises(ConvertersBusy):
        request_conversion(one, giant)
    request_conversion(at_once, giant)
    # What comes back all the same does not take the place from who has it now.
    with pytest.raises(ConversionLost):
        read_conversion(one, another(giant, "lost.tif"), KILLED)
    with pytest.raises(ConvertersBusy):
        request_conversion(one, another(giant, "third.tif"))


def test_two_that_ask_in_one_moment_do_not_get_the_same_place(
    services: IngestServices, giant: IngestMaster
) -> None:
    one = replace(services, limits=replace(services.limits, giants_at_once=1))
    records = services.records

    class Overtaking:
        """Another takes the place between our look at it and our taking it."""

        def __getattr__(self, name: str) -> Any:
            return getattr(records, name)

        def put(self, *arguments: Any, **named: Any) -> Any:
            request_conversion(one, another(giant, "other.tif"))
            return records.put(*arguments, **named)

    with pytest.raises(ConvertersBusy):
        request_conversion(replace(one, records=Overtaking()), giant)  # type: ignore[arg-type]
