"""Change a seeded sample of functions, one at a time, and see whether the unit tests notice.

Each mutant meets first the tests that import its module, then those of its stage, then all unit
tests of the service. What fails counts only if it passes without the mutant and fails with it once
more, so other work may run on the machine. `make mutants`, or `python -m tests.mutants.campaign`.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from random import Random

from rich.console import Console
from rich.progress import track

from tests.mutants.judging import REPOSITORY, STAGES, Copies, judge
from tests.mutants.mutations import Mutant, functions, mutate, mutate_everywhere
from tests.mutants.verdicts import Result, Verdict, VerdictFile, report

DURATION = (
    "A sample of 100 takes some 4,000 CPU seconds: about 40 minutes on two cores that do nothing "
    "else. It can be stopped, and goes on where it was with the same file of verdicts."
)


def candidates() -> Iterator[tuple[Path, str]]:
    """Yield the file and the name of each function that can be mutated."""
    for stage in STAGES:
        for path in sorted((REPOSITORY / "vitrine" / stage).rglob("*.py")):
            for name in functions(path):
                yield path, name


def sample(count: int, seed: int) -> list[Mutant]:
    """Return mutants of `count` functions, the same for the same seed and code."""
    random = Random(seed)
    all_ = list(candidates())
    chosen = random.sample(all_, min(count, len(all_)))
    return [mutate(path, name, random) for path, name in chosen]


def mutants_of(names: list[str]) -> list[Mutant]:
    """Return every mutant of the functions with these names; `x.py:name` is one of one file.

    Raise ValueError for a name that no function has.
    """
    mutants: list[Mutant] = []
    for requested in names:
        file, _, name = requested.rpartition(":")
        found = [
            mutant
            for path, function in candidates()
            if function == name and path.as_posix().endswith(file)
            for mutant in mutate_everywhere(path, function)
        ]
        if not found:
            raise ValueError(
                f"no function {requested} can be mutated, as Class.method or file:name"
            )
        mutants += found
    return mutants


def main() -> int:
    """Run the campaign; return the exit code."""
    chosen = _parser().parse_args()
    mutants = mutants_of(chosen.only) if chosen.only else sample(chosen.functions, chosen.seed)
    if chosen.list:
        for mutant in mutants:
            print(
                f"{mutant.path.relative_to(REPOSITORY)}:{mutant.line} {mutant.function}: "
                f"{mutant.before} -> {mutant.after}"
            )
        return 0
    file = VerdictFile(chosen.verdicts)
    known = file.known(again=chosen.again)
    verdicts = [known[mutant.digest] for mutant in mutants if mutant.digest in known]
    waiting = [mutant for mutant in mutants if mutant.digest not in known]
    with (
        tempfile.TemporaryDirectory(prefix="mutants-") as folder,
        ThreadPoolExecutor(chosen.workers) as pool,
    ):
        copies = Copies(Path(folder), chosen.tests)
        judged = as_completed([pool.submit(judge, mutant, copies) for mutant in waiting])
        console = Console(stderr=True)
        for future in track(judged, "mutants", total=len(waiting), console=console):
            verdict: Verdict = future.result()
            verdicts.append(verdict)
            file.add(verdict)
            if verdict.result in (Result.SURVIVED, Result.DOUBT):
                print(f"{verdict.result}: {verdict.describe()}", flush=True)
    text, is_enough = report(verdicts)
    print(text)
    return 0 if is_enough else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tests.mutants.campaign", description=__doc__, epilog=DURATION
    )
    parser.add_argument(
        "--functions", type=int, default=100, help="How many functions are drawn. Default: 100."
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="Equal seeds draw equal samples. Default: 1."
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        help="Instead of a sample, make every mutant of these functions: Class.method, or "
        "file.py:name where files share a name.",
    )
    parser.add_argument(
        "--tests",
        nargs="+",
        default=(),
        metavar="PATH",
        help="Run these tests alone, as while promises are written for a function.",
    )
    parser.add_argument(
        "--workers", type=int, default=2, help="How many mutants are tried at a time. Default: 2."
    )
    parser.add_argument(
        "--verdicts",
        type=Path,
        metavar="FILE",
        help="Append each verdict to this file, as a line of JSON, and try only the mutants that "
        "have none in it. Remove it when code or tests have changed.",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="Also try the mutants again that the file says survived or are in doubt.",
    )
    parser.add_argument("--list", action="store_true", help="List the mutants, and run no tests.")
    return parser


if __name__ == "__main__":
    sys.exit(main())
