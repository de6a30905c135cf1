"""The status page: the counts first, every reason with what to do, and nothing but words inside."""

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.rigs.records import outcome
from tests.unit.cli.page_reader import Reader
from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.status.pages.page import COUNTS, LABELS, Status, status_page
from vitrine.cli.status.pages.reasons import SHOWN
from vitrine.cli.status.report import overview
from vitrine.cli.status.work import Work
from vitrine.ingest.rejection_advice import EXAMPLES

Run = Callable[..., Any]
NOW = "2026-11-21T20:00:00.000Z"
JPEG = b"\xff\xd8\xff\xe0 a picture"
HOSTILE = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202egnp.\x1b[201~\n$(rm -rf ~)"
)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vitrine.cli.status.command.Thumbnails", lambda: Fetched())


class Fetched:
    """Thumbnails as if the edge had answered."""

    def of(self, edge_url: str, images: list[dict[str, Any]]) -> dict[str, bytes]:
        return {image["identifier"]: JPEG for image in images}


@pytest.fixture
def page(run: Run, tmp_path: Path) -> Callable[[], str]:
    """What `vitrine status --html` writes."""

    def written() -> str:
        path = tmp_path / "status.html"
        result = run("status", "--html", path)
        assert (result.exit_code, result.stdout) == (0, "")
        assert str(path) in result.stderr
        return path.read_text()

    return written


def record(service: Deployment, key: str, **known: Any) -> None:
    failed = outcome(
        key,
        "failed",
        code="Runtime.ExitError",
        sentence="The Lambda was killed. It can be redriven.",
    )
    assert service.outcomes.record(replace(failed, **known))


def test_the_counts_are_the_first_thing_seen(
    run: Run, service: Deployment, page: Callable[[], str], picture: Path, letter: Path
) -> None:
    run("ingest", picture, letter)
    record(service, "broken.tif")
    service.uploads.send("an event")
    service.workers[0].dead_letters.send("a message")
    text = page()
    before, counts, _ = text.partition('<ul class="counts">')
    assert counts
    assert "<p" not in before
    text_shown = Reader(text).text
    places = [
        text_shown.index(f"1 {LABELS.get(name, name)}")
        for name in COUNTS
        if name not in ("running", "withdrawn")
    ]
    assert places == sorted(places)
    assert "0 running" in text_shown
    assert "Needs attention: 1 rejected, 1 failed, 1 unusable messages" in text_shown
    assert "As of" in text_shown


def test_a_rejection_says_why_and_what_to_do(
    run: Run, page: Callable[[], str], letter: Path
) -> None:
    run("ingest", letter)
    text_shown = Reader(page()).text
    assert "1 not-an-image" in text_shown
    assert "The file is not an image" in text_shown
    assert "Upload an image." in text_shown
    assert "letter.tif" in text_shown
    assert "Dear colleague" in text_shown


@pytest.mark.parametrize("code", sorted({error.rejection.code for error, _ in EXAMPLES}))
def test_every_rejection_has_an_advice(service: Deployment, code: str) -> None:
    record(service, "one.tif", state="rejected", code=code)
    page = status_page(Status(report=overview(service), made_at=NOW))
    (advice,) = page.split('<p class="advice">')[1:]
    words = advice.partition("</p>")[0]
    assert words.endswith(".")
    assert not set(words) & set("`[]")


def test_failures_come_by_reason_with_the_lines_to_type(
    service: Deployment, page: Callable[[], str]
) -> None:
    for number in range(3):
        record(service, f"a {number}.tif")
    record(service, "-n.tif", code="States.Timeout")
    assert Reader(page()).commands == [
        "vitrine failures redrive 'a 0.tif'",
        "vitrine failures redrive --reason Runtime.ExitError",
        "vitrine failures redrive -- -n.tif",
        "vitrine failures redrive --reason States.Timeout",
    ]


def test_a_line_to_type_names_the_environment(service: Deployment) -> None:
    record(service, "a.tif")
    report = overview(replace(service, environment="prod"))
    lines = Reader(status_page(Status(report=report, made_at=NOW))).commands
    assert lines == [
        "vitrine failures redrive --environment prod a.tif",
        "vitrine failures redrive --environment prod --reason Runtime.ExitError",
    ]


@pytest.mark.parametrize("state", ["failed", "rejected"])
def test_what_comes_from_outside_stays_text(
    service: Deployment, page: Callable[[], str], state: str
) -> None:
    clean = Reader(page())
    record(service, HOSTILE, state=state, code=HOSTILE, sentence=HOSTILE, value=HOSTILE)
    record(service, "'; rm -rf ~ #", state=state, code="x; reboot")
    found = Reader(page())
    ours = {"section", "h3", "code", "bdi", "table", "thead", "tr", "th", "tbody", "td", "pre"}
    assert {tag for tag, _ in found.tags} <= ours | {tag for tag, _ in clean.tags}
    assert not found.of("img")
    assert not found.of("script")
    assert "<script>alert(1)</script>" in found.text
    assert "\\u202egnp.\\x1b[201~\\n$(rm" in found.text
    for line in found.commands:
        words = shlex.split(line)
        assert words[0] == "vitrine"
        assert words[-1] in ("'; rm -rf ~ #", "x; reboot")


