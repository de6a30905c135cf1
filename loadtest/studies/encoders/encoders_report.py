"""The table and the chart of an encoder run."""

from typing import Any

from loadtest.report.charts import bar_chart, standalone_svg


def format_table(figures: dict[str, Any]) -> str:
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


def speed_chart(figures: dict[str, Any]) -> str:
    """Return an SVG: megapixels per CPU second, one group of bars per encoder."""
    rows = figures["medians"]
    sizes = list(dict.fromkeys(row["megapixels"] for row in rows))
    speeds = {(row["encoder"], row["megapixels"]): row["megapixels_per_cpu_second"] for row in rows}
    groups = {
        row["encoder"]: [speeds.get((row["encoder"], size)) for size in sizes] for row in rows
    }
    series = [f"{size} megapixels" for size in sizes]
    title = "Megapixels per second and core"
    return standalone_svg(bar_chart(title, groups, series, "MP/s", one_scale=True))
