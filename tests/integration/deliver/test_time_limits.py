"""A request that takes too long is answered with the reason, by who knows it."""

import os
import signal
from functools import partial

import requests

from tests.integration.deliver.deliver_rig import StartRig
from tests.patience import SECONDS, until

COLD = "/iiif/3/cold/full/!200,200/0/default.jpg"


def test_what_takes_too_long_is_a_503_that_says_so(start_rig: StartRig) -> None:
    rig = start_rig(
        TEST_DELAY_SECONDS="600", VITRINE_ANSWER_SECONDS="1", VITRINE_SHUTDOWN_SECONDS="1"
    )
    answer = requests.get(rig.url + COLD, timeout=SECONDS)
    assert answer.status_code == 503
    assert answer.json()["reason"] == (
        "the answer was not made within 1 s: try again, or ask for a smaller image"
    )
    assert answer.headers["retry-after"] == "2"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cache-control"] == "no-store"
    # It needs nothing of the store; a busy machine may not manage even that within a second.
    info = partial(requests.get, rig.url + "/iiif/3/cold/info.json", timeout=SECONDS)
    until(lambda: info().status_code == 200)


def test_a_gateway_that_does_nothing_any_more_is_a_504_of_nginx(start_rig: StartRig) -> None:
    rig = start_rig(VITRINE_ANSWER_SECONDS="1", VITRINE_SHUTDOWN_SECONDS="1")
    # The first process too, which would replace the others.
    stopped = [rig.processes["gateway"].pid, *rig.children("gateway")]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        answer = requests.get(rig.url + COLD, timeout=SECONDS)
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
    assert answer.status_code == 504
    assert answer.json()["reason"] == "the image took too long"
    assert answer.headers["retry-after"] == "2"
    assert answer.headers["access-control-allow-origin"] == "*"
