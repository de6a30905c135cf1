"""Verdicts on mutants: kept one a line as they come, so that a campaign can be gone on with."""

import json
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from tests.mutants.mutations import Mutant

REPOSITORY = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
GOAL = 0.95
"""Share of the mutants that are not equivalent that tests must notice."""


class Result(StrEnum):
    """The result of judging a mutant."""

    NOTICED = "noticed"
    """A test fails with it, passes without it, and fails with it again."""
    SURVIVED = "survived"
    """No test fails."""
    EQUIVALENT = "equivalent"
    """No test can fail: a reader says so in equivalent.toml, with the reason."""
    DOUBT = "in doubt"
    """Tests failed with it, but also without it, or not again."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result for one mutant, and how it is known."""

    path: str
    function: str
    line: int
    before: str
    after: str
    digest: str
    """Digest of the mutated file: of another version of the code, a verdict says nothing."""
    result: Result
    round: str = ""
    """Round of tests that noticed: `importers`, `stage` or `unit`."""
    test: str = ""
    """Test that failed: to be read, since a test may fail for another reason."""
    error: str = ""
    """The end of what it said."""
    unsteady: tuple[str, ...] = ()
    """Tests that failed and did not count, as they fail without the mutant, or not again."""

    def describe(self) -> str:
        """Return the change on one line."""
        return f"{self.path}:{self.line} {self.function}: {self.before} -> {self.after}"


class VerdictFile:
    """Verdicts in JSON lines, appended to as they come. `path` None: kept nowhere."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def known(self, *, again: bool) -> dict[str, Verdict]:
        """Return what is known by digest; with `again`, only what was noticed."""
        if not self._path or not self._path.exists():
            return {}
        rows = [json.loads(line) for line in self._path.read_text().splitlines()]
        verdicts = [
            Verdict(**row | {"result": Result(row["result"]), "unsteady": tuple(row["unsteady"])})
            for row in rows
        ]
        return {one.digest: one for one in verdicts if not again or one.result is Result.NOTICED}

    def add(self, verdict: Verdict) -> None:
        """Append a verdict."""
        if self._path:
            with self._path.open("a") as file:
                file.write(json.dumps(asdict(verdict)) + "\n")


def verdict_on(
    mutant: Mutant,
    result: Result,
    *,
    round: str = "",
    test: str = "",
    error: str = "",
    unsteady: tuple[str, ...] = (),
) -> Verdict:
    """Return the verdict on a mutant of this repository."""
    return Verdict(
        path=mutant.path.relative_to(REPOSITORY).as_posix(),
        function=mutant.function,
        line=mutant.line,
        before=mutant.before,
        after=mutant.after,
        digest=mutant.digest,
        result=result,
        round=round,
        test=test,
        error=error,
        unsteady=unsteady,
    )


def read_equivalent() -> list[dict[str, str]]:
    """Return the rows of equivalent.toml."""
    rows: list[dict[str, str]] = tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])
    return rows


def is_judged_equivalent(mutant: Mutant) -> bool:
    """Return whether a reader says that no test can notice this mutant."""
    path = mutant.path.relative_to(REPOSITORY).as_posix()
    known = {"path": path, "function": mutant.function, "code": mutant.code}
    known |= {"before": mutant.before, "after": mutant.after}
    return any(row | known == row for row in read_equivalent())


def report(verdicts: Iterable[Verdict]) -> tuple[str, bool]:
    """Return the report, and whether enough mutants were noticed. Those in doubt were not."""
    all_ = list(verdicts)
    lines: list[str] = []
    for result in (Result.SURVIVED, Result.DOUBT):
        for one in all_:
            if one.result is result:
                tests = f" ({', '.join(one.unsteady)})" if one.unsteady else ""
                lines.append(f"{result}: {one.describe()}{tests}")
    counts = {result: sum(one.result is result for one in all_) for result in Result}
    lines.append(", ".join(f"{counts[result]} {result}" for result in Result))
    judged = len(all_) - counts[Result.EQUIVALENT]
    share = counts[Result.NOTICED] / judged if judged else 1.0
    lines.append(f"{counts[Result.NOTICED]} of {judged} mutants noticed, {share:.1%}")
    return "\n".join(lines), share >= GOAL
