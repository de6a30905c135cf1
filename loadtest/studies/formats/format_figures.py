"""Figures from the rows of a run: percentiles, CPU per request, medians of encodings."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from loadtest.figures.order_statistics import median, percentile
from loadtest.studies.formats.format_encoders import FORMATS
from loadtest.workload.answers import Answer

Row = dict[str, Any]
PERCENTS = (50, 66, 75, 80, 90, 95, 98, 99, 99.9, 99.99, 100)
"""Percentiles of the published test's tables."""


def decode_milliseconds(answer: Answer) -> float | None:
    """Return the CPU time of decoding that the server states (Server-Timing, W3C); None without."""
    for metric in answer.headers.get("server-timing", "").split(","):
        name, _, rest = metric.strip().partition(";")
        if name == "decode" and rest.startswith("dur="):
            return float(rest.removeprefix("dur="))
    return None


def pool_rounds(rounds: Sequence[Row], checks: Sequence[Row]) -> list[Row]:
    """Return a row over all rounds for each server, format and kind, by server, kind and format;
    `wrong_pixels` is the share of its different requests that the checks found wrong."""
    wrong = {
        (row["server"], row["format"], row["kind"]): row["wrong"] / row["requests"]
        for row in checks
    }
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rounds:
        groups.setdefault((row["server"], row["format"], row["kind"]), []).append(row)
    kinds = list(dict.fromkeys(kind for _, _, kind in groups))
    order = list(FORMATS)
    places = sorted(groups, key=lambda key: (key[0], kinds.index(key[2]), order.index(key[1])))
    return [
        {
            "server": server,
            "format": format_,
            "kind": kind,
            "wrong_pixels": round(wrong.get((server, format_, kind), 0.0), 3),
            **_pool_rows(groups[server, format_, kind]),
        }
        for server, format_, kind in places
    ]


def _pool_rows(rows: Sequence[Row]) -> Row:
    times = sorted(time for row in rows for time in row["milliseconds"])
    decodes = [value for row in rows for value in row["decode_milliseconds"]]
    requests = sum(row["requests"] for row in rows)
    return {
        "rounds": len(rows),
        "requests": requests,
        "failures": sum(row["failures"] for row in rows),
        "average_ms": round(statistics.fmean(times), 3) if times else None,
        "percentiles_ms": {
            f"{percent:g}": round(percentile(times, percent), 3) if times else None
            for percent in PERCENTS
        },
        "cpu_ms_per_request": round(sum(row["cpu_ms"] for row in rows) / max(1, requests), 3),
        "decode_ms": round(statistics.fmean(decodes), 3) if decodes else None,
        "average_bytes": _rounded_mean(size for row in rows for size in row["bytes"]),
        "generator_cores": round(median(row["generator_cores"] for row in rows), 3),
    }


def encoding_figures(rows: Sequence[Row]) -> list[Row]:
    """Return each format's megapixels per CPU second (median of rounds), bits per pixel, PSNR."""
    found = []
    for name in sorted({row["format"] for row in rows}, key=list(FORMATS).index):
        mine = [row for row in rows if row["format"] == name]
        rounds = dict.fromkeys(row["round"] for row in mine)
        pixels = [sum(r["megapixels"] for r in mine if r["round"] == n) for n in rounds]
        cpu = [sum(r["cpu_seconds"] for r in mine if r["round"] == n) for n in rounds]
        wall = [sum(r["wall_seconds"] for r in mine if r["round"] == n) for n in rounds]
        per_cpu = [p / c for p, c in zip(pixels, cpu, strict=True) if c]
        first = [row for row in mine if "equal" in row]
        known = [row["psnr_db"] for row in first if row["psnr_db"] is not None]
        found.append(
            {
                "format": name,
                "rounds": len(rounds),
                "megapixels_per_cpu_second": round(median(per_cpu), 2) if per_cpu else None,
                "cpu_seconds_per_100_megapixels": round(
                    median(100 * c / p for p, c in zip(pixels, cpu, strict=True)), 2
                ),
                "wall_seconds_per_100_megapixels": round(
                    median(100 * w / p for p, w in zip(pixels, wall, strict=True)), 2
                ),
                "bits_per_pixel": round(statistics.fmean(row["bits_per_pixel"] for row in mine), 2),
                "psnr_db": round(statistics.fmean(known), 2) if known else None,
                "equal": bool(first) and all(row["equal"] for row in first),
            }
        )
    return found


def _rounded_mean(values: Iterable[int]) -> int | None:
    values = list(values)
    return round(statistics.fmean(values)) if values else None
