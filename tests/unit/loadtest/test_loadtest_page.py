"""A load test's page says in red what makes its figures worthless."""

from loadtest.client.user_load import Load
from loadtest.fleet.load_test_report import REPORT
from loadtest.studies.cache_percent.cache_percent_report import REPORT as CACHE
from tests.unit.loadtest.cache_run import cache_figures
from tests.unit.loadtest.load_test_result import result
from tests.unit.loadtest.shown_report import page_of


def test_a_busy_generator_is_red() -> None:
    page = page_of(REPORT, result(generator_saturated=True, generator_cpu_percent=93.0))
    assert '<p class="bad">The generator was saturated' in page
    assert '<td class="bad">tile</td>' in page
    assert 'class="bad"' not in page_of(REPORT, result())


def test_a_busy_generator_is_red_in_the_report_of_the_cache() -> None:
    busy = page_of(CACHE, cache_figures(Load(generator=0.81)))
    assert '<p class="bad">The generator took over 80 % of a core' in busy
    assert 'class="bad"' not in page_of(CACHE, cache_figures(Load(generator=0.79)))


def test_an_interrupted_run_is_red() -> None:
    assert '<p class="bad">The run was interrupted' in page_of(REPORT, result(complete=False))


def test_the_page_has_rows_and_charts_and_needs_no_network() -> None:
    page = page_of(REPORT, result())
    assert page.count("<svg") == 3
    assert "<td>10 users</td>" in page
    assert "<script" not in page
    assert "http" not in page.replace("https://images.example.org", "")


def test_a_stage_in_which_nothing_was_asked_is_red() -> None:
    stages = {"10 users": 1.0, "20 users": 1.0}
    page = page_of(REPORT, result(stages=stages))
    assert '<p class="bad">20 users: no request was sent in this stage' in page
    assert "10 users: nothing" not in page
