"""What the museum's mix takes of access masters of the standard recipe, and of the light one.

    python -m tests.benchmarks.recipe_mix [--rounds 5] [--raw runs/recipe-mix.json]

Three photographs, written by both recipes. In each round, in turns, a gateway and iipsrv processes
of its own, whose caches are empty, answer the same draw of 300 requests of the report's tables
(tile, 128, 1024, 4096 as 10 : 10 : 4 : 1; `loadtest/workload/models/report_matrix.py`), one after
the other. Prints, by size and for the mix: CPU milliseconds of gateway and iipsrv for a request,
kilobytes sent, milliseconds of the 50th and 99th percentile, and kilobytes read from the store for
a request. A light tile shows four times as much: `same pixels` counts a quarter of its tiles.
"""

import argparse
import json
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pyvips

from loadtest.corpora.photographs import DRAGONFLY, KLEIBER, SEEDING
from loadtest.figures.order_statistics import median, percentile
from loadtest.studies.cold_reads.cold_addresses import address, tile
from loadtest.workload.models.report_matrix import WEIGHTS
from tests.benchmarks.gateway_cost import HERE
from tests.benchmarks.renderer_cost import Servers, servers
from tests.integration.deliver.deliver_pictures import live_record
from vitrine.deliver.metrics.prometheus import parse_samples
from vitrine.ingest.convert.access_master import read_structure, to_file, write_access_master
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.inspect.vips import prepare_libvips
from vitrine.ingest.recipe import LIGHT, STANDARD, Recipe
from vitrine.local.debian_files import fetch
from vitrine.records import Live, record_from_json

RECIPES = {"standard": STANDARD, "light": LIGHT}
REQUESTS = 300
TILE = "tile"


@dataclass(frozen=True)
class Answer:
    """One request."""

    size: str
    cpu_milliseconds: float
    sent_bytes: int
    milliseconds: float


@dataclass(frozen=True)
class Round:
    """One draw of the mix, answered from one recipe."""

    answers: list[Answer]
    store_bytes: float


def write_store(folder: Path, recipe: Recipe) -> list[Live]:
    """Write the photographs with their records; return these."""
    prepare_libvips()
    records = []
    for file in (DRAGONFLY, KLEIBER, SEEDING):
        image = pyvips.Image.new_from_file(str(fetch(file)), access="sequential")
        path = folder / file.name.replace(".jpg", ".tif")
        write_access_master(image, Metadata(), recipe, to_file(path), folder, lambda rows: None)
        data = path.read_bytes()
        structure = read_structure(lambda at, size, data=data: data[at : at + size], len(data))  # type: ignore[misc]
        record = live_record(path.stem, path.name, path, structure.levels)
        sides = {"tile_width": structure.tile_width, "tile_height": structure.tile_height}
        records.append({**record, **sides})
    (folder / "records.json").write_text(json.dumps(records))
    found = [record_from_json(record) for record in records]
    return [record for record in found if isinstance(record, Live)]


