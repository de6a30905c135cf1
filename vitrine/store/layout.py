"""Keys of every object that we write.

An access master's key holds its version, so a published object never changes:
readers see the old image or the new, never a mix. The two leading hex digits
spread the keys over S3's request-rate partitions.
"""

import hashlib
import unicodedata
from collections.abc import Collection
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

GALLERY_KEY = "gallery.json"
JOURNAL = "identifiers/"
"""Prefix of the journal of identifiers, in the bucket of records."""
OBJECTS = "objects/"
"""Prefix of the journal of objects and collections, in the same bucket."""
PUBLICATIONS = "presentation/"
"""Prefix of manifests and collections, in the bucket of the site."""
CHANGES = "discovery/changes.json"
"""Key of the stream of changes, in the bucket of the site; its address has the same path."""
CHANGES_PAGES = "discovery/changes/"
"""Prefix of the pages of the stream, in the same bucket."""
INSIDE = "inside/"
"""Prefix of text indexes, in the same bucket; the service of searches inside objects reads them."""
TEXTS = "texts/"
"""Prefix of the texts of pages, in the bucket of records."""
OCR_NAME = "ocr"
"""Beginning of the names of texts that OCR read; those of all others are hex digits."""
OCR_TEXTS = f"{TEXTS}{OCR_NAME[:2]}/{OCR_NAME}"
"""Prefix of these texts: the function that reads pages may write no others."""
READINGS = f"{TEXTS}read/"
"""Prefix of notes about pages that OCR has to read or has read, in the same bucket."""
REMARKS = f"{TEXTS}annotations/"
"""Prefix of annotations of pages that are not their texts, in the same bucket."""
OWNERS = "owners/"
"""Prefix of notes about the collections that own masters, in the same bucket."""
METADATA = "metadata/"
"""Prefix of the images' metadata, in the same bucket."""
MIGRATIONS = "migrations/"
"""Prefix of the files of migrations, in the same bucket."""
CONVERSIONS = "conversions/"
"""Prefix of requests to convert giants and of their outcomes, in the same bucket; they expire."""
GIANT_SLOTS = "places/"
"""Prefix of the slots that name the giants being converted, in the same bucket."""
REQUESTS = "requests/"
"""Prefix of the answers given to requests with a key, in the same bucket; they expire."""
HARVESTS = "harvests/"
"""Prefix of the collections that the environment harvests by itself, in the same bucket."""
SCHEDULES = f"{HARVESTS}schedules.json"
"""Key of the schedules of these collections."""
PHOTOS = "photos/"
"""Prefix of photographs that came through the photo door, in the bucket of masters."""
THUMBNAILS = "photo-thumbnails/"
"""Prefix of the thumbnails of photographs, in the bucket of records; they expire."""
PHOTO_FORM_KEYS = "photo-forms/keys.json"
"""Keys that sign the forms of the photo door, in the bucket of records."""
ACCESS = "access/"
"""Prefix of the rights to restricted images, in the bucket of records."""
ACCESS_TABLE = f"{ACCESS}access.toml"
"""The institution's table of rights."""
ACCESS_SECRET = f"{ACCESS}client-secret"
"""Our secret at the OpenID Connect provider, if we have one there."""
COLLECTION_RULES = f"{ACCESS}collections.json"
"""The rules of collections, and which is in which."""
TICKET_KEYS = "access/keys.json"
"""Keys that sign tickets, in the bucket of records."""
STATISTICS = "statistics/"
"""Prefix of the figures of each day, in the bucket of records."""
MANIFEST_TAG_PREFIX = "o-"
COLLECTION_TAG_PREFIX = "c-"
MANY_COLLECTIONS_TAG = f"{COLLECTION_TAG_PREFIX}many"
"""Instead of the tags of its collections, an image has this one if they are too many: each change
of a collection's rule drops what has it."""
MAX_COLLECTION_TAGS = 46
"""CloudFront takes 50 tags of an answer; the image, its manifest and others have some."""
SUPERSEDED_TAG = {"superseded": "true"}
"""Tag of access masters that no identifier answers with any more; they expire by lifecycle."""


def master_key(name: str) -> str:
    """Return the key under which a file of this name is uploaded: the name in Unicode NFC.

    macOS writes names decomposed (NFD): the same file from two machines is one master.
    """
    return unicodedata.normalize("NFC", name)


def collection_folder(collection: str) -> str:
    """Return the folder of a collection's masters, in the bucket of masters, with its slash.

    It reads as the identifier, but that a slash in it, and the folder of the photo door, are
    percent-encoded: `prints/`, `a%2Fb/`.
    """
    name = unicodedata.normalize("NFC", collection)
    folder = name.replace("%", "%25").replace("/", "%2F") + "/"
    return f"%{ord(folder[0]):02X}{folder[1:]}" if folder == PHOTOS else folder


