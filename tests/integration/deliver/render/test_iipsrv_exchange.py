"""What a picture takes of iipsrv: system calls to read the file, and to send the answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import pyvips

from tests.integration.deliver.render.iipsrv_rig import IipsrvRig, iipsrv_rig
from tests.integration.ingest.fastcgi import ask
from tests.unit.ingest.made_pyramids import picture, write_file

WIDTH, HEIGHT = 1790, 1530
TILES = 7 * 6
WHOLE = f"RES=3&IIIF=image.tif/0,0,{WIDTH},{HEIGHT}/{WIDTH},{HEIGHT}/0/default.jpg"
RECORD_BYTES = 65_528


@pytest.fixture(scope="module")
def rig() -> Iterator[IipsrvRig]:
    with iipsrv_rig(processes=1) as started:
        started.cache.mkdir(exist_ok=True)
        write_file(picture(WIDTH, HEIGHT), started.cache / "image.tif")
        yield started


def count_calls(rig: IipsrvRig) -> tuple[int, int]:
    """Return how often its process has called read(2) and write(2), and their like."""
    lines = Path(f"/proc/{rig.children[0]}/io").read_text().splitlines()
    counts = dict(line.split(": ") for line in lines)
    return int(counts["syscr"]), int(counts["syscw"])


def ask_and_count(rig: IipsrvRig) -> tuple[bytes, int, int]:
    """Return an answer, and the calls of read(2) and write(2) that it took."""
    server = rig.work / "run/iipsrv.sock"
    ask(server, WHOLE)  # what is done once for a file is done
    before = count_calls(rig)
    answer = ask(server, WHOLE)
    reads, writes = (new - old for new, old in zip(count_calls(rig), before, strict=True))
    image = pyvips.Image.new_from_buffer(answer, "")
    assert (image.width, image.height) == (WIDTH, HEIGHT)
    return answer, reads, writes


def test_a_level_is_looked_up_once_for_all_its_tiles(rig: IipsrvRig) -> None:
    _, reads, _ = ask_and_count(rig)
    assert reads < 3 * TILES  # some forty for the directories of four levels


def test_an_answer_is_sent_in_the_longest_records_that_fastcgi_has(rig: IipsrvRig) -> None:
    answer, _, writes = ask_and_count(rig)
    assert len(answer) > 4 * RECORD_BYTES
    assert writes <= len(answer) // RECORD_BYTES + 3
