"""The image task on one core, the users on another: what the simulator has to predict."""

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from capacity.model.cost_profile import INFO, TILE
from capacity.model.image_task import COLD_SECONDS
from capacity.model.render_work import AT_ONCE, pool_of, work_of
from capacity.validation.own.drawn_tests import DRAWN, GAUGING, all_tests
from capacity.validation.own.load_tests import PERCENTS, ROUNDS, LoadTest
from loadtest.client.user_load import Load, Progress, send_as_users, send_each
from loadtest.corpora.museum_masters import make_masters
from loadtest.figures.order_statistics import median, percentile
from loadtest.figures.request_figures import count_faults
from loadtest.fleet.image_lists import read_infos
from loadtest.report.machine import describe
from loadtest.rigs.pinning import pinned
from loadtest.rigs.rig import Rig, vitrine_rig
from loadtest.workload.answers import Answer
from loadtest.workload.catalogue import Image
from loadtest.workload.target import Target
from vitrine.errors import VitrineError

WARM_SECONDS = 10.0
IDLE_REQUESTS = 10_000
MANY = 16
"""Clients at once that leave the server no pause."""


def measure(
    seconds: float,
    seed: int,
    scratch: Path,
    say: Callable[[str], None],
    watch: Callable[[str], Progress],
) -> dict[str, Any]:
    """Measure the rows of `drawn_tests.all_tests`, and name the images.

    Each of ROUNDS takes `seconds` times the test's own factor.

    Raises VitrineError, also where the generator was the limit, and RuntimeError without a
    photograph to make access masters from.
    """
    folder = scratch.resolve() / "museum"
    masters = make_masters(folder, say)
    with ExitStack() as stack:
        pinning = stack.enter_context(pinned())
        pinning.start_servers()
        say("starting the image task")
        rig = stack.enter_context(vitrine_rig(folder, name="own"))
        pinning.start_generator()
        url = rig.url
        images = read_infos([f"{url}/iiif/3/{quote(master.name)}/info.json" for master in masters])
        tests = all_tests(seed)
        for test in (tests[0], *tests):
            # The first round, of all classes, only fills caches.
            warming = test is tests[0]
            _whole(
                send_as_users(
                    url,
                    test.workload(images),
                    test.users,
                    seconds=WARM_SECONDS if warming else 2.0,
                    progress=watch(f"warming: {test.name}"),
                )
            )
        idle = _idle(rig, url, watch("requests that ask for nothing"))
        parts = [
            [_part(rig, url, test, number, images, test.times * seconds, watch) for test in tests]
            for number in range(ROUNDS)
        ]
        rows = [
            _row(test, test.times * seconds, [of_round[place] for of_round in parts])
            for place, test in enumerate(tests)
        ]
    return {
        "machine": describe(),
        "seconds": seconds,
        "rounds": ROUNDS,
        "seed": seed,
        "drawn": DRAWN,
        "gauging": GAUGING,
        "pinned": pinning.server is not None,
        "idle": idle,
        "images": [_image(image) for image in images],
        "tests": rows,
    }


def _idle(rig: Rig, url: str, progress: Progress) -> dict[str, float]:
    """Requests that ask for no image, one after the other: what an answer takes, and what of it
    the server's CPU accounts for; and many at once: what of its CPU is not for waking up."""
    load, cpu_ms = _nothing(rig, url, 1, progress)
    busy, busy_cpu_ms = _nothing(rig, url, MANY, progress)
    return {
        "requests": IDLE_REQUESTS,
        "median_ms": median(1000 * answer.seconds for answer in load.answers),
        "server_cpu_ms": cpu_ms,
        "busy_server_cpu_ms": busy_cpu_ms,
        "generator_ms": 1000 * busy.generator * busy.seconds / len(busy.answers),
    }


def _nothing(rig: Rig, url: str, clients: int, progress: Progress) -> tuple[Load, float]:
    before = sum(rig.cpu_seconds().values())
    targets = [Target("health", "/healthz")] * IDLE_REQUESTS
    load = _whole(send_each(url, targets, clients, progress))
    used = sum(rig.cpu_seconds().values()) - before
    return load, 1000 * used / len(load.answers)


def _whole(load: Load) -> Load:
    """Return the load. Raise KeyboardInterrupt if it was interrupted: a part predicts nothing."""
    if not load.complete:
        raise KeyboardInterrupt
    return load


