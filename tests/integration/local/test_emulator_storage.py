"""The emulator's patches of S3 do what AWS does, and each is still needed."""

import os
import time
from pathlib import Path

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from tests.integration.local.emulators import (
    Emulated,
)

KEYS = ("a\x1b[2J.tif", "b & c <d> é+%.tif", "e/f.tif")


MEGABYTE = 2**20


def bytes_read_for_a_range(emulator: Emulated) -> int:
    storage = emulator.cloud.client("s3")
    bucket = f"ranges-{time.time_ns()}"
    storage.create_bucket(Bucket=bucket)
    storage.put_object(Bucket=bucket, Key="large", Body=bytes(32 * MEGABYTE))
    before = _characters_read(emulator.running.pid)
    for start in range(0, 10 * MEGABYTE, MEGABYTE):
        answer = storage.get_object(
            Bucket=bucket, Key="large", Range=f"bytes={start}-{start + 65535}"
        )
        assert len(answer["Body"].read()) == 65536
    return _characters_read(emulator.running.pid) - before


def _characters_read(pid: int) -> int:
    counters = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(counters["rchar"])


def range_of_an_old_version(emulator: Emulated) -> tuple[int, bytes]:
    storage = emulator.cloud.client("s3")
    bucket = f"versions-{time.time_ns()}"
    storage.create_bucket(Bucket=bucket)
    storage.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    old = storage.put_object(Bucket=bucket, Key="key", Body=b"0123456789")["VersionId"]
    storage.put_object(Bucket=bucket, Key="key", Body=b"abcdefghij")
    answer = storage.get_object(Bucket=bucket, Key="key", VersionId=old, Range="bytes=2-4")
    return answer["ResponseMetadata"]["HTTPStatusCode"], answer["Body"].read()


def listed_keys(emulator: Emulated) -> list[str]:
    storage = emulator.cloud.client("s3")
    bucket = f"keys-{time.time_ns()}"
    storage.create_bucket(Bucket=bucket)
    storage.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    for key in KEYS:
        storage.put_object(Bucket=bucket, Key=key, Body=b"1")
    return [item["Key"] for item in storage.list_object_versions(Bucket=bucket)["Versions"]]


def memory_for_masters(emulator: Emulated) -> int:
    """Return the bytes by which the emulator grows with 128 MiB of versioned objects."""
    storage = emulator.cloud.client("s3")
    bucket = f"memory-{time.time_ns()}"
    storage.create_bucket(Bucket=bucket)
    storage.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    before = _resident_bytes(emulator.running.pid)
    for number in range(16):
        storage.put_object(Bucket=bucket, Key=str(number), Body=os.urandom(8 * MEGABYTE))
    return _resident_bytes(emulator.running.pid) - before


def _resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_ranged_read_reads_the_range_only(patched: Emulated) -> None:
    assert bytes_read_for_a_range(patched) < 8 * MEGABYTE


def test_still_needed_read_ranges_from_disk(bare: Emulated) -> None:
    assert bytes_read_for_a_range(bare) > 300 * MEGABYTE


def test_a_range_of_a_named_version_is_honoured(patched: Emulated) -> None:
    assert range_of_an_old_version(patched) == (206, b"234")


def test_still_needed_read_ranges_from_disk_of_versions(bare: Emulated) -> None:
    assert range_of_an_old_version(bare) == (200, b"0123456789")


def test_keys_with_characters_that_xml_cannot_hold_are_listed(patched: Emulated) -> None:
    assert sorted(listed_keys(patched)) == sorted(KEYS)


def test_still_needed_encode_listed_keys(bare: Emulated) -> None:
    with pytest.raises((ClientError, BotoCoreError)):
        listed_keys(bare)


def test_stored_masters_take_no_memory(patched: Emulated) -> None:
    assert memory_for_masters(patched) < 64 * MEGABYTE


def test_still_needed_keep_versions_on_disk(bare: Emulated) -> None:
    assert memory_for_masters(bare) > 100 * MEGABYTE
