"""Rounds of all doors in turn: each is started, warmed up, loaded and stopped."""

import io
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from loadtest.corpora.camera_photographs import SamplePhotograph, make_samples
from loadtest.figures.order_statistics import median, percentile
from loadtest.figures.process_memory import PeakWatch, proportional_bytes
from loadtest.servers.photo_doors.engine import Engine
from loadtest.servers.photo_doors.engines import ENGINES
from loadtest.servers.photo_doors.tls_front import TlsFront, tls_front
from loadtest.studies.photo_door.client_use import ClientWatch
from loadtest.studies.photo_door.door_agents import JPEG, DoorAgents, SentPhotograph
from loadtest.studies.photo_door.photo_prices import PhotoWork, decoding_usd, way_usd
from loadtest.studies.photo_door.photo_series import window_series
from rigs.rig import Rig
from vitrine.errors import VitrineError

OURS = "ours"
REGION = "us-east-1"
"""Baresoil's."""
Progress = Callable[[int, int], None]
_HOUR = 3_600


@dataclass(frozen=True, kw_only=True)
class PhotoDoorStudy:
    """What is measured, and for how long."""

    engines: Sequence[str] = tuple(ENGINES)
    agents: int = 8
    seconds: float = 20.0
    """For which an agent begins photographs, in each round and at each door."""
    ramp_seconds: float = 4.0
    rounds: int = 3
    seed: int = 2017
    scratch: Path = Path(".build/photos")


def measure_photo_doors(
    study: PhotoDoorStudy, say: Callable[[str], None], watch: Callable[[str], Progress]
) -> dict[str, Any]:
    """Return the figures; `complete` is False after Ctrl-C, and what was measured is kept.

    Raises VitrineError, and RuntimeError where a photograph cannot be fetched.
    """
    samples = make_samples(study.scratch / "samples", say)
    engines = [ENGINES[name]() for name in study.engines]
    progress = watch(f"{study.agents} agents, {len(engines)} doors")
    courses: dict[str, list[dict[str, Any]]] = {engine.name: [] for engine in engines}
    load_before, complete, done = os.getloadavg(), True, 0
    for _ in range(study.rounds):
        for engine in engines:
            course = measure_door(engine, study, samples)
            courses[engine.name].append(course)
            complete = complete and course.pop("complete")
            done += 1
            progress(done, study.rounds * len(engines))
            if not complete:
                break
        if not complete:
            break
    return {
        "complete": complete,
        "scenario": asdict(study) | {"scratch": "", "engines": list(study.engines)},
        "samples": [sample.as_json() for sample in samples],
        "load_average": {"before": load_before, "after": os.getloadavg()},
        "doors": [_door_figures(name, found) for name, found in courses.items() if found],
        "courses": courses,
    }


def measure_door(
    engine: Engine, study: PhotoDoorStudy, samples: Sequence[SamplePhotograph]
) -> dict[str, Any]:
    """Return the figures of one course: a door under load. Raises VitrineError."""
    with engine.start() as rig, tls_front(rig.port) as front:
        agents = DoorAgents(
            port=front.port,
            certificate=front.certificate,
            send=engine.send,
            samples=samples,
            count=study.agents,
            seconds=study.seconds,
            ramp_seconds=study.ramp_seconds,
            seed=study.seed,
        )
        _warm_up(engine, agents)
        memory = PeakWatch(lambda: _memory_bytes(rig), interval_seconds=0.5)
        with memory, ClientWatch(lambda: agents.at_work) as client:
            before, begun = _cpu_seconds(rig, front), time.time()
            complete = agents.run()
            ended = max((one.ended for one in agents.sent), default=begun)
            after = _cpu_seconds(rig, front)
        rig.check()
    cpu = [late - early for late, early in zip(after, before, strict=True)]
    return _course_figures(agents.sent, max(ended - begun, 1e-6), cpu) | {
        "complete": complete,
        "peak_mebibytes": round(memory.peak_bytes / (1 << 20), 1),
        "series": _by_column(window_series(agents.sent, client.looks, begun, ended)),
    }


