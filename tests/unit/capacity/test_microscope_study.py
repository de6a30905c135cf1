"""The whole experiment, with few requests per client."""

from statistics import fmean
from typing import Any

import pytest

from capacity.validation.microscope import published_tables as published
from capacity.validation.microscope.microscope_model import simulate_microscope
from capacity.validation.microscope.microscope_profile import FITTED
from capacity.validation.microscope.microscope_study import PROBES, run_study
from capacity.validation.microscope.profile_choices import alternatives

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(published, "REQUESTS_PER_CLIENT", 5)
        return run_study(FITTED, 2, 1, 1, workers=1)


@pytest.mark.parametrize(("clients", "hit_rate"), [(1, None), (10, 0.25), (30, 1.0)])
def test_every_cell_is_the_mean_of_its_own_replications(
    run: dict[str, Any],
    clients: int,
    hit_rate: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(published, "REQUESTS_PER_CLIENT", 5)
    outcomes = [
        simulate_microscope(FITTED, clients, hit_rate, f"1/{number}") for number in range(2)
    ]
    cell = next(
        cell for cell in run["cells"] if cell["clients"] == clients and cell["hit_rate"] == hit_rate
    )
    assert cell["response"]["mean"] == fmean(outcome.response for outcome in outcomes)
    assert cell["server"]["mean"] == fmean(outcome.server for outcome in outcomes)


def test_table_7_holds_the_cells_of_the_printed_one(run: dict[str, Any]) -> None:
    assert [(row["hit_rate"], row["clients"]) for row in run["table_7"]] == list(published.CORNERS)
    first = run["table_7"][0]["response"]
    assert first["printed"] == 11.28
    assert first["error_percent"] == pytest.approx(100 * (first["mean"] / 11.28 - 1))


def test_our_table_8_is_of_our_table_7(run: dict[str, Any]) -> None:
    means = [row["response"]["mean"] for row in run["table_7"]]
    assert run["table_8"]["response"]["effects"]["mean"] == pytest.approx(fmean(means))


def test_alternatives_are_compared_with_the_fitted_choice(
    run: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published, "REQUESTS_PER_CLIENT", 5)
    rows = {(row["question"], row["answer"]): row for row in run["sensitivity"]}
    assert list(rows) == list(alternatives())
    key = next(key for key in rows if key[1] == "6 s")
    hit_rate, clients = PROBES[2]
    before = simulate_microscope(FITTED, clients, hit_rate, "1/0").response
    after = simulate_microscope(alternatives()[key], clients, hit_rate, "1/0").response
    assert rows[key]["response"][2] == pytest.approx(100 * (after / before - 1))


def test_equal_seeds_give_equal_studies(run: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(published, "REQUESTS_PER_CLIENT", 5)
        again = run_study(FITTED, 2, 1, 1, workers=1)
    assert {**again, "speed": None} == {**run, "speed": None}
