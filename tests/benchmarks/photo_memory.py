"""What a process of the photo door keeps of a large photograph: memory, page faults, CPU.

    python -m tests.benchmarks.photo_memory [--rounds 5] [--megapixels 32]

The door as in an image task (containers/photos/start, nginx before it), with one process. Each
round starts it twice. One is sent only the four photographs of Baresoil's benchmark, several times;
the other a progressive JPEG first, whose decoder holds all coefficients at once, so that whatever a
process allocates once comes to lie behind them. At 32 megapixels those of a colour stay just below
the size from which the allocator maps a block for itself. Prints the process's own resident memory
(without mapped files), page faults and CPU of a photograph.
"""

import argparse
import http.client
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyvips

from loadtest.corpora.camera_photographs import make_large_sample, make_samples
from loadtest.figures.order_statistics import median
from loadtest.figures.process_cpu import tree
from loadtest.rigs.photo_doors.our_door import SignedForm, our_door
from loadtest.rigs.rig import Rig

SAMPLES = Path(".build/photos/samples")
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
MINOR_FAULTS, USER_TICKS, SYSTEM_TICKS = 7, 11, 12
"""Places in /proc/PID/stat after the name. Source: proc(5)."""
Figures = dict[str, list[float]]


def main() -> None:
    """Measure, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megapixels", type=int, default=32, help="of the progressive JPEG")
    options = parser.parse_args()
    ordinary = [Path(one.path).read_bytes() for one in make_samples(SAMPLES, print)]
    large = make_progressive(options.megapixels)
    figures: Figures = defaultdict(list)
    for _ in range(options.rounds):
        for name, value in measure_round(ordinary, large).items():
            figures[name].append(value)
    for name, values in figures.items():
        rounds = ", ".join(f"{value:,.1f}" for value in values)
        print(f"{name:45} {median(values):9,.1f}   ({rounds})")


def make_progressive(megapixels: int) -> bytes:
    """Return a progressive JPEG of this size."""
    sample = make_large_sample(SAMPLES, megapixels, print)
    picture = pyvips.Image.new_from_file(sample.path)
    data: bytes = picture.jpegsave_buffer(Q=90, subsample_mode="off", interlace=True)
    return data


def measure_round(ordinary: Sequence[bytes], large: bytes) -> dict[str, float]:
    """Return the figures of one round by their names."""
    found = measure_door({"first": ordinary, "ordinary": ordinary})
    return found | measure_door(
        {"large": [large], "first after the large": ordinary, "ordinary after the large": ordinary}
    )


def measure_door(courses: Mapping[str, Sequence[bytes]]) -> dict[str, float]:
    """Start the door, send all photographs, and return the figures of each course."""
    signed = SignedForm()
    changes = {"VITRINE_PHOTO_WORKERS": "1", "VITRINE_PHOTO_MEMORY_MEBIBYTES": "2048"}
    found: dict[str, float] = {}
    with our_door(signed.keys, **changes) as rig:
        for course, photos in courses.items():
            before = look(rig)
            for photo in photos:
                send(rig, signed.token, photo)
            after = look(rig)
            found[f"{course}: MiB"] = after["bytes"] / (1 << 20)
            found[f"{course}: page faults"] = (after["faults"] - before["faults"]) / len(photos)
            found[f"{course}: CPU ms"] = (
                1_000 * (after["seconds"] - before["seconds"]) / len(photos)
            )
    return found


def look(rig: Rig) -> dict[str, float]:
    """Return memory, page faults and CPU of the process that decodes: gunicorn's only child."""
    _, pid = tree(item.pid for item in rig.running if item.name == "photos")
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    _, resident, shared, *_ = map(int, Path(f"/proc/{pid}/statm").read_text().split())
    return {
        "bytes": (resident - shared) * PAGE,
        "faults": int(stat[MINOR_FAULTS]),
        "seconds": (int(stat[USER_TICKS]) + int(stat[SYSTEM_TICKS])) / TICKS,
    }


def send(rig: Rig, token: str, photo: bytes) -> None:
    """Send a photograph, and wait for its thumbnail."""
    connection = http.client.HTTPConnection("127.0.0.1", rig.port, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "image/jpeg"}
    connection.request("POST", "/photos?store=no&thumbnails=medium", photo, headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == http.client.OK, body


if __name__ == "__main__":
    main()
