"""Every choice that the paper leaves open: what both profiles make of it, and what else could be.

Each alternative changes one choice of the fitted profile; the study reruns table 7 with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from capacity.validation.microscope.microscope_profile import FITTED, PaperProfile


@dataclass(frozen=True)
class ProfileChoice:
    """An open question, its answers in words, and alternatives to the fitted answer.

    `fitted_to` says what in the paper's results made us choose; it is empty where no result did.
    """

    question: str
    printed: str
    fitted: str
    fitted_to: str = ""
    alternatives: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


CHOICES = (
    ProfileChoice(
        "How much of a measured round trip does a transfer take?",
        "all of it",
        "half",
        "response times: full trips make 30 clients wait twice as long as printed",
        {"all of it": {"trip": 1.0}},
    ),
    ProfileChoice(
        "How long does a block of 256 KB take on the WAN?",
        "as long as 300 KB, at the printed peak",
        "256/300 of that, and 13 % more on the mean for the histogram's tail (exponential)",
        "response time and utilisations of 30 clients at 0 % hits",
        {
            "no tail": {"block_tail": 0.0},
            "a tail of 32 %, as for whole replies": {"block_tail": 0.32},
            "as long as 300 KB, no tail": {"block_tail": 0.0, "block_trip": 1.0},
        },
    ),
    ProfileChoice(
        "How long does a whole reply take on the WAN, without the proxy?",
        "the printed peak",
        "32 % more on the mean (exponential tail)",
        "figure 14: no proxy runs close to 0 % hits (no cell of table 7)",
        {"the printed peak": {"reply_tail": 0.0}},
    ),
    ProfileChoice(
        "Is the printed formula the server's time?",
        "yes",
        "11.2 times it",
        "server utilisations",
        {"as printed": {"server_factor": 1.0}},
    ),
    ProfileChoice(
        'How many blocks does one "processing to send" of the proxy cover?',
        "all of a reply",
        "two",
        "proxy utilisations; figure 18: 20 clients at 100 % hits saturate the proxy",
        {
            "one": {"blocks_per_send": 1},
            "all of a reply": {"blocks_per_send": 12},
        },
    ),
    ProfileChoice(
        "When does the proxy receive what the server sends?",
        "block by block, as they arrive",
        "when all blocks of a request are there, still once per block",
        "response time of one client at 0 % hits",
        {
            "block by block": {"receive_whole": False},
            "block by block, the next one not before": {
                "receive_whole": False,
                "one_block_at_a_time": True,
            },
        },
    ),
    ProfileChoice(
        "Who may write to the network at a time?",
        "one on the LAN, one on the WAN",
        "one on both together",
        "response time of 30 clients at 75 % hits",
        {"one on the LAN, one on the WAN": {"one_network": False}},
    ),
    ProfileChoice(
        "Do replies made of cached blocks alone queue as well?",
        "yes",
        "no: they are a plain delay",
        "figure 14: 30 clients at 100 % hits wait some 30 s",
        {"yes": {"hits_off_the_wan": False}},
    ),
    ProfileChoice(
        "How long do users think? (figure 4 is drawn only)",
        "exponential, mean 12 s",
        "exponential, mean 12 s",
        "utilisation law on table 7, for both profiles",
        {
            "6 s": {"think": 6.0},
            "24 s": {"think": 24.0},
            "always 12 s": {"think_varies": False},
        },
    ),
    ProfileChoice(
        "How far apart do clients arrive?",
        "exponential, mean 10 s",
        "exponential, mean 10 s",
        "",
        {"1 s": {"arrival_gap": 1.0}, "60 s": {"arrival_gap": 60.0}},
    ),
    ProfileChoice(
        "Is the display time part of the response time? (the paper says both)",
        "yes",
        "yes",
        "",
        {"no": {"display_counts": False}},
    ),
    ProfileChoice(
        "How often is a missed block already on its way?",
        "never: part of the hit rate",
        "never: part of the hit rate",
        "",
        {"one time in ten": {"coalesced": 0.1}},
    ),
)

FITTED_CHOICES = sum(bool(choice.fitted_to) for choice in CHOICES)
"""Number of answers that were chosen because of the paper's results."""


def alternatives() -> dict[tuple[str, str], PaperProfile]:
    """Return the fitted profile with one choice changed, by question and answer."""
    return {
        (choice.question, answer): replace(FITTED, name=answer, **changes)
        for choice in CHOICES
        for answer, changes in choice.alternatives.items()
    }
