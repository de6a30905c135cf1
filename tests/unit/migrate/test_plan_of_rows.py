"""Rows become a plan: where each source is, its key, and which rows are rejected."""

import pytest

from tests.unit.migrate.museum import BUCKET, Museum
from vitrine.errors import MigrationUnusable
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.planned_row import PlannedRow, RowResult
from vitrine.migrate.prepare import Collection, prepare_plan
from vitrine.migrate.sources import MasterSources, SourceUnusable
from vitrine.ports import KeyPage


def rejected_rows(plan: MigrationPlan) -> list[tuple[int, str]]:
    found = [
        (row["line"], code)
        for state, code in plan.reasons()
        for row in plan.unsuccessful(state, code)
    ]
    return sorted(found)


def test_a_source_is_a_file_a_key_or_an_address(museum: Museum) -> None:
    museum.file("manifests/scans/ä b%20c.tif")
    manifest = museum.manifest(
        "source\nscans/ä b%20c.tif\nkeys/in the bucket.tif\n"
        f"s3://{BUCKET}/k.tif\ns3://lab/2026/n.tif\n",
        "manifests/m.csv",
    )
    plan = MigrationPlan(":memory:")
    prepare_plan(plan, Collection(place=manifest), "local", museum.services)
    rows = list(plan.all_waiting())
    assert [(row.kind, row.key, row.identifier) for row in rows] == [
        ("file", "scans/ä b%20c.tif", "ä b%20c"),
        ("master", "keys/in the bucket.tif", "in the bucket"),
        ("master", "k.tif", "k"),
        ("foreign", "lab/2026/n.tif", "n"),
    ]
    assert rows[3].place == "lab/2026/n.tif"


def test_a_file_has_one_key_however_its_path_is_written(museum: Museum) -> None:
    picture = museum.file("maps/scans/001.tif")
    museum.file("elsewhere/d.tif")
    (museum.folder / "link").symlink_to(museum.folder / "maps")
    sources = [
        *("scans/001.tif", "../maps/scans/001.tif", "scans/../../link/scans/001.tif"),
        *("../link/scans/001.tif", str(picture), "../elsewhere/d.tif"),
    ]
    text = "source,owned_by\n" + "".join(f"{source},a/b\n" for source in sources)
    museum.manifest(text, "maps/m.csv")
    found = []
    for place in ("maps/m.csv", "maps/../link/m.csv"):
        folder = (museum.folder / place).parent
        resolved = MasterSources(folder, BUCKET)
        found += [_resolved_key(resolved, source) for source in sources]
        plan = MigrationPlan(":memory:")
        prepare_plan(plan, Collection(place=folder / "m.csv"), "local", museum.services)
        assert plan.owners() == ["a/b"]
        assert [row.key for row in plan.all_waiting()] == ["a%2Fb/scans/001.tif"]
    assert found == [*["scans/001.tif"] * 5, "source-unusable"] * 2


def _resolved_key(sources: MasterSources, source: str) -> str:
    try:
        return sources.resolve(source).key
    except SourceUnusable as error:
        return error.problem.code


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("folder", "source-unusable"),
        ("scans/2026/,x", "source-unusable"),
        ("s3://lab/", "source-unusable"),
        (f"s3://{BUCKET}/", "source-unusable"),
        ("x" * 1_025, "source-unusable"),
        ("a.tif,.", "identifier-invalid"),
        ("a.tif,ingest", "identifier-invalid"),
        (f"a.tif,{'x' * 256}", "identifier-invalid"),
        ('a.tif,"a\nb"', "identifier-invalid"),
        ("a.tif,x,y", "bad-row"),
    ],
)
def test_a_row_that_cannot_be_migrated_is_refused_with_its_line(
    museum: Museum, row: str, code: str
) -> None:
    museum.file("folder/b.tif")
    plan = museum.plan(f"source,identifier\n{row}\nb.tif,B\n")
    assert [line for line, found in rejected_rows(plan)] == [2]
    assert rejected_rows(plan)[0][1] == code
    assert [item.identifier for item in plan.all_waiting()] == ["B"]


def test_of_one_identifier_for_several_masters_none_is_meant(museum: Museum) -> None:
    plan = museum.plan("source,identifier\na.tif,A\nb.tif,A\nc.tif,\nx/c.tif,\nd.tif,\n")
    assert rejected_rows(plan) == [(line, "duplicate-identifier") for line in (2, 3, 4, 5)]
    assert [row.key for row in plan.all_waiting()] == ["d.tif"]


def test_identifiers_that_look_alike_are_alike(museum: Museum) -> None:
    plan = museum.plan("source,identifier\na.tif,Nächte\nb.tif,Na\u0308chte\n")
    assert rejected_rows(plan) == [(2, "duplicate-identifier"), (3, "duplicate-identifier")]


def test_the_same_row_again_is_migrated_once(museum: Museum) -> None:
    plan = museum.plan(f"source,identifier\na.tif,A\ns3://{BUCKET}/a.tif,A\na.tif,A\n")
    assert rejected_rows(plan) == [(3, "duplicate-source"), (4, "duplicate-source")]
    assert [row.line for row in plan.all_waiting()] == [2]


def test_of_two_identifiers_for_one_master_none_is_meant(museum: Museum) -> None:
    plan = museum.plan("source,identifier\na.tif,A\na.tif,B\n")
    assert rejected_rows(plan) == [(2, "duplicate-source"), (3, "duplicate-source")]


