"""Ten million lines of a day are counted in the memory of the first hour: prints what it takes."""

import gzip
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from stacks.constructs.edge_logs import RECORD_FIELDS
from stacks.count_visits import SIZE
from tests.unit.statistics import count_folder
from tests.unit.statistics.log_bench import BROWSER, DAY
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.costs.prices import price

pytestmark = pytest.mark.slow
HOURS, FILES, VISITS = 24, 10, 12_800
"""Hours of a day, files of an hour, visits in an hour."""
LINES = 10_000_000
PARTS = 30
"""Requests of a visit for parts of its image."""
ROBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
EACH_DAY_AGAIN = 2
"""Times that each day is counted, as `AGAIN_DAYS` has it."""
GROWTH_MEBIBYTES = 10


def test_memory_does_not_grow_with_the_day(tmp_path: Path) -> None:
    written = write_day(tmp_path)
    done = subprocess.run(
        [sys.executable, count_folder.__file__, tmp_path],
        env={"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    seconds = 30 * EACH_DAY_AGAIN * found["CPU, s"]
    gigabytes = SIZE.memory_mebibytes / 1_024
    dollars = price("Lambda, GB-second", "us-east-1").usd
    found["Lambda, $ a month"] = round(seconds * gigabytes * dollars, 2)
    print(json.dumps(found, indent=1))
    assert (found["requests"], found["damaged"]) == (written, 0)
    assert written >= LINES
    assert found["robots"] > written / 10
    assert found["views"] == HOURS * sum(number % 5 > 0 for number in range(VISITS))
    last, first = (found[f"peak after the {which} hour, MiB"] for which in ("last", "first"))
    assert last < first + GROWTH_MEBIBYTES


def write_day(folder: Path) -> int:
    """Write the same hour for each hour of the day, of other addresses; return the lines."""
    lines = [line for number in range(VISITS) for line in write_visit(number)]
    lines.sort(key=lambda line: line[:40])
    parts = [b"".join(lines[part::FILES]) for part in range(FILES)]

    for hour in range(HOURS):
        place = folder / count_folder.PREFIX / DAY.replace("-", "/") / f"{hour:02}"
        place.mkdir(parents=True)
        address = f"{hour + 1}.".encode()
        for number, part in enumerate(parts):
            body = part.replace(b"10:", f"{hour:02}:".encode()).replace(b"192.", address)
            path = place / f"E1EXAMPLE.{DAY}-{hour:02}.{number:08x}.gz"
            path.write_bytes(gzip.compress(body, 1))
    return HOURS * len(lines)


def write_visit(number: int) -> Iterator[bytes]:
    """Yield the lines of a visit to an object, within a minute; a fifth is by robots."""
    chance = random.Random(number)
    name = f"object-{chance.randrange(10_000)}"
    start = chance.randrange(3_540)
    paths = [f"/objects/{name}", f"/presentation/3/{name}/manifest.json"]
    paths += [f"/iiif/3/{name}/info.json"]
    for part in range(PARTS):
        scale = 2 ** max(0, 4 - part // 6)
        left, top = (256 * scale * chance.randrange(4) for _ in range(2))
        region = f"{left},{top},{256 * scale},{256 * scale}"
        paths.append(f"/iiif/3/{name}/{region}/256,256/0/default.jpg")
    address = f"192.{number % 250}.{number // 250}.7"
    agent = BROWSER if number % 5 else ROBOT
    for place, path in enumerate(paths):
        second = start + place
        values = dict.fromkeys(RECORD_FIELDS, "-") | {
            "date": DAY,
            "time": f"10:{second // 60:02}:{second % 60:02}",
            "c-ip": address,
            "c-country": "DE",
            "cs-method": "GET",
            "cs-uri-stem": path,
            "sc-status": "200",
            "cs(User-Agent)": quote(agent, safe="()/;:,+."),
            "x-edge-request-id": f"{chance.getrandbits(256):064x}",
        }
        yield json.dumps(values).encode() + b"\n"
