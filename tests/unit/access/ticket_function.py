"""The edge's verification of tickets in V8, all cases in one process."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vitrine.access.keys import Keys

RUNNER = Path(__file__).with_name("run_ticket.js")
FUNCTION = Path(__file__).parents[3] / "stacks/functions/ticket.js"


@dataclass(frozen=True)
class Shown:
    """A ticket that a viewer shows."""

    text: str
    keys: Keys
    now: float
    address: str = "192.0.2.1"


def verify_at_edge(cases: list[Shown]) -> list[dict[str, Any] | None]:
    """The claims of each ticket, None for one that is refused."""
    written = [
        {"text": one.text, "keys": dict(one.keys.secrets), "now": one.now, "address": one.address}
        for one in cases
    ]
    done = subprocess.run(
        ["node", RUNNER, FUNCTION],
        input=json.dumps(written),
        capture_output=True,
        text=True,
        check=True,
    )
    claims: list[dict[str, Any] | None] = json.loads(done.stdout)
    return claims
