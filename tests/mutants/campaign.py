"""Change a seeded sample of functions, one at a time, and see whether the unit tests notice.

Each mutant meets first the tests that import its module, then those of its stage, then all unit
tests of the service. A test that fails counts only if it passes without the mutant, so other work
may run on the machine. `make mutants`, or `python -m tests.mutants.campaign`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from random import Random

from rich.console import Console
from rich.progress import track

from tests.mutants.mutations import Mutant, functions, mutate, mutate_everywhere

REPOSITORY = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
STAGES = (
    *("api", "catalogue", "deliver", "edge", "export", "identify", "iiif", "ingest", "migrate"),
    *("proposal", "search", "site", "sources", "store", "text"),
)
GOAL = 0.95
"""Share of the mutants that are not equivalent that tests must notice."""
TEST_SECONDS = 600
"""Seconds of one test, after which it runs in circles, however busy the machine is."""
MAX_UNSTEADY = 5
"""Tests of one mutant that fail without it too, after which it counts as not noticed."""
MEMORY_KIB = 12 << 20
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


def sample(count: int, seed: int) -> list[Mutant]:
    """Return mutants of `count` functions, the same for the same seed and code."""
    random = Random(seed)
    all_ = list(_candidates())
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
            for path, function in _candidates()
            if function == name and path.as_posix().endswith(file)
            for mutant in mutate_everywhere(path, function)
        ]
        if not found:
            raise ValueError(
                f"no function {requested} can be mutated; use Class.method or file:name"
            )
        mutants += found
    return mutants


def _candidates() -> Iterator[tuple[Path, str]]:
    """Yield the file and the name of each function that can be mutated."""
    for stage in STAGES:
        for path in sorted((REPOSITORY / "vitrine" / stage).rglob("*.py")):
            for name in functions(path):
                yield path, name


def describe(mutant: Mutant) -> str:
    """Return the change on one line."""
    place = f"{mutant.path.relative_to(REPOSITORY)}:{mutant.line}"
    return f"{place} {mutant.function}: {mutant.before} -> {mutant.after}"


def read_equivalent() -> list[dict[str, str]]:
    """Return the mutants that no test can notice, as a reader says in equivalent.toml."""
    rows: list[dict[str, str]] = tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])
    return rows


def is_equivalent(mutant: Mutant) -> bool:
    """Return True for a mutant of equivalent.toml."""
    known = {"path": mutant.path.relative_to(REPOSITORY).as_posix(), "function": mutant.function}
    known |= {"code": mutant.code, "before": mutant.before, "after": mutant.after}
    return any(row | known == row for row in read_equivalent())


def rounds_of_tests(mutant: Mutant) -> Iterator[list[str]]:
    """Yield arguments for pytest, from the likeliest tests to notice to all others."""
    module = mutant.path.relative_to(REPOSITORY).with_suffix("").as_posix().replace("/", ".")
    importers = [
        path.relative_to(REPOSITORY).as_posix()
        for path in sorted((REPOSITORY / "tests/unit").rglob("test_*.py"))
        if f"{module} import" in path.read_text()
    ]
    stage = module.split(".")[1]
    if importers:
        yield importers
    done = [f"--ignore={path}" for path in importers]
    yield [f"tests/unit/{stage}", *done]
    yield [f"tests/unit/{one}" for one in ("adapters", "cli", "lambdas", *STAGES) if one != stage]


def copy_repository(folder: Path) -> Path:
    """Return a copy for mutants to live in, of the files as they are, committed or not."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    for name in listed.stdout.splitlines():
        if (REPOSITORY / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, folder / name)
    for name in (".venv", ".build", "node_modules"):
        (folder / name).symlink_to(REPOSITORY / name)
    return folder


def first_failure(arguments: Sequence[str], folder: Path) -> str:
    """Run tests until one fails; return its name, "" if none does.

    A process that dies is called after its first argument. Raise RuntimeError if pytest cannot run.
    """
    options = ["-q", "-x", "-rfE", "-p", "no:cacheprovider", "-o", "console_output_style=classic"]
    command = [sys.executable, "-m", "pytest", *options, f"--timeout={TEST_SECONDS}", *arguments]
    done = subprocess.run(
        ["sh", "-c", f'ulimit -v {MEMORY_KIB}; exec "$@"', "sh", *command],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    # 5: nothing is left to run, as all of it was deselected.
    if done.returncode in (0, 5):
        return ""
    if found := FAILED.search(done.stdout):
        return found[1]
    if done.returncode < 0:
        return arguments[0]
    raise RuntimeError(f"pytest ended with {done.returncode}: {done.stdout[-500:]}")


def is_noticed(mutant: Mutant, copy: Path, tests: Sequence[str] = ()) -> bool:
    """Return True if a test fails on the mutant that passes without it.

    `tests` in place of the three rounds; the copy is as it was afterwards.
    """
    file = copy / mutant.path.relative_to(REPOSITORY)
    original, unsteady = file.read_text(), list[str]()
    try:
        for arguments in [list(tests)] if tests else rounds_of_tests(mutant):
            while len(unsteady) < MAX_UNSTEADY:
                file.write_text(mutant.source)
                failed = first_failure([*arguments, *map("--deselect={}".format, unsteady)], copy)
                if not failed:
                    break
                file.write_text(original)
                if not first_failure([failed], copy):
                    return True
                unsteady.append(failed)
    finally:
        file.write_text(original)
    return False


def run(mutants: list[Mutant], workers: int, tests: Sequence[str]) -> bool:
    """Try the mutants, print every survivor, and return True if enough were noticed."""
    copies: SimpleQueue[Path] = SimpleQueue()

    def try_one(mutant: Mutant) -> bool:
        copy = copies.get()
        try:
            noticed = is_noticed(mutant, copy, tests)
        finally:
            copies.put(copy)
        if not noticed:
            print(f"survived: {describe(mutant)}", flush=True)
        return noticed

    tried = [mutant for mutant in mutants if not is_equivalent(mutant)]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        for number in range(workers):
            copies.put(copy_repository(Path(folder, str(number))))
        with ThreadPoolExecutor(workers) as pool:
            results = pool.map(try_one, tried)
            console = Console(stderr=True)
            noticed = sum(track(results, "mutants", total=len(tried), console=console))
    share = noticed / len(tried) if tried else 1.0
    print(f"{noticed} of {len(tried)} mutants noticed, {share:.1%}")
    return share >= GOAL


def main() -> int:
    """Run the campaign; return the exit code."""
    parser = argparse.ArgumentParser(prog="tests.mutants.campaign", description=__doc__)
    add = parser.add_argument
    add("--functions", type=int, default=100, help="How many functions are drawn. Default: 100.")
    add("--seed", type=int, default=1, help="Equal seeds draw equal samples. Default: 1.")
    only = "Instead of a sample, make every mutant of these functions: Class.method or file:name."
    add("--only", nargs="+", metavar="NAME", help=only)
    add("--tests", nargs="+", default=(), metavar="PATH", help="Run these tests alone.")
    add("--workers", type=int, default=2, help="Mutants that are tried at a time. Default: 2.")
    add("--list", action="store_true", help="List the mutants, and run no tests.")
    chosen = parser.parse_args()
    mutants = mutants_of(chosen.only) if chosen.only else sample(chosen.functions, chosen.seed)
    if chosen.list:
        print(*map(describe, mutants), sep="\n")
        return 0
    return 0 if run(mutants, chosen.workers, chosen.tests) else 1


if __name__ == "__main__":
    sys.exit(main())
