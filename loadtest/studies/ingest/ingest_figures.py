"""The promised figures of the ingest, computed from the rows of a run."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loadtest.figures.order_statistics import median
from loadtest.studies.delivery.delivery_goals import Goal

Row = Mapping[str, Any]

DEFINITIONS = {
    "end to end": "from the first byte of the S3 upload until a client that asks every 50 ms "
    "sees the outcome `published`",
    "conversion (state)": "the state ConvertMaster: it fetches the master from S3, computes its "
    "SHA-256, converts, and puts the access master into S3",
    "conversion (bare)": "the same conversion in a process of its own, file to file, the second "
    "of two: what no pipeline can do without",
    "overhead": "(end to end - conversion) / conversion, of one master alone on the machine",
    "overhead after the upload": "the same, from when the upload's call has returned",
    "overhead as CPU": "(CPU seconds of all processes of the service and of the uploader - CPU "
    "seconds of the bare conversion) / the latter",
    "use of both cores": "CPU seconds of the service's processes and of the uploader, between the "
    "first entry into ConvertMaster and the last exit from it, over seconds and cores",
}
USE_ASKED, OVERHEAD_ASKED = 0.85, 0.25


def median_of(rows: Sequence[Row], value: Callable[[Row], float]) -> float:
    """Return the median of a figure over the rounds, to three digits."""
    return round(median(value(row) for row in rows), 3)


def conversion_seconds(single: Row) -> float:
    """Seconds in the converting state."""
    return float(single["state_seconds"]["ConvertMaster"])


def overhead(single: Row) -> float:
    """Return the seconds outside the converting state, the upload included."""
    return float(single["wall_seconds"]) / conversion_seconds(single) - 1


def overhead_after_upload(single: Row) -> float:
    """Return the seconds outside the converting state, once the master is in S3."""
    rest = float(single["wall_seconds"] - single["upload_seconds"])
    return rest / conversion_seconds(single) - 1


def overhead_on_bare(single: Row) -> float:
    """Once the master is in S3, against the bare conversion."""
    rest = float(single["wall_seconds"] - single["upload_seconds"])
    return rest / float(single["bare"]["wall_seconds"]) - 1


def overhead_as_cpu(single: Row, *parts: str) -> float:
    """CPU of the named parts, or of all, against the bare conversion."""
    spent = single["cpu_seconds"]
    names = parts or ("lambdas", "emulator", "image_task", "uploader")
    return float(sum(spent[name] for name in names) / single["bare"]["cpu_seconds"] - 1)


def goals(figures: Mapping[str, Any]) -> list[Goal]:
    """Return the promised figures, and those that explain them."""
    collections, singles = figures["collections"], figures["singles"]
    use = median_of(collections, lambda row: row["while_converting"]["share_of_both_cores"])
    found = [
        Goal("images per hour", median_of(collections, lambda row: row["images_per_hour"])),
        Goal("GB per hour", median_of(collections, lambda row: row["gigabytes_per_hour"])),
        Goal("MP per second", median_of(collections, lambda row: row["megapixels_per_second"])),
        Goal("use of both cores while converting", use, "≥", USE_ASKED),
    ]
    for name in dict.fromkeys(row["master"] for row in singles):
        rows = [row for row in singles if row["master"] == name]
        after = median_of(rows, overhead_after_upload)
        found += [
            Goal(f"{name}: overhead after the upload", after, "≤", OVERHEAD_ASKED),
            Goal(f"{name}: overhead, upload included", median_of(rows, overhead)),
            Goal(
                f"{name}: after the upload, on the bare conversion",
                median_of(rows, overhead_on_bare),
            ),
            Goal(f"{name}: as CPU, all processes", median_of(rows, overhead_as_cpu)),
            Goal(
                f"{name}: as CPU, Lambdas alone",
                median_of(rows, lambda row: overhead_as_cpu(row, "lambdas")),
            ),
        ]
    return found