def owned_key(collection: str, key: str) -> str:
    """Return the key of a collection's master, whose `key` is the one in its folder.

    "" is no collection.
    """
    return collection_folder(collection) + key if collection else key


def owner_key(collection: str) -> str:
    """Return the key of the note that a collection owns masters, in `records`."""
    return OWNERS + quote(collection, safe="")


def identifier_digest(identifier: str) -> str:
    """Return the SHA-256 of the identifier's UTF-8 bytes, 64 hex digits."""
    return hashlib.sha256(identifier.encode()).hexdigest()


def cache_tag(identifier: str) -> str:
    """Return the tag of what the edge keeps of an image: `i-` and 32 hex digits."""
    return f"i-{identifier_digest(identifier)[:32]}"


def manifest_tag(identifier: str) -> str:
    """Return the tag of what the edge keeps of a manifest or collection: `o-` and 32 hex digits."""
    return f"{MANIFEST_TAG_PREFIX}{identifier_digest(identifier)[:32]}"


def collection_tag(collection: str) -> str:
    """Return the tag of what the edge keeps of images in a collection: `c-` and 16 hex digits."""
    return f"{COLLECTION_TAG_PREFIX}{identifier_digest(collection)[:16]}"


def collection_tags(collections: Collection[str]) -> tuple[str, ...]:
    """Return the tags of what the edge keeps of an image in all of these collections."""
    if len(collections) > MAX_COLLECTION_TAGS:
        return (MANY_COLLECTIONS_TAG,)
    return tuple(map(collection_tag, collections))


def image_version(master_checksum: str, recipe: str) -> str:
    """Return an image's version: 16 hex digits that depend on the master's bytes and the recipe."""
    return hashlib.sha256(f"{master_checksum}\0{recipe}".encode()).hexdigest()[:16]


def access_master_key(identifier: str, version: str) -> str:
    """Return the key of the access master of one version of an image."""
    return f"{identifier_digest(identifier)[:2]}/{quote(identifier, safe='')}/{version}.tif"


def identifier_of(access_master_key: str) -> str:
    """Return the identifier whose image has this access master. Raises ValueError."""
    match access_master_key.split("/"):
        case [_, name, _]:
            return unquote(name)
        case _:
            raise ValueError(f"{access_master_key} is not the key of an access master")


def journal_folder(identifier: str, root: str = JOURNAL) -> str:
    """Return the folder of one identifier's entries; two hex digits spread them, as above."""
    return f"{root}{identifier_digest(identifier)[:2]}/{quote(identifier, safe='')}/"


def journal_key(identifier: str, revision: int, root: str = JOURNAL) -> str:
    """Return the key of one entry: text order is the order of revisions."""
    return f"{journal_folder(identifier, root)}{revision:010}.json"


def parse_journal_key(key: str, root: str = JOURNAL) -> tuple[str, int]:
    """Return identifier and revision of an entry's key. Raises ValueError for other keys."""
    match key.removeprefix(root).split("/"):
        case [_, name, entry] if entry.endswith(".json"):
            return unquote(name), int(entry.removesuffix(".json"))
        case _:
            raise ValueError(f"{key} is not the key of an entry of the journal")


def publication_key(identifier: str) -> str:
    """Return the key of what is published of an object or collection, in the site's bucket."""
    return f"{PUBLICATIONS}{identifier_digest(identifier)[:2]}/{quote(identifier, safe='')}"


def page_key(identifier: str, number: int) -> str:
    """Return the key of a page of a published collection, from 1."""
    return f"{publication_key(identifier)}/{number:05}"


def text_index_key(identifier: str, name: str) -> str:
    """Return the key of an object's text index; its name says what is in it, and never changes."""
    return f"{INSIDE}{identifier_digest(identifier)[:2]}/{quote(identifier, safe='')}/{name}"


def text_page_key(identifier: str, name: str) -> str:
    """Return the key of the text of a canvas, or of its other annotations, as a document.

    Its name says what they are.
    """
    return f"{publication_key(identifier)}/text/{name}"


def identifier_of_publication(key: str) -> str:
    """Return the identifier of what is published under a key; "" for a page of a collection."""
    match key.removeprefix(PUBLICATIONS).split("/"):
        case [_, name]:
            return unquote(name)
        case _:
            return ""


SHOWS, PICTURES, LISTS, MOVED, NAMES = "shows", "pictures", "lists", "moved", "names"
"""First words of a statement: an object shows an image; a collection has it for a picture; it lists
an object or another collection; a previous identifier leads to the current one; an object names the
collections that follow, or the one that this is about."""


