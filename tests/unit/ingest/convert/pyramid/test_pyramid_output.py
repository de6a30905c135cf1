"""The same bytes, whether they go to a file or straight into a store."""

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.unit.ingest.made_pyramids import ENCODER, PROFILE, picture, write_file, write_to
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import ObjectMissing, TransientError
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.pyramid.pyramid_output import MINIMUM_PART_BYTES, StoreOutput
from vitrine.ingest.convert.pyramid.pyramid_pages import plan_pages

pytestmark = pytest.mark.slow

METADATA = {"recipe": "standard-2"}


def noise(width: int, height: int) -> Any:
    return np.random.default_rng(3).integers(0, 256, (height, width, 3)).astype("u1")


class Recording(MemoryObjectStore):
    """Remembers how objects arrived."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[tuple[int, int]] = []
        self.puts = 0

    def put(self, *arguments: Any, **named: Any) -> Any:
        self.puts += 1
        return super().put(*arguments, **named)

    @contextmanager
    def multipart(self, key: str, **named: Any) -> Iterator[Any]:
        with super().multipart(key, **named) as upload:
            send = upload.part

            def part(number: int, data: bytes) -> None:
                self.parts.append((number, len(data)))
                send(number, data)

            upload.part = part  # type: ignore[method-assign]
            yield upload


def stream(store: MemoryObjectStore, pixels: Any, scratch: Path) -> bytes:
    with StoreOutput(store, "a.tif", content_type="image/tiff", metadata=METADATA) as output:
        write_to(output, pixels, scratch)
    body, info = store.get("a.tif")
    assert info.metadata == METADATA
    return body


@pytest.mark.parametrize(
    ("width", "height", "puts"),
    [(300, 200, 1), (1500, 1300, 1), (2300, 1500, 0), (2300, 2700, 0), (4000, 4100, 0)],
)
def test_the_object_is_the_file(tmp_path: Path, width: int, height: int, puts: int) -> None:
    pixels = noise(width, height)
    _, written = write_file(pixels, tmp_path / "a.tif")
    store = Recording()
    expected = (tmp_path / "a.tif").read_bytes()
    assert stream(store, pixels, tmp_path) == expected
    assert len(expected) == written.total_bytes
    assert store.puts == puts


def test_full_resolution_is_sent_while_it_is_encoded(tmp_path: Path) -> None:
    store = Recording()
    stream(store, noise(5000, 5200), tmp_path)
    numbers = [number for number, _ in store.parts]
    assert len(numbers) >= 4
    assert min(numbers) != numbers[0], "the front goes last"
    last = max(numbers)
    assert all(size >= MINIMUM_PART_BYTES for number, size in store.parts if number != last)


def test_a_failure_leaves_nothing_in_the_store(tmp_path: Path) -> None:
    store = MemoryObjectStore()

    def fail() -> None:
        with StoreOutput(store, "a.tif", content_type="image/tiff", metadata={}) as output:
            write_to(output, noise(3000, 3000), tmp_path)
            raise TransientError("the master could not be read to its end")

    with pytest.raises(TransientError):
        fail()
    with pytest.raises(ObjectMissing):
        store.head("a.tif")


def test_a_part_that_cannot_be_sent_ends_the_conversion(tmp_path: Path) -> None:
    class Failing(MemoryObjectStore):
        @contextmanager
        def multipart(self, key: str, **named: Any) -> Iterator[Any]:
            with super().multipart(key, **named) as upload:

                def part(number: int, data: bytes) -> None:
                    raise TransientError("throttled")

                upload.part = part  # type: ignore[method-assign]
                yield upload

    with pytest.raises(TransientError, match="throttled"):
        stream(Failing(), noise(4000, 4000), tmp_path)


def test_the_head_is_known_before_the_first_pixel(tmp_path: Path) -> None:
    for number, (width, height) in enumerate([(1, 1), (257, 100), (513, 257), (1800, 1100)]):
        plan, written = write_file(picture(width, height), tmp_path / f"{number}.tif")
        assert plan.head_bytes() == written.head_bytes


@pytest.mark.parametrize(("width", "height"), [(23_000, 17_300), (36_000, 28_000)])
def test_one_read_of_256_kib_opens_even_a_gigapixel(width: int, height: int) -> None:
    plan = plan_pages(width, height, ENCODER, profile=PROFILE, metadata=Metadata())
    assert plan.head_bytes() <= 256 << 10


def test_where_bigtiff_might_be_needed_its_head_is_announced() -> None:
    plan = plan_pages(40_000, 30_000, ENCODER, profile=PROFILE, metadata=Metadata())
    announced = plan.head_bytes()
    for level, (width, height) in enumerate(plan.sizes):
        tiles = -(-width // 256) * -(-height // 256)
        plan.byte_counts[level].extend([250_000 if level == 0 else 1_000] * tiles)
        plan.checksums[level].extend([1] * tiles)
    layout = plan.lay_out()
    assert layout.total_bytes > 1 << 32
    assert len(layout.head) == announced


def test_a_thumbnail_lies_right_behind_the_head(tmp_path: Path) -> None:
    large = plan_pages(6_000, 4_000, ENCODER, profile=PROFILE, metadata=Metadata())
    plan, _ = write_file(picture(1_500, 1_000), tmp_path / "a.tif")
    assert plan.sizes == large.sizes[2:], "the small levels are those of the large picture"
    needed = next(n for n, size in reversed(list(enumerate(plan.sizes))) if max(size) >= 128)
    small = sum(sum(counts) for counts in plan.byte_counts[needed:])
    assert large.head_bytes() + small < 256 << 10


def test_no_temporary_file_stays(tmp_path: Path) -> None:
    write_file(noise(2000, 2000), tmp_path / "a.tif")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tif"]


def test_memory_follows_the_width_and_not_the_height(tmp_path: Path) -> None:
    peaks = []
    for height in (1_000, 6_000):
        pixels = picture(1_000, height)
        tracemalloc.start()
        write_file(pixels, tmp_path / "a.tif")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0] + 4 * (4 << 20)
