"""Decompression bombs: tiny files that announce 3,600 megapixels. Seconds and memory to refuse."""

import json
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

from vitrine.bootstrap.local_service import REPOSITORY

SIDE = 60_000


def measure_bombs() -> dict[str, Any]:
    """Reject each bomb in a process of its own; return seconds, peak resident MiB and code."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, path in make_bombs(Path(folder)).items():
            command = [sys.executable, "-m", "tests.rigs.bombs_process", str(path)]
            done = subprocess.run(
                command, check=True, capture_output=True, text=True, cwd=REPOSITORY
            )
            figures[name] = json.loads(done.stdout)
    return figures


def make_bombs(folder: Path) -> dict[str, Path]:
    """Write one bomb of each format; WebP cannot be larger than 16,383 x 16,383."""
    bodies = {"tiff": _tiff(), "png": _png(), "jpeg": _jpeg(), "jp2": _jp2(), "webp": _webp()}
    paths = {name: folder / f"bomb.{name}" for name in bodies}
    for name, body in bodies.items():
        paths[name].write_bytes(body)
    return paths


def _tiff() -> bytes:
    data = zlib.compress(bytes(1_000_000))
    entries = [(256, SIDE), (257, SIDE), (258, 8), (259, 8), (262, 1), (273, 8), (277, 1)]
    entries += [(278, SIDE), (279, len(data))]
    directory = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries)
    head = b"II*\0" + struct.pack("<I", 8 + len(data)) + data
    return head + struct.pack("<H", len(entries)) + directory + bytes(4)


def _png() -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes(10_000_000))
    signature = b"\x89PNG\r\n\x1a\n"
    return signature + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def _jpeg() -> bytes:
    frame = struct.pack(">BHHB", 8, SIDE, SIDE, 3) + b"\1\x22\0\2\x11\1\3\x11\1"
    head = b"\xff\xd8\xff\xc2" + struct.pack(">H", len(frame) + 2) + frame
    scan = b"\3\1\0\2\x11\3\x11\0\0\0"
    return head + b"\xff\xda" + struct.pack(">H", len(scan) + 2) + scan + bytes(5_000) + b"\xff\xd9"


def _jp2() -> bytes:
    size = struct.pack(">HH8IH", 47, 0, SIDE, SIDE, 0, 0, SIDE, SIDE, 0, 0, 3) + b"\7\1\1" * 3
    coding = b"\xff\x52" + struct.pack(">HBBHBBBBBB", 12, 0, 0, 1, 1, 5, 4, 4, 0, 1)
    part = b"\xff\x90" + struct.pack(">HHIBB", 10, 0, 14, 0, 1) + b"\xff\x93"
    return b"\xff\x4f\xff\x51" + size + coding + part + b"\xff\xd9"


def _webp() -> bytes:
    side = (16_383 - 1).to_bytes(3, "little")
    extended = b"VP8X" + struct.pack("<I", 10) + bytes(4) + side + side
    body = b"WEBP" + extended + b"VP8L" + struct.pack("<I", 8) + b"\x2f" + bytes(7)
    return b"RIFF" + struct.pack("<I", len(body)) + body
