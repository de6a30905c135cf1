"""A giant's way through its two Lambdas and its task, each handler called as AWS calls it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lambdas.convert_master import task
from tests.unit.lambdas.lambda_functions import Functions, picture
from vitrine.errors import ConversionLost, ConvertersBusy, ConverterTooSmall, MasterRejected


class Giants(Functions):
    """Handlers over memory adapters, with one place for giants and nothing smaller."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(monkeypatch)
        limits = replace(self.services.limits, giants_at_once=1, converter_disk_bytes=0)
        self.services = replace(self.services, limits=limits)
        monkeypatch.setattr(task, "ingest_services", lambda: self.services)
        self._environment = monkeypatch

    def convert(self, conversion: str) -> None:
        """Run the task as Step Functions starts it."""
        self._environment.setenv("VITRINE_CONVERSION", conversion)
        task.main()


@pytest.fixture
def giants(monkeypatch: pytest.MonkeyPatch) -> Giants:
    return Giants(monkeypatch)


@pytest.fixture
def giant(giants: Giants, tmp_path: Path) -> dict[str, Any]:
    message = giants.upload(tmp_path / "m", "a/Gang №1.tif", picture())
    with pytest.raises(ConverterTooSmall):
        giants("convert_master", message)
    return message


def test_the_steps_pass_a_giant_on_to_its_publication(
    giants: Giants, giant: dict[str, Any]
) -> None:
    message = giants("request_conversion", giant)
    giants.convert(message["conversion"])
    for step in ("read_conversion", "verify_access_master"):
        message = giants(step, message)
    assert giants("publish_image", message)["identifier"] == "Gang №1"


def test_a_place_is_missed_and_free_again_once_the_end_was_read(
    giants: Giants, giant: dict[str, Any]
) -> None:
    other = giant | {"master_key": "b.tif"}
    message = giants("request_conversion", giant)
    with pytest.raises(ConvertersBusy):
        giants("request_conversion", other)
    error = {"Error": "States.TaskFailed", "Cause": json.dumps({"StopCode": "SpotInterruption"})}
    with pytest.raises(ConversionLost, match="SpotInterruption"):
        giants("read_conversion", message | {"error": error})
    assert giants("request_conversion", other)["conversion"] != message["conversion"]


def test_a_rejection_in_the_task_is_one_of_the_step_after_it(
    giants: Giants, giant: dict[str, Any], tmp_path: Path
) -> None:
    broken = bytearray(picture())
    broken[8:] = bytes(len(broken) - 8)
    (tmp_path / "broken").write_bytes(broken)
    info = giants.services.masters.upload(
        tmp_path / "broken", giant["master_key"], content_type="", metadata={}
    )
    message = giants("request_conversion", giant | {"master_version": info.version})
    giants.convert(message["conversion"])
    with pytest.raises(MasterRejected) as raised:
        giants("read_conversion", message)
    assert raised.value.rejection.sentence