def draw(images: list[Live], seed: int) -> Iterator[tuple[str, str]]:
    """Yield size and path of each request; other recipes get the same sizes of the same images."""
    chance = random.Random(seed)
    weights = WEIGHTS["tables"]
    for _ in range(REQUESTS):
        [size] = chance.choices(list(weights), list(weights.values()))
        image, level, across, down = chance.choice(images), *(chance.random() for _ in range(3))
        parameters = f"full/!{size},{size}/0/default.jpg"
        if size == TILE:
            number = int(level * len(image.levels))
            width, height = image.levels[number]
            columns, rows = -(-width // image.tile_width), -(-height // image.tile_height)
            parameters = tile(image, number, int(across * columns), int(down * rows))
        yield size, address(image, parameters)


def run_round(store: Path, images: list[Live], seed: int) -> Round:
    """Answer one draw with empty caches."""
    answers = []
    with servers(HERE, store) as running:
        for size, path in draw(images, seed):
            before, at = _cpu_seconds(running), time.perf_counter()
            status, body = running.gateway.read(path)
            taken = time.perf_counter() - at
            assert status == 200, f"{path}: {status} {body[:200]!r}"
            cpu = _cpu_seconds(running) - before
            answers.append(Answer(size, cpu * 1e3, len(body), taken * 1e3))
        samples = parse_samples(running.gateway.read("/metrics")[1].decode())
    return Round(answers, samples["vitrine_store_bytes_total"])


def _cpu_seconds(running: Servers) -> float:
    return running.gateway.cpu_seconds() + running.iipsrv_seconds()


def print_table(taken: dict[str, list[Round]]) -> None:
    """Print medians of the rounds, and percentiles of all of them."""
    weights = WEIGHTS["tables"]
    print(f"{'':24}{'CPU ms':>9}{'kB':>9}{'p50 ms':>9}{'p99 ms':>9}{'store kB':>10}")
    for name, rounds in taken.items():
        means = {size: _means(rounds, size) for size in weights}
        for size in weights:
            times = [
                one.milliseconds for part in rounds for one in part.answers if one.size == size
            ]
            percentiles = f"{percentile(times, 50):9.1f}{percentile(times, 99):9.1f}"
            print(f"{name + ' ' + size:24}{means[size][0]:9.2f}{means[size][1]:9.1f}{percentiles}")
        times = [one.milliseconds for part in rounds for one in part.answers]
        stored = median(part.store_bytes for part in rounds) / REQUESTS / 1e3
        percentiles = f"{percentile(times, 50):9.1f}{percentile(times, 99):9.1f}{stored:10.1f}"
        cpu, sent = _mix(means, dict(weights))
        print(f"{name + ', mix':24}{cpu:9.2f}{sent:9.1f}{percentiles}")
        fewer = {**weights, TILE: weights[TILE] * (256 / RECIPES[name].tile_size) ** 2}
        cpu, sent = (value * sum(fewer.values()) / 50 for value in _mix(means, fewer))
        print(f"{name + ', same pixels':24}{cpu:9.2f}{sent:9.1f}", flush=True)


def _means(rounds: list[Round], size: str) -> tuple[float, float]:
    """Return CPU milliseconds and kB of a request: the median of the rounds' means."""
    parts: dict[int, list[Answer]] = defaultdict(list)
    for number, part in enumerate(rounds):
        parts[number] += [one for one in part.answers if one.size == size]
    answers = [part for part in parts.values() if part]
    cpu = median(sum(one.cpu_milliseconds for one in part) / len(part) for part in answers)
    sent = median(sum(one.sent_bytes for one in part) / len(part) for part in answers)
    return cpu, sent / 1e3


def _mix(means: dict[str, tuple[float, float]], weights: dict[str, float]) -> tuple[float, float]:
    total = sum(weights.values())
    cpu, sent = (
        sum(weights[size] * means[size][column] for size in weights) / total for column in (0, 1)
    )
    return cpu, sent


def main() -> None:
    """Measure, print, and keep every round."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.recipe_mix")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--raw", type=Path, default=Path("runs/recipe-mix.json"))
    chosen = parser.parse_args()
    taken: dict[str, list[Round]] = {name: [] for name in RECIPES}
    with tempfile.TemporaryDirectory() as scratch:
        stores = {name: Path(scratch) / name for name in RECIPES}
        for store in stores.values():
            store.mkdir()
        images = {name: write_store(stores[name], recipe) for name, recipe in RECIPES.items()}
        for number in range(chosen.rounds):
            for name in list(RECIPES)[:: -1 if number % 2 else 1]:
                taken[name].append(run_round(stores[name], images[name], number))
    print_table(taken)
    chosen.raw.parent.mkdir(parents=True, exist_ok=True)
    rounds = {name: [asdict(part) for part in parts] for name, parts in taken.items()}
    chosen.raw.write_text(json.dumps(rounds))
    print(f"Every request: {chosen.raw}")


if __name__ == "__main__":
    main()
