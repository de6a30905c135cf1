"""The six encodings, each from pixels in memory to a file on disk."""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import imagecodecs
import numpy as np
import pyvips
from PIL import Image

from loadtest.studies.formats.codestream import wrap_codestream
from loadtest.studies.formats.encoded_pyramid import Pixels
from rigs.access_master import write_standard

TILE = 512
"""Tile side of both JPEG 2000s in pixels: small, since some decoders decode whole tiles only."""
_MIN_SIDE = 128
"""Pixels of the longer side down to which levels are halved."""
_PRECINCT, _BLOCK = (256, 256), (64, 64)


@dataclass(frozen=True, kw_only=True)
class Rates:
    """Rates of the lossy formats with which all have the error of our access master."""

    jp2_decibels: float = 40.0
    """OpenJPEG's target PSNR."""
    htj2k_step: float = 0.01
    """OpenJPH's base step of quantization, for a range of 1."""


@dataclass(frozen=True, kw_only=True)
class ComparedFormat:
    """One of those compared."""

    name: str
    suffix: str
    encoder: str
    encode: Callable[[Pixels, Path, Rates], None]
    lossless: bool


def _ptiff_lossy(pixels: Pixels, path: Path, _: Rates) -> None:
    write_standard(_vips_image(pixels), path)


def _ptiff_lossless(pixels: Pixels, path: Path, _: Rates) -> None:
    _vips_image(pixels).tiffsave(
        str(path),
        compression="deflate",
        predictor="horizontal",
        tile=True,
        tile_width=256,
        tile_height=256,
        pyramid=True,
        bigtiff=pixels.nbytes > 1 << 31,
    )


def _jp2_lossy(pixels: Pixels, path: Path, rates: Rates) -> None:
    path.write_bytes(encode_jp2(pixels, rates.jp2_decibels))


def _jp2_lossless(pixels: Pixels, path: Path, _: Rates) -> None:
    path.write_bytes(encode_jp2(pixels, None))


def _htj2k_lossy(pixels: Pixels, path: Path, rates: Rates) -> None:
    path.write_bytes(
        wrap_codestream(encode_htj2k(pixels, rates.htj2k_step), pixels.shape[1], pixels.shape[0])
    )


def _htj2k_lossless(pixels: Pixels, path: Path, _: Rates) -> None:
    path.write_bytes(wrap_codestream(encode_htj2k(pixels, None), pixels.shape[1], pixels.shape[0]))


def encode_jp2(pixels: Pixels, decibels: float | None) -> bytes:
    """Return a JP2 file; `decibels` None: lossless."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(
        file,
        "JPEG2000",
        tile_size=(TILE, TILE),
        num_resolutions=count_levels(pixels),
        irreversible=decibels is not None,
        quality_mode="dB",
        quality_layers=None if decibels is None else [decibels],
        progression="RPCL",
        precinct_size=_PRECINCT,
        codeblock_size=_BLOCK,
        mct=1,
        plt=True,
    )
    return file.getvalue()


def encode_htj2k(pixels: Pixels, step: float | None) -> bytes:
    """Return a codestream; `step` None: lossless."""
    codestream = imagecodecs.htj2k_encode(
        np.ascontiguousarray(pixels),
        step,
        reversible=step is None,
        rgb=True,
        tile=(TILE, TILE),
        resolutions=count_levels(pixels) - 1,
        tlm=True,
    )
    return bytes(codestream)


def count_levels(pixels: Pixels) -> int:
    """Return the number of levels of both JPEG 2000s. For a smaller size than the smallest level a
    decoder has to scale, and iipsrv 1.1 crashes in the attempt."""
    longer: int = max(pixels.shape[:2])
    return 1 + (-(-longer // _MIN_SIDE) - 1).bit_length()


def _vips_image(pixels: Pixels) -> pyvips.Image:
    return pyvips.Image.new_from_array(pixels, interpretation="srgb")


FORMATS: Mapping[str, ComparedFormat] = {
    one.name: one
    for one in (
        ComparedFormat(
            name="ptiff-lossy",
            suffix=".tif",
            encoder="our ingest: JPEG quality 90, 4:4:4, tiles of 256",
            encode=_ptiff_lossy,
            lossless=False,
        ),
        ComparedFormat(
            name="ptiff-lossless",
            suffix=".tif",
            encoder="libvips: deflate with predictor, tiles of 256",
            encode=_ptiff_lossless,
            lossless=True,
        ),
        ComparedFormat(
            name="jp2-lossy",
            suffix=".jp2",
            encoder=f"OpenJPEG by Pillow: 9/7, tiles of {TILE}, precincts of 256, RPCL",
            encode=_jp2_lossy,
            lossless=False,
        ),
        ComparedFormat(
            name="jp2-lossless",
            suffix=".jp2",
            encoder=f"OpenJPEG by Pillow: 5/3, tiles of {TILE}, precincts of 256, RPCL",
            encode=_jp2_lossless,
            lossless=True,
        ),
        ComparedFormat(
            name="htj2k-lossy",
            suffix=".jph",
            encoder=f"OpenJPH by imagecodecs: 9/7, tiles of {TILE}",
            encode=_htj2k_lossy,
            lossless=False,
        ),
        ComparedFormat(
            name="htj2k-lossless",
            suffix=".jph",
            encoder=f"OpenJPH by imagecodecs: 5/3, tiles of {TILE}",
            encode=_htj2k_lossless,
            lossless=True,
        ),
    )
}
"""The formats by name, in the order of reports."""