class _Part(NamedTuple):
    """One round of one test."""

    load: Load
    good: list[Answer]
    elapsed: float
    cpu_seconds: float


def _part(
    rig: Rig,
    url: str,
    test: LoadTest,
    number: int,
    images: Sequence[Image],
    seconds: float,
    watch: Callable[[str], Progress],
) -> _Part:
    before, started = sum(rig.cpu_seconds().values()), time.perf_counter()
    load = _whole(
        send_as_users(
            url,
            test.workload(images, number),
            test.users,
            seconds=seconds,
            progress=watch(f"{test.name}, round {number + 1} of {ROUNDS}"),
        )
    )
    elapsed = time.perf_counter() - started
    used = sum(rig.cpu_seconds().values()) - before
    rig.check()
    if load.client_bound:
        raise VitrineError(
            f"{test.name}: the generator took {load.generator:.0%} of its core, so that it "
            "measured itself; try again on a machine with nothing else to do"
        )
    good = [answer for answer in load.answers if not answer.fault]
    if not good:
        raise VitrineError(f"{test.name}: no answer was right: {count_faults(load.answers)[:1]}")
    return _Part(load, good, elapsed, used)


def _row(test: LoadTest, seconds: float, parts: Sequence[_Part]) -> dict[str, Any]:
    """Sum up all rounds of a test."""
    good = [answer for part in parts for answer in part.good]
    answers = [answer for part in parts for answer in part.load.answers]
    times = sorted(1000 * answer.seconds for answer in good)
    spent = sum(part.load.seconds for part in parts)
    return {
        "test": test.name,
        "users": test.users,
        "seconds": seconds,
        "rounds": len(parts),
        "elapsed_seconds": round(sum(part.elapsed for part in parts), 3),
        "requests": len(good),
        "failures": len(answers) - len(good),
        "failed": count_faults(answers),
        "requests_per_second": len(good) / spent,
        "mean_ms": statistics.fmean(times),
        "p50_ms": percentile(times, 50),
        "p95_ms": percentile(times, 95),
        "p99_ms": percentile(times, 99),
        "each_round": [_round(part) for part in parts],
        "server_cpu_seconds": round(sum(part.cpu_seconds for part in parts), 2),
        "generator_cores": round(max(part.load.generator for part in parts), 3),
        **({"groups": _groups(good)} if test.purpose == "calibrate" else {}),
    }


def _round(part: _Part) -> dict[str, float]:
    times = [1000 * answer.seconds for answer in part.good]
    return {
        "requests_per_second": round(len(times) / part.load.seconds, 2),
        "p50_ms": round(percentile(times, 50), 4),
        "p95_ms": round(percentile(times, 95), 4),
        "cpu_ms": round(1000 * part.cpu_seconds / len(times), 4),
    }


def _groups(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Answers of one kind and of as much work, together, those apart that came after a pause.

    Only of one user is it known that nothing else was under way in the pause.
    """
    groups: dict[tuple[str, float, int, bool, bool], list[float]] = defaultdict(list)
    idle_since = 0.0
    for answer in answers:
        target = answer.target
        derivative = target.width and not target.kind.endswith((TILE, INFO))
        work = round(work_of(target), 3) if derivative else 0.0
        pixels = target.width * target.height if derivative else 0
        paused = answer.began - idle_since > COLD_SECONDS
        idle_since = max(idle_since, answer.began + answer.seconds)
        at_once = bool(derivative) and pool_of(target) == AT_ONCE
        groups[target.kind, work, pixels, at_once, paused].append(1000 * answer.seconds)
    return [
        {
            "kind": kind,
            "is_tile": kind.endswith(TILE),
            "work": work,
            "pixels": pixels,
            "at_once": at_once,
            "after_pause": paused,
            "requests": len(times),
            "median_ms": round(median(times), 4),
            "mean_ms": round(statistics.fmean(times), 4),
            "quantiles_ms": [round(percentile(times, percent), 4) for percent in PERCENTS],
        }
        for (kind, work, pixels, at_once, paused), times in sorted(groups.items())
    ]


def _image(image: Image) -> dict[str, Any]:
    return {
        "width": image.width,
        "height": image.height,
        "levels": list(image.levels),
        "largest": list(image.largest),
    }