def image_subject(image: str) -> str:
    """Return the key, in the catalogue, of what is said about an image."""
    return f"image:{image}"


def member_subject(member: str) -> str:
    """Return the same of an object, a collection or an image as a member of collections."""
    return f"member:{member}"


def named_subject(collection: str) -> str:
    """Return the same of a collection as objects name it, which it need not list."""
    return f"named:{collection}"


def execution_name(master_key: str, master_version: str, redrives: str = "") -> str:
    """Return the name of the execution for one master version: 64 hex digits, so that duplicates
    collide.

    `redrives` is the name of the failed execution that it makes good, "" at the first try: one
    failure is redriven once, however often that is requested.
    """
    parts = [master_key, master_version, *([redrives] if redrives else [])]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def withdrawal_name(master_key: str, master_version: str, deletion: str, attempt: str = "") -> str:
    """Return the name of the execution that withdraws a deleted master's image: 64 hex digits.

    Events about one deletion collide. `deletion` is the version of the delete marker, "" if there
    is no marker; `attempt` distinguishes a later try of the reconciler from the first.
    """
    parts = ["withdrawal", master_key, master_version, deletion, attempt]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def key_stem(master_key: str) -> str:
    """Return a key's file name without extension: `a/b/night.watch.tif` -> `night.watch`."""
    return PurePosixPath(master_key).stem


def text_key(name: str) -> str:
    """Return the key of the text of a page in `records`; its name says what it was read from."""
    return f"{TEXTS}{name[:2]}/{name}.json.gz"


def owned_text(collection: str, name: str) -> str:
    """Return the name of a text or of annotations that a collection publishes: 32 hex digits.

    The first of them are the collection's own, so that a policy can tell whose they are.
    """
    return (_text_owner(collection) + name)[: len(name)]


def owned_texts(collection: str) -> str:
    """Return the pattern of the keys of a collection's texts and annotations, in `records`."""
    owner = _text_owner(collection)
    return f"{TEXTS}*{owner[:2]}/{owner}*"


def _text_owner(collection: str) -> str:
    return identifier_digest(unicodedata.normalize("NFC", collection))[:12]


def remarks_key(name: str) -> str:
    """Return the key of a page's other annotations, in `records`; their name says what they are."""
    return f"{REMARKS}{name[:2]}/{name}.json.gz"


def reading_key(object_: str) -> str:
    """Return the key of what became of an object's pages that are read by OCR, in `records`."""
    return f"{READINGS}{identifier_digest(object_)[:2]}/{quote(object_, safe='')}.json"


def identifier_of_reading(key: str) -> str:
    """Return the object of such a key."""
    return unquote(key.rpartition("/")[2].removesuffix(".json"))


def metadata_key(identifier: str) -> str:
    """Return the key of a catalogue's data about an image, a JSON object, in `records`."""
    return f"{METADATA}{identifier_digest(identifier)[:2]}/{quote(identifier, safe='')}.json"


def migration_key(run: str, name: str) -> str:
    """Return the key of a file of one migration, its items or its results, in `records`."""
    return f"{MIGRATIONS}{run}/{name}"


def conversion_key(execution: str, name: str) -> str:
    """Return the key of the request to convert a giant, or of its outcome, in `records`."""
    return f"{CONVERSIONS}{execution}/{name}.json"


def giant_slot_key(number: int) -> str:
    """Return the key of the object that names the holder of a slot for giants, in `records`."""
    return f"{GIANT_SLOTS}giant-{number}.json"


def request_key(digest: str) -> str:
    """Return the key of the answer that was given to a request of the API, in `records`."""
    return f"{REQUESTS}{digest}.json"


def harvest_key(collection: str, name: str) -> str:
    """Return the key of a file of a collection that is harvested, in `records`."""
    return f"{HARVESTS}{quote(collection, safe='')}/{name}"


def photo_key(checksum: str, extension: str) -> str:
    """Return the key of a photograph, in `masters`: the same bytes are one master."""
    return f"{PHOTOS}{checksum}.{extension}"


def photo_identifier(checksum: str) -> str:
    """Return the identifier of a photograph's image, by its SHA-256 in hex."""
    return f"photo-{checksum[:24]}"


def statistics_key(day: str) -> str:
    """Return the key of the figures of a day, YYYY-MM-DD, in `records`."""
    return f"{STATISTICS}{day}.json"


def thumbnail_key(checksum: str, name: str) -> str:
    """Return the key of a photograph's thumbnail, in `records`."""
    return f"{THUMBNAILS}{checksum}/{name}.jpg"
