"""Whatever a file contains, reading it costs no more reads and bytes than its size explains.

Of every format: small files of sound writers with pieces repeated, moved and overwritten, and
files that a reader without a limit would follow for minutes. Counted before a pixel is decoded.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.ingest.inspect.structure_files import (
    HOSTILE,
    Repeated,
    jpeg_parts,
    scattered_tiff,
    sound,
)
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.decode import find_picture
from vitrine.ingest.inspect.formats.jpeg_scans import MAX_SCANS, longest_seconds
from vitrine.ingest.inspect.header import check_complete, read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import (
    BoundedRequests,
    MasterBytes,
    most_bytes,
    most_reads,
    most_requests,
)
from vitrine.ingest.inspect.signature import detect_format
from vitrine.store.ranged import RangedFile

LIMITS = MasterLimits(pixels=1_000_000_000, bytes=1 << 40)


def read(file: Repeated) -> str:
    """Read a master's structure as both steps do; return the rejection's code, or ""."""
    try:
        file_format = detect_format(file.read_at(0, 64))
        passes: MasterBytes = file
        picture = find_picture(passes, file_format, LIMITS)
        if not picture.deflated:
            check_complete(file, picture)
    except MasterRejected as error:
        return error.rejection.code
    return ""


def assert_cheap(file: Repeated) -> None:
    """Two passes, and one read past each limit."""
    assert file.reads <= 2 * (most_reads(file.size) + 2)
    assert file.bytes <= 2 * (most_bytes(file.size) + 60_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_given_up_after_few_reads_and_bytes(name: str) -> None:
    make, code = HOSTILE[name]
    file = make()
    assert read(file) == code
    assert_cheap(file)


@pytest.mark.parametrize("name", sorted(sound()))
def test_a_sound_file_is_read_within_the_limits(name: str) -> None:
    file = Repeated(sound()[name])
    assert read(file) == ""
    assert file.reads < 200
    assert file.bytes < 5 * file.size


def pieces(data: st.DataObject, body: bytes) -> Iterator[bytes]:
    """The file with a piece repeated, one moved, and some bytes overwritten."""
    start = data.draw(st.integers(0, len(body)))
    end = data.draw(st.integers(start, min(start + 64, len(body))))
    times = data.draw(st.sampled_from((0, 1, 2, 100, 20_000)))
    yield body[:start] + body[start:end] * times + body[end:]
    changed = bytearray(body)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(body) - 1))
        value = data.draw(st.sampled_from((b"\0", b"\1", b"\x7f", b"\xff", b"\xff\xff\xff\xff")))
        changed[at : at + len(value)] = value
    yield bytes(changed)


@pytest.mark.parametrize("name", sorted(sound()))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_file_is_read_within_the_limits(name: str, data: st.DataObject) -> None:
    for body in pieces(data, sound()[name]):
        file = Repeated(body)
        read(file)
        assert_cheap(file)


def test_a_header_in_all_parts_of_a_file_costs_few_requests(tmp_path: Path) -> None:
    body = scattered_tiff(40, 60_000)
    (tmp_path / "m.tif").write_bytes(body)
    store = MemoryObjectStore()
    store.upload(tmp_path / "m.tif", "m.tif", content_type="image/tiff", metadata={})
    file = RangedFile(store, "m.tif", len(body))
    limits = MasterLimits(pixels=1_000_000, bytes=1 << 40, pages=10)
    with pytest.raises(MasterRejected, match="too-expensive-to-read"):
        read_header(BoundedRequests(file, limits.pages), "tiff", limits)
    assert file.reads <= most_requests(len(body), limits.pages) + 1


def test_the_scans_of_any_accepted_jpeg_are_decoded_within_minutes() -> None:
    """Seconds as the estimate has them, which are twice what was measured."""
    for pixels in (1, 64_000_000, 100_000_000, 1_000_000_000):
        assert longest_seconds(pixels) <= max(50, pixels / 20_000_000)
    head, scan, end = jpeg_parts()
    assert read(Repeated(head, scan, MAX_SCANS - 20, end)) == ""
