"""Sections of docs/explanations/performance.md, a study each."""

from collections.abc import Iterator, Mapping
from typing import Any

from docs.build.markdown import paragraph, table
from docs.build.saved_runs import SavedRun, cite
from loadtest.report.format_figure import format_figure

Figures = Mapping[str, Any]


RENDERERS = {
    "ours": "Vitrine",
    "iipsrv": "iipsrv",
    "iipsrv-cached": "iipsrv, tile cache",
    "iiif-processor": "iiif-processor",
}


def tile_cpu(index: Mapping[str, SavedRun]) -> dict[str, float]:
    """Return CPU milliseconds of one interior tile by server."""
    rows = index["delivery"].read()["figures"]["scenarios"]["tiles"]["medians"]
    label = "interior tiles, photo-100.tif"
    return {row["bed"]: row["cpu_ms_per_request"] for row in rows if row["label"] == label}


def each_request_section(index: Mapping[str, SavedRun]) -> Iterator[str]:
    """Yield what one request costs, and how faithful the answer is."""
    figures = index["renderers"].read()["figures"]
    names = [name for name in RENDERERS if name in figures["servers"]]
    medians = {(row["request"], row["server"]): row for row in figures["medians"]}
    tile = tile_cpu(index)
    yield "## What does one request cost?\n"
    yield paragraph(
        f"A tile is passed through as it is stored, so there is nothing to lose: "
        f"{tile['vitrine']:.2g} ms of CPU, where iipsrv needs {tile['iipsrv']:.2g}, and "
        f"{tile['iipsrv, tile cache']:.2g} if it has the tile decoded in memory."
    )
    yield ""
    yield cite(index, "delivery")
    yield paragraph(
        "Everything else is rendered, by our iipsrv but for thumbnails. CPU of all processes of a "
        f"server, the mean over {len(figures['photographs'])} photographs; fidelity is PSNR "
        "against a Lanczos reduction of the master, in decibels:"
    )
    yield ""
    rows = [
        (
            request,
            *(format_figure(_figure(medians, request, name, "cpu_ms")) for name in names),
            *(_decibels(_figure(medians, request, name, "psnr_db")) for name in names),
        )
        for request in figures["requests"]
    ]
    columns = [RENDERERS[name] for name in names]
    header = ("request", *(f"{c}, CPU ms" for c in columns), *(f"{c}, dB" for c in columns))
    yield table(header, rows)
    yield cite(index, "renderers")


def _figure(medians: Mapping[Any, Figures], request: str, server: str, key: str) -> float | None:
    return medians.get((request, server), {}).get(key)


