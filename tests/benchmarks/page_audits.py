"""Lighthouse on the pages of a running site: performance, accessibility, best practices, SEO.

    python -m tests.benchmarks.page_audits [--url URL] [--rounds 5] [--save FILE] [PATH…]

Without PATHs: home, about, and the first collection and the first object that the sitemap has.
Each round audits every page as a phone (Lighthouse's own throttling: slow 4G, CPU 4 x) and as a
desk, in turns. Prints the medians of the scores (0 to 100) and of what a visitor waits for, and
writes every round to FILE. Nothing is sent anywhere. Lighthouse and the Node that it needs are
installed into `.build/lighthouse` the first time, from tests/benchmarks/lighthouse.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from loadtest.figures.order_statistics import median
from tests.e2e.conftest import CHROMIUM, CHROMIUM_ARGUMENTS
from vitrine.bootstrap.local_service import REPOSITORY

LOCKED = Path(__file__).with_name("lighthouse")
INSTALLED = REPOSITORY / ".build" / "lighthouse"
SCREENS = {"phone": (), "desk": ("--preset=desktop",)}
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
TIMINGS = {
    "first-contentful-paint": "first paint, ms",
    "largest-contentful-paint": "largest paint, ms",
    "total-blocking-time": "blocked, ms",
    "cumulative-layout-shift": "shift",
    "total-byte-weight": "bytes",
}
SECONDS = 180
"""Until an audit of a page is given up."""
KINDS = ("/collections/", "/objects/")


def install() -> None:
    """Install Lighthouse as the lock has it, unless that is done."""
    lock, done = LOCKED / "package-lock.json", INSTALLED / "package-lock.json"
    if done.exists() and done.read_bytes() == lock.read_bytes():
        return
    INSTALLED.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", ".npmrc"):
        shutil.copy(LOCKED / name, INSTALLED)
    shutil.copy(lock, INSTALLED / "package-lock.json")
    try:
        subprocess.run(["npm", "ci", "--silent"], cwd=INSTALLED, check=True)
    except subprocess.CalledProcessError:
        done.unlink()
        raise


def audit(address: str, screen: str) -> dict[str, Any]:
    """Return the scores of a page, its timings, and the audits that it did not pass in full."""
    program = next(INSTALLED.glob("node_modules/node-linux-*/bin/node"))
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "report.json")
        subprocess.run(
            [
                program,
                INSTALLED / "node_modules" / "lighthouse" / "cli" / "index.js",
                address,
                "--output=json",
                f"--output-path={report}",
                "--quiet",
                "--no-enable-error-reporting",
                f"--only-categories={','.join(CATEGORIES)}",
                f"--chrome-flags={' '.join(CHROMIUM_ARGUMENTS)}",
                *SCREENS[screen],
            ],
            env=os.environ | {"CHROME_PATH": CHROMIUM},
            check=True,
            timeout=SECONDS,
        )
        return summarize(json.loads(report.read_text(encoding="utf-8")))


def summarize(report: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of a report. Raises RuntimeError if the page failed to load."""
    if error := report.get("runtimeError"):
        raise RuntimeError(f"{report['requestedUrl']}: {error['message']}")
    audits = report["audits"]
    weighed = {
        part["id"]
        for name in CATEGORIES
        for part in report["categories"][name]["auditRefs"]
        if part["weight"]
    }
    short = {
        name: audits[name].get("displayValue") or audits[name]["title"]
        for name in sorted(weighed)
        if (score := audits[name]["score"]) is not None and score < 0.9
    }
    return {
        "scores": {name: 100 * report["categories"][name]["score"] for name in CATEGORIES},
        "timings": {name: audits[name]["numericValue"] for name in TIMINGS},
        "short": short,
    }


def find_pages(url: str) -> Iterator[str]:
    """Yield a path of each kind of page."""
    yield from ("/", "/about")
    places = _locations(f"{url}/sitemap.xml")
    if any("sitemap" in urlsplit(place).path for place in places):
        places = [inner for place in places for inner in _locations(place)]
    for kind in KINDS:
        paths = (urlsplit(place).path for place in places)
        yield from [path for path in paths if path.startswith(kind)][:1]


def _locations(address: str) -> list[str]:
    with urllib.request.urlopen(address, timeout=30) as answer:
        body = answer.read()
    text = gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body
    return re.findall(r"<loc>([^<]+)</loc>", text.decode())


def lines(rounds: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a table of medians."""
    yield "| page | screen | " + " | ".join((*CATEGORIES, *TIMINGS.values())) + " |"
    yield "|---|---|" + "---:|" * (len(CATEGORIES) + len(TIMINGS))
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for one in rounds:
        groups[one["path"], one["screen"]].append(one)
    for (path, screen), several in groups.items():
        scores = [f"{median(one['scores'][name] for one in several):.0f}" for name in CATEGORIES]
        times = [f"{median(one['timings'][name] for one in several):.3g}" for name in TIMINGS]
        yield f"| {path} | {screen} | {' | '.join((*scores, *times))} |"
    for path, name, value in sorted(
        {(one["path"], name, value) for one in rounds for name, value in one["short"].items()}
    ):
        yield f"{path}: {name}: {value}"


def main() -> None:
    """Audit and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    install()
    url = options.url.rstrip("/")
    paths = options.paths or list(find_pages(url))
    rounds: list[dict[str, Any]] = []
    for number in range(options.rounds):
        for path in paths:
            for screen in SCREENS:
                found = audit(url + path, screen)
                rounds.append({"round": number, "path": path, "screen": screen} | found)
                if options.save:
                    options.save.write_text(json.dumps(rounds, indent=1) + "\n")
    print("\n".join(lines(rounds)))


if __name__ == "__main__":
    main()
