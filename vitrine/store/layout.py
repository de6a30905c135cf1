"""Keys of every object we write.

An access master's key holds its version, so a published object never changes:
readers see the old image or the new, never a mix. The two leading hex digits
spread the keys over S3's request-rate partitions.
"""

import hashlib
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

GALLERY_KEY = "gallery.json"
JOURNAL = "identifiers/"
"""Where the journal of identifiers begins, in the bucket of records."""
METADATA = "metadata/"
"""Where the images' metadata begin, in the same bucket."""
MIGRATIONS = "migrations/"
"""Where the files of migrations begin, in the same bucket."""
CONVERSIONS = "conversions/"
"""Where requests to convert giants and their outcomes begin, in the same bucket; they expire."""
PLACES = "places/"
"""Where it stands which giants are being converted, in the same bucket."""
SUPERSEDED_TAG = {"superseded": "true"}
"""On access masters that nothing answers with any more; they expire by lifecycle."""


def identifier_digest(identifier: str) -> str:
    """SHA-256 of the identifier's UTF-8 bytes, 64 hex digits."""
    return hashlib.sha256(identifier.encode()).hexdigest()


def cache_tag(identifier: str) -> str:
    """Tag of all that the edge keeps of one image: `i-` and 32 hex digits, since tags are short."""
    return f"i-{identifier_digest(identifier)[:32]}"


def image_version(master_checksum: str, recipe: str) -> str:
    """Version of an image: 16 hex digits that change with the master's bytes or the recipe."""
    return hashlib.sha256(f"{master_checksum}\0{recipe}".encode()).hexdigest()[:16]


def access_master_key(identifier: str, version: str) -> str:
    """Key of the access master of one version of one image."""
    return f"{identifier_digest(identifier)[:2]}/{quote(identifier, safe='')}/{version}.tif"


def identifier_of(access_master_key: str) -> str:
    """The identifier whose image has this access master. Raises ValueError for another key."""
    match access_master_key.split("/"):
        case [_, name, _]:
            return unquote(name)
        case _:
            raise ValueError(f"no access master is called {access_master_key}")


def journal_folder(identifier: str) -> str:
    """Where the journal keeps the entries of one identifier; 256 leading folders, as above."""
    return f"{JOURNAL}{identifier_digest(identifier)[:2]}/{quote(identifier, safe='')}/"


def journal_key(identifier: str, revision: int) -> str:
    """Key of one entry: text order is the order of revisions."""
    return f"{journal_folder(identifier)}{revision:010}.json"


def journal_place(key: str) -> tuple[str, int]:
    """Identifier and revision of an entry's key. Raises ValueError for another key."""
    match key.removeprefix(JOURNAL).split("/"):
        case [_, name, entry] if entry.endswith(".json"):
            return unquote(name), int(entry.removesuffix(".json"))
        case _:
            raise ValueError(f"no entry of the journal is called {key}")


def execution_name(master_key: str, master_version: str, redrives: str = "") -> str:
    """Name of the execution for one master version: 64 hex digits, so duplicates collide.

    `redrives` is the name of the failed execution that it is to make good, "" at the first try:
    one failure is redriven once, however often that is asked for.
    """
    parts = [master_key, master_version, *([redrives] if redrives else [])]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def withdrawal_name(master_key: str, master_version: str, deletion: str, attempt: str = "") -> str:
    """Name of the execution that withdraws a deleted master's image: 64 hex digits.

    Events about one deletion collide. `deletion` is the version of the delete marker, "" where
    there is none; `attempt` tells a later try of the reconciler from the first.
    """
    parts = ["withdrawal", master_key, master_version, deletion, attempt]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def key_stem(master_key: str) -> str:
    """File name of a key less its last extension: `a/b/night.watch.tif` -> `night.watch`."""
    return PurePosixPath(master_key).stem


def metadata_key(identifier: str) -> str:
    """Key of what a collection's catalogue says of an image, one JSON object, in `records`."""
    return f"{METADATA}{identifier_digest(identifier)[:2]}/{quote(identifier, safe='')}.json"


def migration_key(run: str, name: str) -> str:
    """Key of a file that belongs to one migration: its items, its results; in `records`."""
    return f"{MIGRATIONS}{run}/{name}"


def conversion_key(execution: str, name: str) -> str:
    """Key of the request for the conversion of a giant, or of its outcome; in `records`."""
    return f"{CONVERSIONS}{execution}/{name}.json"


def place_key(number: int) -> str:
    """Key of the note that says who has a place among the giants; in `records`."""
    return f"{PLACES}giant-{number}.json"
