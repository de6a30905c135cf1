"""Runs of `vitrine` without its start: a process that has imported it is forked.

Half a CPU second of each run goes into imports and AWS's descriptions of its services. All else is
the script's: a process of its own, with its own variables, folder, output and exit code. Operators
of run books and readers of the tutorial type the script itself.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import chdir
from multiprocessing import get_context
from pathlib import Path
from typing import IO

REPOSITORY = Path(__file__).parents[1]
SECONDS = 1_000
"""Only for what hangs: longer than a command waits for an ingest, of which it then says more."""
FORKING = get_context("forkserver")
FORKING.set_forkserver_preload(["tests.imported_vitrine"])


def run_vitrine(
    arguments: Sequence[str | Path], environment: Mapping[str, str], seconds: float = SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run it to its end. Raises TimeoutExpired, after killing it."""
    words = ["vitrine", *map(str, arguments)]
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = FORKING.Process(
            target=_become_vitrine,
            args=(words, dict(environment), Path.cwd(), _name(output), _name(errors)),
        )
        with chdir(REPOSITORY):  # where the process that is forked, if it is new, finds `tests`
            process.start()
        process.join(seconds)
        code = process.exitcode
        if code is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(words, seconds)
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(words, code, output.read(), errors.read())


def _name(file: IO[str]) -> str:
    """Return a name by which another process opens a file that has none in any folder."""
    return f"/proc/{os.getpid()}/fd/{file.fileno()}"


def _become_vitrine(
    words: list[str], environment: dict[str, str], folder: Path, output: str, errors: str
) -> None:
    for name, number in ((output, 1), (errors, 2)):
        opened = os.open(name, os.O_WRONLY | os.O_APPEND)
        os.dup2(opened, number)
        os.close(opened)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = words
    from vitrine.cli import main  # what runs tests need not import it

    main()
