"""Verdicts on mutants are right on a busy machine, and equivalent ones are read by somebody."""

from pathlib import Path

import pytest

from tests.mutants import campaign
from tests.mutants.campaign import REPOSITORY, is_noticed, read_equivalent
from tests.mutants.mutations import Mutant, mutate_everywhere

CODE = "def double(number):\n    return number * 2\n"
HALVED = CODE.replace("* 2", "// 2")
IN_CIRCLES = "def double(number):\n    while True:\n        pass\n"
SURE = "from little import double\ndef test_sure(): assert double(3) == 6\n"
BLIND = "from little import double\ndef test_blind(): assert double(0) == 0\n"
UNSURE = """
from pathlib import Path
def test_unsure():
    raise AssertionError("the machine is busy")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tests", "source", "expected"),
    [
        pytest.param(UNSURE + SURE, HALVED, True, id="what fails without it does not count"),
        pytest.param(UNSURE + BLIND, HALVED, False, id="nor is it enough alone"),
        pytest.param(SURE, IN_CIRCLES, True, id="it never ends"),
        pytest.param(SURE, "raise ValueError\n", True, id="it cannot be imported"),
    ],
)
def test_a_mutant_is_noticed_by_what_passes_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tests: str, source: str, expected: bool
) -> None:
    monkeypatch.setattr(campaign, "TEST_SECONDS", 2)
    (tmp_path / "little.py").write_text(CODE)
    (tmp_path / "test_little.py").write_text(tests)
    mutant = Mutant(
        path=REPOSITORY / "little.py",
        function="double",
        line=2,
        code="return number * 2",
        before="number * 2",
        after="",
        source=source,
    )
    assert is_noticed(mutant, tmp_path, ["test_little.py"]) is expected
    assert (tmp_path / "little.py").read_text() == CODE, "the next mutant finds the code as it was"


@pytest.mark.parametrize("row", read_equivalent(), ids=lambda row: row["function"])
def test_every_equivalent_mutant_is_still_in_the_code_and_has_a_reason(row: dict[str, str]) -> None:
    assert set(row) == {"path", "function", "code", "before", "after", "reason"}
    assert row["reason"].endswith(".")
    assert (row["code"], row["before"], row["after"]) in [
        (one.code, one.before, one.after)
        for one in mutate_everywhere(REPOSITORY / row["path"], row["function"])
    ]
