"""What stands between the clients and the WAN: a gateway, or a proxy with a cache of blocks."""

from math import ceil, sqrt

from capacity.engine.clock import Clock, to_nanoseconds
from capacity.engine.stations import Done, SingleServer
from capacity.engine.streams import Streams, draw_normal
from capacity.validation.microscope import published_tables as published
from capacity.validation.microscope.microscope_networks import (
    BlackBoxServer,
    Block,
    Click,
    ModelledNetwork,
)
from capacity.validation.microscope.microscope_profile import PaperProfile


class PlainRouter:
    """Without a proxy: a router that adds nothing."""

    busy_ns = 0

    def __init__(self, server: BlackBoxServer, network: ModelledNetwork) -> None:
        self._server, self._network = server, network

    def receive(self, request: Click) -> None:
        """Take a client's request."""
        request.missed = request.blocks
        self._network.ask_server(request, self._retrieve_blocks)

    def _retrieve_blocks(self, request: Click) -> None:
        self._server.retrieve(request.zoom, request.size, self._transfer_block, request)

    def _transfer_block(self, request: Click) -> None:
        self._network.bring_reply(request, self._network.answer)


class Proxy:
    """Cuts requests into blocks, finds each with a fixed probability, gets the rest."""

    def __init__(
        self,
        clock: Clock,
        profile: PaperProfile,
        server: BlackBoxServer,
        network: ModelledNetwork,
        hit_rate: float,
        streams: Streams,
    ) -> None:
        self._profile, self._hit_rate = profile, hit_rate
        self._server, self._network = server, network
        self._lookups, self._draws = streams.stream("lookups"), streams.stream("proxy")
        self._commonality = streams.stream("commonality")
        self._outstanding: list[Block] = []
        self._processor = SingleServer(clock)

    @property
    def busy_ns(self) -> int:
        """Time the proxy's processor has spent."""
        return self._processor.busy_ns

    def receive(self, request: Click) -> None:
        """Take a client's request: look every block up, send at once what is here."""
        hits = sum(self._lookups.random() < self._hit_rate for _ in range(request.blocks))
        request.missed = request.awaited = request.blocks - hits
        seconds = self._draw_time(1, published.PROXY_REQUEST)
        seconds += self._draw_time(hits, published.PROXY_HIT)
        seconds += self._draw_time(request.missed, published.PROXY_MISS)
        if not request.missed:
            self._occupy_processor(
                seconds + self._send_seconds(hits), self._network.answer, request
            )
            return
        self._occupy_processor(seconds, self._ask_for_blocks, request)
        if hits:
            self._occupy_processor(self._send_seconds(hits), _wait_for_rest, request)

    def _ask_for_blocks(self, request: Click) -> None:
        for _ in range(request.missed):
            if self._outstanding and self._commonality.random() < self._profile.coalesced:
                place = int(self._commonality.random() * len(self._outstanding))
                self._outstanding[place].others.append(request)
            else:
                request.fetched += 1
        if request.fetched:
            self._network.ask_server(request, self._retrieve_blocks)

    def _retrieve_blocks(self, request: Click) -> None:
        for _ in range(request.fetched):
            block = Block(request)
            self._outstanding.append(block)
            self._server.retrieve(request.zoom, published.BLOCK_BYTES, self._transfer_block, block)

    def _transfer_block(self, block: Block) -> None:
        request = block.owner
        if self._profile.one_block_at_a_time and request.travelling:
            request.ready.append(block)
        else:
            request.travelling = True
            self._network.bring_block(block, self._take_arrival)

    def _take_arrival(self, block: Block) -> None:
        if self._profile.receive_whole:
            self._collect_block(block)
        else:
            self._occupy_processor(
                self._draw_time(1, published.PROXY_RECEIVE), self._collect_block, block
            )

    def _collect_block(self, block: Block) -> None:
        self._outstanding.remove(block)
        block.owner.travelling = False
        if block.owner.ready:
            self._network.bring_block(block.owner.ready.pop(0), self._take_arrival)
            block.owner.travelling = True
        for request in (block.owner, *block.others):
            request.awaited -= 1
            if not request.awaited:
                self._send_reply(request)

    def _send_reply(self, request: Click) -> None:
        seconds = self._send_seconds(request.missed)
        if self._profile.receive_whole:
            seconds += self._draw_time(request.fetched, published.PROXY_RECEIVE)
        self._occupy_processor(seconds, self._network.answer, request)

    def _send_seconds(self, blocks: int) -> float:
        sends = ceil(blocks / self._profile.blocks_per_send)
        return self._draw_time(sends, published.PROXY_SEND)

    def _draw_time(self, steps: int, each: published.Normal) -> float:
        """Seconds of a number of steps: a sum of normals is normal."""
        return draw_normal(self._draws, steps * each.mean, sqrt(steps) * each.deviation)

    def _occupy_processor(self, seconds: float, done: Done, subject: object) -> None:
        self._processor.serve(to_nanoseconds(seconds), done, subject)


def _wait_for_rest(request: Click) -> None:
    """Cached blocks sent ahead: their reply ends with the last of the others."""
