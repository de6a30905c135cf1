"""The way of an address through the gateway: parsed once, looked up once, normalised once.

A stay is a call of a function of ours that takes the address as an argument; a return is a call
that hands it back. Counted by following every call of one request.
"""

import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import pytest

from tests.unit.deliver.answer.gateway_bench import HOST, IMAGE, LARGE, TILE, Bench
from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.http.exchange import Request
from vitrine.iiif.address import Address
from vitrine.iiif.presentation.addresses import DocumentAddress

ADDRESSES = (Address, DocumentAddress)
INFO = "/iiif/3/a/info.json"
DOWNLOAD = "/iiif/3/a/download.jpg"
REDIRECTED = "/iiif/3/old/full/max/0/default.jpg"
INVALID = "/iiif/3/a/full/max/0/default.xyz"
MANIFEST = "/presentation/3/a/manifest.json"


@dataclass
class Walk:
    """What happened to the address of one request."""

    stays: list[str] = field(default_factory=list)
    returns: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    normalised: int = 0


@contextmanager
def followed() -> Iterator[Walk]:
    """Follow the calls of this thread until the exit."""
    walk, begun = Walk(), set[FrameType]()

    def note(frame: FrameType, event: str, value: Any) -> None:
        code = frame.f_code
        if event == "c_call":
            walk.normalised += value is unicodedata.normalize
        elif "/vitrine/" in code.co_filename:
            name = f"{code.co_filename.rpartition('/vitrine/')[2]}:{code.co_qualname}"
            if event == "return" and isinstance(value, ADDRESSES):
                walk.returns.append(name)
            if event == "call" and frame not in begun:
                begun.add(frame)  # a coroutine is called again each time that it goes on
                walk.calls[code.co_name] += 1
                taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                if any(isinstance(frame.f_locals.get(one), ADDRESSES) for one in taken):
                    walk.stays.append(name)

    sys.setprofile(note)
    try:
        yield walk
    finally:
        sys.setprofile(None)


def walk_of(path: str, *, again: bool = False) -> Walk:
    """The walk of a request to a gateway that knows nothing yet, or that just answered it."""

    async def respond(gateway: Gateway) -> Walk:
        request = Request(method="GET", path=path, headers=HOST)
        if again:
            await gateway.respond(request)
        with followed() as walk:
            if gateway.respond_now(request) is None:
                await gateway.respond(request)
        return walk

    return Bench().run(respond)


@pytest.mark.parametrize("path", [TILE, IMAGE, LARGE, INFO, DOWNLOAD, REDIRECTED, INVALID])
def test_an_address_is_parsed_once_looked_up_once_and_normalised_once(path: str) -> None:
    walk = walk_of(path)
    assert walk.returns == ["iiif/address.py:parse_address"]
    for once in ("parse_address", "parse_tile_address"):
        assert walk.calls[once] == 1
    for at_most_once in ("parse_image_request", "parse_region", "parse_size", "find"):
        assert walk.calls[at_most_once] <= 1, at_most_once
    assert walk.normalised == 1


@pytest.mark.parametrize("path", [TILE, IMAGE, INFO, DOWNLOAD, REDIRECTED])
def test_an_address_goes_straight_through_three_modules(path: str) -> None:
    """It was 28 stays in 13 modules and 15 returns when this was first counted."""
    walk = walk_of(path)
    modules = {stay.partition(":")[0] for stay in walk.stays}
    assert modules <= {"deliver/answer/gateway.py", "deliver/answer/decide.py", "iiif/address.py"}
    assert (len(walk.stays) <= 11, len(walk.returns)) == (True, 1), walk.stays


def test_a_tile_at_hand_is_not_parsed_in_the_general_way() -> None:
    walk = walk_of(TILE, again=True)
    assert walk.calls["live_now"] == walk.calls["locate"] == 1
    assert walk.normalised == walk.calls["parse_address"] == walk.calls["find"] == 0


def test_an_address_of_a_document_is_parsed_once_looked_up_once_and_normalised_once() -> None:
    walk = walk_of(MANIFEST)
    assert walk.returns == ["iiif/presentation/addresses.py:parse_document_address"]
    assert walk.normalised == 1
    # One find is of what was published, which stands before the manifest of an image by itself.
    assert walk.calls["find"] == 2
