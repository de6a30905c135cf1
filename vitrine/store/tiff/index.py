"""Long lists of integers, as few bytes in memory as in the file."""

import sys
from array import array

from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import Directory
from vitrine.store.tiff.tags import ITEM_BYTES, Type

_CODES: dict[int, str] = {Type.SHORT: "H", Type.LONG: "I", Type.LONG8: "Q"}


def read_index(page: Directory, tag: int) -> "array[int]":
    """The unsigned integers of a tag, each as wide as it is stored; none when it is absent.

    Raises MalformedTiff.
    """
    if tag not in page:
        return array("H")
    kind = page.type(tag)
    if kind not in _CODES:
        raise MalformedTiff(f"The tag {int(tag)} is of type {kind} where integers belong.")
    index = array(_CODES[kind])
    assert index.itemsize == ITEM_BYTES[kind]
    index.frombytes(page.raw(tag))
    if page.big_endian != (sys.byteorder == "big"):
        index.byteswap()
    return index
