"""The files of images that a table names, found in a folder or below a prefix of a bucket."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from vitrine.identify.identifier import RESERVED

IMAGES = frozenset(
    {".tif", ".tiff", ".jpg", ".jpeg", ".png", ".jp2", ".jpx", ".j2k", ".webp", ".psd", ".psb"}
    | {".gif", ".bmp", ".avif", ".heic", ".ptif", ".btf"}
)

PREVIEW = "collection-preview"
"""The folder of a preview's pictures, which are no masters."""


class MasterFiles:
    """Image files by path, by name and by name without extension; each is its address."""

    def __init__(self, place: str, files: Iterable[tuple[PurePosixPath, str]]) -> None:
        """`files` has paths in the `place`, and addresses."""
        self.place = place
        self._found: dict[str, list[str]] = defaultdict(list)
        self._folders: set[str] = set()
        for inside, address in files:
            self._folders |= {_folded(folder) for folder in inside.parts[:-1]}
            for name in {*_endings(inside), *_endings(inside.with_suffix(""))}:
                self._found[_folded(name)].append(address)

    def find(self, name: str) -> list[str]:
        """Return the files that a cell means: none, one, or those between which it is unclear.

        Case does not count, nor the folders of a path or an address that are not here. Of a folder
        that is here no other folder's file is meant. `%20` is a space, unless a file is called so.
        """
        return self._find(name) or (self._find(unquote(name)) if "%" in name else [])

    def _find(self, name: str) -> list[str]:
        path = PurePosixPath(name.strip().replace("\\", "/").lstrip("/"))
        if not path.name:
            return []
        is_here = _folded(path.parent.name) in self._folders
        for tried in (*_endings(path), *_endings(path.with_suffix(""))):
            if is_here and "/" not in tried:
                continue
            if found := self._found.get(_folded(tried)):
                return found
        return []


def folder_masters(folder: Path) -> MasterFiles:
    """Return the image files below a folder. Raises OSError."""
    files = sorted(folder.rglob("*")) if folder.is_dir() else []
    masters = [path for path in files if is_master(path) and path.is_file()]
    return MasterFiles(
        str(folder.absolute()),
        ((PurePosixPath(path.relative_to(folder)), str(path.absolute())) for path in masters),
    )


def prefix_masters(address: str, files: Iterable[str]) -> MasterFiles:
    """Return the image files among the addresses below that of a prefix."""
    place = address.rstrip("/")
    found = ((PurePosixPath(file.removeprefix(f"{place}/")), file) for file in files)
    return MasterFiles(place, (one for one in found if one[0].suffix.lower() in IMAGES))


def image_name(place: str, *, is_file: bool) -> str:
    """Return the identifier of an image from its path or address: its name without extension, in
    Unicode NFC.

    One that is reserved is joined to what stands before it: `…/book-1/manifest` is
    `book-1-manifest`, as objects are named of others' manifests.
    """
    place = place if is_file or "://" not in place else unquote(place)
    path = PurePosixPath(unicodedata.normalize("NFC", place).strip().replace("\\", "/"))
    name = path.stem if is_file else re.sub(r"\.[A-Za-z0-9]{2,4}$", "", path.name)
    return f"{path.parent.name}-{name}" if name in RESERVED and path.parent.name else name


def is_master(path: Path) -> bool:
    """Return whether a file may be one, by its name and that of its folder."""
    return path.suffix.lower() in IMAGES and path.parent.name != PREVIEW


def _endings(path: PurePosixPath) -> list[str]:
    """Return a path, and what is left of it without its first folders, to its name."""
    return ["/".join(path.parts[start:]) for start in range(len(path.parts))]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
