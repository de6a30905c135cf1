"""CPU of programs: of all their processes, also of those that have ended."""

import subprocess
import sys
from pathlib import Path

import pytest

from vitrine.deliver.metrics.program_cpu import PID_FILES, read_programs, tree_seconds

BURN = """
import subprocess, sys, time
burn = "import time\\nwhile time.process_time() < 0.3: pass"
subprocess.run([sys.executable, "-c", burn])
child = subprocess.Popen([sys.executable, "-c", burn + "\\nprint(flush=True)\\ninput()"],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
print(flush=True)
input()
child.communicate(b"\\n")
"""


@pytest.mark.slow
def test_children_count_whether_they_run_or_have_ended():
    with subprocess.Popen(
        [sys.executable, "-c", BURN], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdin
        process.stdout.readline()
        assert tree_seconds(process.pid) >= 0.58
        process.stdin.write(b"\n")
        process.stdin.flush()


def test_a_number_that_is_another_programs_is_not_counted(tmp_path: Path):
    # Number 1 of another container's namespace is another process here.
    for file, _ in PID_FILES.values():
        path = tmp_path / file
        path.parent.mkdir(parents=True)
        path.write_text("1\n")
    assert read_programs(tmp_path) == {}
    assert read_programs(tmp_path / "nothing") == {}
