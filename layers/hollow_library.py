"""A shared library whose functions exist and do nothing but end the process.

It stands in for a library that a program is linked to and never calls. Standard library only.
Source of the format: System V Application Binary Interface, "Object Files" and "Program Loading
and Dynamic Linking".
"""

import struct
from collections.abc import Sequence

MACHINES = {62: b"\x0f\x0b", 183: b"\x00\x00\x00\x00"}
"""ELF's number of an architecture (x86-64, AArch64) -> its instruction that is always illegal:
a process that calls a function is ended by SIGILL, which Lambda reports and our alarms see."""

_PAGE = 0x10000
"""The largest page of either architecture."""
_HEADER, _SEGMENT, _SYMBOL, _DYNAMIC = 64, 56, 24, 16
_LOAD, _DYNAMIC_SEGMENT, _STACK = 1, 2, 0x6474E551
_EXECUTE, _WRITE, _READ = 1, 2, 4
_HASH, _STRINGS, _SYMBOLS, _STRINGS_SIZE, _SYMBOL_SIZE, _NAME = 4, 5, 6, 10, 11, 14
_GLOBAL_FUNCTION = 0x12


def hollow_library(name: bytes, functions: Sequence[bytes], machine: int) -> bytes:
    """Return the library `name` for ELF's `machine`. Raises KeyError for an unknown one."""
    trap = MACHINES[machine]
    strings = b"\0" + b"\0".join([name, *functions]) + b"\0"
    count = len(functions) + 1
    # One bucket, in which each symbol leads to the next; symbol 0 is unused.
    chain = [*range(2, count), 0] if functions else []
    hashes = struct.pack(f"<{3 + count}I", 1, count, min(1, len(functions)), 0, *chain)
    at_hashes = _HEADER + 4 * _SEGMENT
    at_symbols = -(-(at_hashes + len(hashes)) // 8) * 8
    at_strings = at_symbols + count * _SYMBOL
    at_trap = -(-(at_strings + len(strings)) // 4) * 4
    at_dynamic = -(-(at_trap + len(trap)) // 8) * 8
    symbols = bytes(_SYMBOL) + b"".join(
        _function(strings.index(b"\0" + item + b"\0") + 1, at_trap, len(trap)) for item in functions
    )
    dynamic = _dynamic_section(
        {
            _NAME: 1,
            _HASH: at_hashes,
            _STRINGS: at_strings,
            _SYMBOLS: at_symbols,
            _STRINGS_SIZE: len(strings),
            _SYMBOL_SIZE: _SYMBOL,
        }
    )
    writable = at_dynamic + _PAGE  # the loader writes addresses into the dynamic section
    segments = (
        _segment(_LOAD, _READ | _EXECUTE, 0, 0, at_dynamic, _PAGE),
        _segment(_LOAD, _READ | _WRITE, at_dynamic, writable, len(dynamic), _PAGE),
        _segment(_DYNAMIC_SEGMENT, _READ | _WRITE, at_dynamic, writable, len(dynamic), 8),
        _segment(_STACK, _READ | _WRITE, 0, 0, 0, 16),
    )
    parts = {
        0: _file_header(machine, len(segments)),
        _HEADER: b"".join(segments),
        at_hashes: hashes,
        at_symbols: symbols,
        at_strings: strings,
        at_trap: trap,
        at_dynamic: dynamic,
    }
    image = bytearray(at_dynamic + len(dynamic))
    for offset, part in parts.items():
        image[offset : offset + len(part)] = part
    return bytes(image)


def _file_header(machine: int, segments: int) -> bytes:
    identity = b"\x7fELF\x02\x01\x01" + bytes(9)  # 64 bits, little-endian, version 1
    shared_object, version = 3, 1
    return identity + struct.pack(
        "<HHIQQQIHHHHHH",
        *(shared_object, machine, version, 0, _HEADER, 0, 0),
        *(_HEADER, _SEGMENT, segments, 64, 0, 0),
    )


def _function(name: int, address: int, size: int) -> bytes:
    """Return a symbol; `name` is an offset in the table of strings."""
    defined = 1  # in any section: there is no table of them
    return struct.pack("<IBBHQQ", name, _GLOBAL_FUNCTION, 0, defined, address, size)


def _segment(kind: int, flags: int, offset: int, address: int, size: int, align: int) -> bytes:
    return struct.pack("<IIQQQQQQ", kind, flags, offset, address, address, size, size, align)


def _dynamic_section(entries: dict[int, int]) -> bytes:
    return b"".join(struct.pack("<qQ", *entry) for entry in [*entries.items(), (0, 0)])
