"""Long lists of integers, which take as few bytes in memory as in the file."""

import sys
from array import array

from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import Directory
from vitrine.store.tiff.tags import ITEM_BYTES, Type

_CODES: dict[int, str] = {Type.SHORT: "H", Type.LONG: "I", Type.LONG8: "Q"}


def read_index(page: Directory, tag: int) -> "array[int]":
    """Read the unsigned integers of a tag, each as wide as stored; empty if the tag is absent.

    Raises MalformedTiff.
    """
    if tag not in page:
        return array("H")
    field_type = page.type(tag)
    if field_type not in _CODES:
        raise MalformedTiff(f"The tag {int(tag)} is of type {field_type} where integers belong.")
    index = array(_CODES[field_type])
    assert index.itemsize == ITEM_BYTES[field_type]
    index.frombytes(page.raw(tag))
    if page.big_endian != (sys.byteorder == "big"):
        index.byteswap()
    return index
