"""An export is complete, can be stopped anywhere, and is kept up to date."""

import csv
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.catalogue.object_bench import book
from tests.unit.export.export_bench import (
    IMAGES,
    CountedStore,
    ExportBench,
    picture,
    read_lines,
    read_tree,
)
from vitrine.errors import TransientError
from vitrine.export.bag import BagUnusable, check_bag, listed_files
from vitrine.export.documents import SITE
from vitrine.export.export import THREADS, DiskUnfit, ignores_case
from vitrine.export.ledger import ExportBusy, ExportLedger
from vitrine.export.names import file_name
from vitrine.identify import access_changes, changes
from vitrine.identify.redirects.redirects import Redirects
from vitrine.iiif.presentation.model import Canvas

pytestmark = pytest.mark.slow


@pytest.fixture
def bench() -> ExportBench:
    bench = ExportBench()
    for identifier in ("book", "pamphlet", "lost book"):
        bench.objects.put(book(identifier, canvases=tuple(Canvas(image=one) for one in IMAGES)))
    bench.objects.rename("pamphlet", "leaflet")
    bench.objects.withdraw("lost book", "A claim.")
    Redirects(bench.register).add("old one", "one", note="of 2019")
    bench.add_image("lost", picture(100, 80, 5))
    bench.register.change("lost", changes.withdraw_image("lost", "Rights.", "2026-11-01T10:00:00Z"))
    return bench


def test_everything_that_is_published_is_there(bench: ExportBench, tmp_path: Path) -> None:
    done = bench.export(tmp_path, static=False)
    assert (done.faults, done.counts["Live"]) == ([], len(IMAGES))
    data = tmp_path / "data"
    images = read_lines(data / "images.jsonl")
    assert {row["identifier"] for row in images} == set(IMAGES)
    for row in images:
        master, _ = bench.ingest.masters.get(bench.live(row["identifier"]).master_key)
        assert (data / row["source"]).read_bytes() == master
    for version in (2, 3):
        manifest = (data / "manifests" / str(version) / "book.json").read_bytes()
        assert manifest == bench_document(bench, "book", version)
        alone = (data / "manifests" / str(version) / f"{file_name('two/夜 警')}.json").read_text()
        assert "https://images.example.org/iiif/" in alone
    states = {row["identifier"]: row["state"] for row in read_lines(data / "objects.jsonl")}
    assert states == {
        "book": "described",
        "leaflet": "described",
        "pamphlet": "redirect",
        "lost book": "gone",
    }
    with (data / "redirects.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [
            ["old", "new", "note", "owner"],
            ["old one", "one", "of 2019", ""],
        ]
    with (data / "tombstones.csv").open(newline="") as file:
        assert next(csv.DictReader(file))["reason"] == "Rights."


def bench_document(bench: ExportBench, identifier: str, version: int) -> bytes:
    import brotli

    from vitrine.store.layout import publication_key
    from vitrine.store.publications import Published, decode_publication

    publication = decode_publication(bench.site.get(publication_key(identifier))[0])
    assert isinstance(publication, Published)
    found: bytes = brotli.decompress(publication.documents[version])
    return found


def test_the_checksums_are_those_that_anybodys_tools_compare(
    bench: ExportBench, tmp_path: Path
) -> None:
    bench.export(tmp_path)
    for name in ("manifest-sha256.txt", "tagmanifest-sha256.txt"):
        done = subprocess.run(["sha256sum", "--check", "--quiet", name], cwd=tmp_path)
        assert done.returncode == 0
    listed = {path for path, _ in listed_files(tmp_path)}
    assert listed == {f"data/{path}" for path in read_tree(tmp_path / "data")}
    oxum = f"Payload-Oxum: {sum(map(len, read_tree(tmp_path / 'data').values()))}.{len(listed)}"
    assert oxum in (tmp_path / "bag-info.txt").read_text()


def test_a_second_run_writes_nothing(bench: ExportBench, tmp_path: Path) -> None:
    bench.export(tmp_path)
    fetched, rendered = len(bench.downloads), len(bench.rendered)
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "data").rglob("*.jpg")}
    done = bench.export(tmp_path)
    assert (done.written, done.removed, done.waiting["units"]) == (0, 0, 0)
    assert (len(bench.downloads), len(bench.rendered)) == (fetched, rendered)
    assert {path: path.stat().st_mtime_ns for path in times} == times