def test_an_identifier_from_outside_stays_text(
    run: Run, page: Callable[[], str], picture: Path
) -> None:
    name = "<script>alert(1)</script>\"'><img src=x>"
    assert run("ingest", picture, "--identifier", name).exit_code == 0
    found = Reader(page())
    assert not found.of("script")
    assert [set(image) for image in found.of("img")] == [{"src", "alt"}]
    assert name in found.text


def test_an_image_leads_to_its_viewer_with_its_thumbnail_inside(
    run: Run, page: Callable[[], str], picture: Path
) -> None:
    run("ingest", picture)
    found = Reader(page())
    assert "http://edge/objects/nacht%20wache" in [link["href"] for link in found.of("a")]
    assert [image["src"] for image in found.of("img")] == [
        "data:image/jpeg;base64,/9j/4CBhIHBpY3R1cmU="
    ]
    assert "300 \N{MULTIPLICATION SIGN} 200 px" in found.text


def test_the_page_loads_nothing(run: Run, page: Callable[[], str], picture: Path) -> None:
    run("ingest", picture)
    text = page()
    assert "url(" not in text
    assert "@import" not in text
    found = Reader(text)
    assert {tag for tag, _ in found.tags}.isdisjoint({"link", "script", "iframe", "object"})
    assert all((image["src"] or "").startswith("data:") for image in found.of("img"))


def test_many_masters_of_one_reason_are_cut_and_counted(service: Deployment) -> None:
    for number in range(SHOWN + 7):
        record(service, f"{number}.tif")
    page = status_page(Status(report=overview(service), made_at=NOW))
    assert page.count("<tr><td>") == SHOWN
    assert "and 7 more" in page


def test_what_was_not_listed_is_said(service: Deployment) -> None:
    for number in range(12):
        record(service, f"{number}.tif")
    text_shown = Reader(status_page(Status(report=overview(service, listed=10), made_at=NOW))).text
    assert "10+ Runtime.ExitError" in text_shown
    assert "12 failed" in text_shown


def test_only_a_page_that_is_served_asks_again(service: Deployment) -> None:
    status = Status(report=overview(service), made_at=NOW)
    assert "<script>" not in status_page(status)
    served = status_page(status, refresh_seconds=7)
    assert served.count("<script>") == 1
    assert Reader(served).of("main") == [{"data-seconds": "7"}]


def test_json_goes_with_the_page(run: Run, tmp_path: Path) -> None:
    result = run("status", "--html", tmp_path / "status.html", "--json")
    assert json.loads(result.stdout)["queued"] == 0
    assert (tmp_path / "status.html").is_file()


def test_a_page_that_cannot_be_written_is_one_line(run: Run, tmp_path: Path) -> None:
    result = run("status", "--html", tmp_path / "absent" / "status.html")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["an-id", "--html", "a.html"],
        ["an-id", "--serve"],
        ["--serve", "--html", "a.html"],
        ["--serve", "--json"],
        ["--port", "1"],
    ],
)
def test_what_does_not_go_together_is_one_line(run: Run, words: list[str]) -> None:
    result = run("status", *words)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_the_last_hour_of_each_program_is_drawn_to_one_scale(
    service: Deployment, work: Work
) -> None:
    work["programs"].append({"program": "iipsrv", "did": {"renders": 9}, "cpu_seconds": 4.0})
    for number, seconds in enumerate((0.0, 2.0, 1.0)):
        cpu = {"nginx": 0.5, "gateway": 1.0, "iipsrv": seconds}
        work["minutes"].append(
            {
                "minute": f"{number}",
                "metrics": {"Answers": number, "BlockCacheHits": 3 * number, "BlockCacheMisses": 1},
                "percentile_95_ms": {"tile": 10.0 * number},
                "cpu_seconds": cpu,
            }
        )
    page = status_page(Status(report=overview(service), made_at=NOW))
    reader = Reader(page.replace('"/></svg>', '"></polyline></svg>'))
    assert "iipsrv: 9 renders; 4.0 s of CPU" in reader.text
    lines = [polyline["points"] for polyline in reader.of("polyline")]
    heights = dict(
        zip(
            [title["aria-label"].removesuffix(" in the last hour") for title in reader.of("svg")],
            [[float(point.split(",")[1]) for point in line.split()] for line in lines],
            strict=True,
        )
    )
    answers, tiles = heights["Answers of the gateway"], heights["95 of 100 tile answers within"]
    assert answers[0] > answers[1] > answers[2]
    assert tiles[0] > tiles[1] > tiles[2]
    assert len(set(heights["Renders"])) == 1
    assert "95 of 100 render answers within" not in heights
    # Of what is a share, the top is the whole: three of four in the second minute.
    assert heights["Reads found in the block cache"][1] == pytest.approx(48 - 0.75 * 46 - 1)
    # Two seconds are the most of any program; the gateway's one second is half as high.
    iipsrv, gateway = heights["iipsrv: CPU"], heights["gateway: CPU"]
    assert (iipsrv[1], gateway[1]) == (1, pytest.approx((1 + iipsrv[0]) / 2))
