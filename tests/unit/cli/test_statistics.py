"""`vitrine statistics`: tables, CSV and page, from the local log or from the files of days."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.catalogue.object_bench import book, shelf
from tests.unit.cli.conftest import Run
from tests.unit.deliver.deliver_records import live
from tests.unit.statistics.log_bench import nginx
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.publisher import Publisher
from vitrine.iiif.presentation.model import Canvas
from vitrine.site.dumps.update import update_dumps
from vitrine.statistics.count import Figures
from vitrine.statistics.day_files import DayFigures, write_day

DAYS = ("--from", "2026-11-27", "--to", "2026-11-28")
FORMULA = "=1+1"


@pytest.fixture(autouse=True)
def log(
    publisher: Publisher, service: Deployment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Path:
    """The log of the edge on this machine: two visitors of a book, and a robot."""
    monkeypatch.setenv("VITRINE_LOCAL_DIRECTORY", str(tmp_path))
    objects = Objects(publisher)
    publisher.identifiers.write(live("one", 800, 600), None)
    objects.put(book(title=FORMULA, canvases=(Canvas(image="one"),)))
    objects.put(shelf())
    update_dumps(service.site, service.edge_url)
    path = tmp_path / "edge" / "logs" / "access.log"
    path.parent.mkdir(parents=True)
    lines = [
        nginx("/objects/book", day="2026-11-27"),
        nginx("/objects/book", "11:00:00"),
        nginx("/objects/book", "11:00:05", address="192.0.2.2"),
        nginx("/objects/book", "11:00:06", agent="Mozilla/5.0 (compatible; GPTBot/1.2)"),
        nginx("/iiif/3/loose/0,0,256,256/256,/0/default.jpg", "12:00:00"),
        b"damaged",
        nginx("/collections/shelf", "13:00:00", day="2026-11-29"),
    ]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def test_the_terminal_has_days_objects_collections_and_countries(run: Run) -> None:
    result = run("statistics", *DAYS)
    assert result.exit_code == 0, result.output
    rows = {line[:44].strip(): line[44:].split() for line in result.stdout.splitlines() if line}
    assert rows["2026-11-27 to 2026-11-28, UTC"] == ["views", "openings", "zooms", "downloads"]
    assert rows["together"] == ["3", "1", "1", "0"]
    assert rows["2026-11-27"] == ["1", "0", "0", "0"]
    assert rows["2026-11-28"] == ["2", "1", "1", "0"]
    assert rows[f"book  {FORMULA}"] == ["3", "0", "0", "0"]
    assert rows["loose"] == ["0", "1", "1", "0"]
    assert rows["shelf  A shelf"] == ["3", "0", "0", "0"]
    assert rows["unknown"] == ["3", "1", "1", "0"]
    assert "Left out: 1 requests of robots." in result.stdout
    assert "Damaged: 1 lines" in result.stdout


def test_the_csv_has_a_row_for_each_day_and_thing_and_no_formula(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    assert run("statistics", *DAYS, "--csv", path).stdout == ""
    with path.open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [
        *("day", "kind", "identifier", "title", "views", "openings", "zooms", "downloads")
    ]
    assert ["2026-11-27", "object", "book", f"'{FORMULA}", "1", "0", "0", "0"] in rows
    assert ["2026-11-28", "together", "", "", "2", "1", "1", "0"] in rows
    assert ["2026-11-28", "country", "unknown", "", "2", "1", "1", "0"] in rows
    assert ["2026-11-28", "collection", "shelf", "A shelf", "2", "0", "0", "0"] in rows
    assert {row[0] for row in rows} == {"2026-11-27", "2026-11-28"}


def test_the_page_has_plots_tables_and_what_is_an_estimate_and_loads_nothing(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "visits.html"
    run("statistics", *DAYS, "--html", path)
    page = path.read_text(encoding="utf-8")
    assert page.count("<polyline") == 4
    assert '<a href="http://edge/objects/book">=1+1</a>' in page
    assert "What is an estimate" in page
    assert "1 lines of the log were damaged" in page
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "src=" not in page


def test_json_has_everything_and_says_what_is_counted(read_json: Callable[..., Any]) -> None:
    found = read_json("statistics", *DAYS)
    figures = {"views": 3, "openings": 1, "zooms": 1, "downloads": 0}
    assert found["together"] == figures
    assert found["countries"] == {"unknown": figures}
    assert [one["identifier"] for one in found["objects"]] == ["book", "loose"]
    assert found["robot_requests"] == found["damaged_lines"] == 1
    assert {*found["counted"]} == {*figures}
    assert found["estimates"]


def test_an_environment_on_aws_shows_the_files_of_its_days(
    run: Run, service: Deployment, log: Path
) -> None:
    log.unlink()
    figures = Figures(views=7, downloads=1)
    write_day(
        service.records,
        DayFigures(
            day="2026-11-28",
            made_at="2026-11-29T00:00:00.000Z",
            requests=9,
            together=figures,
            countries={"DE": figures},
            objects={"book": Figures(views=7)},
            others=Figures(downloads=1),
            cuts=2,
        ),
    )
    lines = run("statistics", *DAYS, "--environment", "prod").stdout.splitlines()
    assert next(line for line in lines if line.startswith("DE")).split()[1:] == ["7", "0", "0", "1"]
    assert "Days without a request in the log, or not counted yet: 1." in lines
    assert "0 views, 0 openings, 0 zooms, 1 downloads." in lines
    assert "Too many came at once, 2 times: some are counted twice." in lines


def test_days_without_a_request_are_said_to_be_so(run: Run) -> None:
    result = run("statistics", "--from", "2020-01-01", "--to", "2020-01-02")
    assert result.exit_code == 1
    assert "no request in these days" in result.stdout


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (("--from", "2026-11-28", "--to", "2026-11-27"), "are 0 days"),
        (("--from", "1800-01-01", "--to", "2026-11-27"), "at most 3,660"),
        (("--from", "yesterday"), "yesterday"),
    ],
)
def test_days_that_make_no_sense_are_wrong_usage(
    run_program: Run, days: tuple[str, ...], said: str
) -> None:
    result = run_program("statistics", *days)
    assert (result.exit_code, said in result.stderr) == (2, True)


def test_a_log_that_is_missing_is_named(run_program: Run, log: Path) -> None:
    log.unlink()
    result = run_program("statistics")
    assert (result.exit_code, str(log) in result.stderr) == (2, True)


def test_invisible_characters_are_spelled_out(run: Run, log: Path, tmp_path: Path) -> None:
    log.write_bytes(nginx("/objects/a%1Bb") + b"\n" + nginx("/objects/%E2%80%AEc"))
    assert "\\x1b" in run("statistics", *DAYS).stdout
    path = tmp_path / "visits.html"
    run("statistics", *DAYS, "--html", path)
    assert "\u202e" not in path.read_text(encoding="utf-8")
    assert json.loads(run("statistics", *DAYS, "--json").stdout)["objects"][0]["identifier"]
