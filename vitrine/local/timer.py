"""The process of `vitrine up` that updates collections when their time has come, one by one.

On its way it starts `vitrine collection update`, as a person would, so that a harvest that fails,
hangs in its limits or runs out of memory ends there; the schedule goes on.
"""

import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from vitrine.bootstrap.local_service import local_directory
from vitrine.local.process import Process
from vitrine.local.schedules import note_run, read_runs, read_schedules
from vitrine.sources.updates.schedule import Schedule, UpdateRun, due
from vitrine.store.clock import now

NAME = "timer"
PAUSE_SECONDS = 10.0
STOP_SECONDS = 5.0
"""An update that runs is stopped too: the next one goes on where it was."""
_SAID = 500
VITRINE = Path(sys.executable).with_name("vitrine")


def timer_process(directory: Path, variables: dict[str, str]) -> Process:
    """Return what `vitrine up` starts, with the variables of the shell that does."""
    return Process(
        name=NAME,
        command=(sys.executable, "-m", "vitrine.local.timer"),
        environment=variables,
        folder=directory,
        stop_seconds=STOP_SECONDS,
    )


def update_due(directory: Path, moment: datetime) -> None:
    """Update the collections whose time has come, and note how that ended. Raises OSError."""
    for schedule in due(read_schedules(directory), read_runs(directory), moment):
        begun = now()
        note_run(directory, schedule.rules, UpdateRun(begun=begun))
        code, said = _run_update(schedule)
        note_run(directory, schedule.rules, UpdateRun(begun=begun, exit_code=code, said=said))


def _run_update(schedule: Schedule) -> tuple[int, str]:
    """Return the exit code, and the last line of errors; the log has what it printed."""
    options = ["--private-too"] if schedule.private_too else []
    done = subprocess.run(
        [VITRINE, "collection", "update", schedule.rules, *options],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    sys.stderr.write(done.stderr)
    lines = done.stderr.strip().splitlines()
    return done.returncode, lines[-1][:_SAID] if lines else ""


def main() -> None:
    """Look every few seconds, until the process is stopped."""
    while True:
        try:
            update_due(local_directory(), datetime.now(UTC))
        except OSError as error:
            print(f"The schedules cannot be read or noted: {error}", file=sys.stderr, flush=True)
        time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main()
