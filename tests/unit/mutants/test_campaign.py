"""Verdicts on mutants: right on a busy machine, kept as they come, and read by somebody."""

import shutil
from pathlib import Path

import pytest

from tests.mutants import running
from tests.mutants.judging import Judge
from tests.mutants.mutations import Mutant, mutate_everywhere
from tests.mutants.verdicts import (
    REPOSITORY,
    Result,
    Verdict,
    VerdictFile,
    read_equivalent,
    report,
    verdict_on,
)

PLUGIN = "tests/mutants/progress_plugin.py"
CODE = "def double(number):\n    return number * 2\n"
SURE = "from little import double\ndef test_sure(): assert double(3) == 6\n"
UNSURE = """
from pathlib import Path
from little import double
def test_unsure():
    mark = Path("unsure")
    if not mark.exists():
        mark.touch()
        raise AssertionError("the machine is busy")
"""
BLIND = "from little import double\ndef test_blind(): assert double(0) == 0\n"


@pytest.fixture(autouse=True)
def _quick_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def mutant(source: str = "def double(number):\n    return number // 2\n") -> Mutant:
    return Mutant(
        path=REPOSITORY / "little.py",
        function="double",
        line=2,
        code="return number * 2",
        before="number * 2",
        after="number // 2",
        source=source,
    )


def judged(folder: Path, tests: str, changed: Mutant) -> Verdict:
    (folder / PLUGIN).parent.mkdir(parents=True)
    shutil.copy2(REPOSITORY / PLUGIN, folder / PLUGIN)
    (folder / "little.py").write_text(CODE)
    (folder / "test_little.py").write_text(tests)
    verdict = Judge(changed, folder, ["test_little.py"]).judge()
    assert (folder / "little.py").read_text() == CODE, "the next mutant finds the code as it was"
    return verdict


@pytest.mark.slow
def test_what_fails_once_does_not_count_and_what_fails_again_does(tmp_path: Path) -> None:
    verdict = judged(tmp_path, UNSURE + SURE, mutant())
    assert (verdict.result, verdict.test) == (Result.NOTICED, "test_little.py::test_sure")
    assert verdict.unsteady == ("test_little.py::test_unsure",)


@pytest.mark.slow
def test_a_mutant_that_only_unsure_tests_notice_is_in_doubt_and_without_them_it_survives(
    tmp_path: Path,
) -> None:
    unsure = judged(tmp_path / "unsure", UNSURE + BLIND, mutant())
    assert (unsure.result, unsure.unsteady) == (Result.DOUBT, ("test_little.py::test_unsure",))
    assert judged(tmp_path / "blind", BLIND, mutant()).result is Result.SURVIVED


@pytest.mark.slow
def test_a_mutant_that_never_ends_is_noticed_by_the_test_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "TEST_CPU_SECONDS", 2)
    circles = mutant("def double(number):\n    while True:\n        pass\n")
    verdict = judged(tmp_path, SURE, circles)
    assert (verdict.result, verdict.test) == (Result.NOTICED, "test_little.py::test_sure")
    assert verdict.error == "runs in circles"


@pytest.mark.slow
def test_a_file_of_tests_that_no_longer_imports_notices(tmp_path: Path) -> None:
    verdict = judged(tmp_path, SURE, mutant("raise ValueError\n"))
    assert (verdict.result, verdict.test) == (Result.NOTICED, "test_little.py")


def test_a_campaign_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    file = VerdictFile(tmp_path / "verdicts.jsonl")
    assert file.known(again=False) == {}
    noticed = verdict_on(mutant("1"), Result.NOTICED, test="a", unsteady=("b",))
    survived = verdict_on(mutant("2"), Result.SURVIVED)
    file.add(noticed)
    file.add(survived)
    assert list(file.known(again=False).values()) == [noticed, survived]
    assert list(file.known(again=True).values()) == [noticed]
    file.add(verdict_on(mutant("2"), Result.NOTICED, test="c"))
    assert file.known(again=False)[mutant("2").digest].test == "c", "the last word counts"


def test_those_in_doubt_count_as_not_noticed_and_equivalent_ones_not_at_all() -> None:
    results = [Result.NOTICED] * 19 + [Result.DOUBT] + [Result.EQUIVALENT] * 9
    text, is_enough = report(verdict_on(mutant(), result) for result in results)
    assert is_enough
    assert text.splitlines() == [
        "in doubt: little.py:2 double: number * 2 -> number // 2",
        "19 noticed, 0 survived, 9 equivalent, 1 in doubt",
        "19 of 20 mutants noticed, 95.0%",
    ]
    text, is_enough = report(verdict_on(mutant(), result) for result in results[1:])
    assert (is_enough, text.splitlines()[-1]) == (False, "18 of 19 mutants noticed, 94.7%")


@pytest.mark.parametrize("row", read_equivalent(), ids=lambda row: row["function"])
def test_every_equivalent_mutant_is_still_in_the_code_and_has_a_reason(row: dict[str, str]) -> None:
    assert set(row) == {"path", "function", "code", "before", "after", "reason"}
    assert row["reason"].endswith(".")
    assert (row["code"], row["before"], row["after"]) in [
        (one.code, one.before, one.after)
        for one in mutate_everywhere(REPOSITORY / row["path"], row["function"])
    ]
