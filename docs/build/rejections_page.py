"""The page docs/reference/rejections.md."""

from vitrine.ingest.inspect.curator_notes import NOTES
from vitrine.ingest.inspect.formats.jpeg_scans import (
    MAX_SCANNED_PIXELS,
    MAX_SCANS,
    MAX_SEGMENTS,
    ORDINARY_SCANS,
)
from vitrine.ingest.inspect.master_bytes import most_bytes, most_reads, most_requests
from vitrine.ingest.rejection_advice import EXAMPLES

_HEAD = """\
# Rejections and notes

A master that breaks a rule is not converted. What is recorded of it, and shown by `vitrine status`,
is a code that never changes, a sentence for the curator, and the value that broke the rule. Codes
and sentences are those of `vitrine/ingest/rejections.py`; `make docs` generates
this page from them, with example values.

An image that was published under the same identifier before stays as it was.

| code | sentence | value, for example | what a curator can do |
|---|---|---|---|
"""
_NOTES_HEAD = """
## Notes

A note does not stop a master. It says what could not be taken over, or was assumed.

| code | sentence |
|---|---|
"""
_UNUSUAL = """
## Unusual files that are converted

- TIFFs with tiles of any size, also larger than the picture
- TIFFs whose picture is a sub-image of a thumbnail; the largest image is converted that is no mask
- TIFFs with LZW as it was before 1992
- floating-point samples: 0 is black and 1 is white, in linear light if there is no profile. What is
  less than 0, or no number, becomes black; more than 1, or infinite, becomes white. With more than
  1 % of such samples, the file is rejected as `values-out-of-range`
- grain and noise of any strength: a conversion is checked against what JPEG makes of some squares,
  not against the squares themselves

Integers of 12 or 32 bits per sample (`unsupported-depth`) and old-style JPEG in TIFF
(`unsupported-compression`) are rejected.
"""
_COSTS_HEAD = """
## What reading a file may cost

A small file must not keep a converter busy for minutes, so the work before decoding is limited by
what a sound file of its size needs. More is rejected as `too-expensive-to-read`, or as
`too-many-scans`:

"""


def _costs() -> str:
    per_read = 1_000_000_000 // (most_reads(1_000_000_000) - most_reads(0))
    per_byte = (most_bytes(1_000) - most_bytes(0)) // 1_000
    gigapixels = MAX_SCANNED_PIXELS // 1_000_000_000
    pages = most_requests(0, 1) - most_requests(0, 0)
    return f"""\
- to read the structure of any file once: {most_reads(0):,} reads and one for each {per_read} bytes
  of it; {most_bytes(0) >> 20} MiB and {per_byte} times its bytes
- to read the header from the store: {most_requests(0, 0):,} requests, {pages} for each page that a
  file may have, and two for each 256 KiB of it
- of a TIFF: strips or tiles that together are no larger than the file and its pixels
- of a JPEG: {MAX_SEGMENTS:,} segments after its first scan; {ORDINARY_SCANS} scans, or up to \
{MAX_SCANS} if scans x pixels
  are at most {gigapixels} gigapixels (a minute of decoding)
- of a PNG: 4 MiB of compressed texts, which decoders inflate
"""


def rejections_page() -> str:
    """Return the page as Markdown."""
    rows = []
    for error, advice in EXAMPLES:
        reason = error.rejection
        rows.append(f"| `{reason.code}` | {reason.sentence} | {reason.value} | {advice} |")
    notes = [f"| `{note.code}` | {note.sentence} |" for note in NOTES]
    return (
        _HEAD
        + "\n".join(rows)
        + "\n"
        + _NOTES_HEAD
        + "\n".join(notes)
        + "\n"
        + _UNUSUAL
        + _COSTS_HEAD
        + _costs()
    )
