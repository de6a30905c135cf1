"""One name of a request in nginx's log, in the gateway's, and in the error that a viewer gets."""

import json
import re
import time

import pytest
import requests

from tests.integration.deliver.deliver_rig import Rig, StartRig

ROOT = "1-67891233-abcdef012345678912345678"
BALANCERS = f"Self=1-67891234-12456789abcdef012345678;Root={ROOT}"
FORM = re.compile(r"1-[0-9a-f]{8}-[0-9a-f]{24}")
VANISHED = "/iiif/3/vanished/full/max/0/default.jpg"
"""An image whose access master is missing: the gateway logs that, and answers 503."""


@pytest.fixture(scope="module")
def rig(start_rig: StartRig) -> Rig:
    return start_rig()


def lines_with(rig: Rig, name: str, text: str) -> list[dict[str, object]]:
    deadline = time.monotonic() + 10
    while not (lines := [line for line in rig.log(name).splitlines() if text in line]):
        assert time.monotonic() < deadline, f"{text} is not in the log of {name}"
        time.sleep(0.05)
    return [json.loads(line) for line in lines]


def test_the_balancers_trace_is_in_the_error_and_in_both_logs(rig: Rig):
    headers = {"X-Amzn-Trace-Id": BALANCERS, "X-Amz-Cf-Id": "edge-request=="}
    answer = requests.get(rig.url + VANISHED, headers=headers, timeout=30)
    assert (answer.status_code, answer.json()["trace"]) == (503, ROOT)
    (line,) = lines_with(rig, "nginx", ROOT)
    assert (line["status"], line["edge_request"]) == (503, "edge-request==")
    logged = lines_with(rig, "gateway", ROOT)
    assert {item["trace"] for item in logged} == {ROOT}


@pytest.mark.parametrize("sent", [None, "Root=nonsense", f'x"y Root={ROOT}', f"Root={ROOT}0"])
def test_a_request_without_a_trace_gets_one_of_the_same_form(rig: Rig, sent: str | None):
    headers = {"X-Amzn-Trace-Id": sent} if sent else {}
    answer = requests.get(f"{rig.url}/iiif/3/nobody/info.json", headers=headers, timeout=30)
    trace = answer.json()["trace"]
    assert FORM.fullmatch(trace)
    assert trace != ROOT
    (line,) = lines_with(rig, "nginx", trace)
    assert line["uri"] == "/iiif/3/nobody/info.json"


def test_an_error_of_nginx_itself_names_the_trace(rig: Rig):
    headers = {"X-Amzn-Trace-Id": f"Root={ROOT}"}
    answer = requests.get(rig.url + "/.error", headers=headers, timeout=30)
    assert (answer.status_code, answer.json()["trace"]) == (404, ROOT)
