"""Counters of one gateway process: plain numbers that its event loop alone changes.

No locks, no clock of its own. A tile that is at hand pays for one addition (two looks at the clock
would be 1 % of it); everything else is off its path.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache

from vitrine.deliver.metrics.catalogue import CATALOGUE, PREFIX

Samples = dict[str, float]
"""Values by name and labels, spelled as Prometheus does: `vitrine_tiles_total{way="passed"}`."""

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of a histogram's buckets, in seconds."""


@lru_cache(maxsize=1024)
def name_sample(name: str, **labels: str | int) -> str:
    """Return a sample's key. Raises KeyError for a metric that is not declared."""
    CATALOGUE[name]
    return f"{PREFIX}{name}{_join_labels(labels)}"


def _join_labels(labels: dict[str, str | int]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{label}="{value}"' for label, value in labels.items()) + "}"


class Histogram:
    """How many observations fell below each bound, and their sum."""

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    def observe(self, seconds: float) -> None:
        """Count one observation."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds

    def with_first(self, count: int) -> "Histogram":
        """Return the same with `count` more in the first bucket, which take no time."""
        other = Histogram()
        other.counts = [self.counts[0] + count, *self.counts[1:]]
        other.seconds = self.seconds
        return other


class Counters:
    """The numbers of one process. Belongs to one event loop."""

    def __init__(self) -> None:
        self.tiles_at_once = 0
        """Tiles answered without any wait: they are in no other number until `samples`."""
        self._values: defaultdict[str, float] = defaultdict(float)
        self._answers: defaultdict[str, Histogram] = defaultdict(Histogram)
        self._loop = Histogram()
        self._readers: dict[str, Callable[[], float]] = {}
        self._sources: list[Callable[[], Samples]] = []

    def count(self, name: str, amount: float = 1, **labels: str | int) -> None:
        """Add to a counter. Raises KeyError for one that is not declared."""
        self._values[name_sample(name, **labels)] += amount

    def observe_answer(self, kind: str, seconds: float) -> None:
        """Count the time that an answer took."""
        self._answers[kind].observe(seconds)

    def observe_loop(self, seconds: float) -> None:
        """Count how much later than planned the event loop did something."""
        self._loop.observe(seconds)

    def watch(self, name: str, read: Callable[[], float], **labels: str | int) -> None:
        """Have a value read whenever samples are taken."""
        self._readers[name_sample(name, **labels)] = read

    def watch_all(self, source: Callable[[], Samples]) -> None:
        """Have several values read whenever samples are taken."""
        self._sources.append(source)

    def samples(self) -> Samples:
        """Return all values as they are now."""
        samples: Samples = dict(self._values)
        samples |= {key: read() for key, read in self._readers.items()}
        for source in self._sources:
            samples |= source()
        at_once = self.tiles_at_once
        # Without a wait, a tile takes some 50 microseconds.
        tiles = self._answers["tile"].with_first(at_once)
        for kind, histogram in {**self._answers, "tile": tiles}.items():
            samples |= _histogram_samples("answer_seconds", histogram, f'kind="{kind}"')
        samples |= _histogram_samples("event_loop_delay_seconds", self._loop)
        for key in (
            name_sample("answers_total", status=200),
            name_sample("tiles_total", way="passed_through"),
            name_sample("priced_requests_total", lane="stored"),
            name_sample("block_reads_total", found="cache"),
        ):
            samples[key] = samples.get(key, 0) + at_once
        return samples


def _histogram_samples(name: str, histogram: Histogram, label: str = "") -> Samples:
    """Return a histogram's samples: buckets are cumulative, as Prometheus wants them."""
    samples: Samples = {}
    before, alone = f"{label}," if label else "", f"{{{label}}}" if label else ""
    below = 0
    for bound, count in zip((*BOUNDS, "+Inf"), histogram.counts, strict=True):
        below += count
        samples[f'{PREFIX}{name}_bucket{{{before}le="{bound}"}}'] = below
    samples[f"{PREFIX}{name}_sum{alone}"] = histogram.seconds
    samples[f"{PREFIX}{name}_count{alone}"] = below
    return samples


def is_counter(key: str) -> bool:
    """Return True if a sample only grows, so that it is summed over processes that have ended."""
    name = key.partition("{")[0].removeprefix(PREFIX)
    return CATALOGUE.get(name, CATALOGUE["answer_seconds"]).type != "gauge"


def sum_samples(running: list[Samples], ended: list[Samples]) -> Samples:
    """Return the sum over processes; of those that have ended, the counters alone."""
    total: Samples = {}
    for samples in running:
        for key, value in samples.items():
            total[key] = total.get(key, 0) + value
    for samples in ended:
        for key, value in samples.items():
            if is_counter(key):
                total[key] = total.get(key, 0) + value
    return total
