"""The writer of access masters: one file whose directories come first."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vitrine.ingest.convert.pyramid.level_builder import TileSink
from vitrine.ingest.convert.pyramid.pixel_rows import TakeRows
from vitrine.ingest.convert.pyramid.pyramid_builder import build_pyramid
from vitrine.ingest.convert.pyramid.pyramid_output import Output
from vitrine.ingest.convert.pyramid.pyramid_pages import PyramidPlan
from vitrine.ingest.convert.pyramid.tile_encoder import Encoders
from vitrine.ingest.convert.pyramid.tile_spool import TileSpool
from vitrine.store.tiff.checksums import crc32c


@dataclass(frozen=True, kw_only=True)
class WrittenBytes:
    """Lengths of a written file in bytes."""

    head_bytes: int
    """Bytes before the first tile: all directories and indexes."""
    total_bytes: int


def write_pyramid(
    image: Any,
    plan: PyramidPlan,
    encoders: Encoders,
    output: Output,
    *,
    scratch: Path,
    threads: int,
    watch: TakeRows | None = None,
) -> WrittenBytes:
    """Encode `image`, 8-bit sRGB of the planned size, into `output`.

    Smaller levels wait in `scratch` (a third as many pixels). `watch` sees the rows pass. Raises
    pyvips.Error when the image cannot be decoded, and what `output` and `watch` raise.
    """
    with ExitStack() as stack:
        spools = [TileSpool(scratch) for _ in plan.sizes[1:]]
        for spool in spools:
            stack.callback(spool.close)
        writes = [output.write, *(spool.write for spool in spools)]
        indexes = zip(plan.byte_counts, plan.checksums, strict=True)
        sinks = [_index_tiles(write, *lists) for write, lists in zip(writes, indexes, strict=True)]
        build_pyramid(image, encoders, sinks=sinks, threads=threads, watch=watch)
        layout = plan.lay_out()
        output.finish(_front_chunks(layout.head, spools), layout.tail)
    return WrittenBytes(head_bytes=len(layout.head), total_bytes=layout.total_bytes)


def _index_tiles(write: TileSink, byte_counts: list[int], checksums: list[int]) -> TileSink:
    def sink(tile: bytes) -> None:
        byte_counts.append(len(tile))
        checksums.append(crc32c(tile))
        write(tile)

    return sink


def _front_chunks(head: bytes, spools: list[TileSpool]) -> Iterator[bytes]:
    yield head
    for spool in reversed(spools):
        yield from spool.chunks()
