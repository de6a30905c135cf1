"""Damaged masters, the same for the same number on every machine."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.rigs.corpora.corpus_master import MadeKind
from tests.rigs.corpora.format_masters import KINDS

_HEAD_BYTES = 600
"""Bytes that contain headers, at least in part: half of the damage is there or at the end."""
_MAX_BLOCK = 400


@dataclass(frozen=True)
class Variant:
    """A damaged variant: which master, and which damage."""

    kind: MadeKind
    operation: str
    seed: int


def variant(number: int) -> Variant:
    """Operations change from variant to variant, kinds after all operations."""
    names = tuple(_OPERATIONS)
    kind = KINDS[number // len(names) % len(KINDS)]
    return Variant(kind, names[number % len(names)], number)


def damaged(body: bytes, operation: str, seed: int) -> bytes:
    """`body` after one operation; may be unchanged by chance."""
    return _OPERATIONS[operation](body, random.Random(seed))


def _truncate(body: bytes, chance: random.Random) -> bytes:
    return body[: chance.randrange(len(body))]


def _flip(body: bytes, chance: random.Random) -> bytes:
    """Flip one to eight bits."""
    changed = bytearray(body)
    for _ in range(chance.randint(1, 8)):
        changed[_place(body, chance)] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _overwrite(body: bytes, chance: random.Random) -> bytes:
    """Overwrite a byte of the head with an extreme value: counts, sizes, types."""
    changed = bytearray(body)
    place = chance.randrange(min(len(body), _HEAD_BYTES))
    changed[place] = chance.choice((0, 1, 127, 128, 255))
    return bytes(changed)


def _splice(body: bytes, chance: random.Random) -> bytes:
    """Copy a block of the file over another part of it."""
    length = chance.randint(1, _MAX_BLOCK)
    source, target = chance.randrange(len(body)), _place(body, chance)
    block = body[source : source + length]
    return body[:target] + block + body[target + len(block) :]


def _cut(body: bytes, chance: random.Random) -> bytes:
    """Remove a block; what follows moves up."""
    start = _place(body, chance)
    return body[:start] + body[start + chance.randint(1, _MAX_BLOCK) :]


def _insert(body: bytes, chance: random.Random) -> bytes:
    """Repeat a block of the file; what follows moves down."""
    start, source = _place(body, chance), chance.randrange(len(body))
    return body[:start] + body[source : source + chance.randint(1, _MAX_BLOCK)] + body[start:]


def _blank(body: bytes, chance: random.Random) -> bytes:
    """Zero a block, as a failing disk does."""
    start = _place(body, chance)
    length = min(chance.randint(1, _MAX_BLOCK * 4), len(body) - start)
    return body[:start] + bytes(length) + body[start + length :]


def _place(body: bytes, chance: random.Random) -> int:
    head = min(len(body), _HEAD_BYTES)
    choices = (
        chance.randrange(head),
        len(body) - 1 - chance.randrange(head),
        chance.randrange(len(body)),
        chance.randrange(len(body)),
    )
    return chance.choice(choices)


_OPERATIONS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "truncate": _truncate,
    "flip": _flip,
    "overwrite": _overwrite,
    "splice": _splice,
    "cut": _cut,
    "insert": _insert,
    "blank": _blank,
}
OPERATIONS = tuple(_OPERATIONS)
