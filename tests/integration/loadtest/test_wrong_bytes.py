"""Whatever a store sends or a disk keeps, no answer of the real image task has wrong bytes."""

from loadtest.drills.wrong_bytes import REPORT, broken_promises, measure_wrong_bytes
from tests.unit.loadtest.shown_report import text_of
from vitrine.bootstrap.local_service import REPOSITORY

SCRATCH = REPOSITORY / ".build/studies"
"""Folder of the command: the picture is made once."""


def test_no_answer_has_wrong_bytes_while_store_and_disk_change_them() -> None:
    figures = measure_wrong_bytes(rounds=3, clients=3, scratch=SCRATCH, progress=lambda line: None)
    assert broken_promises(figures) == []
    sound, store, disk, kept = figures["parts"].values()
    assert sound["refused"] == 0
    assert store["changed_reads"] > 20
    assert disk["damages"] > 1_000
    assert kept["damages"] > 10
    assert kept["kept_answers"] > 20
    for part in (store, disk, kept):
        assert (part["requests"], part["afterwards"]) == (1_200, 400)
        assert part["refused"] < part["requests"] / 4
    assert "wrong bytes" in text_of(REPORT, figures)
