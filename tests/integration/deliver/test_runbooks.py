"""Run books followed with the fault made real: the alarm's metric rises, the way out works.

The metrics are those that CloudWatch makes of the gateway's lines (docs/reference/metrics.md), the
thresholds those of the deployed alarms.
"""

import asyncio
import json
import math
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests

from rigs.free_port import free_port
from tests.integration.deliver.deliver_rig import (
    Rig,
    StartRig,
    all_processes_listen,
    wait_until_ready,
)
from tests.patience import SECONDS, until

RUNBOOKS = Path(__file__).parents[3] / "docs/runbooks"
TILE = "/iiif/3/plain/0,0,256,256/256,256/0/default.jpg"


def minutes(rig: Rig) -> list[dict[str, Any]]:
    """Return the lines that the gateway logged of its minutes, which are short here."""
    return [json.loads(line) for line in rig.log("gateway").splitlines() if '"_aws"' in line]


def wait_for(rig: Rig, name: str, holds: Callable[[float], bool], after: int = 0) -> None:
    """Wait until a line after the first `after` has such a value of a metric."""
    until(lambda: any(holds(line[name]) for line in minutes(rig)[after:]), f"no such {name}")


def ask(rig: Rig, path: str) -> requests.Response:
    return requests.get(rig.url + path, timeout=SECONDS)


def test_runbook_s3_does_not_answer(start_rig: StartRig) -> None:
    rig = start_rig(TEST_LINE_SECONDS="1")
    rig.stop("gateway")
    nowhere = f"http://127.0.0.1:{free_port()}"
    rig.variables |= {
        "AWS_ENDPOINT_URL": nowhere,
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    rig.start("gateway")
    until(lambda: all_processes_listen(rig))
    answer = ask(rig, TILE)
    # "Errors at the origin" leads here by this sentence.
    assert answer.status_code == 503
    assert "cannot be fetched now" in answer.json()["reason"]
    assert "cannot be fetched now" in (RUNBOOKS / "errors-at-the-origin.md").read_text()
    wait_for(rig, "StoreFailures", lambda value: value > 0)
    wait_for(rig, "StoreRetries", lambda value: value >= 2)
    # "Nothing has to be done afterwards."
    rig.stop("gateway")
    for name in ("AWS_ENDPOINT_URL",):
        del rig.variables[name]
    rig.start("gateway")
    asyncio.run(wait_until_ready(rig))
    assert ask(rig, TILE).status_code == 200


def test_runbook_a_cache_cannot_be_written(start_rig: StartRig) -> None:
    rig = start_rig(TEST_LINE_SECONDS="1", VITRINE_DERIVATIVE_CACHE_MEBIBYTES="0")
    rig.stop("gateway")
    shutil.rmtree(rig.work / "cache")
    (rig.work / "cache").write_text("A file, where a disk should be mounted.")
    seen = len(minutes(rig))
    rig.start("gateway")
    asyncio.run(wait_until_ready(rig))
    assert ask(rig, TILE).status_code == 200
    wait_for(rig, "UnwritableCaches", lambda value: value > 0, after=seen)
    assert "block-cache-unwritable" in rig.log("gateway")
    # "Within five seconds after there is room, the gateway uses the disk again."
    (rig.work / "cache").unlink()

    def is_used_again() -> bool:
        assert ask(rig, TILE).status_code == 200
        return bool(ask(rig, "/readyz").json()["notices"]["block_cache"] == "ok")

    until(is_used_again)
    wait_for(rig, "UnwritableCaches", lambda value: value == 0, after=len(minutes(rig)))


def replace_records(rig: Rig, text: str) -> None:
    new = rig.store / "records.new"
    new.write_text(text)
    new.rename(rig.store / "records.json")


def test_runbook_the_table_of_identifiers_is_lost(start_rig: StartRig) -> None:
    # One process: of several, the first request may be answered by another than the later ones.
    rig = start_rig(
        TEST_LINE_SECONDS="1", VITRINE_IDENTIFIER_TTL_SECONDS="1", VITRINE_GATEWAY_PROCESSES="1"
    )
    assert ask(rig, TILE).status_code == 200
    records = (rig.store / "records.json").read_text()
    replace_records(rig, "[]")
    # "Images that a task has in memory go on for ten minutes; all else answers 503."
    strange = "/iiif/3/nobody/info.json"
    answer = ask(rig, strange)
    assert (answer.status_code, answer.headers["cache-control"]) == (503, "no-store")
    assert "table of identifiers" in answer.json()["reason"]
    assert ask(rig, TILE).status_code == 200
    wait_for(rig, "IdentifiersTableLost", lambda value: value > 0)
    # The rebuild brings records and canary back: unknown names are unknown again.
    replace_records(rig, records)
    until(lambda: ask(rig, strange).status_code == 404)
    assert ask(rig, TILE).status_code == 200


def _seconds_to_midnight() -> float:
    return 86_400 - time.time() % 86_400


def test_runbook_a_ceiling_was_reached(start_rig: StartRig) -> None:
    ceiling = {"VITRINE_RENDERS_A_DAY": "4", "VITRINE_UNDER_PRESSURE": "refuse"}
    rig = start_rig(TEST_LINE_SECONDS="1", VITRINE_DERIVATIVE_CACHE_MEBIBYTES="0", **ceiling)
    # A busy machine, too, has to make each within the seconds of an answer.
    large = [f"/iiif/3/plain/full/^{side},1500/0/default.png" for side in range(2_000, 2_006)]
    latest = min(3_600, math.ceil(_seconds_to_midnight()))
    answers = [ask(rig, path) for path in large]
    assert [answer.status_code for answer in answers] == [200] * 4 + [503] * 2
    # An hour, or until the day of UTC ends.
    earliest = min(3_600, math.ceil(_seconds_to_midnight()))
    assert earliest <= int(answers[-1].headers["retry-after"]) <= latest
    assert "paid for" in answers[-1].json()["reason"]
    wait_for(rig, "CeilingsReached", lambda value: value > 0)
    # "Tiles and the sizes that info.json lists are answered as ever."
    sizes = ask(rig, "/iiif/3/plain/info.json").json()["sizes"]
    listed = [f"/iiif/3/plain/full/{one['width']},{one['height']}/0/default.jpg" for one in sizes]
    assert [ask(rig, path).status_code for path in (TILE, *listed)] == [200] * (1 + len(listed))
    # A process learns the others' figures now and then.
    counted = 'vitrine_ceilings_reached_total{ceiling="renders"}'
    until(lambda: counted in ask(rig, "/metrics").text)
    page = (RUNBOOKS / "a-ceiling-was-reached.md").read_text()
    assert "grep -E 'ceilings_reached|gave_way|priced_requests'" in page
    assert '`ceiling="store-bytes"`, `"store-requests"` or `"renders"`' in page
    # "Set a higher ceiling, and deploy."
    rig.stop("gateway")
    rig.variables["VITRINE_RENDERS_A_DAY"] = "100"
    rig.start("gateway")
    asyncio.run(wait_until_ready(rig))
    assert ask(rig, large[-1]).status_code == 200
