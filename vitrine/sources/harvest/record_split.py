"""An OAI-PMH answer as one document for each record, so that one that is not XML harms no other."""

import re
from collections.abc import Iterator
from html import unescape

MAX_ENVELOPE_BYTES = 64 << 10
"""Bytes around the records, which are in each of the documents."""
_BEGIN = re.compile(rb"<((?:[\w.-]+:)?)record(?:\s[^<>]*)?>\s*<\1header\b")
"""Beginning of a record. Others inside it, such as those of MARCXML, have no header."""
_IDENTIFIER = re.compile(rb"<(?:[\w.-]+:)?identifier(?:\s[^<>]*)?>([^<>]*)<")


def split_records(answer: bytes) -> tuple[bytes, Iterator[bytes]]:
    """Return the answer without its records, and the answer with each of them alone.

    An answer whose records cannot be found, or with more than MAX_ENVELOPE_BYTES around them, is
    returned whole, and no records.
    """
    begins = list(_BEGIN.finditer(answer))
    if not begins:
        return answer, iter(())
    closing = b"</" + begins[-1][1] + b"record>"
    end = answer.rfind(closing, begins[-1].end()) + len(closing)
    head, tail = answer[: begins[0].start()], answer[end:]
    if end <= begins[-1].end() or len(head) + len(tail) > MAX_ENVELOPE_BYTES:
        return answer, iter(())
    stops = [*(found.start() for found in begins[1:]), end]
    return head + tail, (
        head + answer[found.start() : stop] + tail
        for found, stop in zip(begins, stops, strict=True)
    )


def find_identifier(document: bytes) -> str:
    """Return the identifier in the header of a record that is not XML, "" if none is legible."""
    found = _IDENTIFIER.search(document)
    name = unescape(found[1].decode(errors="replace")).strip() if found else ""
    return name if name.isprintable() and "\ufffd" not in name else ""
