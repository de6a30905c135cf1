"""Which files are uploaded."""

from pathlib import Path

from vitrine.local.masters import group_by_name, list_files


def test_files_of_one_name_in_two_folders_are_found(tmp_path: Path) -> None:
    for name in ("1/recto.tif", "2/recto.tif", "2/verso.tif", ".hidden/verso.tif"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    twins = group_by_name(list_files(tmp_path))
    assert twins == [[tmp_path / "1" / "recto.tif", tmp_path / "2" / "recto.tif"]]