@pytest.mark.parametrize("fails_at", [1, 3])
def test_an_export_that_is_stopped_anywhere_is_completed_and_does_nothing_twice(
    bench: ExportBench, tmp_path: Path, fails_at: int
) -> None:
    whole = tmp_path / "whole"
    bench.export(whole)
    masters, access_masters = bench.ingest.masters, bench.ingest.access_masters
    assert isinstance(masters, CountedStore)
    assert isinstance(access_masters, CountedStore)
    masters.downloads.clear()
    access_masters.downloads.clear()
    folder = tmp_path / "stopped"
    for store in (masters, access_masters):
        store.fails_at = len(store.downloads) + fails_at
        try:
            bench.export(folder)
        except KeyboardInterrupt:
            assert not (folder / "manifest-sha256.txt").exists()
            with pytest.raises(BagUnusable, match=r"Run the export again"):
                list(check_bag(folder))
        store.fails_at = 0
    assert bench.export(folder).faults == []
    assert without_dates(read_tree(folder)) == without_dates(read_tree(whole))
    # What was under way when it was stopped begins again, and nothing else.
    assert len(bench.downloads) <= 2 * len(IMAGES) + 2 * THREADS
    assert len(set(bench.downloads)) == 2 * len(IMAGES)


def without_dates(tree: dict[str, bytes]) -> dict[str, str]:
    """The checksums of the payload, but for the time of the day."""
    kept = {path: body for path, body in tree.items() if path.startswith("data/")}
    return {path: hashlib.sha256(body).hexdigest() for path, body in kept.items()}


def test_a_later_run_writes_what_changed_and_removes_what_is_gone(
    bench: ExportBench, tmp_path: Path
) -> None:
    bench.export(tmp_path)
    before = read_tree(tmp_path / "data")
    bench.register.change("one", changes.withdraw_image("one", "Rights.", "2026-11-02T10:00:00Z"))
    bench.publisher.publish("book")
    bench.objects.withdraw("leaflet", "A claim.")
    done = bench.export(tmp_path)
    after = read_tree(tmp_path / "data")
    gone = {path for path in before if path not in after}
    assert gone >= {path for path in before if "/one/" in path or path.endswith("/one.json")}
    assert not any("leaflet" in path for path in after if path.endswith(".json"))
    assert before["manifests/3/book.json"] != after["manifests/3/book.json"]
    assert done.written == 2  # the two documents of the book
    assert list(check_bag(tmp_path)) == []


def test_what_is_not_public_is_kept_with_its_rule_and_is_in_no_static_tree(
    bench: ExportBench, tmp_path: Path
) -> None:
    bench.export(tmp_path)
    folder = file_name("one")
    assert any(folder in path for path in read_tree(tmp_path / SITE))
    bench.register.change("one", access_changes.set_access("one", "closed", "2026-11-25T08:00:00Z"))
    bench.export(tmp_path)
    assert not any(f"/{folder}/" in path for path in read_tree(tmp_path / SITE))
    rules = {
        row["identifier"]: row.get("access")
        for row in read_lines(tmp_path / "data" / "identifiers.jsonl")
    }
    assert rules["one"] == "closed"
    assert rules["three"] is None


def test_a_file_that_somebody_deleted_is_written_again(bench: ExportBench, tmp_path: Path) -> None:
    bench.export(tmp_path, static=False)
    lost = tmp_path / "data" / read_lines(tmp_path / "data" / "images.jsonl")[0]["source"]
    lost.unlink()
    assert bench.export(tmp_path, static=False).written == 1
    assert lost.is_file()


def test_damage_is_found_and_named(bench: ExportBench, tmp_path: Path) -> None:
    bench.export(tmp_path, static=False)
    damaged, missing = sorted((tmp_path / "data" / "pictures").iterdir())[:2]
    body = bytearray(damaged.read_bytes())
    body[1000] ^= 1
    damaged.write_bytes(body)
    missing.unlink()
    assert sorted(check_bag(tmp_path)) == [
        f"data/pictures/{damaged.name}: the file is damaged: its checksum is another one.",
        f"data/pictures/{missing.name}: the file is missing.",
    ]


