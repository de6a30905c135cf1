"""Equal seeds, equal bytes: in other processes, under other hash seeds."""

import os
import subprocess
import sys

_PROGRAM = """
import json
from vitrine.capacity.service.design import Design, Traffic
from vitrine.capacity.service.profile import Profile
from vitrine.capacity.service.simulate import simulate

design = Design(
    vcpus=0.5, memory_gibibytes=2, cache_gibibytes=1, minimum=1, maximum=4,
    spot_share_percent=50, edge_gibibytes=0.005, origin_shield=True, target_cpu_percent=0.02,
)
traffic = Traffic(
    images=500, megapixels=20, visits_per_day=5_000, hours=0.2, warm_visits=10, popularity=1.0
)
print(json.dumps(simulate(design, traffic, Profile.default(), "a seed").as_json()))
"""


def _run(hash_seed: str) -> str:
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    program = [sys.executable, "-c", _PROGRAM]
    return subprocess.run(
        program, env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_equal_seeds_give_equal_bytes_under_two_hash_seeds() -> None:
    first = _run("1")
    assert len(first) > 1_000
    assert '"spot_seconds": 0.0' not in first
    assert _run("2") == first
