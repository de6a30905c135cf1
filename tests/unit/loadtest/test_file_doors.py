"""Doors that read photographs from a folder get each under a name of its own."""

from pathlib import Path

from loadtest.rigs.photo_doors.file_doors import Shelf


def test_each_request_has_a_name_of_its_own_for_as_long_as_it_takes(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.open(tmp_path / "photographs")
    with shelf.place(b"one") as first, shelf.place(b"one") as second, shelf.place(b"two") as third:
        found = {name: (tmp_path / "photographs" / name).read_bytes() for name in (first, second)}
        assert found == {first: b"one", second: b"one"}
        assert (tmp_path / "photographs" / third).read_bytes() == b"two"
    left = {path.name for path in (tmp_path / "photographs").iterdir()}
    assert not left & {first, second, third}


def test_a_door_that_starts_again_has_the_photographs_again(tmp_path: Path) -> None:
    shelf = Shelf()
    for name in ("a", "b"):
        shelf.open(tmp_path / name)
        with shelf.place(b"one") as photograph:
            assert (tmp_path / name / photograph).read_bytes() == b"one"
