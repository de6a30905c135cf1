"""One command at a time on a folder, which leaves no trace if it does nothing there."""

import threading
from pathlib import Path

import pytest

from vitrine.local.lock import hold_folder


def test_a_folder_that_nothing_was_put_into_is_gone_again(tmp_path: Path) -> None:
    directory = tmp_path / "made" / "for" / "it"
    with pytest.raises(RuntimeError), hold_folder(directory):
        raise RuntimeError("refused")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_there_or_holds_something_stays(tmp_path: Path) -> None:
    with hold_folder(tmp_path / "used"):
        (tmp_path / "used" / "data").touch()
    with hold_folder(tmp_path / "used"):
        pass
    (tmp_path / "empty").mkdir()
    with hold_folder(tmp_path / "empty"):
        pass
    assert (tmp_path / "used" / "data").exists()
    assert (tmp_path / "empty").is_dir()


def test_never_two_at_once_even_when_the_folder_comes_and_goes(tmp_path: Path) -> None:
    inside: list[int] = []
    together = 0

    def enter(number: int) -> None:
        nonlocal together
        for _ in range(20):
            with hold_folder(tmp_path / "a" / "b"):
                inside.append(number)
                together = max(together, len(inside))
                inside.remove(number)

    threads = [threading.Thread(target=enter, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    assert together == 1


def test_a_folder_that_cannot_be_made_is_reported_with_the_cure(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(OSError, match=r"cannot be used .*VITRINE_LOCAL_DIRECTORY=/path"),
        hold_folder(tmp_path / "file" / "folder"),
    ):
        pass