def test_a_bag_that_names_files_outside_of_it_is_refused(
    bench: ExportBench, tmp_path: Path
) -> None:
    bench.export(tmp_path, static=False)
    manifest = tmp_path / "manifest-sha256.txt"
    manifest.write_text(manifest.read_text() + f"{'0' * 64}  data/../../etc/passwd\n")
    with pytest.raises(BagUnusable, match="outside of the bag"):
        list(check_bag(tmp_path))


def test_a_master_that_is_gone_is_named_and_the_rest_is_written(
    bench: ExportBench, tmp_path: Path
) -> None:
    key = bench.live("one").master_key
    bench.ingest.masters.delete(key)
    bench.ingest.masters._versions[key].clear()
    del bench.ingest.masters._versions[key]
    done = bench.export(tmp_path, static=False)
    assert [fault.partition(":")[0] for fault in done.faults] == ["picture/one"]
    assert (tmp_path / "data" / "manifests" / "3" / "one.json").is_file()
    assert not (tmp_path / "manifest-sha256.txt").exists()


def test_an_export_that_does_not_fit_is_refused_before_anything_is_written(
    bench: ExportBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        free = 1_000

    monkeypatch.setattr(shutil, "disk_usage", lambda path: Full)
    before = bench.downloads
    with pytest.raises(DiskUnfit, match=r"has 1,000 left"):
        bench.export(tmp_path)
    assert bench.downloads == before


def test_a_disk_that_takes_two_names_for_one_is_refused_before_anything_is_written(
    bench: ExportBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.add_image("ONE", picture(90, 70, 4), key="other.tif")
    assert not bench.export(tmp_path / "sound", static=False).faults
    # None of the file systems here ignores case.
    assert not ignores_case(tmp_path)
    monkeypatch.setattr("vitrine.export.export.ignores_case", lambda folder: True)
    before = bench.downloads
    with pytest.raises(DiskUnfit, match='"ONE" and "one" differ only by case'):
        bench.export(tmp_path / "folding", static=False)
    assert bench.downloads == before


def test_a_dry_run_leaves_a_complete_export_complete(bench: ExportBench, tmp_path: Path) -> None:
    bench.export(tmp_path)
    before = read_tree(tmp_path / "data")
    bench.add_image("new", picture(90, 70, 4), key="new.tif")
    predicted = bench.export(tmp_path, only_predict=True)
    assert predicted.waiting["units"]
    assert not predicted.written
    assert read_tree(tmp_path / "data") == before
    assert list(check_bag(tmp_path)) == []


def test_an_estimate_is_of_what_this_run_writes_whatever_others_had_planned(
    bench: ExportBench, tmp_path: Path
) -> None:
    bench.export(tmp_path, pictures="masters", only_predict=True)
    planned = bench.export(tmp_path, pictures="none", static=False, only_predict=True).waiting
    done = bench.export(tmp_path, pictures="none", static=False)
    assert (done.waiting, done.removed) == (planned, 0)
    assert done.written == planned["units"]
    assert planned["bytes"] < 3 * done.total["bytes"]


def test_the_bytes_are_predicted(bench: ExportBench, tmp_path: Path) -> None:
    done = bench.export(tmp_path)
    blocks = {path.stat().st_ino: path.stat().st_blocks for path in (tmp_path / "data").rglob("*")}
    assert 0.6 < done.waiting["bytes"] / (512 * sum(blocks.values())) < 1.7


def test_two_exports_do_not_write_into_one_folder(bench: ExportBench, tmp_path: Path) -> None:
    with ExportLedger(tmp_path), pytest.raises(ExportBusy, match="choose another folder"):
        bench.export(tmp_path)


def test_a_service_that_does_not_answer_ends_the_run_and_the_next_continues(
    bench: ExportBench, tmp_path: Path
) -> None:
    def render(path: str) -> bytes:
        raise TransientError("the edge does not answer")

    from dataclasses import replace

    sound = bench.services
    bench.services = replace(sound, render=render)
    with pytest.raises(TransientError):
        bench.export(tmp_path)
    bench.services = sound
    assert bench.export(tmp_path).faults == []
    assert list(check_bag(tmp_path)) == []
