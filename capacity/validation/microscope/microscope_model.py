"""The system of CS-TR-3970: clients that browse a slide, and all that is behind them."""

from collections.abc import Generator
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import Any

from capacity.engine.clock import SECOND, Clock, to_nanoseconds
from capacity.engine.streams import Streams, draw_exponential, draw_normal, make_chooser
from capacity.validation.microscope import published_tables as published
from capacity.validation.microscope.microscope_networks import (
    BlackBoxServer,
    Click,
    ModelledNetwork,
)
from capacity.validation.microscope.microscope_profile import PaperProfile
from capacity.validation.microscope.microscope_proxy import PlainRouter, Proxy

_CHOOSE_ZOOM = {
    zoom: make_chooser(published.ZOOMS, row) for zoom, row in published.NEXT_ZOOM.items()
}


@dataclass(frozen=True)
class ReplicationOutcome:
    """One replication: means over clients of each client's mean, seconds; utilisations.

    `small` and `large` are None where no client made such a request.
    """

    response: float
    small: float | None
    large: float | None
    server: float
    proxy: float
    requests: int


@dataclass
class Client:
    """One user at one screen; collects (large, nanoseconds) of each answer."""

    clock: Clock
    profile: PaperProfile
    draws: Random
    network: ModelledNetwork
    front: PlainRouter | Proxy

    def __post_init__(self) -> None:
        self.responses: list[tuple[bool, int]] = []

    def browse(self, arrival: int) -> Generator[Any, Any, None]:
        """Arrive, then think, ask and look, a fixed number of times."""
        yield self.clock.timeout(arrival)
        zoom = published.ZOOMS[0]
        for _ in range(published.REQUESTS_PER_CLIENT):
            yield self.clock.timeout(to_nanoseconds(self._think_seconds()))
            zoom = _CHOOSE_ZOOM[zoom](self.draws)
            large = self.draws.random() < published.LARGE_PROBABILITY[zoom]
            sent_at, answered = self.clock.now, self.clock.event()
            self.network.ask(Click(zoom, large, answered.succeed), self.front.receive)
            yield answered
            received, display = self.clock.now, published.DISPLAY
            seconds = draw_normal(self.draws, display.mean, display.deviation)
            yield self.clock.timeout(to_nanoseconds(seconds))
            end = self.clock.now if self.profile.display_counts else received
            self.responses.append((large, end - sent_at))

    def _think_seconds(self) -> float:
        think = self.profile.think
        return draw_exponential(self.draws, think) if self.profile.think_varies else think


def simulate_microscope(
    profile: PaperProfile, clients: int, hit_rate: float | None, seed: str
) -> ReplicationOutcome:
    """Simulate one replication; a hit rate of None is the system without a proxy."""
    clock, streams = Clock(), Streams(seed)
    network, server = ModelledNetwork(clock, profile, streams), BlackBoxServer(clock, profile)
    front = (
        PlainRouter(server, network)
        if hit_rate is None
        else Proxy(clock, profile, server, network, hit_rate, streams)
    )
    users = [
        Client(clock, profile, streams.stream(f"client/{number}"), network, front)
        for number in range(clients)
    ]
    arrivals, arrival = streams.stream("arrivals"), 0
    for user in users:
        arrival += to_nanoseconds(draw_exponential(arrivals, profile.arrival_gap))
        clock.process(user.browse(arrival))
    clock.run()
    return ReplicationOutcome(
        response=_mean_of_means(users, (True, False)) or 0.0,
        small=_mean_of_means(users, (False,)),
        large=_mean_of_means(users, (True,)),
        server=server.station.busy_ns / clock.now,
        proxy=front.busy_ns / clock.now,
        requests=clients * published.REQUESTS_PER_CLIENT,
    )


def _mean_of_means(users: list[Client], sizes: tuple[bool, ...]) -> float | None:
    chosen = ([ns for large, ns in user.responses if large in sizes] for user in users)
    means = [fmean(responses) for responses in chosen if responses]
    return fmean(means) / SECOND if means else None
