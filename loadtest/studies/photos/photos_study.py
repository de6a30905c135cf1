"""One run: a service of its own, agents that send photographs to it, and their outcomes."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.client.master_uploads import published, upload
from loadtest.corpora.camera_photographs import Sample, make_samples
from loadtest.figures.generator_limit import is_generator_limited
from loadtest.figures.order_statistics import median, percentile
from loadtest.rigs.processor_use import ProcessorWatch
from loadtest.rigs.service_instance import Instance, instance
from loadtest.studies.ingest.execution_history import stays
from loadtest.studies.photos.client_use import ClientWatch
from loadtest.studies.photos.photo_agents import Agents, Progress, Sent
from loadtest.studies.photos.photo_prices import costs
from loadtest.studies.photos.photo_series import series
from vitrine.migrate.price import Work
from vitrine.records import Live

SETTLING_SECONDS = 1.0
"""The pipeline's work after publishing is part of its cost, though nobody waits for it."""
_HOUR = 3_600


@dataclass(frozen=True, kw_only=True)
class PhotosStudy:
    """The photographs to send."""

    agents: int = 4
    photos: int = 60
    seed: int = 2019
    limit_seconds: float = 300.0
    """After which a photograph counts as late, and its agent goes on."""
    scratch: Path = Path(".build/photos")


def measure_photos(
    study: PhotosStudy, say: Callable[[str], None], watch: Callable[[str], Progress]
) -> dict[str, Any]:
    """Return the figures; `complete` is False after Ctrl-C, and what was measured is kept.

    Raises what starting the service raises, VitrineError where no photograph is
    published, RuntimeError where one cannot be fetched.
    """
    samples = make_samples(study.scratch / "samples", say)
    say("starting a service of its own")
    with instance(study.scratch / "service") as running:
        return measure_on(running, study, samples, watch)


def measure_on(
    running: Instance,
    study: PhotosStudy,
    samples: Sequence[Sample],
    watch: Callable[[str], Progress],
) -> dict[str, Any]:
    """Measure on a service that already runs. Raises VitrineError."""
    load_before = os.getloadavg()
    with ProcessorWatch(running) as processor:
        # Each Lambda has started once, as in a service that is at work.
        warming = [upload(running, Path(sample.path), "warm-up") for sample in samples[:2]]
        published(running, warming)
        agents = Agents(
            running, samples, study.agents, study.photos, study.seed, study.limit_seconds
        )
        with ClientWatch(lambda: agents.at_work) as client:
            begun = time.time()
            complete = agents.run(watch(f"{study.agents} agents, {study.photos} photographs"))
            ended = max((one.ended for one in agents.sent), default=begun)
        if complete:
            time.sleep(SETTLING_SECONDS)
        spent = processor.between(begun, ended + SETTLING_SECONDS)
    try:
        for one in agents.sent:
            _look_up(running, one)
    except KeyboardInterrupt:
        complete = False
    figures = _figures(agents.sent, max(ended - begun, 1e-6), samples, spent["cpu_seconds"])
    looks = [look.as_json() for look in client.looks]
    busiest = sum(look["cpu_cores"] for look in looks) / max(1, len(looks))
    return figures | {
        "complete": complete,
        "scenario": {"agents": study.agents, "photos": study.photos, "seed": study.seed},
        "samples": [sample.as_json() for sample in samples],
        "load_average": {"before": load_before, "after": os.getloadavg()},
        "client_cores": round(busiest, 3),
        "client_bound": is_generator_limited(busiest),
        "processor": spent,
        "series": series(agents.sent, client.looks, begun, ended),
        "photos": [one.as_json() for one in agents.sent],
        "client": looks,
    }


def _look_up(running: Instance, one: Sent) -> None:
    """Fetch what the service itself knows of it, after the measurement."""
    if not one.good:
        return
    image = running.service.identifiers.get(one.identifier)
    one.bytes_out = image.access_master_bytes if isinstance(image, Live) else 0
    with suppress(KeyError, IndexError):
        found = stays(running, one.execution)
        one.server_seconds = round(found[-1].left - found[0].entered, 3)


def _figures(
    sent: Sequence[Sent], seconds: float, samples: Sequence[Sample], cpu: dict[str, float]
) -> dict[str, Any]:
    good = [one for one in sent if one.good]
    ours = sum(cpu[name] for name in ("lambdas", "emulator", "image_task"))
    bytes_in = sum(one.bytes_in for one in good)
    per_hour = len(good) * _HOUR / seconds
    pixels = {sample.name: sample.width * sample.height for sample in samples}
    work = Work(
        images=len(good),
        checked=0,
        imported=0,
        master_bytes=bytes_in,
        access_master_bytes=sum(one.bytes_out for one in good),
        pixels=sum(pixels[one.sample] for one in good),
    )
    return {
        "seconds": round(seconds, 2),
        "requests": len(sent),
        "successes": len(good),
        "errors": sum(bool(one.ended) and not one.good for one in sent),
        "unfinished": sum(not one.ended for one in sent),
        "failed": _failed(sent),
        "bytes_in": bytes_in,
        "bytes_out": work.access_master_bytes,
        "megapixels": round(work.pixels / 1e6, 1),
        "cpu_seconds": {"service": round(ours, 2), **cpu},
        "cpu_seconds_per_image": round(ours / len(good), 3) if good else None,
        "images_per_hour": round(per_hour),
        "gigabytes_per_hour": round(bytes_in / 1e9 * _HOUR / seconds, 2),
        "round_trip_seconds": _spread(one.ended - one.begun for one in good),
        "server_seconds": _spread(
            one.server_seconds for one in good if one.server_seconds is not None
        ),
        "costs": [cost.as_json() for cost in costs(per_hour, os.cpu_count() or 1, work)],
    }


def _spread(values: Iterable[float]) -> dict[str, float] | None:
    ordered = sorted(values)
    if not ordered:
        return None
    return {
        "median": round(median(ordered), 3),
        "p95": round(percentile(ordered, 95), 3),
        "most": round(ordered[-1], 3),
    }


def _failed(sent: Sequence[Sent]) -> list[dict[str, Any]]:
    counts: dict[str, int] = {}
    for one in sent:
        if one.ended and not one.good:
            words = f"{one.state}: {one.sentence}"
            counts[words] = counts.get(words, 0) + 1
    return [{"fault": words, "times": times} for words, times in counts.items()]
