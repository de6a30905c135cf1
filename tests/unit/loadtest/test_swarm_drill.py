"""A swarm's requests cost what they can, and the drill says which promise was broken."""

from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from loadtest.drills.swarm import swarm_drill
from loadtest.drills.swarm.swarm_bill import bill_of
from loadtest.drills.swarm.swarm_drill import broken_promises, measure_swarm, tile_ratio
from loadtest.drills.swarm.swarm_images import SwarmImages
from loadtest.drills.swarm.swarm_part import SwarmOrder, SwarmPart
from loadtest.drills.swarm.swarm_report import REPORT
from loadtest.drills.swarm.swarm_requests import (
    COLD,
    UNKNOWN,
    WEIGHTS,
    swarm_requests,
    viewer_address,
)
from loadtest.drills.swarm.visitors import FIRST_VISITOR
from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Catalogue, Image
from tests.unit.loadtest.shown_report import page_of, text_of
from vitrine.iiif.request import parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V3

IMAGES = SwarmImages(
    folder=Path("unused"),
    known=Catalogue([Image("known-1.tif", 6000, 4000, base="/iiif/3/known-1.tif")]),
    visited=Catalogue([Image("known-1.tif", 6000, 4000, base="/iiif/3/known-1.tif")]),
    cold=Catalogue(
        [Image(f"cold-{n}.tif", 11_608, 8_708, base=f"/iiif/3/cold-{n}.tif") for n in range(50)]
    ),
)


def test_no_request_of_a_swarm_comes_twice_nor_any_address_before_all_have_come() -> None:
    requests = list(islice(swarm_requests(IMAGES, 1_000, seed=1), 1_000))
    assert len({request.target.path for request in requests}) >= 995  # of 160,000 regions each
    assert len({request.viewer for request in requests}) == 1_000
    kinds = [request.target.kind for request in requests]
    for kind, weight in WEIGHTS.items():
        assert kinds.count(kind) == pytest.approx(1_000 * weight, abs=60)


def test_a_swarm_asks_for_what_may_be_asked_and_is_never_listed() -> None:
    for request in islice(swarm_requests(IMAGES, 1_000, seed=2), 300):
        kind, path, image = request.target.kind, request.target.path, request.target.image
        if kind == UNKNOWN:
            assert "/unknown-" in path
            continue
        assert image
        parsed = parse_image_request(path.removeprefix(f"{image.base}/").split("/"), V3)
        resolved = resolve(parsed, image.width, image.height, Limits(area=25_000_000))
        assert (resolved.width, resolved.height) not in image.levels
        assert kind == COLD or resolved.width * resolved.height > 20_000_000


def test_no_visitor_has_an_address_of_the_swarm() -> None:
    swarm = {viewer_address(number) for number in range(10_000)}
    assert not swarm & {viewer_address(FIRST_VISITOR + number) for number in range(500)}


def part(name: str, p99: float, **others: Any) -> dict[str, Any]:
    times = {"requests": 10, "p50_ms": 1.0, "p95_ms": 5.0, "p99_ms": p99, "max_ms": p99}
    visitors = {
        "seconds": 60.0,
        "requests": 1_000,
        "bytes": 10**9,
        "failures": 0,
        "faults": [],
        "tiles": times,
        "classes": {"thumbnail": times},
        "timeline": [{"at": 0.0, **times}],
        "cores": 0.1,
    }
    swarm = {
        "answers": {"cold 200": 1, "full size 503": 999},
        "bytes": 10**9,
        "unsent": 1,
        "open_at_the_end": 2,
        "late_p99_ms": 1.0,
        "cores": 0.1,
    }
    return {
        "part": {"name": name},
        "visitors": visitors,
        "swarm": {} if name == "alone" else swarm,
        "server_cores": {"gateway": 1.0},
        "peak_memory_bytes": 1 << 30,
        "peak_disk_bytes": 1 << 30,
        "samples": [{"at": 0.0, "memory_bytes": 1 << 30}],
        "generator_cores": 0.1,
        "generator_limited": False,
        "s3": {"requests": 1_000, "bytes": 10**9, "repeated": 0},
        "table_names": 100.0,
        "gave_way": {} if name == "alone" else {"turn=second,result=refused": 999.0},
    } | others


def figures(**refuse: Any) -> dict[str, Any]:
    parts = {"alone": part("alone", 10.0), "refuse": part("refuse", 14.0, **refuse)}
    parts["count"] = part("count", 100.0)
    return {
        "order": {
            "visitors": 50,
            "seconds": 60.0,
            "addresses": 10_000,
            "times": 5.0,
            "settings": [],
        },
        "s3_latency_ms": 20.0,
        "probe": {"per_second": 2.0},
        "swarm_per_second": 10.0,
        "parts": parts,
        "bills": {name: bill_of(one) for name, one in parts.items()},
    }


@pytest.mark.slow
def test_a_run_that_kept_its_promises_says_so() -> None:
    run = figures()
    assert broken_promises(run) == []
    assert tile_ratio(run, "refuse") == pytest.approx(1.4)
    assert "Every promise was kept." in text_of(REPORT, run)
    assert "<svg" in page_of(REPORT, run)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"visitors": part("x", 16.0)["visitors"]}, "1.60 times as long"),
        ({"visitors": part("x", 14.0)["visitors"] | {"failures": 3}}, "3 requests of visitors"),
        ({"peak_memory_bytes": 4 << 30}, "4.0 GiB of memory"),
        ({"peak_disk_bytes": 4 << 30}, "4.0 GiB of disk"),
        ({"gave_way": {}}, "too small to prove anything"),
        ({"generator_limited": True}, "The generator was the limit in refuse"),
    ],
)
def test_a_broken_promise_is_a_sentence(change: dict[str, Any], sentence: str) -> None:
    (found,) = broken_promises(figures(**change))
    assert sentence in found


def test_a_ceiling_holds_for_what_the_swarm_reads() -> None:
    run = figures(s3={"requests": 9_000, "bytes": 3 * 10**9, "repeated": 0})
    assert broken_promises(run) == []
    run["order"]["settings"] = [["VITRINE_STORE_MEBIBYTES_A_MINUTE", "1800"]]
    (found,) = broken_promises(run)
    assert found == "The swarm read 1,907 MiB of S3 a minute, more than 1,800."
    run["order"]["settings"] = [["VITRINE_STORE_MEBIBYTES_A_MINUTE", "2000"]]
    assert broken_promises(run) == []


def test_a_run_goes_on_with_the_part_that_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def fake_part(one: SwarmPart, *rest: Any) -> dict[str, Any]:
        ran.append(one.name)
        if ran == ["alone", "refuse"]:
            raise KeyboardInterrupt
        return part(one.name, 10.0)

    monkeypatch.setattr(swarm_drill, "make_folder", lambda scratch, progress: tmp_path)
    monkeypatch.setattr(swarm_drill, "probe_capacity", lambda *rest: {"per_second": 2.0})
    monkeypatch.setattr(swarm_drill, "run_part", fake_part)
    order = SwarmOrder(seconds=1.0)
    with pytest.raises(KeyboardInterrupt):
        measure_swarm(order, tmp_path / "run", tmp_path, lambda line: None)
    ran.clear()
    measure_swarm(order, tmp_path / "run", tmp_path, lambda line: None)
    assert ran == ["refuse", "count"]
    with pytest.raises(InvalidScenario, match="other options"):
        measure_swarm(SwarmOrder(seconds=2.0), tmp_path / "run", tmp_path, lambda line: None)
