"""The LZW codes of a GIF's picture, counted: decoders fill up what is missing without a word.

Source: GIF89a, appendix F.
"""

from collections.abc import Iterable, Iterator

from vitrine.ingest import rejections

_MAX_CODE_LENGTH = 12
CODES_PER_SECOND = 1_500_000
"""Least speed of the count."""


def check_codes(parts: Iterable[bytes], smallest_code: int, pixels: int, colours: int) -> None:
    """Raise MasterRejected, damaged-file, unless the codes describe exactly this number of pixels.

    `colours` are those of the palette: all that codes may stand for. A picture has at most as many
    codes as pixels, but for codes that clear the table: these are refused when they come in a row.
    """
    if not 1 <= smallest_code < _MAX_CODE_LENGTH - 1:
        raise rejections.damaged_file(f"the GIF's codes begin with {smallest_code} bits")
    codes = _list_codes(parts, smallest_code)
    counted = _count_pixels(codes, smallest_code, pixels, colours)
    if counted != pixels:
        raise rejections.damaged_file(f"the GIF has {counted:,} pixels instead of {pixels:,}")


def _list_codes(parts: Iterable[bytes], smallest_code: int) -> Iterator[int]:
    """Yield codes, whose width grows with the number of codes since the last clear."""
    clear, full = 1 << smallest_code, 1 << _MAX_CODE_LENGTH
    width, entries, first = smallest_code + 1, (1 << smallest_code) + 2, True
    held = bits = 0
    for part in parts:
        held |= int.from_bytes(part, "little") << bits
        bits += 8 * len(part)
        while bits >= width:
            code = held & ((1 << width) - 1)
            held >>= width
            bits -= width
            yield code
            if code == clear:
                width, entries, first = smallest_code + 1, clear + 2, True
            elif first:
                first = False
            elif entries < full:
                entries += 1
                if entries == 1 << width and width < _MAX_CODE_LENGTH:
                    width += 1


def _count_pixels(codes: Iterator[int], smallest_code: int, most: int, colours: int) -> int:
    """Return the pixels up to the code that ends them. Raises MasterRejected."""
    clear, end, full = 1 << smallest_code, (1 << smallest_code) + 1, 1 << _MAX_CODE_LENGTH
    lengths = [1] * clear + [0, 0]
    previous = counted = 0
    cleared = False
    for code in codes:
        if code == end or counted > most:
            break
        if code == clear:
            if cleared:
                raise rejections.damaged_file("the GIF clears its codes again and again")
            lengths = [1] * clear + [0, 0]
            previous, cleared = 0, True
            continue
        cleared = False
        if code > len(lengths) or (code == len(lengths) and not previous):
            raise rejections.damaged_file(f"the GIF has no code {code}")
        if colours <= code < clear:
            raise rejections.damaged_file(f"the GIF has no colour {code}")
        length = previous + 1 if code == len(lengths) else lengths[code]
        if previous and len(lengths) < full:
            lengths.append(previous + 1)
        counted += length
        previous = length
    return counted
