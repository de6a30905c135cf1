"""Rows, medians, ratios and pages of the studies say what their headings promise."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from loadtest.client.user_load import Load, workload_fingerprint
from loadtest.errors import InvalidScenario
from loadtest.figures.request_figures import COLUMNS, count_faults, row_of
from loadtest.report.charts import bar_chart
from loadtest.studies.museum.museum_classes import ANY, KINDS
from loadtest.studies.museum.museum_medians import museum_medians
from loadtest.studies.museum.museum_report import REPORT
from loadtest.studies.museum.museum_study import MuseumStudy, require_comparable
from loadtest.studies.museum.museum_tables import (
    compare_classes,
    list_remarks,
    source_of,
    write_csv,
    wrong_answers,
)
from loadtest.studies.museum.single_request_cpu import with_cpu
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.models.report_matrix import ReportMatrix
from loadtest.workload.request import Workload
from tests.unit.loadtest.museum_run import figures_of, round_of
from tests.unit.loadtest.shown_report import page_of, text_of
from tests.unit.loadtest.studies_answers import answer

SIZES = ((2_900, 2_100), (6_000, 4_000), (11_608, 8_708))


def workload(base: str, seed: int = 2019, suffix: str = "") -> Workload:
    images = [
        Image(f"{n}{suffix}", *size, base=f"{base}/{n}{suffix}", version=2)
        for n, size in enumerate(SIZES)
    ]
    return Workload(ReportMatrix().bind(Catalogue.of(images), seed), seed)


def test_a_row_counts_only_what_was_answered_rightly() -> None:
    row = row_of([answer(0.1), answer(0.3), answer(9.0, "status 500")], 2.0)
    assert list(row) == list(COLUMNS)
    assert (row["requests"], row["failures"], row["requests_per_second"]) == (2, 1, 1.0)
    assert (row["median_ms"], row["average_ms"], row["max_ms"]) == (200.0, 200.0, 300.0)


def test_the_commonest_faults_come_first_with_an_address() -> None:
    wrong = [answer(1, "cut", "b"), answer(1, "cut", "c"), answer(1, "status 404", "a")]
    assert count_faults(wrong)[0] == {"times": 2, "fault": "cut", "path": "/b"}


def test_servers_are_asked_for_the_same_below_their_own_addresses() -> None:
    ours, other = workload("/iiif/2", suffix=".tif"), workload("/elsewhere/x")
    assert workload_fingerprint(ours, 10) == workload_fingerprint(other, 10)
    assert workload_fingerprint(ours, 10) != workload_fingerprint(workload("/iiif/2", seed=1), 10)


def test_there_are_the_reports_twelve_rows() -> None:
    assert len(KINDS) == 12
    assert source_of("75- 4096") == ("75", "-", "4096")
    assert source_of("0-10 tile") == ("0", "10", "tile")
    assert source_of(ANY) == ("any", "any", "any")


def test_medians_are_of_whole_rounds_and_sums_of_all_requests() -> None:
    rounds = [round_of("a", number, [number / 10]) for number in (1, 2, 3)]
    rounds.append(round_of("a", 4, [90.0], complete=False))
    [entry] = museum_medians(rounds)
    row = entry["rows"][ANY]
    assert (entry["rounds"], row["requests"], row["median_ms"]) == (3, 3, 200.0)
    assert (row["min_ms"], row["max_ms"], entry["cpu_ms_per_request"]) == (100.0, 300.0, 10.0)


def test_an_interrupted_round_counts_where_there_is_no_other() -> None:
    [entry] = museum_medians([round_of("a", 1, [0.5], complete=False)])
    assert entry["rows"][ANY]["median_ms"] == 500.0
    assert not entry["complete"]


def test_ratios_say_how_much_better_the_first_server_is() -> None:
    figures = figures_of([round_of("a", 1, [0.1, 0.1]), round_of("b", 1, [0.4])])
    found = {row.figure: row.ratios for row in compare_classes(figures, 10) if row.kind == ANY}
    assert found["req/s"] == [1.0, 2.0]
    assert found["median ms"] == [1.0, 4.0]


def test_every_row_in_which_the_first_server_does_not_lead_is_named() -> None:
    figures = figures_of([round_of("a", 1, [0.2]), round_of("b", 1, [0.1])])
    words = [sentence for sentence, _ in list_remarks(figures)]
    behind = "a is behind b at 10 connections: 0-10 MP, tile, median ms, 0.50 x"
    assert any(behind in sentence for sentence in words)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"complete": False}, "interrupted"),
        ({"same_requests": False}, "not asked for the same"),
        ({"pinned": {"server_core": None, "generator_core": None}}, "shared their cores"),
    ],
)
def test_what_makes_figures_worthless_is_said_in_red(more: dict[str, Any], words: str) -> None:
    figures = figures_of([round_of("a", 1, [0.2])], **more)
    assert [bad for sentence, bad in list_remarks(figures) if words in sentence] == [True]
    assert f'<p class="bad">{next(s for s, _ in list_remarks(figures))}' in page_of(REPORT, figures)


def test_a_generator_on_the_servers_cores_is_said_and_does_not_spoil_the_run() -> None:
    shared = {"server_core": 0, "server_cores": [0, 1], "generator_core": None}
    figures = figures_of([round_of("a", 1, [0.2])], pinned=shared)
    figures["scenario"]["server_cores"] = 2
    assert [
        bad for sentence, bad in list_remarks(figures) if "shared the servers' cores" in sentence
    ] == [False]
    assert "Servers ran on 2 cores, all processes of each together" in page_of(REPORT, figures)


def test_a_round_too_short_for_the_mix_is_said_in_red() -> None:
    few, enough = round_of("few", 1, [0.1] * 99), round_of("enough", 1, [0.1] * 100)
    [(sentence, bad)] = [
        pair for pair in list_remarks(figures_of([few, enough])) if "mix" in pair[0]
    ]
    assert bad
    assert "few at 10 connections answered only 9.9 requests" in sentence


def test_a_busy_generator_is_flagged_in_table_and_page() -> None:
    figures = figures_of([round_of("a", 1, [0.2], client_bound=True, generator_cores=0.93)])
    assert "client-bound" in text_of(REPORT, figures)
    assert '<td class="bad">' in page_of(REPORT, figures)
    assert Load(generator=0.81).client_bound
    assert not Load(generator=0.79).client_bound


def test_csv_has_every_round_and_the_medians(tmp_path: Path) -> None:
    figures = figures_of([round_of("a", number, [0.1]) for number in (1, 2)])
    write_csv(figures, tmp_path)
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines()))
    assert [row["round"] for row in rows] == ["1", "1", "2", "2", "median", "median"]
    assert rows[0]["# req"] == "1"
    assert (rows[0]["CPU ms/req"], rows[1]["CPU ms/req"]) == ("", "5.0")
    of_study = ["src min", "src max", "derv sz", "# req", "# fail", "median", "avg", "min", "max"]
    assert list(rows[0])[4:15] == [*of_study, "avg sz", "req/s"]


def test_each_class_has_its_own_cpu_next_to_the_mixs() -> None:
    alone = [
        {
            "server": "a",
            "kind": KINDS[0],
            "round": number,
            "cpu_ms": float(number),
            "complete": True,
        }
        for number in (1, 2, 9)
    ]
    [entry] = with_cpu(museum_medians([round_of("a", 1, [0.1])]), alone)
    assert entry["cpu_ms"] == {KINDS[0]: 2.0, ANY: 5.0}
    figures = figures_of([round_of("a", 1, [0.1])]) | {"medians": [entry]}
    lines = text_of(REPORT, figures).splitlines()
    [header] = [number for number, line in enumerate(lines) if line.startswith("src min")]
    assert lines[header].split()[-2:] == ["CPU", "ms/req"]
    assert lines[header + 1].split()[-1] == "2"


@pytest.mark.parametrize(
    ("study", "words"),
    [
        (MuseumStudy(), "name servers"),
        (MuseumStudy(urls=[("a", "http://x")]), "catalogue is empty"),
        (MuseumStudy(servers=["ours"], urls=[("ours", "http://x")]), "one name"),
    ],
)
def test_a_comparison_of_nothing_is_refused(study: MuseumStudy, words: str) -> None:
    with pytest.raises(InvalidScenario, match=words):
        require_comparable(study)


def test_a_chart_whose_rows_differ_in_scale_says_so() -> None:
    rows: dict[str, list[float | None]] = {"one": [1.0, 2.0], "two": [100.0, None]}
    assert "Each row has its own scale" in bar_chart("title", rows, ["a", "b"], "ms")
    shared = bar_chart("title", rows, ["a", "b"], "ms", one_scale=True)
    assert "Each row" not in shared
    drawn = re.findall(r'd="M ([0-9.]+) [0-9.]+ L ([0-9.]+) [^"]*" clip-path', shared)
    lengths = [float(right) - float(left) for left, right in drawn]
    assert lengths[1] == pytest.approx(50 * lengths[2], rel=0.02)


def test_a_wrong_answer_counts_wherever_it_was_given() -> None:
    failed = [{"times": 1, "fault": "status 500", "path": "/x"}]
    row = {"server": "a", "failures": 1, "failed": failed}
    good = figures_of([round_of("a", 1, [0.1])], checks=[], cpu_rounds=[])
    assert wrong_answers(good) == 0
    for place, when in (("checks", "while it was warmed"), ("cpu_rounds", "alone, for its CPU")):
        figures = good | {place: [row]}
        assert wrong_answers(figures) == 1
        sentence = f"a {when}: 1 failures, such as status 500 · /x"
        assert (sentence, False) in list(list_remarks(figures))
