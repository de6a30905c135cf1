"""What became of texts and annotations is said file by file, faults before notes."""

from vitrine.cli.collection.display import SHOWN, text_lines
from vitrine.sources.updates.read_texts import TextReport


def test_a_note_is_not_called_unread() -> None:
    report = TextReport(read=1, refused=[("a.json", "no JSON")], notes=[("b.json", "no moment")])
    assert list(text_lines("Annotations", report)) == [
        "Annotations: 1 pages read, 0 were up to date",
        "  a.json: not read: no JSON",
        "  b.json: no moment",
    ]


def test_faults_and_notes_are_shown_up_to_one_limit() -> None:
    report = TextReport(refused=[("a", "b")] * SHOWN, notes=[("c", "d")] * 3)
    assert list(text_lines("Annotations", report))[-1] == "  and 3 more: --json has all"
