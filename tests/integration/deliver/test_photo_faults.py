"""What nginx logs when the photo door fails is what the alarm counts, and a refusal is not."""

import json
import re
import time
from fnmatch import fnmatchcase
from typing import Any

import pytest
import requests

from stacks.constructs.photo_faults import ANSWERED_BY_TASK
from tests.integration.deliver.deliver_rig import Rig, StartRig

TERM = re.compile(r'\(\$\.(\w+) = "([^"]+)"\)')


def is_counted(line: dict[str, Any]) -> bool:
    """Tell whether the filter finds a line: one of its addresses, and all else."""
    terms = TERM.findall(ANSWERED_BY_TASK.log_pattern_string)
    found = {name: False for name, _ in terms}
    for name, wildcard in terms:
        # In a filter only the star is special.
        found[name] |= fnmatchcase(str(line[name]), wildcard.replace("?", "[?]"))
    assert set(found) == {"uri", "gateway_status"}
    return all(found.values())


@pytest.fixture(scope="module")
def closed(start_rig: StartRig) -> Rig:
    """An image task whose photo door has ended."""
    return start_rig(VITRINE_PHOTO_QUEUE="4")


@pytest.mark.parametrize(
    ("method", "address", "status", "counted"),
    [
        ("POST", "/photos", 502, True),
        ("POST", "/photos?store=no", 502, True),
        ("PUT", "/photos?a=1", 405, False),
        ("GET", "/photosynthesis", 404, False),
    ],
)
def test_a_door_that_ended_is_counted_and_what_nginx_refuses_is_not(
    closed: Rig, method: str, address: str, status: int, counted: bool
) -> None:
    answer = requests.request(method, closed.url + address, data=b"a", timeout=60)
    assert answer.status_code == status
    deadline = time.monotonic() + 20
    while not (lines := [one for one in _lines(closed) if one["uri"] == address]):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert [is_counted(line) for line in lines] == [counted]


def _lines(rig: Rig) -> list[dict[str, Any]]:
    return [json.loads(line) for line in rig.log("nginx").splitlines() if line.startswith("{")]
