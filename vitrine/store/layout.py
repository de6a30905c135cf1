"""Keys of every object we write.

An access master's key holds its version, so a published object never changes:
readers see the old image or the new, never a mix. The two leading hex digits
spread the keys over S3's request-rate partitions.
"""

import hashlib
from pathlib import PurePosixPath
from urllib.parse import quote

GALLERY_KEY = "gallery.json"


def identifier_digest(identifier: str) -> str:
    """SHA-256 of the identifier's UTF-8 bytes, 64 hex digits."""
    return hashlib.sha256(identifier.encode()).hexdigest()


def image_version(master_checksum: str, recipe: str) -> str:
    """Version of an image: 16 hex digits that change with the master's bytes or the recipe."""
    return hashlib.sha256(f"{master_checksum}\0{recipe}".encode()).hexdigest()[:16]


def access_master_key(identifier: str, version: str) -> str:
    """Key of the access master of one version of one image."""
    return f"{identifier_digest(identifier)[:2]}/{quote(identifier, safe='')}/{version}.tif"


def execution_name(master_key: str, master_version: str) -> str:
    """Name of the execution for one master version: 64 hex digits, so duplicates collide."""
    return hashlib.sha256(f"{master_key}\0{master_version}".encode()).hexdigest()


def key_stem(master_key: str) -> str:
    """File name of a key less its last extension: `a/b/night.watch.tif` -> `night.watch`."""
    return PurePosixPath(master_key).stem
