"""The tuning table has the study's columns, every round, and red where it proves nothing."""

import pytest

from loadtest.errors import InvalidScenario
from loadtest.studies.workers.worker_medians import worker_medians
from loadtest.studies.workers.workers_report import (
    HEADER,
    REPORT,
    format_cells,
)
from loadtest.studies.workers.workers_study import WorkersStudy, require_measurable
from tests.unit.loadtest.shown_report import page_of, text_of
from tests.unit.loadtest.workers_run import figures_of, round_of


def test_the_studys_columns_come_first_and_in_its_order() -> None:
    assert HEADER[:4] == (
        *("iipsrv processes", "bench.py params", "requests/second", "worst response, s"),
    )
    [row] = worker_medians(
        [round_of(2, number, rate) for number, rate in ((1, 10), (2, 40), (3, 20))]
    )
    assert format_cells(row)[:4] == ["2", "80 4", "20", "3"]
    assert (row["requests"], row["rounds"], row["cpu_ms_per_request"]) == (300, 3, 1.5)


def test_the_best_number_of_processes_is_named() -> None:
    said = text_of(
        REPORT, figures_of([round_of(1, 1, 10.0), round_of(2, 1, 30.0), round_of(4, 1, 20.0)])
    )
    assert "ours, 80 % from cache, 4 clients: most requests a second with 2 processes (30)." in said


def test_an_interrupted_round_counts_where_there_is_no_other() -> None:
    rounds = [round_of(1, 1, 10.0), round_of(1, 2, 99.0, complete=False)]
    assert [row["requests_per_second"] for row in worker_medians(rounds)] == [10.0]
    assert [row["requests_per_second"] for row in worker_medians(rounds[1:])] == [99.0]


def test_a_busy_generator_is_red_in_the_page() -> None:
    page = page_of(REPORT, figures_of([round_of(1, 1, 10.0, client_bound=True)]))
    assert (
        '<p class="bad">ours with 1 processes, 4 clients, 80 % from cache is client-bound' in page
    )
    assert '<td class="bad">80 4</td>' in page
    assert '<td class="bad">' not in page_of(REPORT, figures_of([round_of(1, 1, 10.0)]))


def test_failures_keep_an_address() -> None:
    failed = [{"times": 3, "fault": "status 500", "path": "/iiif/2/a"}]
    said = text_of(REPORT, figures_of([round_of(1, 1, 10.0, failures=3, failed=failed)]))
    assert "3 failures, such as status 500 · /iiif/2/a" in said


@pytest.mark.parametrize(
    ("study", "words"),
    [
        (WorkersStudy(servers=["apache"]), "there are ours"),
        (WorkersStudy(servers=["ours", "ours"]), "each once"),
        (WorkersStudy(processes=(0,)), "above 0"),
        (WorkersStudy(cache_percents=(101,)), "0 to 100"),
    ],
)
def test_what_cannot_be_tuned_is_refused(study: WorkersStudy, words: str) -> None:
    with pytest.raises(InvalidScenario, match=words):
        require_measurable(study)


def test_failures_while_a_server_is_warmed_are_reported() -> None:
    failed = [{"times": 1, "fault": "status 500", "path": "/x"}]
    check = {"server": "ours", "processes": 2, "requests": 9, "failures": 1, "failed": failed}
    words = text_of(REPORT, figures_of([round_of(2, 1, 10.0)], checks=[check]))
    assert "ours with 2 processes while it was warmed: 1 failures, such as status 500 · /x" in words
