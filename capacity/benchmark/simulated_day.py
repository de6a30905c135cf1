"""A day of a million requests on twenty tasks, in a process of its own: what it takes.

`python -m capacity.benchmark.simulated_day SEED` prints one line of JSON.
"""

import json
import sys
import time

from capacity.model.cost_profile import Profile
from capacity.model.design import Design, Traffic
from capacity.model.simulate_day import simulate
from loadtest.figures.process_memory import peak_mebibytes

DESIGN = Design(
    vcpus=1, memory_gibibytes=4, cache_gibibytes=15, minimum=20, maximum=20, origin_shield=False
)
TRAFFIC = Traffic(images=10_000, megapixels=40, visits_per_day=10_000, popularity=1.0)


def main(seed: str) -> None:
    """Simulate the day, and print its outcome and what it took."""
    began = time.process_time()
    outcome = simulate(DESIGN, TRAFFIC, Profile.default(), seed)
    taken = {
        "seed": seed,
        "cpu_seconds": round(time.process_time() - began, 2),
        "peak_mebibytes": round(peak_mebibytes(), 1),
        "requests": outcome.requests,
        "edge_hits": outcome.edge_hits,
    }
    print(json.dumps(taken))


if __name__ == "__main__":
    main(sys.argv[1])
