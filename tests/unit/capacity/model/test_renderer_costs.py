"""The costs of renders in the profile are those of a run of `vitrine-loadtest study answers`."""

import json
from pathlib import Path
from typing import Any

import pytest

from capacity.model.cost_profile import CostProfile
from capacity.model.render_work import AT_ONCE, pool_of, work_of
from capacity.model.renderer_costs import cost_points, renderer_costs
from docs.build.saved_runs import read_index
from loadtest.corpora.photograph_masters import PHOTOGRAPHS
from loadtest.errors import InvalidScenario
from loadtest.studies.answers.answer_medians import pack_rows
from loadtest.studies.answers.answer_requests import KINDS
from loadtest.workload.catalogue import Image

TRUTH = {
    "small_ms": 0.4,
    "small_ms_per_megapixel": 9.0,
    "large_ms": 2.0,
    "large_ms_per_megapixel": 5.0,
}


def figures(*requests: str) -> dict[str, Any]:
    """Return a run in which every request costs what TRUTH says, and one round was disturbed."""
    rows = []
    for photograph, made in PHOTOGRAPHS.items():
        for request in requests or [name for name, kind in KINDS.items() if not kind.info]:
            image = Image(photograph, *made.size)
            for render in KINDS[request].requests(image)[:1]:
                target = render.target(image, request)
                name = "small_ms" if pool_of(target) == AT_ONCE else "large_ms"
                ms = TRUTH[name] + TRUTH[f"{name}_per_megapixel"] * work_of(target)
                # What nobody simulates may cost anything.
                kind = KINDS[request]
                rare = kind.rotation or kind.gray or kind.aligned or request.endswith("^600")
                factor = 7.0 if rare else 1.0
                rows += [
                    {
                        "photograph": photograph,
                        "request": request,
                        "server": server,
                        "round": number,
                        "cpu_ms": {"iipsrv": 0.8 * ms * more, "gateway": 0.2 * ms * more},
                    }
                    for server, of_server in (("ours", factor), ("iipsrv", 3 * factor))
                    for number, more in enumerate((of_server, of_server, 2 * of_server), 1)
                ]
    return {"rounds": pack_rows(rows)}


def test_costs_are_those_that_the_rounds_were_made_of() -> None:
    assert renderer_costs(figures()) == pytest.approx(TRUTH, abs=0.01)


def test_thumbnails_are_distinguished_from_what_iipsrv_renders() -> None:
    at_once = {point.request for point in cost_points(figures()) if point.at_once}
    assert at_once <= {"!90", "!128", "!200"}
    assert "!128" in at_once


def test_a_run_without_thumbnails_gives_no_costs() -> None:
    with pytest.raises(InvalidScenario, match="small_ms"):
        renderer_costs(figures("!1024"))


def test_a_run_of_the_study_is_a_profile(tmp_path: Path) -> None:
    path = tmp_path / "2026-11-30-answers" / "run.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"bench": "answers", "figures": figures()}))
    profile = CostProfile.load(path)
    assert profile.large_ms_per_megapixel == pytest.approx(5.0, abs=0.01)
    assert profile.origins["large_ms"] == "measured: 2026-11-30-answers"
    assert profile.tile_ms == CostProfile.default().tile_ms


def test_the_shipped_costs_of_renders_are_those_of_the_saved_study() -> None:
    saved = read_index()["renderers"]
    profile = CostProfile.default()
    for name, value in renderer_costs(saved.read()["figures"]).items():
        assert getattr(profile, name) == value, name
        assert profile.origins[name].startswith(f"results/{saved.path.name}: ")
