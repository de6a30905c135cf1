"""As many requests of one class as a rig can take, sent by wrk."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.client.rig_load import rates
from loadtest.rigs.rig import Rig
from vitrine.errors import VitrineError

THREADS = 2

# Each thread starts at another place of the list. The trace is as the load balancer sends it: a
# server without one makes up its own, which costs nginx a tenth of a repeated tile.
_SCRIPT = """
local trace = "Root=1-67891233-abcdef012345678912345678"
local count = 0
function setup(thread)
   thread:set("number", count)
   count = count + 1
end
local position, pass, list, host = 0, 0, {}, nil
function init(args)
   host = args[3]
   wrk.headers["X-Amzn-Trace-Id"] = trace
   for path in io.lines(args[1]) do
      list[#list + 1] = host and path or wrk.format("GET", path)
   end
   position = math.floor(#list * number / tonumber(args[2]))
end
function request()
   position = position % #list + 1
   if not host then return list[position] end
   if position == 1 then pass = pass + 1 end
   return "GET " .. list[position] .. " HTTP/1.1\\r\\nHost: t" .. number .. "-" .. pass .. "." ..
      host .. "\\r\\nX-Amzn-Trace-Id: " .. trace .. "\\r\\n\\r\\n"
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
class WrkRun:
    """How many connections wrk keeps busy, and for how long."""

    connections: int = 8
    seconds: int = 1
    fresh_host: str = ""
    """Ends the Host of every request; each pass of a thread over the list has another before it, so
    that no server keeps the answer of an earlier one. "": always the same Host."""


def send_with_wrk(rig: Rig, paths: Sequence[str], load: WrkRun) -> dict[str, Any]:
    """Return the figures of one run: requests, seconds, latencies, CPU of all the rig's processes.

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
        command += [f"{rig.url}", "--", str(addresses)]
        command += [str(THREADS), *filter(None, [load.fresh_host])]
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
