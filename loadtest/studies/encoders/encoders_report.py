"""The table and the chart of an encoder run."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure


def table(figures: dict[str, Any]) -> str:
    """Markdown: medians of speed and size by encoder and megapixels, then fidelity."""
    lines = [
        "| encoder | megapixels | MP/s per core | master MB/s | CPU s | wall s | peak MiB | MB |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in figures["medians"]:
        lines.append(
            f"| {row['encoder']} | {row['megapixels']} | {row['megapixels_per_cpu_second']:.1f} "
            f"| {row['master_megabytes_per_second']:.0f} | {row['cpu_seconds']:.2f} "
            f"| {row['wall_seconds']:.2f} | {row['peak_bytes'] / 2**20:.0f} "
            f"| {row['output_bytes'] / 1e6:.1f} |"
        )
    lines += [
        "",
        "| encoder | PSNR dB | SSIM | ΔE00 mean | ΔE00 p99 | ΔE00 max |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, row in figures["fidelity"].items():
        lines.append(
            f"| {name} | {row['psnr_db']} | {row['ssim']} | {row['delta_e_mean']} "
            f"| {row['delta_e_p99']} | {row['delta_e_max']} |"
        )
    return "\n".join(lines) + "\n"


def chart(figures: dict[str, Any], path: Path) -> None:
    """SVG: megapixels per CPU second of every encoder, one group of bars per size."""
    rows = figures["medians"]
    names = list(dict.fromkeys(row["encoder"] for row in rows))
    sizes = list(dict.fromkeys(row["megapixels"] for row in rows))
    figure = Figure(figsize=(9, 0.55 * len(names) + 1.5), layout="constrained")
    axes = figure.subplots()
    height = 0.8 / len(sizes)
    for number, size in enumerate(sizes):
        speeds = {
            row["encoder"]: row["megapixels_per_cpu_second"]
            for row in rows
            if row["megapixels"] == size
        }
        places = [names.index(name) + number * height for name in speeds]
        axes.barh(places, list(speeds.values()), height, label=f"{size} megapixels")
    axes.set_yticks([place + 0.4 - height / 2 for place in range(len(names))], names)
    axes.invert_yaxis()
    axes.set_xlabel("megapixels per second and core (more is better)")
    axes.legend()
    figure.savefig(path, format="svg")
