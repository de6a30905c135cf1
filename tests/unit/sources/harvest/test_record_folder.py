"""A folder follows a repository: what changed, nothing twice, and nothing lost when it fails."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.unit.sources.harvest.oai_server import OaiServer, oai_server
from vitrine.sources.harvest.guarded_http import GuardedHttp, NotHarvested
from vitrine.sources.harvest.kept_folder import MAX_NAME_LENGTH, STATE, file_name
from vitrine.sources.harvest.oai_pmh import Repository
from vitrine.sources.harvest.record_folder import RecordFolder
from vitrine.sources.mapping.table import open_table

EARLY, LATE = "2026-11-01T00:00:00Z", "2026-11-24T00:00:00Z"


@pytest.fixture
def server() -> Iterator[OaiServer]:
    records = {f"oai:m:{number}": (f"Title {number}", EARLY) for number in range(5)}
    with oai_server(OaiServer(dict(records))) as started:
        yield started


@pytest.fixture
def folder(server: OaiServer, tmp_path: Path) -> RecordFolder:
    fetch = GuardedHttp(private_too=True).get
    return RecordFolder(tmp_path / "records", Repository(server.address, fetch), "oai_dc")


def titles(folder: RecordFolder) -> list[str]:
    rows = open_table(folder.folder).rows({"//title"})
    return [title for row in rows for title in row.values["//title"]]


def counts(done: Any) -> tuple[int, ...]:
    return (done.new, done.changed, done.unchanged, done.deleted)


def test_every_record_becomes_a_file_and_the_folder_a_table(folder: RecordFolder) -> None:
    assert counts(folder.harvest()) == (5, 0, 0, 0)
    assert titles(folder) == [f"Title {number}" for number in range(5)]


def test_the_next_harvest_asks_for_what_changed_since(
    server: OaiServer, folder: RecordFolder
) -> None:
    folder.harvest()
    server.requests.clear()
    server.now = "2026-11-25T00:00:00Z"
    server.records |= {
        "oai:m:0": ("Changed", LATE),
        "oai:m:1": (None, LATE),
        "oai:m:9": ("New", LATE),
    }
    assert counts(folder.harvest()) == (1, 1, 0, 1)
    assert titles(folder) == ["Changed", "Title 2", "Title 3", "Title 4", "New"]
    since = [one.get("from") for one in server.requests if one["verb"] != "Identify"]
    assert since[0] == "2026-11-23T10:00:00Z"
    assert counts(folder.harvest()) == (0, 0, 0, 0)


def test_a_repository_that_counts_days_is_asked_for_days(
    server: OaiServer, folder: RecordFolder
) -> None:
    server.granularity = "YYYY-MM-DD"
    folder.harvest()
    folder.harvest()
    assert server.requests[-1]["from"] == "2026-11-23"


@pytest.mark.parametrize("stopped_at", range(1, 4))
def test_a_harvest_that_stopped_goes_on_where_it_was(
    server: OaiServer, folder: RecordFolder, stopped_at: int
) -> None:
    calls = count(1)
    server.trouble = lambda question: (404, {}, b"") if next(calls) == stopped_at else None
    with pytest.raises(NotHarvested, match="answers 404"):
        folder.harvest()
    server.requests.clear()
    folder.harvest()
    assert len(titles(folder)) == 5
    assert len(server.requests) == 3 - (stopped_at - 1)


def test_a_repository_that_forgot_where_it_was_is_asked_from_the_beginning(
    server: OaiServer, folder: RecordFolder
) -> None:
    def forgets(question: dict[str, str]) -> Any:
        lost = b'<error code="badResumptionToken"/>'
        return (200, {}, server.page(lost.decode())) if "resumptionToken" in question else None

    calls = count(1)
    server.trouble = lambda question: (404, {}, b"") if next(calls) == 2 else None
    with pytest.raises(NotHarvested):
        folder.harvest()
    server.trouble = forgets
    with pytest.raises(NotHarvested, match="badResumptionToken"):
        folder.harvest()
    server.trouble = lambda question: None
    folder.harvest()
    assert len(titles(folder)) == 5


def test_everything_again_removes_what_the_repository_no_longer_has(
    server: OaiServer, folder: RecordFolder
) -> None:
    folder.harvest()
    del server.records["oai:m:3"]
    assert counts(folder.harvest(everything=True)) == (0, 0, 4, 1)
    assert "Title 3" not in titles(folder)


def test_a_broken_everything_removes_nothing(server: OaiServer, folder: RecordFolder) -> None:
    folder.harvest()
    calls = count(1)
    server.trouble = lambda question: (404, {}, b"") if next(calls) == 2 else None
    with pytest.raises(NotHarvested):
        folder.harvest(everything=True)
    assert len(titles(folder)) == 5


def test_a_folder_of_another_source_is_left_alone(
    server: OaiServer, folder: RecordFolder, tmp_path: Path
) -> None:
    folder.harvest()
    other = RecordFolder(folder.folder, folder.repository, "oai_dc", "paintings")
    with pytest.raises(NotHarvested, match="has records of http"):
        other.harvest()


def test_a_damaged_state_says_what_to_do(folder: RecordFolder) -> None:
    folder.harvest()
    (folder.folder / STATE).write_text("{")
    with pytest.raises(NotHarvested, match="is damaged: remove it"):
        folder.harvest()


def test_no_identifier_leads_out_of_the_folder() -> None:
    names = [
        file_name(one, ".xml") for one in ("../../etc/passwd", "/", "a\\b", "ü" * 200, "u" * 300)
    ]
    assert all("/" not in name and len(name.encode()) < 255 for name in names)
    assert file_name("u" * 300, "") != file_name("u" * 301, "")
    assert file_name("u" * MAX_NAME_LENGTH, "") == "u" * MAX_NAME_LENGTH


@pytest.mark.parametrize("everything", [False, True])
def test_files_of_others_are_never_removed(folder: RecordFolder, everything: bool) -> None:
    folder.folder.mkdir()
    (folder.folder / "mine.xml").write_text("<mine/>")
    with pytest.raises(NotHarvested, match="has XML files that no harvest wrote"):
        folder.harvest(everything=everything)
    assert (folder.folder / "mine.xml").exists()


def test_a_repository_that_is_suddenly_empty_removes_nothing(
    server: OaiServer, folder: RecordFolder
) -> None:
    folder.harvest()
    server.records.clear()
    with pytest.raises(NotHarvested, match="has no records any more: if that is right, remove"):
        folder.harvest(everything=True)
    assert len(titles(folder)) == 5


def test_a_harvest_that_stopped_in_its_first_part_goes_on(
    folder: RecordFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep, calls = RecordFolder._keep, count(1)

    def stops_at_the_second(self: RecordFolder, *arguments: Any) -> None:
        if next(calls) == 2:
            raise OSError("No space left on device")
        keep(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(RecordFolder, "_keep", stops_at_the_second)
        with pytest.raises(OSError, match="No space left"):
            folder.harvest()
    assert counts(folder.harvest()) == (4, 0, 1, 0)
    assert len(titles(folder)) == 5
