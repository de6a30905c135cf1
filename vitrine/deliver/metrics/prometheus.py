"""Samples as text for Prometheus (exposition format 0.0.4), and back."""

from itertools import groupby

from vitrine.deliver.metrics.catalogue import CATALOGUE, PREFIX
from vitrine.deliver.metrics.counters import Samples

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SUFFIXES = ("_bucket", "_sum", "_count")


def format_samples(samples: Samples) -> str:
    """Return the text of all samples, those of a metric together below its help and type."""
    lines: list[str] = []
    # Sorting is stable: the buckets of a histogram keep their order.
    ordered = sorted(samples.items(), key=lambda item: _metric_name(item[0]))
    for name, group in groupby(ordered, lambda item: _metric_name(item[0])):
        metric = CATALOGUE[name]
        lines.append(f"# HELP {PREFIX}{name} {metric.help}")
        lines.append(f"# TYPE {PREFIX}{name} {metric.type}")
        lines += [f"{key} {value:.10g}" for key, value in group]
    return "\n".join(lines) + "\n"


def parse_samples(text: str) -> Samples:
    """Return the samples of a text that `format_samples` wrote. Raises ValueError."""
    samples: Samples = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            key, _, value = line.rpartition(" ")
            samples[key] = float(value)
    return samples


def _metric_name(key: str) -> str:
    name = key.partition("{")[0].removeprefix(PREFIX)
    if name in CATALOGUE:
        return name
    return next(name.removesuffix(suffix) for suffix in _SUFFIXES if name.endswith(suffix))
