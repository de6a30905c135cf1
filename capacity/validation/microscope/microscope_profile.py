"""What the paper leaves open, as choices: one profile takes it at its word, one is fitted."""

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class PaperProfile:
    """One reading of the paper. Times in seconds; a share is of what the paper prints.

    What each choice decides stands in `capacity.validation.microscope.profile_choices`.
    """

    name: str
    trip: float
    block_trip: float
    block_tail: float
    reply_tail: float
    server_factor: float
    blocks_per_send: int
    receive_whole: bool
    hits_off_the_wan: bool
    one_network: bool
    think: float = 12.0
    think_varies: bool = True
    arrival_gap: float = 10.0
    display_counts: bool = True
    coalesced: float = 0.0
    one_block_at_a_time: bool = False


PRINTED = PaperProfile(
    name="printed",
    trip=1.0,
    block_trip=1.0,
    block_tail=0.0,
    reply_tail=0.0,
    server_factor=1.0,
    blocks_per_send=12,
    receive_whole=False,
    hits_off_the_wan=False,
    one_network=False,
)
FITTED = PaperProfile(
    name="fitted",
    trip=0.5,
    block_trip=256 / 300,
    block_tail=0.13,
    reply_tail=0.32,
    server_factor=11.2,
    blocks_per_send=2,
    receive_whole=True,
    hits_off_the_wan=True,
    one_network=True,
)
PROFILES = MappingProxyType({profile.name: profile for profile in (PRINTED, FITTED)})
