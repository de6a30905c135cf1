"""Reports of a gateway process: a log line a minute, and the answer at /metrics."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from vitrine.deliver.http.exchange import Response
from vitrine.deliver.http.headers import NO_STORE
from vitrine.deliver.metrics.counters import Counters, Samples, name_sample
from vitrine.deliver.metrics.minute import MESSAGE, minute_fields, subtract
from vitrine.deliver.metrics.process_files import FOLDER, ProcessFiles
from vitrine.deliver.metrics.prometheus import CONTENT_TYPE, format_samples

WRITE_SECONDS = 5.0
"""Age at which the other processes' figures are written again for /metrics, seconds."""
LINE_SECONDS = 60.0
TICK_SECONDS = 0.5
"""Seconds between two looks at the event loop's delay."""
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

Programs = Callable[[], Mapping[str, float]]
"""Reads CPU seconds of the other programs of the task, since their start. May block."""

logger = logging.getLogger(__name__)


class Reporter:
    """Reports what `counters` hold. Belongs to one event loop."""

    def __init__(
        self, counters: Counters, work: Path, *, environment: str, process: int, programs: Programs
    ) -> None:
        """`process` is the number of this process among the gateway's."""
        self._counters = counters
        self._files = ProcessFiles(work / FOLDER)
        self._environment = environment
        self._process = process
        self._programs = programs
        self.line_seconds = LINE_SECONDS
        self._before: Samples = {}
        self._shared_before: Samples = {}
        counters.watch("memory_bytes", read_resident_bytes)
        counters.watch("cpu_seconds_total", time.process_time, program="gateway")
        counters.watch("processes", lambda: 1)

    async def run(self) -> None:
        """Write and log until cancelled."""
        next_write = next_line = time.monotonic()
        while True:
            now = time.monotonic()
            if now >= next_write:
                next_write = now + WRITE_SECONDS
                self._files.write(self._counters.samples())
            if now >= next_line:
                next_line = now + self.line_seconds
                await self.log_line()
            due = time.monotonic() + TICK_SECONDS
            await asyncio.sleep(TICK_SECONDS)
            self._counters.observe_loop(max(0.0, time.monotonic() - due))

    async def log_line(
        self, message: str = MESSAGE, fields: Mapping[str, object] = MappingProxyType({})
    ) -> None:
        """Log what happened since the last line, and what the task's programs used.

        `fields` of the caller's come first in the line.
        """
        samples = self._counters.samples()
        added = subtract(samples, self._before)
        self._before = samples
        # One process reports what all share.
        if self._files.is_first():
            shared = await self._read_programs()
            if self._shared_before:
                added |= subtract(shared, self._shared_before)
            self._shared_before = shared
        counted = minute_fields(
            added,
            environment=self._environment,
            process=self._process,
            milliseconds=int(time.time() * 1000),
        )
        logger.info(message, extra={"fields": {**fields, **counted}})

    async def respond(self) -> Response:
        """Return the figures of all processes of the task since its start."""
        samples = self._files.sum_with(self._counters.samples()) | await self._read_programs()
        body = format_samples(samples).encode()
        return Response(status=200, headers=(("content-type", CONTENT_TYPE), *NO_STORE), body=body)

    def close(self) -> None:
        """Write the last figures, for the processes that go on."""
        self._files.write(self._counters.samples())

    async def _read_programs(self) -> Samples:
        programs = await asyncio.to_thread(self._programs)
        return {
            name_sample("cpu_seconds_total", program=program): seconds
            for program, seconds in programs.items()
        }


def read_resident_bytes() -> float:
    """Return the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES
