"""The real iipsrv under the image task's own script, on a directory of ours."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.patience import until
from vitrine.deliver.render.iipsrv import Iipsrv
from vitrine.iiif.region import Box

REPOSITORY = Path(__file__).resolve().parents[4]
PROCESSES = 2
LOG = "iipsrv.log"
_LEVEL = re.compile(r"CVT :: Using resolution (\d+) with size")
_REGION = re.compile(r"CVT :: Reading region: (\d+),(\d+),(\d+),(\d+)")


@dataclass
class IipsrvRig:
    """`cache` is where local files lie."""

    work: Path
    process: subprocess.Popen[bytes]

    @property
    def cache(self) -> Path:
        return self.work / "cache"

    @property
    def renderer(self) -> Iipsrv:
        return Iipsrv(self.work / "run/iipsrv.sock", self.cache, PROCESSES)

    @property
    def children(self) -> list[int]:
        pid = self.process.pid
        return [int(item) for item in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    @property
    def readings(self) -> list[tuple[int, Box]]:
        """Levels (0 is the smallest) and boxes that it read, in order; where it is verbose."""
        said = (self.work / LOG).read_text()
        levels, regions = _LEVEL.findall(said), _REGION.findall(said)
        return [
            (int(number), Box(*map(int, region)))
            for number, region in zip(levels, regions, strict=True)
        ]


@contextmanager
def iipsrv_rig(
    processes: int = PROCESSES, *, verbose: bool = False, **settings: str
) -> Iterator[IipsrvRig]:
    """Start it, with settings of its environment, and stop it at the end."""
    # Paths of Unix sockets are short: a hundred bytes.
    work = Path(tempfile.mkdtemp(prefix="vitrine-"))
    environment: Mapping[str, str] = {
        **os.environ,
        "VITRINE_WORK_DIRECTORY": str(work),
        "VITRINE_IIPSRV_PROCESSES": str(processes),
        "VERBOSITY": "5" if verbose else "0",
        "LOGFILE": str(work / LOG),
        **settings,
    }
    process = subprocess.Popen(
        ["containers/iipsrv/start"],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    rig = IipsrvRig(work, process)

    def listens() -> bool:
        assert process.poll() is None
        return (work / "run/iipsrv.sock").exists()

    try:
        until(listens)
        yield rig
    finally:
        # The supervisor alone: it would replace a child that ends.
        process.terminate()
        try:
            process.wait(10)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            shutil.rmtree(work)
