"""Speed, size and fidelity of the encoders."""

import shutil
from pathlib import Path
from typing import Any

from loadtest.report.charts import bar_chart
from loadtest.report.document import Part, Table, captioned_chart
from loadtest.report.saved_run import Report

_SPEED = "Megapixels per second and core"
_SPEED_HEADER = (
    *("encoder", "megapixels", "MP/s per core", "master MB/s", "CPU s", "wall s", "peak MiB", "MB"),
)
_RATIO_HEADER = ("encoder", "compared with", "megapixels", "ratio of CPU", "bytes more")
_FIDELITY_HEADER = ("encoder", "PSNR dB", "SSIM", "ΔE00 mean", "ΔE00 p99", "ΔE00 max")


def report_parts(figures: dict[str, Any]) -> list[Part]:
    """Return the report: medians of speed and size by encoder and megapixels, then fidelity."""
    speed = [
        (
            row["encoder"],
            str(row["megapixels"]),
            f"{row['megapixels_per_cpu_second']:.1f}",
            f"{row['master_megabytes_per_second']:.0f}",
            f"{row['cpu_seconds']:.2f}",
            f"{row['wall_seconds']:.2f}",
            f"{row['peak_bytes'] / 2**20:.0f}",
            f"{row['output_bytes'] / 1e6:.1f}",
        )
        for row in figures["medians"]
    ]
    ratios = [
        (
            row["encoder"],
            row["of"],
            str(row["megapixels"]),
            f"{row['cpu']:.2f}",
            f"{row['output_bytes']:,}",
        )
        for row in figures.get("ratios", ())
    ]
    fidelity = [(name, *map(str, row.values())) for name, row in figures["fidelity"].items()]
    return [
        Table("Medians of the rounds", _SPEED_HEADER, speed),
        captioned_chart(_SPEED, draw_speed(figures)),
        *([Table("Our own rows compared", _RATIO_HEADER, ratios)] if ratios else []),
        Table("Fidelity", _FIDELITY_HEADER, fidelity),
    ]


def draw_speed(figures: dict[str, Any]) -> str:
    """Return an SVG: megapixels per CPU second, one group of bars per encoder."""
    rows = figures["medians"]
    sizes = list(dict.fromkeys(row["megapixels"] for row in rows))
    speeds = {(row["encoder"], row["megapixels"]): row["megapixels_per_cpu_second"] for row in rows}
    groups = {
        row["encoder"]: [speeds.get((row["encoder"], size)) for size in sizes] for row in rows
    }
    series = [f"{size} megapixels" for size in sizes]
    return bar_chart(_SPEED, groups, series, "MP/s", one_scale=True)


def copy_pictures(figures: dict[str, Any], folder: Path) -> None:
    """Copy the pictures of differences to the run."""
    for path in figures["pictures"]:
        shutil.copy(path, folder)


REPORT = Report(
    bench="encode",
    title="Encoders compared as in the museum's report",
    parts=report_parts,
    write_tables=copy_pictures,
)
