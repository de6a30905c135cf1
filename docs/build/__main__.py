"""Write generated pages: `python -m docs.build [WORD…]`, every page or some.

A page is written when a WORD is part of its path.
"""

import sys
from collections.abc import Callable, Mapping

from docs.build import idle_price_page, ingest_rate
from docs.build.api_page import api_page
from docs.build.commands_page import commands_page
from docs.build.events_page import events_page
from docs.build.keys_page import keys_page
from docs.build.metrics_page import metrics_page
from docs.build.notice import notice
from docs.build.objects_page import objects_page
from docs.build.rejections_page import rejections_page
from docs.build.saved_runs import ROOT
from docs.build.settings_page import settings_page
from docs.build.viewers_page import viewers_page

GENERATED: Mapping[str, Callable[[], str]] = {
    "NOTICE": notice,
    "docs/reference/api.md": api_page,
    "docs/reference/commands.md": commands_page,
    "docs/reference/events.md": events_page,
    "docs/reference/idle-price.md": idle_price_page.page,
    "docs/reference/ingest-rate.md": ingest_rate.page,
    "docs/reference/keys.md": keys_page,
    "docs/reference/metrics.md": metrics_page,
    "docs/reference/objects.md": objects_page,
    "docs/reference/rejections.md": rejections_page,
    "docs/reference/settings.md": settings_page,
    "docs/reference/viewers-and-tools.md": viewers_page,
}
"""Every generated file, by its path from the repository's root, and what returns its text."""


def write_pages(words: list[str]) -> list[str]:
    """Write every file whose path contains one of `words`, or all; return their paths."""
    chosen = [path for path in GENERATED if not words or any(word in path for word in words)]
    for path in chosen:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(GENERATED[path](), encoding="utf-8")
    return chosen


if __name__ == "__main__":
    print("\n".join(write_pages(sys.argv[1:])))
