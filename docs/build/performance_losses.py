"""Where rivals are ahead of us in the museum's comparison."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

FIGURES = {
    "requests_per_second": "requests/s",
    "median_ms": "median ms",
    "average_ms": "mean ms",
    "cpu_ms": "CPU ms",
}
_CLEARLY = 0.95
"""Ratios above it are noise of the machine."""


@dataclass(frozen=True, kw_only=True)
class Loss:
    """A kind of request and a figure in which a rival is ahead, in the worst case."""

    kind: str
    figure: str
    connections: int
    rival: str
    ours: float
    theirs: float
    ratio: float
    """The quotient in our favour: below 1 the rival is ahead, whichever way is better."""


def losses(figures: Mapping[str, Any]) -> list[Loss]:
    """Return the worst loss of each size of image, figure and rival, in that order."""
    worst: dict[tuple[str, str, str], Loss] = {}
    for connections in dict.fromkeys(entry["connections"] for entry in figures["medians"]):
        stage = [entry for entry in figures["medians"] if entry["connections"] == connections]
        for loss in _losses({entry["server"]: entry for entry in stage}):
            key = (loss.kind.rpartition(", ")[2], loss.figure, loss.rival)
            if key not in worst or loss.ratio < worst[key].ratio:
                worst[key] = loss
    return [worst[key] for key in sorted(worst)]


def _losses(entries: dict[str, Any]) -> Iterator[Loss]:
    ours = entries.pop("ours")
    for rival, entry in entries.items():
        for kind in ours["rows"]:
            if kind == "any":
                continue
            for key, name in FIGURES.items():
                mine, theirs = _figure(ours, kind, key), _figure(entry, kind, key)
                if not mine or not theirs:
                    continue
                ratio = mine / theirs if key == "requests_per_second" else theirs / mine
                if ratio < _CLEARLY:
                    yield Loss(
                        kind=_named(kind),
                        figure=name,
                        connections=ours["connections"],
                        rival=rival,
                        ours=mine,
                        theirs=theirs,
                        ratio=ratio,
                    )


def _figure(entry: Mapping[str, Any], kind: str, key: str) -> float | None:
    if key == "cpu_ms":
        cpu: float | None = entry.get("cpu_ms", {}).get(kind)
        return cpu
    figure: float | None = entry["rows"].get(kind, {}).get(key)
    return figure


def _named(kind: str) -> str:
    source, _, size = kind.partition(" ")
    least, _, most = source.partition("-")
    return f"{least} to {most} megapixels, {size}" if most else f"over {least} megapixels, {size}"
