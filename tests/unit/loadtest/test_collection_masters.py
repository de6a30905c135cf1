"""The collection's images are different parts of one photograph, written once."""

from pathlib import Path

import pytest

from loadtest.corpora import collection_masters
from loadtest.corpora.collection_masters import make_masters


def test_images_differ_and_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection_masters, "IMAGES", 3)
    monkeypatch.setattr(collection_masters, "_SIZES", ((300, 200), (256, 400)))
    said: list[str] = []
    made = make_masters(tmp_path, said.append)
    assert [(master.width, master.height) for master in made] == [
        (300, 200),
        (256, 400),
        (300, 200),
    ]
    assert len({master.path.read_bytes() for master in made}) == 3
    assert make_masters(tmp_path, said.append) == made
    assert len(said) == 1
