"""Mutate a seeded sample of functions, one at a time, and see whether the unit tests notice.

`make mutants`, or `python -m tests.mutants.campaign --functions 100 --seed 1`. Each mutant meets
first the tests that import its module, then those of its stage, then all unit tests of the service;
the first failure ends it. Prints every survivor, and exits with 1 if more than one in twenty lives.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from rich.console import Console
from rich.progress import track

from tests.mutants.mutations import Mutant, functions, mutate

REPOSITORY = Path(__file__).resolve().parents[2]
STAGES = (
    "api",
    "deliver",
    "edge",
    "export",
    "identify",
    "iiif",
    "ingest",
    "migrate",
    "present",
    "store",
)
CPU_SECONDS = 900
"""After which a mutant counts as noticed, since it runs in circles: whole rounds take a third."""
WAIT_SECONDS = 3600
"""After which one counts as noticed, since it waits for ever, however busy the machine is."""
GOAL = 0.95


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a mutant was noticed, and by which of the three rounds of tests."""

    path: str
    function: str
    line: int
    before: str
    after: str
    noticed_by: str
    """`importers`, `stage`, `unit`, or "" for a survivor."""
    test: str
    """What failed first: to be read, since a test may fail for another reason."""


def sample(count: int, seed: int) -> list[Mutant]:
    """Return mutants of `count` functions, the same for the same seed and code."""
    random = Random(seed)
    candidates = [
        (path, name)
        for stage in STAGES
        for path in sorted((REPOSITORY / "vitrine" / stage).rglob("*.py"))
        for name in functions(path)
    ]
    chosen = random.sample(candidates, min(count, len(candidates)))
    return [mutate(path, name, random) for path, name in chosen]


def rounds_of_tests(mutant: Mutant) -> Iterator[tuple[str, list[str]]]:
    """Yield (name, paths for pytest): from the tests most likely to notice to all of them."""
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
    yield "stage", [f"tests/unit/{stage}"]
    others = [name for name in ("adapters", "cli", "lambdas", *STAGES) if name != stage]
    yield "unit", [f"tests/unit/{name}" for name in others]


class Copies:
    """Copies of the repository for mutants to live in, one for each worker."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._local = threading.local()

    def mine(self) -> Path:
        """Return this thread's copy, made when it is first asked for."""
        if not hasattr(self._local, "path"):
            self._local.path = Path(tempfile.mkdtemp(dir=self._folder))
            listed = subprocess.run(
                ["git", "ls-files"], cwd=REPOSITORY, check=True, capture_output=True, text=True
            )
            for name in listed.stdout.splitlines():
                target = self._local.path / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(REPOSITORY / name, target)
            for name in (".venv", ".build", "node_modules"):
                (self._local.path / name).symlink_to(REPOSITORY / name)
            # Where a test cannot be imported without any mutant, it would notice all of them.
            if failure := first_failure(["--collect-only", "tests/unit"], self._local.path):
                raise RuntimeError(f"in a copy without a mutant: {failure}")
        path: Path = self._local.path
        return path


def judge(mutant: Mutant, copies: Copies) -> Verdict:
    """Run the tests on the mutant until one fails."""
    copy = copies.mine()
    name = mutant.path.relative_to(REPOSITORY)
    (copy / name).write_text(mutant.source)
    try:
        noticed_by = test = ""
        for round_, paths in rounds_of_tests(mutant):
            if test := first_failure(paths, copy):
                noticed_by = round_
                break
    finally:
        shutil.copy2(mutant.path, copy / name)
    return Verdict(
        path=name.as_posix(),
        function=mutant.function,
        line=mutant.line,
        before=mutant.before,
        after=mutant.after,
        noticed_by=noticed_by,
        test=test,
    )


def first_failure(paths: Sequence[str], folder: Path) -> str:
    """Return what failed first of these tests, "" if none did.

    Raise RuntimeError if pytest cannot run.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *paths]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
            preexec_fn=_limit_processor_time,
        )
    except subprocess.TimeoutExpired:
        return "hangs"
    if done.returncode == -signal.SIGXCPU:
        return "runs in circles"
    # 2 is an interrupted run, as by a module that no longer imports.
    if done.returncode not in (0, 1, 2):
        raise RuntimeError(f"pytest ended with {done.returncode}: {done.stdout[-500:]}")
    failed = (
        line
        for line in done.stdout.splitlines()
        if line.startswith(("FAILED tests", "ERROR tests"))
    )
    return next(failed, "no longer imports") if done.returncode else ""


def _limit_processor_time() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 10))


def _describe(verdict: Verdict) -> str:
    change = f"{verdict.before} -> {verdict.after}"
    return f"{verdict.path}:{verdict.line} {verdict.function}: {change}"


def main() -> int:
    """Run the campaign; return the exit code."""
    parser = argparse.ArgumentParser(prog="tests.mutants.campaign")
    parser.add_argument("--functions", type=int, default=100, help="Size of the sample.")
    parser.add_argument("--seed", type=int, default=1, help="Equal seeds draw equal samples.")
    parser.add_argument("--workers", type=int, default=2, help="Mutants tried at a time.")
    parser.add_argument("--json", type=Path, help="File for all verdicts.")
    chosen = parser.parse_args()
    mutants = sample(chosen.functions, chosen.seed)
    with (
        tempfile.TemporaryDirectory(prefix="mutants-") as folder,
        ThreadPoolExecutor(chosen.workers) as pool,
    ):
        copies = Copies(Path(folder))
        verdicts: list[Verdict] = []
        judged = pool.map(lambda mutant: judge(mutant, copies), mutants)
        console = Console(stderr=True)
        for verdict in track(judged, "mutants", total=len(mutants), console=console):
            verdicts.append(verdict)
            if not verdict.noticed_by:
                print(_describe(verdict), flush=True)
            if chosen.json:  # after each: a campaign takes hours
                chosen.json.write_text(json.dumps([asdict(item) for item in verdicts], indent=1))
    survivors = [verdict for verdict in verdicts if not verdict.noticed_by]
    noticed = 1 - len(survivors) / len(verdicts)
    print(f"{len(verdicts) - len(survivors)} of {len(verdicts)} mutants noticed, {noticed:.0%}")
    return 0 if noticed >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
