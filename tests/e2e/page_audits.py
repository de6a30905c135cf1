"""Lighthouse on every kind of page of a running site.

    python -m tests.e2e.page_audits [--url URL] [--rounds 5] [PATH…]

Without PATHs: the pages of `tests/e2e/published_site.py`, which must be published. Each round
audits every page as a phone (Lighthouse's own throttling: slow 4G, CPU 4 x) and as a desktop, in
turns. Prints medians of the scores (0 to 100) and of what a visitor waits for, and what any round
did not pass in full. Nothing is sent anywhere.
"""

import argparse
import json
import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from tests.e2e.conftest import CHROMIUM, CHROMIUM_ARGUMENTS
from tests.e2e.published_site import PAGES
from tests.locked_packages import install_packages

LOCKED = Path(__file__).with_name("lighthouse")
SCREENS = {"phone": (), "desktop": ("--preset=desktop",)}
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
TIMINGS = {
    "first-contentful-paint": "first paint, ms",
    "largest-contentful-paint": "largest paint, ms",
    "total-blocking-time": "blocked, ms",
    "cumulative-layout-shift": "shift",
    "total-byte-weight": "bytes",
}
SECONDS = 300
"""Until an audit of a page is given up."""


@dataclass(frozen=True)
class Audit:
    """What Lighthouse found on a page."""

    path: str
    screen: str
    scores: dict[str, float]
    """0 to 100, by category."""
    timings: dict[str, float]
    failed: dict[str, str]
    """What counts in a score and scored below 0.9, by the name of the audit."""


def audit_page(url: str, path: str, screen: str) -> Audit:
    """Audit a page. Raises RuntimeError if it failed to load, CalledProcessError."""
    installed = install_packages(LOCKED)
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "report.json")
        command = [
            "node",
            str(installed / "node_modules" / "lighthouse" / "cli" / "index.js"),
            url + path,
            "--output=json",
            f"--output-path={report}",
            "--quiet",
            "--no-enable-error-reporting",
            "--ignore-status-code",  # the pages of what is missing or withdrawn have one
            f"--only-categories={','.join(CATEGORIES)}",
            f"--chrome-flags={' '.join(CHROMIUM_ARGUMENTS)}",
            *SCREENS[screen],
        ]
        environment = os.environ | {"CHROME_PATH": CHROMIUM}
        subprocess.run(command, env=environment, check=True, timeout=SECONDS)
        found = json.loads(report.read_text(encoding="utf-8"))
    if error := found.get("runtimeError"):
        raise RuntimeError(f"{path}: {error['message']}")
    return _summarize(path, screen, found)


def _summarize(path: str, screen: str, report: dict[str, Any]) -> Audit:
    categories, audits = report["categories"], report["audits"]
    weighed = {
        part["id"]
        for name in CATEGORIES
        for part in categories[name]["auditRefs"]
        if part["weight"]
    }
    failed = {
        name: audits[name].get("displayValue") or audits[name]["title"]
        for name in sorted(weighed)
        if (score := audits[name]["score"]) is not None and score < 0.9
    }
    return Audit(
        path,
        screen,
        {name: 100 * categories[name]["score"] for name in CATEGORIES},
        {name: audits[name]["numericValue"] for name in TIMINGS},
        failed,
    )


def format_table(audits: Sequence[Audit]) -> Iterator[str]:
    """Yield the lines of a table of medians, then what any round did not pass."""
    yield "| page | screen | " + " | ".join((*CATEGORIES, *TIMINGS.values())) + " |"
    yield "|---|---|" + "---:|" * (len(CATEGORIES) + len(TIMINGS))
    groups: dict[tuple[str, str], list[Audit]] = defaultdict(list)
    for one in audits:
        groups[one.path, one.screen].append(one)
    for (path, screen), several in groups.items():
        scores = [f"{median(one.scores[name] for one in several):.0f}" for name in CATEGORIES]
        times = [f"{median(one.timings[name] for one in several):.6g}" for name in TIMINGS]
        yield f"| {path} | {screen} | {' | '.join((*scores, *times))} |"
    yield ""
    failed = {
        (one.path, one.screen, name, value) for one in audits for name, value in one.failed.items()
    }
    for path, screen, name, value in sorted(failed):
        yield f"{path} ({screen}): {name}: {value}"


def main() -> None:
    """Audit and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    audits = [
        audit_page(options.url.rstrip("/"), path, screen)
        for _ in range(options.rounds)
        for path in options.paths or PAGES.values()
        for screen in SCREENS
    ]
    print("\n".join(format_table(audits)))


if __name__ == "__main__":
    main()