def test_a_prefix_gives_its_masters_without_folders_and_deleted_ones(museum: Museum) -> None:
    for key in ("s", "s/", "s/1.tif", "s/12.tif", "s/x/", "s/x/13.tif", "sz.tif", "r.tif"):
        museum.put(key)
    museum.masters.delete("s/12.tif")

    def keys(prefix: str) -> list[str]:
        plan = MigrationPlan(":memory:")
        prepare_plan(plan, Collection(prefix=prefix), "local", museum.services)
        assert rejected_rows(plan) == []
        return [row.key for row in plan.all_waiting()]

    assert keys("s/") == ["s/1.tif", "s/x/13.tif"]
    assert keys("s") == ["s", "s/1.tif", "s/x/13.tif", "sz.tif"]
    assert keys("s/1.tif") == ["s/1.tif"]


def test_nothing_to_migrate_is_a_sentence_and_holds_for_this_time_only(museum: Museum) -> None:
    plan, prefix = MigrationPlan(":memory:"), Collection(prefix="zzz/")
    with pytest.raises(MigrationUnusable, match="no key of the masters bucket begins with 'zzz/'"):
        prepare_plan(plan, prefix, "local", museum.services)
    museum.put("zzz/1.tif")
    prepare_plan(plan, prefix, "local", museum.services)
    assert [row.key for row in plan.all_waiting()] == ["zzz/1.tif"]
    museum.file("f/notes.txt")
    for place in (museum.folder / "f", museum.manifest("source\n", "empty.csv")):
        with pytest.raises(MigrationUnusable, match="There is nothing to migrate"):
            prepare_plan(MigrationPlan(":memory:"), Collection(place=place), "x", museum.services)


def test_a_plan_that_could_not_be_filled_is_filled_again(museum: Museum) -> None:
    plan = MigrationPlan(":memory:")

    def broken() -> list[PlannedRow]:
        yield PlannedRow(line=1, source="a", key="a", identifier="a")  # type: ignore[misc]
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        plan.fill(broken())
    assert plan.counts()["waiting"] == 0


def test_the_same_manifest_goes_on_and_another_starts_over(museum: Museum) -> None:
    plan = museum.plan("source\na.tif\nb.tif\n")
    plan.record_results([(2, RowResult(state="published")), (3, RowResult(state="failed"))])
    begun = plan.fact("begun_at")
    museum.plan("source\na.tif\nb.tif\n", plan)
    assert plan.counts()["published"] == plan.counts()["waiting"] == 1
    assert plan.fact("begun_at") == begun
    museum.plan("source\na.tif\nb.tif\nc.tif\n", plan)
    assert plan.counts()["waiting"] == 3
    plan.set_fact("ended_at", "now")
    museum.plan("source\na.tif\nb.tif\nc.tif\n", plan)
    assert plan.counts()["waiting"] == 3


def test_a_folder_passes_over_what_is_no_image_and_says_so(museum: Museum) -> None:
    for name in ("d/a.tif", "d/Thumbs.db", "d/b/a.xmp", "d/b/notes.txt"):
        museum.file(name)
    plan, skipped = MigrationPlan(":memory:"), list[str]()
    folder = Collection(place=museum.folder / "d")
    prepare_plan(plan, folder, "local", museum.services, on_skip=skipped.append)
    assert [row.key for row in plan.all_waiting()] == ["a.tif"]
    assert skipped == ["Thumbs.db", "b/a.xmp", "b/notes.txt"]


def test_names_from_a_mac_are_uploaded_composed(museum: Museum) -> None:
    museum.file("e/A\u030angstro\u0308m.tif")
    plan = MigrationPlan(":memory:")
    prepare_plan(plan, Collection(place=museum.folder / "e"), "local", museum.services)
    assert [row.key for row in plan.all_waiting()] == ["\u00c5ngstr\u00f6m.tif"]


def test_a_listing_of_a_prefix_ends_with_its_last_key_and_not_with_an_empty_page(
    museum: Museum, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3 may send a page without keys in the middle of a listing."""
    for key in ("a.tif", "p/x.tif", "p/y.tif", "q/u.tif", "q/v.tif", "q/w.tif"):
        museum.put(key)
    pages_read: list[str] = []
    whole = museum.masters.list_keys

    def list_keys(after: str, limit: int, prefix: str) -> KeyPage:
        pages_read.append(after)
        if after == "p/x.tif" and pages_read.count(after) == 1:
            return KeyPage([], after)
        return whole(after, 1, prefix=prefix)

    monkeypatch.setattr(museum.masters, "list_keys", list_keys)
    plan = MigrationPlan(":memory:")
    prepare_plan(plan, Collection(prefix="p/"), "local", museum.services)
    assert [row.key for row in plan.all_waiting()] == ["p/x.tif", "p/y.tif"]
    assert pages_read == ["p/", "p/x.tif", "p/x.tif"]


def test_hidden_files_and_folders_are_left_out_and_links_lead_nowhere(museum: Museum) -> None:
    for name in ("f/b.tif", "f/a/y.tif", "f/a/x.tif", "f/.hidden.tif", "f/.git/c.tif"):
        museum.file(name)
    (museum.folder / "f/lost.tif").symlink_to("nowhere")
    (museum.folder / "f/a/up").symlink_to(museum.folder / "f")
    plan = MigrationPlan(":memory:")
    prepare_plan(plan, Collection(place=museum.folder / "f"), "local", museum.services)
    assert [row.key for row in plan.all_waiting()] == ["b.tif", "a/x.tif", "a/y.tif"]


def test_a_path_may_be_as_long_as_a_key_of_s3(museum: Museum) -> None:
    folder = "/".join(["d" * 200] * 5)
    museum.file(f"f/{folder}/{'x' * 15}.tif")
    museum.file(f"f/{folder}/{'y' * 16}.tif")
    plan = MigrationPlan(":memory:")
    prepare_plan(plan, Collection(place=museum.folder / "f"), "local", museum.services)
    assert [len(row.key) for row in plan.all_waiting()] == [1_024]
    assert rejected_rows(plan) == [(2, "source-unusable")]
