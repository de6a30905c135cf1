"""How a verdict on a mutant comes about: rounds of tests in a copy, and the confirmation."""

import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.mutants.mutations import Mutant
from tests.mutants.running import Failure, first_failure
from tests.mutants.verdicts import REPOSITORY, Result, Verdict, is_judged_equivalent, verdict_on

STAGES = (
    "api",
    "catalogue",
    "deliver",
    "edge",
    "export",
    "identify",
    "iiif",
    "ingest",
    "migrate",
    "search",
    "site",
    "sources",
    "store",
    "text",
)
MAX_UNSTEADY = 5
"""Tests of one mutant that fail by themselves, after which it is in doubt."""


def rounds_of_tests(mutant: Mutant) -> Iterable[tuple[str, list[str]]]:
    """Yield (name, arguments for pytest), from the likeliest tests to notice to all others."""
    module = mutant.path.relative_to(REPOSITORY).with_suffix("").as_posix().replace("/", ".")
    unit = REPOSITORY / "tests/unit"
    importers = [
        path.relative_to(REPOSITORY).as_posix()
        for path in sorted(unit.rglob("test_*.py"))
        if f"{module} import" in path.read_text()
    ]
    stage = module.split(".")[1]
    if importers:
        yield "importers", importers
    done = [f"--ignore={path}" for path in importers]
    yield "stage", [f"tests/unit/{stage}", *done]
    others = [name for name in ("adapters", "cli", "lambdas", *STAGES) if name != stage]
    yield "unit", [*(f"tests/unit/{name}" for name in others), *done]


class Copies:
    """Copies of the repository for mutants to live in, one for each worker."""

    def __init__(self, folder: Path, tests: Sequence[str] = ()) -> None:
        self._folder = folder
        self.tests = tests
        """All that are run, where these are not the three rounds."""
        self._local = threading.local()

    def mine(self) -> Path:
        """Return this thread's copy, made when it is first asked for."""
        if not hasattr(self._local, "path"):
            self._local.path = Path(tempfile.mkdtemp(dir=self._folder))
            for name in _list_files():
                target = self._local.path / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(REPOSITORY / name, target)
            for name in (".venv", ".build", "node_modules"):
                (self._local.path / name).symlink_to(REPOSITORY / name)
            # Where a test cannot be imported without any mutant, it would notice all of them.
            if failure := first_failure(
                ["--collect-only", *(self.tests or ["tests/unit"])], self._local.path
            ):
                raise RuntimeError(f"in a copy without a mutant: {failure}")
        path: Path = self._local.path
        return path


def _list_files() -> list[str]:
    """Return the repository's files as they lie there, those not committed yet among them."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if (REPOSITORY / name).is_file()]


class Judge:
    """Runs the tests on a mutant in a copy, until one notices it beyond doubt."""

    def __init__(self, mutant: Mutant, copy: Path, tests: Sequence[str]) -> None:
        self._mutant, self._copy = mutant, copy
        self._rounds = [("chosen", list(tests))] if tests else rounds_of_tests(mutant)
        self._file = copy / mutant.path.relative_to(REPOSITORY)
        self._original = self._file.read_text()
        self._unsteady: list[str] = []

    def judge(self) -> Verdict:
        """Return the verdict."""
        try:
            for name, arguments in self._rounds:
                if failure := self._run(arguments):
                    return verdict_on(
                        self._mutant,
                        Result.NOTICED,
                        round=name,
                        test=failure.test,
                        error=failure.error,
                        unsteady=tuple(self._unsteady),
                    )
        finally:
            self._file.write_text(self._original)
        result = Result.DOUBT if self._unsteady else Result.SURVIVED
        return verdict_on(self._mutant, result, unsteady=tuple(self._unsteady))

    def _run(self, arguments: list[str]) -> Failure | None:
        """Return what failed and would not have failed without the mutant, if anything did."""
        while len(self._unsteady) < MAX_UNSTEADY:
            self._file.write_text(self._mutant.source)
            deselected = [f"--deselect={test}" for test in self._unsteady]
            failure = first_failure([*arguments, *deselected], self._copy)
            if not failure or self._is_confirmed(failure):
                return failure
            self._unsteady.append(failure.test)
        return None

    def _is_confirmed(self, failure: Failure) -> bool:
        self._file.write_text(self._original)
        if first_failure([failure.test], self._copy):
            return False
        self._file.write_text(self._mutant.source)
        return first_failure([failure.test], self._copy) is not None


def judge(mutant: Mutant, copies: Copies) -> Verdict:
    """Return the verdict on a mutant."""
    if is_judged_equivalent(mutant):
        return verdict_on(mutant, Result.EQUIVALENT)
    return Judge(mutant, copies.mine(), copies.tests).judge()
