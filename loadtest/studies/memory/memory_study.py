"""The memory of the image task's containers, at rest and while they serve."""

import itertools
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.client.user_load import send_each
from loadtest.corpora.access_masters import Master
from loadtest.corpora.photograph_masters import make_masters
from loadtest.figures.process_memory import proportional_bytes
from loadtest.report.saved_run import Report
from loadtest.servers.emulated_place import REGION, EmulatedPlace, make_place, running_emulator
from loadtest.studies.answers.answer_requests import KINDS
from loadtest.studies.interleaved_rounds import Say, Watch
from loadtest.studies.museum.museum_servers import NO_LIMIT, image_of
from loadtest.studies.tree_rounds import compare_trees, report_parts
from loadtest.workload.target import Target
from rigs.access_master import read_live
from rigs.rig import IMAGE_TASK, Rig, image_task_environment, running_rig
from vitrine.deliver.metrics.program_cpu import process_tree
from vitrine.errors import VitrineError
from vitrine.identify.canary import CANARY
from vitrine.local import emulator

PHOTOGRAPH = "kleiber-20"
_CLIENTS = 8
_REPEATS = 4
_RENDERED = ("tile", "!128", "!400", "!1024", "region 1000 to 512", "info.json")
_ABOUT = (
    f"The image task as deployed, with its buckets and tables on an emulator of AWS, in which is "
    f"one photograph ({PHOTOGRAPH}). MiB of each container's processes; pages that several share "
    "are divided among them (PSS). At rest: as soon as it is ready. After serving: "
    f"{', '.join(_RENDERED)}, {_REPEATS} times, by {_CLIENTS} clients. nginx's caches in memory "
    "are not counted: they are files."
)


@dataclass(frozen=True, kw_only=True)
class MemoryStudy:
    """How often to measure, and what to compare with."""

    rounds: int = 5
    tree: Path | None = None
    """Another checkout to compare with."""
    python: Path = Path(sys.executable)
    """Python that runs the gateway."""
    scratch: Path = Path(".build/studies")


def compare_memory(study: MemoryStudy, say: Say, watch: Watch) -> dict[str, Any]:
    """Return the figures of all rounds. Raises VitrineError, KeyboardInterrupt."""
    folder = study.scratch.resolve() / "answers"
    (photograph,) = make_masters(folder, [PHOTOGRAPH], say)
    with running_emulator() as port:
        place = make_place(port)
        _publish_master(place, folder / f"{PHOTOGRAPH}.tif")

        def measure(tree: Path) -> dict[str, float]:
            with running_image_task(place, port, tree, study.python) as rig:
                at_rest = _measure_containers(rig, "at rest")
                _serve(rig, photograph.master)
                return at_rest | _measure_containers(rig, "after serving")

        return compare_trees(measure, study.tree, study.rounds, _ABOUT, say, watch)


def _publish_master(place: EmulatedPlace, path: Path) -> None:
    record = read_live(path)
    place.access.client("s3").upload_file(str(path), place.access_masters, record.access_master_key)
    place.write_record(record)
    place.write_record(CANARY)


@contextmanager
def running_image_task(
    place: EmulatedPlace, port: int, tree: Path, python: Path = Path(sys.executable)
) -> Iterator[Rig]:
    """Start the containers of a checkout, with the gateway that is deployed."""

    def prepare(work: Path, origin: int) -> Mapping[str, str]:
        own = image_task_environment(
            Path(), work, origin, module=None, tree=tree, python=str(python.absolute())
        )
        return own | emulator.credentials(REGION, port) | place.variables | NO_LIMIT

    commands = {part: [f"containers/{part}/start"] for part in IMAGE_TASK}
    with running_rig("image task", commands, prepare, ready="/readyz", tree=tree) as rig:
        yield rig


def _serve(rig: Rig, master: Master) -> None:
    """Send the requests. Raises VitrineError if an answer was wrong."""
    load = send_each(rig.url, _list_targets(master), _CLIENTS)
    rig.check()
    for answer in load.answers:
        if answer.fault:
            raise VitrineError(f"{answer.target.path}: {answer.fault}")


def _list_targets(master: Master) -> Iterator[Target]:
    image = image_of(master, ".tif")
    targets = [
        request.target(image, label)
        for label in _RENDERED
        for request in KINDS[label].requests(master)
    ]
    yield from itertools.chain.from_iterable(itertools.repeat(targets, _REPEATS))


def _measure_containers(rig: Rig, moment: str) -> dict[str, float]:
    found = {item.name: proportional_bytes(process_tree(item.pid)) / 2**20 for item in rig.running}
    values = {"all": sum(found.values())} | found
    return {f"{name} {moment}: MiB": round(value, 2) for name, value in values.items()}


REPORT = Report(bench="memory", title="What the image task holds in memory", parts=report_parts)
