"""The drill: publish a collection, kill that twice, and see that all is there, once.

What is compared at the end is what a visitor gets: every manifest, every image, every address that
was handed back, every old address.
"""

import csv
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loadtest.drills.collection.photograph_folder import PhotographFolder, make_folder
from loadtest.rigs.service_instance import Instance, instance
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.present.mapping.handed_back import COLUMN

VITRINE = REPOSITORY / ".venv" / "bin" / "vitrine"
COMMAND = (sys.executable, "-m", "loadtest.drills.collection.counted_command")
KILLED_AT = (0.2, 0.6)
"""Share of the images that are published when the command is killed."""
READS = ("Get", "Head", "List", "BatchGet", "Query", "Scan", "Describe")
"""How operations begin that change nothing."""
SECONDS = 60
"""Within which a redirect is answered, and an image that was published last."""

Say = Callable[[str], None]


def run_drill(photographs: int, directory: Path, say: Say) -> dict[str, Any]:
    """Publish so many photographs; return counts and times as JSON.

    Raises RuntimeError without Debian's packages, and what starting a service raises.
    """
    with instance(directory / "service") as running:
        say(f"{photographs:,} photographs and their spreadsheet are made")
        museum = make_folder(directory / "museum", photographs)
        begun = time.monotonic()
        kills = [_kill(museum, running, share, say) for share in KILLED_AT]
        say("the same command again, to its end")
        report, _ = _publish(museum, directory)
        seconds = time.monotonic() - begun
        again, calls = _publish(museum, directory)
        _import_old_addresses(museum, directory)
        return {
            "photographs": photographs,
            "crops": museum.crops,
            "kills": kills,
            "published": report["images"],
            "objects": report["made"] + report["unchanged"],
            "seconds": round(seconds, 1),
            "again": {"images": again["images"], "objects": again["unchanged"], "calls": calls},
            "wrong": _find_wrong(museum, running),
        }


def broken(figures: dict[str, Any]) -> list[str]:
    """Return a sentence for each promise that does not hold."""
    count, again = figures["photographs"], figures["again"]
    writes = {name: calls for name, calls in again["calls"].items() if not name.startswith(READS)}
    faults = [
        f"{figures['objects']:,} of {count:,} objects are published"
        if figures["objects"] != count
        else "",
        f"the second run changed something: {writes}" if writes else "",
        f"the second run found {again['objects']:,} of {count:,} objects unchanged"
        if again["objects"] != count
        else "",
        "it was not killed twice" if len(figures["kills"]) != 2 else "",
    ]
    return [*filter(None, faults), *figures["wrong"]]


def _kill(museum: PhotographFolder, running: Instance, share: float, say: Say) -> dict[str, Any]:
    """Begin to publish and end that by SIGKILL; return what was published by then."""
    enough = int(share * len(museum.numbers))
    command = [str(VITRINE), "collection", "publish", str(museum.rules)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while (done := running.service.identifiers.count("live", 10**6)) < enough:
            if process.poll() is not None:
                raise RuntimeError("the command ended before it was killed")
            time.sleep(0.2)
        os.kill(process.pid, signal.SIGKILL)
    say(f"killed with {done:,} images published")
    return {"images": done}


def _publish(museum: PhotographFolder, directory: Path) -> tuple[dict[str, Any], dict[str, int]]:
    counts = directory / "calls.json"
    done = subprocess.run(
        [*COMMAND, str(counts), "collection", "publish", str(museum.rules), "--json"],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"publish ended with {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout), json.loads(counts.read_text())


def _import_old_addresses(museum: PhotographFolder, directory: Path) -> None:
    table = directory / "old.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["old", "new"])
        writer.writerows([f"old/{number}.jpg", number] for number in museum.numbers)
    command = [str(VITRINE), "redirects", "import", str(table)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _find_wrong(museum: PhotographFolder, running: Instance) -> list[str]:
    """Return a sentence for each address that does not answer as it should."""
    edge, wrong = running.service.edge_url, list[str]()
    with museum.handed_back.open(encoding="utf-8-sig", newline="") as file:
        addresses = {row["Inventory number"]: row[COLUMN] for row in csv.DictReader(file)}
    for number in museum.numbers:
        address = addresses.get(number, "")
        status, document = _ask(address) if address else (0, b"")
        if status != 200 or json.loads(document)["id"] != address:
            wrong.append(f"{number}: its manifest answers {status}")
            continue
        (canvas,) = json.loads(document)["items"]
        picture = canvas["thumbnail"][0]["id"]
        if _ask(picture)[0] != 200:
            wrong.append(f"{number}: its picture does not answer")
        image = canvas["items"][0]["items"][0]["body"]["service"][0]["id"]
        old = f"{edge}/iiif/3/old%2F{number}.jpg/full/max/0/default.jpg"
        if (found := _leads_to(old)) != f"{image}/full/max/0/default.jpg":
            wrong.append(f"{number}: its old address leads to {found or 'nothing'}")
    return wrong


def _ask(address: str) -> tuple[int, bytes]:
    """Return status and body; what was published a moment ago is waited for."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            with urllib.request.urlopen(address, timeout=SECONDS) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            error.close()
            if error.code != 404 or time.monotonic() > deadline:
                return error.code, b""
            time.sleep(1)


def _leads_to(address: str) -> str:
    """Return where an address redirects, "" for nowhere."""
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:
            return str(answer.url)
    except urllib.error.HTTPError as error:
        error.close()
        return ""
