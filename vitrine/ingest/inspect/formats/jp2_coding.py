"""The coding of a codestream or of a component: COD and COC markers, and the memory they need.

A few bytes there can request millions of code-blocks, precincts or layers: the decoder allocates
for all of them before it reads a pixel. Source: ISO/IEC 15444-1, A.6.1, A.6.2 and annex B.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from vitrine.ingest import rejections

_MAX_LEVELS = 32
_MIN_BLOCK_EXPONENT, _MAX_BLOCK_EXPONENT, _MAX_BLOCK_EXPONENTS = 2, 10, 12
_WHOLE_PRECINCT = 0xFF
"""Exponents of 15 both: precincts of 32,768 x 32,768."""
_HAS_PRECINCTS = 1
_HIGH_THROUGHPUT, _MIXED = 0x40, 0xC0
_BLOCK_BYTES, _PRECINCT_BYTES, _INCLUDED_BYTES = 700, 300, 2
"""Bytes of OpenJPEG's structures: of a code-block with its segments, of a precinct of one band
with its trees, and of the mark of one packet."""


@dataclass(frozen=True, kw_only=True)
class Coding:
    """The coding of all components, or of one."""

    layers: int
    transformed: bool
    """The first three components are mixed, and so are red, green and blue."""
    reversible: bool
    high_throughput: bool
    structure_bytes: int
    """Memory for a tile of all components with this coding, besides pixels."""

    @property
    def name(self) -> str:
        """Name for curators."""
        method = "HTJ2K" if self.high_throughput else "JPEG 2000"
        return f"{method}, {'reversible' if self.reversible else 'irreversible'}"


def read_coding(
    payload: bytes, of_one: bool, size: Mapping[str, int], before: Sequence[Coding]
) -> Coding:
    """Parse a COD marker, or a COC marker (`of_one`) after it. Raises MasterRejected.

    `size` has components, tile_width and tile_height; `before` are the codings read before.
    """
    if of_one:
        if not before or len(payload) < 7:
            raise rejections.damaged_file("a component's coding is cut off")
        style, parameters = payload[1], payload[2:]
        layers, transformed = before[0].layers, before[0].transformed
    else:
        if len(payload) < 10:
            raise rejections.damaged_file("the coding is cut off")
        style, parameters = payload[0], payload[5:]
        layers, transformed = int.from_bytes(payload[2:4]), bool(payload[4])
    levels, block_w, block_h, block_style, filters = parameters[:5]
    block_w, block_h = block_w + 2, block_h + 2
    precincts = parameters[5:]
    if not style & _HAS_PRECINCTS:
        precincts = bytes([_WHOLE_PRECINCT]) * (levels + 1)
    if (
        not layers
        or levels > _MAX_LEVELS
        or len(precincts) < levels + 1
        or max(block_w, block_h) > _MAX_BLOCK_EXPONENT
        or block_w + block_h > _MAX_BLOCK_EXPONENTS
    ):
        raise rejections.damaged_file("its coding has impossible parameters")
    if block_style & _MIXED == _MIXED:
        raise rejections.unsupported_compression("JPEG 2000 that mixes two types of code-blocks")
    return Coding(
        layers=layers,
        transformed=transformed,
        reversible=filters == 1,
        high_throughput=bool(block_style & _HIGH_THROUGHPUT),
        structure_bytes=_structure_bytes(size, layers, levels, (block_w, block_h), precincts),
    )


def largest(codings: Sequence[Coding]) -> Coding:
    """Return the first coding, with the most structure bytes of all."""
    return replace(codings[0], structure_bytes=max(coding.structure_bytes for coding in codings))


def _structure_bytes(
    size: Mapping[str, int], layers: int, levels: int, block: tuple[int, int], precincts: bytes
) -> int:
    bytes_each, most_precincts = 0, 0
    for level in range(levels + 1):
        scale = 1 << (levels - level)
        sides = [-(-size[name] // scale) for name in ("tile_width", "tile_height")]
        exponents = [precincts[level] & 15, precincts[level] >> 4]
        bands = 1 if level == 0 else 3
        # One more than fit: neither precincts nor code-blocks begin where the tile does.
        precincts_here, blocks = 1, bands
        for side, exponent, block_exponent in zip(sides, exponents, block, strict=True):
            precincts_here *= (side >> exponent) + 2
            within = exponent if level == 0 else max(exponent - 1, 0)
            blocks *= ((side if level == 0 else side // 2) >> min(block_exponent, within)) + 2
        bytes_each += blocks * _BLOCK_BYTES + precincts_here * bands * _PRECINCT_BYTES
        most_precincts = max(most_precincts, precincts_here)
    included = (layers + 1) * (levels + 1) * most_precincts * _INCLUDED_BYTES
    return size["components"] * (bytes_each + included)
