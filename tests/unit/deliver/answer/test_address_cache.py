"""nginx keeps an answer for no longer than the gateway itself trusts the record."""

import os
import re
from pathlib import Path

import pytest

from tests.unit.deliver.answer.gateway_bench import IMAGE, NAMED, TILE, Bench, NamingImages
from tests.unit.deliver.deliver_records import live
from vitrine.deliver.answer.address_cache import MIN_SECONDS, AddressCache
from vitrine.deliver.answer.derivative_disk import DerivativeDisk
from vitrine.deliver.answer.kept_answers import (
    LARGE_ANSWERS,
    MIN_KEYS,
    OPEN_FILES,
    SMALL_ANSWERS,
    KeptAnswers,
    memory_mebibytes,
)
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live
from vitrine.store.layout import publication_key
from vitrine.store.publications import Published, encode_publication

INFO = "/iiif/3/a/info.json"
MANIFEST = "/presentation/3/a/manifest.json"
DETAIL = "/iiif/3/a/3,5,500,500/500,/0/default.jpg"


@pytest.mark.parametrize("seconds", [20.0, 9.99, MIN_SECONDS + 1, 3.5])
def test_a_tile_is_kept_until_its_record_is_read_again(seconds: float) -> None:
    cache = AddressCache(DerivativeDisk(Path("/")), is_on=True)
    name, _, kept = cache.life(seconds, 36_000).decode().partition(": ")
    assert (name, kept[-2:]) == ("x-accel-expires", "\r\n")
    assert seconds - 2 < int(kept) <= seconds - 1, "nginx uses it to the end of its last second"


@pytest.mark.parametrize("seconds", [0.0, 1.0, 2.99, -5.0])
def test_a_tile_that_could_be_kept_for_a_moment_only_is_not(seconds: float) -> None:
    assert AddressCache(DerivativeDisk(Path("/")), is_on=True).life(seconds, 36_000) == b""


def test_no_tile_is_kept_on_a_disk_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    full = os.statvfs_result((4096, 4096, 1000, 100, 100, 1000, 900, 900, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda path: full)
    assert AddressCache(DerivativeDisk(Path("/")), is_on=True).life(20, 36_000) == b""


def test_only_answers_are_kept_of_which_nginx_has_memory_for_as_many_as_it_has_keys() -> None:
    cache = AddressCache(DerivativeDisk(Path("/")), is_on=True)
    assert cache.life(20, SMALL_ANSWERS.max_bytes)
    assert cache.life(20, SMALL_ANSWERS.max_bytes + 1) == b""
    text = Path("containers/nginx/nginx.conf.template").read_text()
    assert "worker_processes ${VITRINE_GATEWAY_PROCESSES};" in text
    opened = [int(found) for found in re.findall(r"open_file_cache max=(\d+);", text)]
    assert opened == list(OPEN_FILES.values())
    for derivatives, tiles in ((1, 0), (0, 1), (128, 256), (1_000, 3), (333, 77)):
        for workers in (1, 2, 8):
            sizes = {"derivatives": derivatives, "large-derivatives": derivatives, "tiles": tiles}
            most = sum(_count_keys(sizes, name) * of.file_kibibytes for name, of in CACHES.items())
            most += sum(workers * count * of.file_kibibytes for of, count in OPEN_FILES.items())
            assert most < memory_mebibytes(derivatives, tiles, workers=workers) << 10
    assert memory_mebibytes(0, 0, workers=2) == 0


CACHES: dict[str, KeptAnswers] = {
    "derivatives": SMALL_ANSWERS,
    "large-derivatives": LARGE_ANSWERS,
    "tiles": SMALL_ANSWERS,
}


def _count_keys(mebibytes: dict[str, int], name: str) -> int:
    """As containers/nginx/start has it, 32 in a page of 4 KiB."""
    text = Path("containers/nginx/start").read_text()
    [(kibibytes, key)] = re.findall(rf"\(cache {name} (\S+|\$\(\(.+?\)\)) (\d+)\)", text)
    size = mebibytes[name] * (512 if kibibytes == "$half" else 1_024)
    return max(MIN_KEYS, size // int(key)) if size else 0


def test_only_a_tile_that_needs_no_wait_is_kept() -> None:
    first, again = Bench(tile_cache_mebibytes=1).ask_both(TILE)
    assert again
    assert ("x-accel-expires", "18") in again.headers, "20 s, two thirds of the record's lifetime"
    assert "x-accel-expires" not in dict(first.headers)
    _, without = Bench(tile_cache_mebibytes=0).ask_both(TILE)
    assert without
    assert "x-accel-expires" not in dict(without.headers)


@pytest.mark.parametrize("mebibytes", [0, 1])
def test_image_information_and_small_derivatives_are_kept_by_their_addresses(
    mebibytes: int,
) -> None:
    bench = Bench(tile_cache_mebibytes=mebibytes, derivative_cache_mebibytes=1)
    for path in (INFO, MANIFEST, IMAGE, DETAIL):
        headers = dict(bench.ask(path).headers)
        assert headers.get("x-accel-expires") == ("18" if mebibytes else None), path
        assert "x-accel-redirect" not in headers
    target = dict(bench.ask(NAMED).headers)["x-accel-redirect"]
    assert target.partition("?")[2] == ("seconds=18" if mebibytes else "")


@pytest.mark.parametrize("access", ["closed", "staff", "small:300", "small:300:staff"])
@pytest.mark.parametrize("path", [INFO, MANIFEST, IMAGE, NAMED, DETAIL, TILE])
def test_nothing_of_an_image_with_a_rule_is_kept_by_its_address(path: str, access: str) -> None:
    bench = Bench(live(access=access), tile_cache_mebibytes=1, derivative_cache_mebibytes=1)
    for answer in bench.ask_both(path):
        headers = dict(answer.headers) if answer else {}
        assert "x-accel-expires" not in headers
        assert "?" not in headers.get("x-accel-redirect", "")


def test_what_is_published_is_read_each_time() -> None:
    bench = Bench(tile_cache_mebibytes=1)
    publication = Published(revision=1, kind="manifest", documents={2: b"", 3: b""})
    bench.site.put(publication_key("a"), encode_publication(publication), content_type="x/y")
    answer = bench.ask(MANIFEST, accept_encoding="br")
    assert (answer.status, answer.body) == (200, b"")
    assert "x-accel-expires" not in dict(answer.headers)


class SizedImages(NamingImages):
    """Derivatives of `size` bytes."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    async def derivative(self, image: Live, request: ResolvedRequest) -> bytes:
        return bytes(self.size)


def test_nginx_keeps_no_large_derivative_by_its_address() -> None:
    bench = Bench(tile_cache_mebibytes=1)
    for bytes_, kept in ((SMALL_ANSWERS.max_bytes, True), (SMALL_ANSWERS.max_bytes + 1, False)):
        bench.images = SizedImages(bytes_)
        assert ("x-accel-expires" in dict(bench.ask(DETAIL).headers)) is kept
