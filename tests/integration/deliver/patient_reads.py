"""Reads that nobody gives up and repeats: where each has to be counted once."""

from collections.abc import Callable
from functools import partial
from typing import Any

from rigs.object_server import server_process
from tests.patience import SECONDS
from vitrine.deliver.blocks import cache
from vitrine.deliver.blocks.source import RangeSource


def read_patiently(set_attribute: Callable[[Any, str, Any], None]) -> None:
    """Let gateways and stores that this process makes wait however long a busy machine takes."""
    patient = partial(RangeSource, attempts_seconds=(SECONDS,) * 3)
    set_attribute(cache, "RangeSource", patient)
    set_attribute(server_process, "_READ_SECONDS", SECONDS)
