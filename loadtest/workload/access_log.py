"""Lists of addresses from our access log (`log_format line` of containers/nginx)."""

import json
from collections.abc import Iterable, Iterator

_PREFIX = "/iiif/"


def recorded_paths(lines: Iterable[str]) -> Iterator[str]:
    """Yield the paths of image requests answered with pixels or information, in their order.

    Lines of other programs, health checks, errors, redirects and HEAD are left out. A 304 is kept:
    a client without a cache gets the whole answer. Queries are dropped, as the edge does.
    """
    for line in lines:
        start = line.find("{")
        try:
            entry = json.loads(line[start:]) if start >= 0 else None
        except ValueError:
            continue
        if isinstance(entry, dict) and entry.get("method") == "GET":
            path = str(entry.get("uri", "")).partition("?")[0]
            if path.startswith(_PREFIX) and entry.get("status") in (200, 304):
                yield path
