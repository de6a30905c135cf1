"""Equal seeds, equal bytes: in other processes, under other hash seeds, in another Python."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

_PROGRAM = """
import json
from capacity.model.design import Design, Traffic
from capacity.model.cost_profile import CostProfile
from capacity.model.simulate_day import simulate_day

design = Design(
    vcpus=0.5, memory_gibibytes=2, cache_gibibytes=1, minimum=1, maximum=4,
    spot_share_percent=50, edge_gibibytes=0.005, origin_shield=True, target_cpu_percent=0.02,
)
traffic = Traffic(
    images=500, megapixels=20, visits_per_day=5_000, hours=0.2, warm_visits=10, popularity=1.0
)
print(json.dumps(simulate_day(design, traffic, CostProfile.default(), "a seed").as_json()))
"""


def _run(hash_seed: str, python: str = sys.executable) -> str:
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    program = [python, "-c", _PROGRAM]
    return subprocess.run(
        program, env=environment, capture_output=True, text=True, check=True
    ).stdout


def _pythons() -> Iterator[str]:
    """Interpreters that may be another version: named by OTHER_PYTHON, on the path, of pyenv."""
    yield os.environ.get("OTHER_PYTHON", "")
    yield from (shutil.which(f"python3.{minor}") or "" for minor in (12, 13))
    yield from map(str, sorted(Path.home().glob(".pyenv/versions/*/bin/python3.1[2-9]")))


def _other_python() -> str:
    """The first that runs, and is not this version."""
    program = "import sys; print(sys.version_info[:2])"
    for python in filter(None, _pythons()):
        run = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)
        if not run.returncode and run.stdout.strip() != str(sys.version_info[:2]):
            return python
    pytest.skip("no other version of Python is installed (OTHER_PYTHON= names one)")


def test_equal_seeds_give_equal_bytes_under_two_hash_seeds() -> None:
    first = _run("1")
    assert len(first) > 1_000
    assert '"spot_seconds": 0.0' not in first
    assert _run("2") == first


def test_equal_seeds_give_equal_bytes_under_two_versions_of_python(tmp_path: Path) -> None:
    uv, made = str(ROOT / ".venv/bin/uv"), str(tmp_path / "venv")
    subprocess.run([uv, "venv", "-q", "--python", _other_python(), made], check=True)
    command = [uv, "pip", "install", "-q", "--python", made, "-c", "requirements/dev.txt"]
    subprocess.run([*command, "numpy", "simpy"], cwd=ROOT, check=True)
    assert _run("1", f"{made}/bin/python") == _run("1")
