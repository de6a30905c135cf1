"""As many requests of one class as a rig can take, asked by wrk."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.rigs.rig import Rig
from vitrine.errors import VitrineError

THREADS = 2
_SATURATED = 0.9

# Each thread starts elsewhere in the list.
_SCRIPT = """
local count = 0
function setup(thread)
   thread:set("number", count)
   count = count + 1
end
local position, list = 0, {}
function init(args)
   for path in io.lines(args[1]) do list[#list + 1] = wrk.format("GET", path) end
   position = math.floor(#list * number / tonumber(args[2]))
end
function request()
   position = position % #list + 1
   return list[position]
end
function done(summary, latency, requests)
   local errors = summary.errors
   io.write(string.format(
      '{"requests":%d,"seconds":%.6f,"bytes":%d,"p50_ms":%.3f,"p99_ms":%.3f,"failures":%d}',
      summary.requests, summary.duration / 1e6, summary.bytes,
      latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
      errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
"""


@dataclass(frozen=True, kw_only=True)
class Load:
    """How hard to ask, and for how long."""

    connections: int = 8
    seconds: int = 1


def ask_with_wrk(rig: Rig, paths: Sequence[str], load: Load) -> dict[str, Any]:
    """Figures of one run: requests, seconds, latencies, and CPU of all processes of the rig.

    `generator_cores` is what wrk itself used; `generator_saturated` says that it was the limit.
    Raises VitrineError when wrk is missing or fails.
    """
    program = shutil.which("wrk")
    if not program:
        raise VitrineError("wrk is missing: apt-get install wrk")
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        script, addresses = Path(folder, "peak.lua"), Path(folder, "paths")
        script.write_text(_SCRIPT)
        addresses.write_text("\n".join(paths) + "\n")
        command = [program, "-t", str(THREADS), "-c", str(load.connections)]
        command += ["-d", f"{load.seconds}s", "--timeout", "30s", "-s", str(script)]
        command += [f"http://127.0.0.1:{rig.port}", "--", str(addresses)]
        command += [str(THREADS)]
        before, own, wall = rig.cpu_seconds(), os.times(), time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True)
        after, ended, wall = rig.cpu_seconds(), os.times(), time.monotonic() - wall
    rig.check()
    if done.returncode or not done.stdout.rstrip().endswith("}"):
        raise VitrineError(f"wrk failed: {(done.stderr or done.stdout).strip()[-300:]}")
    figures: dict[str, Any] = json.loads(done.stdout[done.stdout.rindex("{") :])
    generator = ended.children_user + ended.children_system
    generator -= own.children_user + own.children_system
    return figures | rates(
        requests=figures["requests"],
        seconds=figures["seconds"],
        server={name: after[name] - before[name] for name in before},
        generator=generator / wall,
        threads=THREADS,
    )


def rates(
    *,
    requests: int,
    seconds: float,
    server: Mapping[str, float],
    generator: float,
    threads: int,
) -> dict[str, Any]:
    """What follows from the counts: `server` in CPU seconds by process, `generator` in cores."""
    total = sum(server.values())
    return {
        "requests_per_second": round(requests / seconds, 1),
        "cpu_ms_per_request": round(1000 * total / max(1, requests), 4),
        "cpu_ms_by_process": {
            name: round(1000 * cpu / max(1, requests), 4) for name, cpu in server.items()
        },
        "server_cores": round(total / seconds, 2),
        "generator_cores": round(generator, 2),
        "generator_saturated": generator > _SATURATED * threads,
    }
