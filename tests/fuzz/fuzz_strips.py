"""Strips on their way into one JPEG: cut off, of other tables, sizes and markers.

`python -m tests.fuzz.fuzz_strips CORPUS`. Promised: what cannot be joined is refused with a
sentence; what is joined has the coefficients that its strips have, each by itself.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.fuzz.engine import engine
from tests.integration.deliver.render.jpeg_coefficients import read_coefficients

with engine.imports():
    from vitrine.deliver.download.joining import END, Joining, NotJoinable, Strip, read_strip

PEAK_BYTES = 8 << 20
MAX_WIDTH, MAX_HEIGHT, MAX_STRIPS = 64, 160, 4
_FORM = 4
"""Bytes before each strip: the height that was requested, and the length."""


def packed(width: int, strips: list[tuple[int, bytes]]) -> bytes:
    """Return the input for strips of this width, with the height that was requested of each."""
    parts = (
        height.to_bytes(2, "little") + len(jpeg).to_bytes(2, "little") + jpeg
        for height, jpeg in strips
    )
    return bytes((width,)) + b"".join(parts)


def check(data: bytes) -> None:
    """Check one input: a width, and strips with their heights."""
    width, requested = 1 + (data[0] if data else 0) % MAX_WIDTH, list(_unpacked(data[1:]))
    try:
        strips = [read_strip(jpeg, width, height) for height, jpeg in requested]
        joined = _join(strips)
    except NotJoinable:
        return
    if not strips:
        return
    alone = [_coefficients(jpeg) for _, jpeg in requested]
    together = _coefficients(joined)
    if together is None:
        assert not all(alone), "each strip is a picture, and joined they cannot be read"
        return
    for channel, found in enumerate(together):
        assert np.array_equal(found, np.concatenate([one[channel] for one in alone if one]))


def _unpacked(data: bytes) -> Iterator[tuple[int, bytes]]:
    for _ in range(MAX_STRIPS):
        if len(data) < _FORM:
            return
        height = 1 + (int.from_bytes(data[:2], "little") - 1) % MAX_HEIGHT
        end = _FORM + int.from_bytes(data[2:4], "little")
        yield height, data[_FORM:end]
        data = data[end:]


def _join(strips: list[Strip]) -> bytes:
    if not strips:
        return b""
    joining = Joining(strips[0])
    rows = [bytes(strips[0].coded), *(joining.follow(strip) for strip in strips[1:])]
    return b"".join((strips[0].head_of(sum(strip.height for strip in strips)), *rows, END))


def _coefficients(jpeg: bytes) -> list[Any] | None:
    """Return what libjpeg reads, None if that is no picture at all."""
    try:
        return read_coefficients(jpeg, damaged_too=True)
    except AssertionError:
        return None


if __name__ == "__main__":
    engine.run(check, PEAK_BYTES)
