"""Progress where there is no terminal."""

import pytest

from vitrine.cli.console.printing import ProgressLines


def test_a_line_is_printed_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    seconds = iter([0.0, 1.0, 10.0, 10.0, 19.0, 20.5, 20.5])
    lines = ProgressLines("objects", 2_400, lambda: next(seconds))
    for done in (1, 900, 1_200, 1_300):
        lines.show(done)
    printed = capsys.readouterr().err.splitlines()
    assert printed == ["vitrine: objects: 900 of 2,400", "vitrine: objects: 1,300 of 2,400"]