def _decibels(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def collection_section(index: Mapping[str, SavedRun]) -> Iterator[str]:
    """Yield what a mix costs that hardly repeats itself."""
    figures = index["collection"].read()["figures"]["scenarios"]["collection"]
    by_server: dict[str, dict[str, Figures]] = {}
    for row in figures["medians"]:
        by_server.setdefault(row["bed"], {})[row["label"].rpartition(", ")[2]] = row
    plain = by_server["iipsrv"]
    yield "## And if hardly anything is repeated?\n"
    yield paragraph(
        "Tiles, thumbnails, larger images and image information as pages and viewers ask for them, "
        "500 different requests for 200 images, from servers that have just been started: first "
        "each for the first time, when an image has to be opened and its blocks to be read, then "
        "all of them again. CPU is that of all processes."
    )
    yield ""
    rows = []
    for server, label in COLLECTION.items():
        cells = []
        for turn in ("first", "again"):
            row = by_server[server][turn]
            cpu, rate = row["cpu_ms_per_request"], row["requests_per_second"]
            ratio = cpu / plain[turn]["cpu_ms_per_request"]
            cells += [format_figure(cpu), f"{ratio:.2f}", f"{rate:,.0f}"]
        rows.append((label, *cells))
    header = ["server"]
    for turn in ("first", "again"):
        header += [f"{turn}: CPU ms", "of iipsrv's", "requests/s"]
    yield table(header, rows)
    yield cite(index, "collection")


COLLECTION = {
    "vitrine, derivative cache": "Vitrine, as deployed",
    "vitrine": "Vitrine, derivative cache off",
    "iipsrv": "iipsrv",
    "iipsrv, tile cache": "iipsrv, tile cache",
}
"""Servers of that study, and their names on the page."""


def cold_image_section(index: Mapping[str, SavedRun]) -> Iterator[str]:
    """Yield what a cold image reads."""
    images = index["cold-reads"].read()["figures"]["images"]
    yield "## How long does a cold image take?\n"
    yield paragraph(
        "Reads from a store that answers after 20 ms, until the first answer for an image of 400 "
        "megapixels that nobody asked for before; the worst of 200 tiles, the median time."
    )
    yield ""
    names = {"vitrine": "our access master", "libvips": "plain libvips pyramid"}
    rows = [
        (
            names[image],
            request.replace("_", " "),
            str(row["reads"]),
            f"{row['bytes'] / 1024:,.0f}",
            f"{row['median_ms']:.0f}",
        )
        for image in names
        for request in ("first_tile", "first_thumbnail")
        for row in [images[image][request]]
    ]
    yield table(("file", "request", "reads", "KiB", "ms"), rows, words=2)
    yield cite(index, "cold-reads")


def load_test_section(index: Mapping[str, SavedRun]) -> Iterator[str]:
    """Yield what visitors of the whole service see."""
    figures = index["load-test"].read()["figures"]
    yield "## What do a thousand visitors see?\n"
    yield paragraph(
        "Sessions in the viewer, index pages and embedded images, through the edge of the "
        "one-machine service. The service, its edge and the clients share both cores, and an edge "
        "that has an answer does not ask the origin, so this shows the whole, not the image task."
    )
    yield ""
    rows = []
    for stage in figures["stages"]:
        stage_rows = [row for row in figures["rows"] if row["stage"] == stage]
        tiles = next(row for row in stage_rows if row["kind"] == "tile")
        rate = sum(row["requests_per_second"] for row in stage_rows)
        failures = sum(row["failures"] for row in stage_rows)
        times = (f"{tiles['median_ms']:,}", f"{tiles['p95_ms']:,}")
        rows.append((stage, f"{rate:,.0f}", *times, str(failures)))
    header = ("stage", "requests/s", "median of a tile, ms", "its p95", "failures")
    yield table(header, rows)
    yield cite(index, "load-test")


def ingest_section(index: Mapping[str, SavedRun]) -> Iterator[str]:
    """Yield how fast masters are published."""
    rounds = sorted(
        index["ingest"].read()["figures"]["collections"], key=lambda row: row["seconds"]
    )
    middle = rounds[len(rounds) // 2]
    yield "## How fast is ingest?\n"
    yield paragraph(
        "From the first byte of the upload until the image is published, on both cores, with the "
        "emulator of AWS on the same two."
    )
    yield ""
    rows = [
        (
            f"{middle['images']} masters of 12 to 50 megapixels",
            f"{middle['images_per_hour']:,}",
            f"{middle['megapixels_per_second']:.0f}",
            f"{middle['cpu_seconds']['lambdas'] / middle['images']:.2f}",
        ),
    ]
    header = ("collection", "images an hour", "megapixels/s", "CPU seconds of Lambdas an image")
    yield table(header, rows)
    yield cite(index, "ingest")


def photo_door_section(index: Mapping[str, SavedRun]) -> Iterator[str]:
    """Yield what a photograph costs at our door and at others."""
    figures = index["photo-door"].read()["figures"]
    yield "## What does the photo door take for a photograph?\n"
    yield paragraph(
        f"Photographs of 9 to 11 MB over TLS, {figures['scenario']['agents']} agents that wait for "
        "a thumbnail of 500 pixels. Ours verifies the form, reads the metadata and computes the "
        "checksum as well. [ADR 0031](../adr/0031-a-photo-door.md) says what the others do."
    )
    yield ""
    rows = [
        (
            door["name"],
            f"{door['cpu_milliseconds']['median']:,}",
            f"{door['images_per_hour_and_core']:,}",
            f"{door['peak_mebibytes']:,.0f}",
            f"{door['errors']:,} of {door['requests']:,}",
        )
        for door in figures["doors"]
    ]
    yield table(("door", "CPU ms", "photographs an hour and core", "peak MiB", "errors"), rows)
    yield cite(index, "photo-door")


def encoders_section(index: Mapping[str, SavedRun]) -> Iterator[str]:
    """Yield what an access master costs to write."""
    medians = index["encoders"].read()["figures"]["medians"]
    size = 100
    yield "## What does an access master cost to write?\n"
    rows = [
        (
            row["encoder"].replace("vitrine standard", "ours"),
            f"{row['megapixels_per_cpu_second']:.1f}",
            f"{row['output_bytes'] / 1e6:,.0f}",
            f"{row['peak_bytes'] / 2**20:,.0f}",
        )
        for row in medians
        if row["megapixels"] == size
    ]
    yield table((f"{size} megapixels", "megapixels/s per core", "MB", "peak MiB"), rows)
    yield cite(index, "encoders")


def formats_section(index: Mapping[str, SavedRun]) -> Iterator[str]:
    """Yield what other formats cost iipsrv."""
    served = index["formats"].read()["figures"]["served"]
    kinds = {"50": "50 px", "1024": "1024 px", "small region": "a small region", "full": "all"}
    names = {"ptiff-lossy": "TIFF, JPEG", "jp2-lossy": "JPEG 2000", "htj2k-lossy": "HTJ2K"}
    yield "## Why TIFF and not JPEG 2000?\n"
    yield paragraph("Median milliseconds of iipsrv for one request, by the format of its files.")
    yield ""
    rows = []
    for name, label in names.items():
        by_kind = {
            row["kind"]: row for row in served if (row["server"], row["format"]) == ("iipsrv", name)
        }
        cells = [
            "wrong pixels"
            if by_kind[kind]["failures"] or by_kind[kind]["wrong_pixels"]
            else format_figure(by_kind[kind]["percentiles_ms"]["50"])
            for kind in kinds
        ]
        rows.append((label, *cells))
    yield table(("format", *kinds.values()), rows)
    yield cite(index, "formats")


def edge_section(index: Mapping[str, SavedRun]) -> Iterator[str]:
    """Yield what the edge answers by itself."""
    replays = index["edge"].read()["figures"]["replays"]
    yield "## How much does the edge keep away?\n"
    by_label: dict[str, dict[str, Figures]] = {}
    for row in replays:
        by_label.setdefault(row["label"], {})[row["turn"]] = row
    rows = [
        (
            label,
            f"{turns['first']['requests']:,}",
            f"{turns['first']['different']:,}",
            f"{turns['first']['origin_requests']:,}",
            f"{turns['second']['origin_requests']:,}",
        )
        for label, turns in by_label.items()
    ]
    header = ("replayed", "requests", "different", "to the origin at first", "the second time")
    yield table(header, rows)
    yield cite(index, "edge")