def _cpu_seconds(rig: Rig, front: TlsFront) -> tuple[float, float, float]:
    """Return the CPU seconds of the door, of the nginx with TLS, and of the agents."""
    return (
        sum(rig.cpu_seconds().values()),
        sum(front.rig.cpu_seconds().values()),
        time.process_time(),
    )


def _memory_bytes(rig: Rig) -> int:
    return proportional_bytes(rig.process_ids())


def _warm_up(engine: Engine, agents: DoorAgents) -> None:
    """Send every sample once, and look at the thumbnails. Raises VitrineError."""
    for place, sample in enumerate(agents.samples):
        one, body = agents.ask(place, agent=-1)
        if one.fault:
            raise VitrineError(f"{engine.name} did not answer {sample.name}: {one.fault}")
        thumbnail = Image.open(io.BytesIO(body[body.index(JPEG) :]))
        if max(thumbnail.size) not in engine.sides:
            raise VitrineError(f"{engine.name} made a thumbnail of {thumbnail.size} pixels")


def _course_figures(
    sent: Sequence[SentPhotograph], seconds: float, cpu: Sequence[float]
) -> dict[str, Any]:
    good = [one for one in sent if one.good]
    trips = sorted(one.ended - one.begun for one in good)
    door, tls, client = cpu
    return {
        "seconds": round(seconds, 2),
        "requests": len(sent),
        "successes": len(good),
        "errors": len(sent) - len(good),
        "faults": _count_faults(sent),
        "bytes_in": sum(one.bytes_in for one in good),
        "bytes_out": sum(one.bytes_out for one in good),
        "cpu_seconds": {
            "door": round(door, 2),
            "tls": round(tls, 2),
            "client": round(client, 2),
        },
        "images_per_hour": round(len(good) * _HOUR / seconds),
        "round_trip_seconds": [round(trip, 4) for trip in trips],
    }


def _count_faults(sent: Sequence[SentPhotograph]) -> dict[str, int]:
    faults = [one.fault for one in sent if one.fault]
    return {fault: faults.count(fault) for fault in dict.fromkeys(faults)}


def _door_figures(name: str, courses: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of a door over all its rounds."""
    totals = {
        key: sum(course[key] for course in courses)
        for key in ("seconds", "requests", "successes", "errors", "bytes_in", "bytes_out")
    }
    trips = [trip for course in courses for trip in course["round_trip_seconds"]]
    each = [
        1_000 * course["cpu_seconds"]["door"] / course["successes"]
        for course in courses
        if course["successes"]
    ]
    found = {
        "name": name,
        **totals,
        "cpu_seconds": {
            part: round(sum(course["cpu_seconds"][part] for course in courses), 2)
            for part in ("door", "tls", "client")
        },
        "images_per_hour": round(median(course["images_per_hour"] for course in courses)),
        "peak_mebibytes": max(course["peak_mebibytes"] for course in courses),
    }
    if not each:
        return found
    middle = median(each)
    return found | {
        "cpu_milliseconds": {"median": round(middle, 1), "most": round(max(each), 1)},
        "images_per_hour_and_core": round(_HOUR * 1_000 / middle),
        "round_trip": {
            "median": round(median(trips), 3),
            "p95": round(percentile(trips, 95), 3),
            "p99": round(percentile(trips, 99), 3),
            "most": round(max(trips), 3),
        },
        "usd_per_million": _price_photographs(middle / 1_000, found),
    }


def _price_photographs(cpu_seconds: float, door: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Return USD for a million photographs: their decoding, and their way in."""
    work = PhotoWork(
        cpu_seconds=cpu_seconds,
        bytes_in=door["bytes_in"] / door["successes"],
        bytes_out=door["bytes_out"] / door["successes"],
    )
    return {
        "decoding": _price_million(decoding_usd(work.cpu_seconds, REGION)),
        "way": _price_million(way_usd(work, REGION)),
    }


def _price_million(prices: dict[str, float]) -> dict[str, float]:
    return {name: round(1e6 * usd, 2) for name, usd in prices.items()}


def _by_column(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as one list for each key, which needs half the bytes in a saved run."""
    return {key: [row[key] for row in rows] for key in (rows[0] if rows else ())}
