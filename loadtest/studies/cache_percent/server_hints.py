"""Headers in which servers say whether an answer came from a cache, and how long it took them."""

import re
from collections.abc import Mapping

_DURATION = re.compile(r";\s*dur=([0-9.]+)")


def from_cache(headers: Mapping[str, str]) -> bool | None:
    """Return what the server says; None if it says nothing. `headers` have lower-case names.

    Read: `X-Cache` (CloudFront, Varnish, Fastly and our edge), `CF-Cache-Status`,
    `Cache-Status` (RFC 9211), `X-From-Cache` (QIS), and `Age` (RFC 9111, 5.1).
    """
    for name in ("x-cache", "cf-cache-status", "cache-status"):
        if hint := headers.get(name):
            return "hit" in hint.lower().replace("-", " ").split("fwd")[0]
    if hint := headers.get("x-from-cache"):
        return hint.lower() in ("true", "1", "yes")
    age = headers.get("age", "")
    return int(age) > 0 if age.isdigit() else None


def app_seconds(headers: Mapping[str, str]) -> float | None:
    """Return the sum of the durations of `Server-Timing`; None without that header."""
    try:
        found = [float(word) for word in _DURATION.findall(headers.get("server-timing", ""))]
    except ValueError:
        return None
    return sum(found) / 1_000 if found else None
