"""The drill with a swarm runs with the real image task, and says what happened."""

import pytest

from loadtest.drills.swarm.swarm_images import make_folder
from loadtest.drills.swarm.swarm_part import SwarmOrder, SwarmPart, run_part
from vitrine.bootstrap.local_service import REPOSITORY

SCRATCH = REPOSITORY / ".build/studies"
"""Folder of the command: the pictures are made once."""


def test_visitors_and_a_swarm_meet_at_a_real_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadtest.drills.swarm.swarm_part.SETTLING_SECONDS", 1.0)
    folder = make_folder(SCRATCH, lambda line: None)
    one = SwarmPart(name="refuse", under_pressure="refuse", swarm_per_second=8.0)
    for seconds in (4.0, 16.0, 64.0):
        order = SwarmOrder(seconds=seconds, visitors=5, addresses=100)
        found = run_part(one, order, folder, SCRATCH)
        tiles, answers = found["visitors"]["tiles"]["requests"], found["swarm"]["answers"]
        if tiles > 10 and "unknown 404" in answers:  # else the machine is busy
            break
    assert found["visitors"]["faults"] == []
    assert tiles > 10
    assert found["peak_memory_bytes"] > 10_000_000
    assert answers["unknown 404"] > 0
    assert sum(answers.values()) + found["swarm"]["open_at_the_end"] == 8 * seconds
    assert found["s3"]["bytes"] > 1_000_000
    assert found["table_names"] > 0
