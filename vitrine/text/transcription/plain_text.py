"""Plain text: words without boxes."""

import codecs
from collections.abc import Iterator

from vitrine.errors import TextRefused
from vitrine.text.transcription.page_builder import PageBuilder

MAX_LINE_LENGTH = 1_000_000
"""Characters."""


def read_plain(pieces: Iterator[bytes], head: bytes, builder: PageBuilder) -> None:
    """Give all lines of a file to the builder: UTF-8, or UTF-16 with its mark. Raises TextRefused.

    `head` are its first bytes, which are among the pieces.
    """
    is_wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoder = codecs.getincrementaldecoder("utf-16" if is_wide else "utf-8-sig")()
    rest = ""
    try:
        for piece in pieces:
            *lines, rest = (rest + decoder.decode(piece)).split("\n")
            for line in lines:
                _add_line(line, builder)
            if len(rest) > MAX_LINE_LENGTH:
                raise TextRefused(
                    "line", f"it has a line of more than {MAX_LINE_LENGTH:,} characters"
                )
        _add_line(rest + decoder.decode(b"", final=True), builder)
    except UnicodeDecodeError:
        raise TextRefused("encoding", "it is not in UTF-8") from None


def _add_line(text: str, builder: PageBuilder) -> None:
    if "\0" in text:
        raise TextRefused("format", "it has characters that no text has")
    builder.begin_line(None)
    builder.add_text(text)
