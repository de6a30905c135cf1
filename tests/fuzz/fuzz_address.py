"""Addresses, image requests and their resolution.

`python -m tests.fuzz.fuzz_address CORPUS`. Promised: nothing but RequestError is raised. A request
that resolves lies inside the image and the limits, and its canonical form means the same and is its
own canonical form. The short way recognises a tile as the same one that the general way finds.
"""

import struct
from contextlib import suppress
from dataclasses import replace

from tests.fuzz.engine import engine

with engine.imports():
    from vitrine.deliver.tiles.address import parse_tile_address
    from vitrine.deliver.tiles.grid import TileGrid
    from vitrine.deliver.tiles.position import tile_position
    from vitrine.errors import RequestError
    from vitrine.iiif.address import Address, parse_address
    from vitrine.iiif.region import Box
    from vitrine.iiif.request import parse_image_request, resolve
    from vitrine.iiif.size import Limits
    from vitrine.iiif.version import VERSIONS, Version
    from vitrine.records import Live

PEAK_BYTES = 1 << 20
HEAD = struct.Struct("<IIII")
"""Width, height, largest area and side; any value is folded into what an image may have."""
TILE = 256
MAX_SIDE, MAX_AREA = 1_000_000, 100_000_000


def packed(width: int, height: int, area: int, side: int, path: str) -> bytes:
    """Return the input for a path and an image of this size."""
    return HEAD.pack(width - 1, height - 1, area - 1, side - 1) + path.encode("latin-1")


def check(data: bytes) -> None:
    """Check one input: image and limits, then the path as the server received it, in Latin 1."""
    numbers = HEAD.unpack(data[: HEAD.size].ljust(HEAD.size, b"\0"))
    width, height, side = (numbers[place] % MAX_SIDE + 1 for place in (0, 1, 3))
    limits = Limits(area=numbers[2] % MAX_AREA + 1, side=side)
    path = data[HEAD.size :].decode("latin-1")
    try:
        address = parse_address(path)
    except RequestError:
        assert parse_tile_address(path) is None
        return
    if address is None:
        assert parse_tile_address(path) is None
        return
    _check_tile(path, address, _image(width, height), limits)
    _check_path(address)
    if not address.parameters or address.is_info:
        return
    for version in VERSIONS.values():
        with suppress(RequestError):
            _check_request(address.parameters, version, width, height, limits)


def _check_tile(path: str, address: Address, image: Live, limits: Limits) -> None:
    """Check that the short way of tiles leads where the general one does."""
    tile_request = parse_tile_address(path)
    if tile_request is None:
        return
    assert (tile_request.version, tile_request.identifier) == (address.version, address.identifier)
    tile = TileGrid(image, limits).locate(tile_request)
    if tile:
        parsed = parse_image_request(address.parameters, tile_request.version)
        request = resolve(parsed, image.width, image.height, limits, image)
        assert request.canonical == tile.canonical
        assert tile_position(image, request) == tile.position


def _image(width: int, height: int) -> Live:
    levels = [(width, height)]
    while max(levels[-1]) > TILE:
        levels.append((-(-levels[-1][0] // 2), -(-levels[-1][1] // 2)))
    return Live(
        identifier="a",
        version="1",
        access_master_key="a",
        access_master_bytes=1,
        width=width,
        height=height,
        tile_width=TILE,
        tile_height=TILE,
        levels=tuple(levels),
        master_key="a",
        master_version="1",
        master_modified="",
        published_at="",
    )


def _check_path(address: Address) -> None:
    """Check that the path made of an address is parsed as that address."""
    named = replace(address, version=address.best_version())
    assert parse_address(address.path()) == named, address


def _check_request(
    parameters: tuple[str, ...], version: Version, width: int, height: int, limits: Limits
) -> None:
    request = resolve(parse_image_request(parameters, version), width, height, limits)
    box = request.region
    assert box.width > 0
    assert box.height > 0
    inside = Box(0, 0, width, height)
    assert 0 <= box.x <= box.x + box.width <= inside.width, box
    assert 0 <= box.y <= box.y + box.height <= inside.height, box
    assert 1 <= request.width <= limits.side, request
    assert 1 <= request.height <= limits.side, request
    assert request.width * request.height <= limits.area, request
    again = tuple(request.canonical.split("/"))
    assert len(again) == 4, request
    assert resolve(parse_image_request(again, version), width, height, limits) == request


if __name__ == "__main__":
    engine.run(check, PEAK_BYTES)
