"""The encoders in interleaved rounds; every figure of every round is kept."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyvips

from loadtest.corpora.mirrored_masters import EncodeMaster, make_master
from loadtest.figures.order_statistics import median
from loadtest.figures.round_medians import group_rows
from loadtest.servers.emulated_place import REGION, make_place, running_emulator
from loadtest.studies.encoders import timed_command as timed
from loadtest.studies.encoders.encode_worker import ACCESS_MASTERS, MASTERS
from loadtest.studies.encoders.encoded_fidelity import (
    decode_picture,
    difference_picture,
    measure_fidelity,
)
from loadtest.studies.encoders.encoder_commands import (
    BEFORE,
    CONVERT_MASTER,
    ENCODERS,
    STANDARD,
    Encoder,
)
from loadtest.studies.interleaved_rounds import interleave_turns
from vitrine.errors import VitrineError
from vitrine.local import emulator

Progress = Callable[[str], None]
_THREADS = {"VIPS_CONCURRENCY": "2", "OPENBLAS_NUM_THREADS": "1"}
FIDELITY_MEGAPIXELS = 10
"""Size at which pictures are compared; the encoders do the same at every size."""


def measure_encode(
    sizes: Sequence[int], rounds: int, scratch: Path, tree: Path | None, progress: Progress
) -> dict[str, Any]:
    """Encode a master of each size (megapixels) `rounds` times with every installed encoder.

    `tree` is a checkout whose recipe is measured as well. Pictures of differences go into
    `scratch`. Raises VitrineError when an encoder fails.
    """
    encoders = [encoder for encoder in ENCODERS if encoder.installed]
    if tree:
        encoders.insert(1, replace(STANDARD, name=BEFORE, tree=tree.resolve()))
    runs, masters, fidelity = [], {}, {}
    with _open_buckets() as (s3, variables):
        for size in sizes:
            progress(f"{size} megapixels: making the master")
            master = make_master(size, scratch)
            masters[size] = master.provenance()
            s3.upload_file(str(master.path), variables[MASTERS], master.path.name)
            fitting = [encoder for encoder in encoders if size <= encoder.largest]
            if any("{source}.ppm" in encoder.command for encoder in fitting):
                _as_ppm(master)
            for number, encoder in interleave_turns(fitting, rounds):
                progress(f"{size} megapixels: {encoder.name}, round {number} of {rounds}")
                figures = _encode_master(encoder, master, scratch, variables)
                runs.append({"encoder": encoder.name, "megapixels": size, **figures})
            if size == FIDELITY_MEGAPIXELS:
                fidelity = {
                    encoder.name: _compare_pixels(encoder, master, scratch) for encoder in fitting
                }
    medians = _encoder_medians(runs)
    return {
        "complete": True,
        "masters": masters,
        "rounds": rounds,
        "left_out": [encoder.name for encoder in ENCODERS if not encoder.installed],
        "medians": medians,
        "ratios": _compare_cpu(medians),
        "fidelity": fidelity,
        "pictures": [
            str(_difference_path(encoder, scratch))
            for encoder in encoders
            if encoder.name in fidelity
        ],
        "runs": runs,
    }


@contextmanager
def _open_buckets() -> Iterator[tuple[Any, dict[str, str]]]:
    """Make buckets on an emulator; yield its client, and what leads the worker to them."""
    with running_emulator() as port:
        place = make_place(port)
        s3, masters = place.access.client("s3"), "masters"
        s3.create_bucket(Bucket=masters)
        s3.put_bucket_versioning(Bucket=masters, VersioningConfiguration={"Status": "Enabled"})
        buckets = {MASTERS: masters, ACCESS_MASTERS: place.access_masters}
        yield s3, emulator.credentials(REGION, port) | buckets


def _compare_cpu(medians: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the CPU of our rows as multiples of others, and whether their files are as long."""
    found = {(row["encoder"], row["megapixels"]): row for row in medians}
    pairs = [(STANDARD.name, BEFORE), (CONVERT_MASTER.name, STANDARD.name)]
    return [
        {
            "encoder": ours,
            "of": other,
            "megapixels": size,
            "cpu": round(row["cpu_seconds"] / found[other, size]["cpu_seconds"], 3),
            "output_bytes": row["output_bytes"] - found[other, size]["output_bytes"],
        }
        for (name, size), row in found.items()
        for ours, other in pairs
        if name == ours and (other, size) in found
    ]


def _encode_master(
    encoder: Encoder, master: EncodeMaster, scratch: Path, variables: Mapping[str, str]
) -> dict[str, Any]:
    target = _target_path(encoder, master, scratch)
    target.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-S", timed.__file__, *encoder.command_for(master.path, target)],
        capture_output=True,
        text=True,
        env={**os.environ, **_THREADS, **variables, "PYTHONPATH": str(encoder.tree)},
    )
    if done.returncode or not target.exists():
        raise VitrineError(f"{encoder.name} failed: {done.stderr.strip()[-300:]}")
    lines = done.stdout.splitlines()
    figures = json.loads(lines[-1])
    if encoder.in_process:  # our own report of CPU and wall leaves the imports out
        figures |= json.loads(lines[-2])
    figures = {name: round(value, 3) for name, value in figures.items()}
    return {
        **figures,
        "output_bytes": target.stat().st_size,
        "megapixels_per_cpu_second": round(master.megapixels / figures["cpu_seconds"], 1),
        "master_megabytes_per_second": round(
            master.path.stat().st_size / 1e6 / figures["wall_seconds"], 1
        ),
    }


def _compare_pixels(encoder: Encoder, master: EncodeMaster, scratch: Path) -> dict[str, float]:
    pixels = np.asarray(pyvips.Image.new_from_file(str(master.path)).numpy())
    encoded = decode_picture(_target_path(encoder, master, scratch), encoder.jpeg2000)
    difference_picture(pixels, encoded, _difference_path(encoder, scratch))
    return measure_fidelity(pixels, encoded)


def _difference_path(encoder: Encoder, scratch: Path) -> Path:
    return scratch / f"difference-{_make_slug(encoder)}.png"


def _encoder_medians(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"encoder": name, "megapixels": size}
        | {
            key: median(run[key] for run in group)
            for key in group[0]
            if key not in ("encoder", "megapixels")
        }
        for (name, size), group in group_rows(runs, "encoder", "megapixels")
    ]


def _as_ppm(master: EncodeMaster) -> None:
    path = Path(f"{master.path}.ppm")
    if not path.exists():
        pixels = pyvips.Image.new_from_file(str(master.path)).write_to_memory()
        path.write_bytes(f"P6 {master.width} {master.height} 255\n".encode() + pixels)


def _target_path(encoder: Encoder, master: EncodeMaster, scratch: Path) -> Path:
    return scratch / f"{_make_slug(encoder)}-{master.path.stem}{encoder.suffix}"


def _make_slug(encoder: Encoder) -> str:
    words = "".join(letter if letter.isalnum() else " " for letter in encoder.name.lower()).split()
    return "-".join(words)
