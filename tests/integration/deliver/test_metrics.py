"""The figures at /metrics: each program's work shows in them, and nobody outside reads them."""

import json
import subprocess
import time
from typing import Any

import pytest
import requests

from tests.integration.deliver.deliver_rig import Rig, StartRig
from vitrine.deliver.metrics.counters import Samples
from vitrine.deliver.metrics.prometheus import parse_samples

TILE = "/iiif/3/plain/0,0,256,256/256,256/0/default.jpg"
THUMBNAIL = "/iiif/3/plain/full/!100,100/0/default.jpg"
RENDER = "/iiif/3/plain/full/600,/0/default.jpg"
PNG = "/iiif/3/plain/full/300,/0/default.png"


def ask(rig: Rig, path: str, status: int = 200) -> None:
    assert requests.get(rig.url + path, timeout=30).status_code == status, path


def read(rig: Rig) -> Samples:
    answer = requests.get(f"{rig.url}/metrics", timeout=10)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return parse_samples(answer.text)


def total(samples: Samples, *parts: str) -> float:
    return sum(value for key, value in samples.items() if all(part in key for part in parts))


@pytest.fixture(scope="module")
def samples(start_rig: StartRig) -> Samples:
    """Figures of a rig after a few requests of each kind."""
    # Of several processes, the others' figures are seconds old; nginx would keep the tile.
    rig = start_rig(VITRINE_GATEWAY_PROCESSES="1", VITRINE_TILE_CACHE_MEBIBYTES="0")
    for path in (TILE, TILE, TILE, THUMBNAIL, THUMBNAIL, RENDER, RENDER, PNG):
        ask(rig, path)
    ask(rig, "/iiif/3/plain/info.json")
    ask(rig, "/iiif/3/nobody/info.json", 404)
    return read(rig)


def test_each_kind_of_answer_is_counted_once(samples):
    counts = {
        kind: total(samples, f'answer_seconds_count{{kind="{kind}"')
        for kind in ("tile", "thumbnail", "render", "info", "other")
    }
    # nginx keeps what is no thumbnail: the second of it does not reach the renderers.
    assert counts == {"tile": 3, "thumbnail": 3, "render": 1, "info": 1, "other": 1}
    assert total(samples, 'tiles_total{way="passed_through"') == 3
    assert total(samples, 'derivative_cache_total{result="sent"') == 3
    assert total(samples, 'derivative_cache_total{result="missed"') == 2
    assert total(samples, 'answers_total{status="404"') == 1


def test_each_render_is_counted_under_its_renderer(samples):
    assert total(samples, 'renders_total{renderer="iipsrv"', 'result="done"') == 3
    assert total(samples, 'renders_total{renderer="libvips"', 'result="done"') == 1
    assert total(samples, "render_seconds_total") > 0


def test_the_store_and_the_table_are_counted(samples):
    assert total(samples, 'store_requests_total{what="read"') >= 1
    assert total(samples, "store_bytes_total") > 10_000
    assert total(samples, 'block_reads_total{found="cache"') >= 2
    assert total(samples, "identifier_reads_total") == 2


def test_each_program_of_the_task_has_used_cpu(samples):
    for program in ("nginx", "gateway", "iipsrv"):
        assert samples[f'vitrine_cpu_seconds_total{{program="{program}"}}'] > 0, program
    assert samples["vitrine_memory_bytes"] > 20 << 20


def test_only_this_machine_reads_the_figures(start_rig: StartRig):
    rig = start_rig(VITRINE_ORIGIN_ADDRESS="0.0.0.0")
    addresses = subprocess.check_output(["hostname", "-I"], text=True).split()
    outside = next((address for address in addresses if "." in address), "")
    if not outside:
        pytest.skip("this machine has no address but 127.0.0.1")
    for path in ("/metrics", "/nginx-status"):
        answer = requests.get(f"http://{outside}:{rig.port}{path}", timeout=10)
        assert (answer.status_code, answer.json()["status"]) == (404, 404), path
        assert requests.get(rig.url + path, timeout=10).status_code == 200


def test_a_gateway_says_each_minute_what_it_did(start_rig: StartRig):
    rig = start_rig(TEST_LINE_SECONDS="0", VITRINE_GATEWAY_PROCESSES="1")
    ask(rig, TILE)
    deadline = time.monotonic() + 30
    lines: list[dict[str, Any]] = []
    while sum(line["Tiles"] for line in lines) < 1:  # the first may be older than the tile
        assert time.monotonic() < deadline
        time.sleep(0.1)
        written = rig.log("gateway").splitlines()
        lines = [json.loads(line) for line in written if '"_aws"' in line]
    assert sum(line["Tiles"] for line in lines) == 1
    assert lines[0]["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "Vitrine/Gateway"
