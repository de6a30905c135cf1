"""The two networks of the Virtual Microscope, and the server at their far end."""

from dataclasses import dataclass, field
from math import ceil

from capacity.engine.clock import Clock, to_nanoseconds
from capacity.engine.stations import Done, SingleServer
from capacity.engine.streams import Streams, draw_exponential, draw_normal
from capacity.validation.microscope import published_tables as published
from capacity.validation.microscope.microscope_profile import PaperProfile


@dataclass(slots=True, eq=False)
class Click:
    """One click: its zoom, its size, and what calls its client back.

    `missed` blocks are not in the proxy's cache, `fetched` of these are asked for on its behalf,
    `awaited` are still to come. `ready` blocks wait for the one that is on the WAN, if a
    request's blocks travel one at a time.
    """

    zoom: int
    large: bool
    answered: Done
    missed: int = 0
    fetched: int = 0
    awaited: int = 0
    ready: "list[Block]" = field(default_factory=list)
    travelling: bool = False

    @property
    def size(self) -> int:
        """Bytes of the reply."""
        return published.LARGE_BYTES if self.large else published.SMALL_BYTES

    @property
    def blocks(self) -> int:
        """Blocks of the reply."""
        return ceil(self.size / published.BLOCK_BYTES)


@dataclass(slots=True, eq=False)
class Block:
    """A block on its way to the proxy: the request that asked for it, and who else waits."""

    owner: Click
    others: list[Click] = field(default_factory=list)


class ModelledNetwork:
    """Delays of LAN and WAN, and who may write at a time."""

    def __init__(self, clock: Clock, profile: PaperProfile, streams: Streams) -> None:
        self._clock, self._profile = clock, profile
        self._lan_draws, self._wan_draws = streams.stream("lan"), streams.stream("wan")
        self._wan = SingleServer(clock)
        self._lan = self._wan if profile.one_network else SingleServer(clock)

    def ask(self, request: Click, arrived: Done) -> None:
        """Carry a client's request of 100 bytes over the LAN."""
        slow = self._lan_draws.random() < published.LAN_REQUEST_SLOW_PROBABILITY
        trip = published.LAN_REQUEST_SLOW if slow else published.LAN_REQUEST
        self._clock.after(to_nanoseconds(trip * self._profile.trip), arrived, request)

    def answer(self, request: Click) -> None:
        """Carry a whole reply over the LAN."""
        trip = published.LAN_LARGE if request.large else published.LAN_SMALL
        seconds = draw_normal(self._lan_draws, trip.mean, trip.deviation) * self._profile.trip
        if request.missed or not self._profile.hits_off_the_wan:
            self._lan.serve(to_nanoseconds(seconds), request.answered, request)
        else:
            self._clock.after(to_nanoseconds(seconds), request.answered, request)

    def ask_server(self, request: Click, arrived: Done) -> None:
        """Carry 100 bytes over the WAN, once for all blocks that a client's request lacks."""
        self._wan.serve(to_nanoseconds(published.WAN_REQUEST), arrived, request)

    def bring_block(self, block: Block, arrived: Done) -> None:
        """Carry one block over the WAN."""
        peak = published.WAN_SMALL_PEAK * self._profile.block_trip
        self._wan.serve(self._wan_trip(peak, self._profile.block_tail), arrived, block)

    def bring_reply(self, request: Click, arrived: Done) -> None:
        """Carry a whole reply over the WAN."""
        peak = published.WAN_LARGE_PEAK if request.large else published.WAN_SMALL_PEAK
        self._wan.serve(self._wan_trip(peak, self._profile.reply_tail), arrived, request)

    def _wan_trip(self, peak: float, tail: float) -> int:
        seconds = peak * self._profile.trip
        return to_nanoseconds(seconds + draw_exponential(self._wan_draws, seconds * tail))


class BlackBoxServer:
    """The image server behind the WAN: a black box that serves one retrieval after the other."""

    def __init__(self, clock: Clock, profile: PaperProfile) -> None:
        self._factor = profile.server_factor
        self.station = SingleServer(clock)

    def retrieve(self, zoom: int, size: int, done: Done, subject: object) -> None:
        """Retrieve `size` bytes at a zoom."""
        seconds = published.server_seconds(zoom, size) * self._factor
        self.station.serve(to_nanoseconds(seconds), done, subject)
