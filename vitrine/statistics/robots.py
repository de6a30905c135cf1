"""Programs among the visitors, by the lists that COUNTER publishes.

The lists are those of `counter_robots`. Their editors recommend to ignore the case of letters,
which that package does not do: it takes `GPTBot` for a person (`findings/counter-robots-case.sh`).
"""

import re
from functools import cache, lru_cache
from importlib.resources import files
from urllib.parse import unquote

import counter_robots

AGENTS = 50_000
"""User agents that are remembered; each of the others is looked at again."""


@lru_cache(maxsize=AGENTS)
def is_robot(agent: str) -> bool:
    """Return True for the user agent of a robot or of another program that is no browser.

    So is one that says nothing. It may be percent-encoded, as CloudFront logs it.
    """
    return bool(_lists().search(unquote(agent)))


@cache
def _lists() -> re.Pattern[str]:
    folder = files(counter_robots) / "data"
    texts = [(folder / name).read_text(encoding="utf-8") for name in ("robot.txt", "machine.txt")]
    return re.compile("|".join(line for text in texts for line in text.splitlines()), re.IGNORECASE)
