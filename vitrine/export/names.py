"""Names of exported files: identifiers in characters that every file system and web server takes.

In an address a server decodes `%2F` into a slash, and Windows knows no colon: what is neither a
letter or digit of ASCII nor `-`, `_` or `.` becomes `~` and two hex digits for each byte of UTF-8.
"""

import re
from hashlib import sha256

MAX_NAME_LENGTH = 160
"""Characters; a longer name ends in a hash. File systems take 255 bytes."""
_HASH_DIGITS = 32
_UNSAFE = re.compile(rb"[^A-Za-z0-9._-]")


def file_name(identifier: str) -> str:
    """Return the name of an identifier's file or folder, a different one for each identifier."""
    safe = _UNSAFE.sub(_escape_byte, identifier.encode()).decode("ascii")
    if safe.startswith("."):
        safe = f"~2E{safe[1:]}"
    if len(safe) <= MAX_NAME_LENGTH:
        return safe
    return f"{safe[:MAX_NAME_LENGTH]}~{sha256(identifier.encode()).hexdigest()[:_HASH_DIGITS]}"


def _escape_byte(match: re.Match[bytes]) -> bytes:
    return b"~%02X" % match[0][0]
