"""exiftool, started once for all tests of a process: a start costs it a third of a second."""

import atexit
import subprocess
from functools import cache
from pathlib import Path
from typing import IO

READY, ENDED = b"{ready}", b"{ended}"
"""exiftool's own word for the end, which `-q` silences, and ours, on both its streams."""


@cache
def _running() -> subprocess.Popen[bytes]:
    command = ["exiftool", "-stay_open", "True", "-@", "-"]
    pipe = subprocess.PIPE
    running = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
    atexit.register(_end, running)
    return running


def _end(running: subprocess.Popen[bytes]) -> None:
    running.communicate(b"-stay_open\nFalse\n")


def run_exiftool(*arguments: str | Path) -> str:
    """Return what exiftool prints for these arguments; none may contain a line break.

    Raises AssertionError with its words if it fails.
    """
    lines = [str(argument) for argument in arguments]
    assert not any("\n" in line for line in lines)
    running = _running()
    assert running.stdin
    assert running.stdout
    assert running.stderr
    ended = ENDED.decode()
    text = "\n".join([*lines, "-echo3", ended, "-echo4", ended, "-execute", ""])
    running.stdin.write(text.encode())
    running.stdin.flush()
    printed, said = _read_answer(running.stdout), _read_answer(running.stderr)
    assert "Error" not in said, said
    return printed


def _read_answer(stream: IO[bytes]) -> str:
    lines = []
    while (line := stream.readline()).rstrip() != ENDED:
        assert line, "exiftool has ended"
        if line.rstrip() != READY:
            lines.append(line)
    return b"".join(lines).decode()
