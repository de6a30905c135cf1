"""Figures of answers: medians of rounds, means of photographs, remarks to be trusted."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from loadtest.studies.answers.answer_medians import pack_rows, unpack_rows
from loadtest.studies.answers.answers_report import (
    REPORT,
    list_remarks,
    write_csv,
    wrong_answers,
)
from tests.unit.loadtest.answers_run import (
    CPU,
    PHOTOGRAPHS,
    REQUESTS,
    answers_run,
    checks,
    rounds,
)
from tests.unit.loadtest.shown_report import page_of, text_of


@pytest.fixture
def run() -> dict[str, Any]:
    return answers_run()


def median(run: dict[str, Any], request: str, server: str) -> dict[str, Any]:
    [row] = [r for r in run["medians"] if (r["request"], r["server"]) == (request, server)]
    return dict(row)


def fail(run: dict[str, Any], server: str, photographs: Iterable[str]) -> None:
    """Let a server answer !400 of these wrongly in the check."""
    found = checks()
    for row in found:
        if (row["server"], row["request"]) == (server, "!400") and row["photograph"] in photographs:
            row |= {"failures": 1, "fault": "status 400 · /iiif/2/x"}
    run["checks"] = pack_rows(found)


def test_every_round_and_check_is_kept_in_a_packed_table(run: dict[str, Any]) -> None:
    assert unpack_rows(run["rounds"]) == rounds()
    assert unpack_rows(run["checks"]) == checks()


def test_a_figure_is_the_mean_over_photographs_of_the_medians_of_the_rounds(
    run: dict[str, Any],
) -> None:
    ours = median(run, "!400", "ours")
    # The middle round doubles 4 ms; the photographs' factors 1 and 3 have a mean of 2.
    assert (ours["cpu_ms"], ours["photographs"], ours["rounds"]) == (16, 2, 3)
    assert ours["cpu_ms_by_process"] == {"iipsrv": 12, "gateway": 4}
    assert (ours["p50_ms"], ours["bytes"], ours["psnr_db"]) == (14, 2_000, 39)


def test_only_photographs_that_every_server_answered_count(run: dict[str, Any]) -> None:
    plain = median(run, "native size", "iipsrv")
    assert (plain["photographs"], plain["cpu_ms"]) == (1, 4)


def test_answers_from_a_cache_have_no_fidelity_of_their_own(run: dict[str, Any]) -> None:
    assert median(run, "!400", "iipsrv-memcached, again")["psnr_db"] is None


def test_a_rival_that_needs_less_cpu_is_named_with_what_it_loses(run: dict[str, Any]) -> None:
    notes = [sentence for sentence, bad in list_remarks(run) if not bad]
    assert "iipsrv needs 0.50 of our CPU for !400, at 3.0 dB less." in notes
    assert not [note for note in notes if "again" in note or note.startswith("iipsrv-memcached")]


def test_our_cpu_is_a_multiple_of_what_others_need_first_and_again(run: dict[str, Any]) -> None:
    lines = [line.split() for line in text_of(REPORT, run).splitlines()]
    # 4 ms of ours, 2 of iipsrv, 6 of iipsrv-memcached.
    assert ["!400", "2", "0.667"] in lines


def test_a_wrong_answer_of_ours_is_marked_and_counted(run: dict[str, Any]) -> None:
    fail(run, "ours", PHOTOGRAPHS)
    assert wrong_answers(run) == 2
    assert [sentence for sentence, bad in list_remarks(run) if bad and "status 400" in sentence]


def test_what_a_rival_cannot_do_is_left_out_and_said(run: dict[str, Any]) -> None:
    fail(run, "iipsrv", ["small-10"])
    assert wrong_answers(run) == 0
    said = [sentence for sentence, bad in list_remarks(run) if "left out" in sentence and not bad]
    assert said == ["iipsrv is left out of !400 of small-10: status 400 · /iiif/2/x"]


def test_page_and_text_have_every_server_request_and_source(run: dict[str, Any]) -> None:
    page = page_of(REPORT, run)
    for words in (*CPU, *REQUESTS):
        assert words in page
        assert words in text_of(REPORT, run)
    assert "ENLARGED 5 times" in page


def test_the_csv_has_a_line_for_each_round(run: dict[str, Any], tmp_path: Path) -> None:
    write_csv(run, tmp_path)
    with (tmp_path / "rounds.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(rounds())
    assert lines[0]["cpu_ms of each"] == "iipsrv=3.0 gateway=1.0"
    assert float(lines[0]["cpu_ms"]) == 4
