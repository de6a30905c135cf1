"""The planner's command speaks in its own name."""

import pytest

from capacity.cli import build_app
from vitrine.cli.console.program import run_program


def test_wrong_usage_is_said_in_the_name_of_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        run_program(build_app(), ["nope"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("vitrine-capacity: No such command 'nope'.\n")
