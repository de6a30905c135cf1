"""Which files are uploaded."""

from pathlib import Path

from vitrine.local.masters import group_by_name, list_files, list_side_files
from vitrine.store.side_files import describe_skipped


def test_files_of_one_name_in_two_folders_are_found(tmp_path: Path) -> None:
    for name in ("1/recto.tif", "2/recto.tif", "2/verso.tif", ".hidden/verso.tif"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    twins = group_by_name(list_files(tmp_path))
    assert twins == [[tmp_path / "1" / "recto.tif", tmp_path / "2" / "recto.tif"]]


def test_other_files_next_to_images_are_passed_over_and_named(tmp_path: Path) -> None:
    for name in ("a.tif", "Thumbs.db", "desktop.ini", "a.xmp", "notes.txt", "sub/B.XMP", "b.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [path.name for path in list_files(tmp_path)] == ["a.tif", "b.jpg"]
    assert list_files(tmp_path / "notes.txt") == [tmp_path / "notes.txt"], "asked for by name"
    assert describe_skipped(list_side_files(tmp_path)) == (
        "skipped 5 files without images: Thumbs.db, a.xmp, desktop.ini and 2 more"
    )


def test_a_name_from_a_mac_and_the_same_from_elsewhere_are_one_master(tmp_path: Path) -> None:
    composed, decomposed = "\u00c5.png", "A\u030a.png"
    (tmp_path / "1").mkdir()
    (tmp_path / composed).touch()
    (tmp_path / "1" / decomposed).touch()
    [twins] = group_by_name(list_files(tmp_path))
    assert len(twins) == 2
