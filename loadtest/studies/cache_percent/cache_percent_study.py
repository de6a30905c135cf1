"""Requests after warming: figures of answers that came from a cache and of those that did not."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from loadtest.client.user_load import Load, Progress, send_as_users, send_each, workload_fingerprint
from loadtest.figures.order_statistics import percentile
from loadtest.figures.request_figures import count_faults
from loadtest.studies.cache_percent.server_hints import app_seconds, from_cache
from loadtest.workload.answers import Answer
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.models.cache_percent import CACHED, CacheList, CachePercent
from loadtest.workload.request import Workload

PERCENTILES = (50, 95, 99)


@dataclass(frozen=True, kw_only=True)
class CachePercentStudy:
    """The options of bench.py's command line."""

    url: str
    """Scheme and host."""
    images: Sequence[Image]
    requests: int = 1_000
    cache_percent: int = 90
    clients: int = 4
    only_warm: bool = False
    skip_warm: bool = False
    seed: int = 2019


def measure_cache_percent(
    study: CachePercentStudy, watch: Callable[[str], Progress]
) -> dict[str, Any]:
    """Return figures, JSON-ready; `complete` is False after Ctrl-C, and what was measured is kept.

    Raises InvalidScenario for what cannot be run.
    """
    options = CachePercent(
        requests=study.requests,
        cache_percent=study.cache_percent,
        only_warm=study.only_warm,
        skip_warm=study.skip_warm,
    )
    model = options.bind(Catalogue.of(study.images), study.seed)
    assert isinstance(model, CacheList)
    workload = Workload(model, study.seed, ends=True, warm=model.warm)
    warming, load = Load(), Load()
    if model.warm:
        warming = send_each(study.url, model.warm, study.clients, watch("warming"))
    if model.requests and warming.complete:
        load = send_as_users(study.url, workload, study.clients, progress=watch("asking"))
    return _study_parameters(study) | {
        "complete": warming.complete and load.complete,
        "requests_sha256": workload_fingerprint(
            workload, study.clients, max(1, len(model.requests))
        ),
        "warming": _warming_figures(warming),
        **_load_figures(load),
    }


def _study_parameters(study: CachePercentStudy) -> dict[str, Any]:
    return {
        "url": study.url,
        "parameters": {
            "num_requests": study.requests,
            "cache_percent": study.cache_percent,
            "num_clients": study.clients,
            "only_warm": study.only_warm,
            "skip_warm": study.skip_warm,
            "seed": study.seed,
        },
        "images": [[image.identifier, image.width, image.height] for image in study.images],
    }


def _warming_figures(load: Load) -> dict[str, Any]:
    return {
        "requests": len(load.answers),
        "errors": sum(1 for answer in load.answers if answer.fault),
        "seconds": round(load.seconds, 6),
        "failed": count_faults(load.answers),
    }


def _load_figures(load: Load) -> dict[str, Any]:
    good = [answer for answer in load.answers if not answer.fault]
    hits = [from_cache(answer.headers) for answer in good]
    pairs = list(zip(good, hits, strict=True))
    cached = [answer for answer, hit in pairs if _is_cached(answer, hit)]
    other = [answer for answer, hit in pairs if not _is_cached(answer, hit)]
    return {
        "requests": len(good),
        "errors": len(load.answers) - len(good),
        "failed": count_faults(load.answers),
        "run_seconds": round(load.seconds, 6),
        "requests_per_second": round(len(good) / load.seconds, 3) if load.seconds else 0.0,
        "generator_cores": round(load.generator, 3),
        "client_bound": load.client_bound,
        "decoded": load.decoded,
        "cache_told_by_server": sum(hit is not None for hit in hits),
        "all": answer_figures(good),
        "non_cached": answer_figures(other),
        "cached": answer_figures(cached),
    }


def _is_cached(answer: Answer, hit: bool | None) -> bool:
    """Return what the server says; if it does not, True for a repeated request."""
    return answer.target.kind.startswith(CACHED) if hit is None else hit


def answer_figures(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return figures of some answers; seconds and bytes, None without any."""
    times = sorted(answer.seconds for answer in answers)
    worked = [app_seconds(answer.headers) for answer in answers]
    app = [seconds for seconds in worked if seconds is not None]
    return {
        "requests": len(times),
        "bytes": sum(answer.bytes for answer in answers),
        "average_app_seconds": round(statistics.fmean(app), 6) if app else None,
        "average_seconds": round(statistics.fmean(times), 6) if times else None,
        "worst_seconds": round(times[-1], 6) if times else None,
    } | {
        f"p{percent}_seconds": round(percentile(times, percent), 6) if times else None
        for percent in PERCENTILES
    }
