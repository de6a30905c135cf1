"""The file of a key's object in a folder."""

import hashlib
import re
from pathlib import Path

STATE = ".vitrine"
"""The subfolder with what is no object: information, older versions, unfinished uploads."""

_MAX_NAME_BYTES = 255
_KEPT_CHARACTERS = 40
_ESCAPED = re.compile("%(?=[0-9A-Fa-f]{2}|~)")
_SPECIAL = {"": "%00", ".": "%2E", "..": "%2E%2E", STATE: f"%2E{STATE[1:]}"}


def object_path(root: Path, key: str) -> Path:
    """Return the file of `key`: the key itself if that is a valid file name, else an escape of it.

    No two keys share a file, and none lies outside `root`; but `a` and `a/b` cannot both be.
    """
    return root.joinpath(*(_file_name(part) for part in key.split("/")))


def digest_key(key: str) -> str:
    """Return a name of hexadecimal digits for any key."""
    return hashlib.sha256(key.encode()).hexdigest()


def _file_name(part: str) -> str:
    if part in _SPECIAL:
        return _SPECIAL[part]
    name = _ESCAPED.sub("%25", part).replace("\0", "%00")
    if len(name.encode()) <= _MAX_NAME_BYTES:
        return name
    return f"{name[:_KEPT_CHARACTERS]}%~{digest_key(part)}"
