"""`vitrine redirects`: one by one and by the file, and what it says to people and machines."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vitrine.bootstrap.deployment import Deployment
from vitrine.records import Gone, Redirect

pytestmark = pytest.mark.usefixtures("curated")
AT = "2026-11-22T00:00:00.000Z"


@pytest.fixture
def published(run: Any, picture: Path) -> str:
    """Identifier of a live image, next to a tombstone."""
    assert run("ingest", picture, "--identifier", "SK-C-5").exit_code == 0
    return "SK-C-5"


@pytest.fixture
def target(service: Deployment, published: str) -> Callable[[str], str]:
    """Where an identifier leads; "" for none."""
    gone = Gone(identifier="gone", revision=1, reason="Lost.", changed_at=AT)
    service.identifiers.write(gone, None)

    def of(identifier: str) -> str:
        record = service.identifiers.get(identifier)
        return record.target if isinstance(record, Redirect) else ""

    return of


def test_a_redirect_is_added_listed_and_taken_back(run: Any, target: Callable[[str], str]) -> None:
    added = run("redirects", "add", "old one", "SK-C-5", "--note", "catalogue of 1985")
    assert (added.exit_code, added.stdout) == (0, "old one redirects to SK-C-5\n")
    assert run("redirects", "list").stdout == "old one  ->  SK-C-5  (catalogue of 1985)\n"
    assert run("redirects", "list", "--to", "nobody").stdout == "There is no redirect.\n"
    assert run("redirects", "remove", "old one").exit_code == 0
    assert target("old one") == ""


def test_a_refusal_says_why_and_what_to_do(run: Any, target: Callable[[str], str]) -> None:
    for arguments, word in (
        (("add", "SK-C-5", "gone"), "--replace-live"),
        (("add", "gone", "SK-C-5"), "--replace-withdrawn"),
        (("add", "old", "nobody"), "--allow-dangling"),
        (("add", "SK-C-5", "SK-C-5"), "itself"),
        (("add", "3", "SK-C-5"), "reserved"),
        (("remove", "SK-C-5"), "not a redirect"),
    ):
        refused = run("redirects", *arguments)
        assert (refused.exit_code, refused.stdout) == (1, ""), arguments
        assert word in refused.stderr
        assert len(refused.stderr.splitlines()) == 1


def test_what_a_redirect_took_with_it_is_said(
    run: Any, read_json: Callable[..., Any], target: Callable[[str], str]
) -> None:
    run("redirects", "add", "first", "SK-C-5")
    output = run("redirects", "add", "SK-C-5", "gone", "--replace-live").stdout
    assert "also retargeted: 1 that redirected to SK-C-5" in output
    assert target("first") == "gone"
    again = read_json("redirects", "add", "second", "first")
    assert again == {"old": "second", "target": "gone", "made": True, "collapsed": 0}


def test_an_export_can_be_imported_where_nothing_is(
    run: Any, service: Deployment, target: Callable[[str], str], tmp_path: Path
) -> None:
    for number in range(3):
        run("redirects", "add", f"old, {number}", "SK-C-5", "--note", 'a "note"')
    file = tmp_path / "all.csv"
    assert run("redirects", "export", file).exit_code == 0
    assert run("redirects", "export").stdout.splitlines() == file.read_text().splitlines()
    for number in range(3):
        run("redirects", "remove", f"old, {number}")
    assert run("redirects", "import", file).exit_code == 0
    assert target("old, 2") == "SK-C-5"


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "redirects.csv"
    file.write_text(text, encoding="utf-8-sig", newline="\r\n")
    return file


def test_an_import_is_planned_written_and_not_written_twice(
    run: Any, read_json: Callable[..., Any], target: Callable[[str], str], tmp_path: Path
) -> None:
    file = write(tmp_path, "old,new\na,SK-C-5\nb,a\nb,a\n\nc,gone\n")
    planned = run("redirects", "import", file, "--dry-run")
    assert planned.exit_code == 0
    assert "3 new redirects" in planned.stdout
    assert "1 go straight to the end of a chain" in planned.stdout
    assert planned.stdout.endswith("Nothing was written.\n")
    assert target("a") == ""
    done = read_json("redirects", "import", file)
    assert done["written"] == {"written": 3, "stood": 0, "collapsed": 0}
    assert (target("a"), target("b"), target("c")) == ("SK-C-5", "SK-C-5", "gone")
    again = read_json("redirects", "import", file)
    assert again["written"] == {"written": 0, "stood": 0, "collapsed": 0}
    assert again["planned"]["stand"] == 3


def test_a_file_with_faults_is_not_imported_unless_they_may_be_left_out(
    run: Any, target: Callable[[str], str], tmp_path: Path
) -> None:
    file = write(tmp_path, "good,SK-C-5\na,b\nb,a\nSK-C-5,gone\nx,nobody\n")
    listed = tmp_path / "faults.csv"
    refused = run("redirects", "import", file, "--faults", listed)
    assert refused.exit_code == 1
    assert "4 are faulty" in refused.stdout
    assert "line 5: There is no image" in refused.stdout
    assert target("good") == ""
    assert [line.split(",")[3] for line in listed.read_text().splitlines()] == [
        *("code", "loop", "loop", "live-image", "dangling"),
    ]
    partly = run("redirects", "import", file, "--skip-faulty")
    assert partly.exit_code == 1
    assert "1 redirects were written" in partly.stdout
    assert (target("good"), target("a")) == ("SK-C-5", "")


def test_an_invalid_file_is_wrong_usage(run: Any, tmp_path: Path) -> None:
    assert run("redirects", "import", tmp_path / "none.csv").exit_code == 2
    latin = tmp_path / "latin.csv"
    latin.write_bytes("ä,b\n".encode("latin-1"))
    refused = run("redirects", "import", latin)
    assert refused.exit_code == 1
    assert "UTF-8" in refused.stderr


def test_a_check_says_what_is_wrong_and_mends_what_it_can(
    run: Any, read_json: Callable[..., Any], service: Deployment, target: Callable[[str], str]
) -> None:
    def stand(old: str, new: str) -> None:
        redirect = Redirect(identifier=old, revision=1, target=new, changed_at=AT)
        service.identifiers.write(redirect, None)

    stand("good", "SK-C-5")
    assert run("redirects", "check").exit_code == 0
    for old, new in (("a", "good"), ("x", "y"), ("y", "x"), ("lost", "nobody")):
        stand(old, new)
    checked = run("redirects", "check")
    assert checked.exit_code == 1
    assert "2 loop: remove one redirect of the circle" in checked.stdout
    assert "a -> good (leads to SK-C-5)" in checked.stdout
    mended = read_json("redirects", "check", "--mend")
    assert mended["counts"] == {"redirects": 5, "loop": 2, "chain": 0, "dangling": 1, "mended": 1}
    assert target("a") == "SK-C-5"
    run("redirects", "remove", "x")
    left = json.loads(run("redirects", "check", "--json").stdout)["findings"]
    assert [item["old"] for item in left["dangling"]] == ["y", "lost"]
