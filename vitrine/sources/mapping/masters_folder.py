"""The files of images that a table names, found in a folder or below a prefix of a bucket."""

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from vitrine.identify.identifier import RESERVED
from vitrine.text.transcription.file_names import SUFFIXES

IMAGES = frozenset(
    {".tif", ".tiff", ".jpg", ".jpeg", ".png", ".jp2", ".jpx", ".j2k", ".webp", ".psd", ".psb"}
    | {".gif", ".bmp", ".avif", ".heic", ".ptif", ".btf"}
)

_CAMERAS = {".arw", ".cr2", ".cr3", ".dng", ".nef", ".orf", ".raf", ".raw", ".rw2"}
_EXTENSIONS = frozenset({*IMAGES, *SUFFIXES, *_CAMERAS, ".pdf"})
"""Ends of names that a cell may leave out; the `.12` of an inventory number `1943.3.12` belongs to
it."""
_SEPARATORS = re.compile(r"[\s._,;:()\[\]+~-]+")
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")

PREVIEW = "collection-preview"
"""The folder of a preview's pictures, which are no masters."""


class MasterFiles:
    """Image files by path, by name and by name without extension; each is its address."""

    def __init__(self, place: str, files: Iterable[tuple[PurePosixPath, str]]) -> None:
        """`files` has paths in the `place`, and addresses."""
        self.place = place
        self._found: dict[str, list[str]] = defaultdict(list)
        self._alike: dict[str, list[str]] = defaultdict(list)
        """Addresses by what _alike makes of names."""
        self._stems: dict[str, list[str]] = defaultdict(list)
        self._folders: set[str] = set()
        for inside, address in files:
            self._alike[_alike(inside.stem)].append(address)
            self._stems[_folded(inside.stem)].append(address)
            self._folders |= {_folded(folder) for folder in inside.parts[:-1]}
            for name in {*_endings(inside), *_endings(inside.with_suffix(""))}:
                self._found[_folded(name)].append(address)
        self._sorted = sorted(self._stems)

    @property
    def stems(self) -> Sequence[str]:
        """Names without extension, in lower case and in order."""
        return self._sorted

    def find(self, name: str) -> list[str]:
        """Return the files that a cell means: none, one, or those between which it is unclear.

        Case does not count, nor the folders of a path or an address that are not here. Of a folder
        that is here no other folder's file is meant. `%20` is a space, unless a file is called so.
        If there is no such file, neither signs between letters and digits count nor zeros in front:
        the cell `1943.3.12` means `1943-3-012.tif`.
        """
        return (
            self._find(name)
            or (self._find(unquote(name)) if "%" in name else [])
            or self._find_alike(name)
        )

    def find_each(self, name: str) -> list[tuple[str, list[str]]]:
        """Return the images that a value means, each with its name and files as `find` returns.

        It is one, unless the value ends in `*`: `P-1_*` means all files whose names begin so, in
        the order of their numbers. `P-1*` means neither `P-12.tif` nor `P-1.2.tif`, which are
        likelier those of other numbers.
        """
        if not name.endswith("*"):
            return [(name, self.find(name))]
        begin = _folded(_path(name[:-1]).name)
        stems = self._beginning_with(begin) if begin else ()
        each = [
            (stem, [address])
            for stem in stems
            if _goes_on(begin, stem)
            for address in self._stems[stem]
        ]
        each.sort(key=lambda one: _in_order_of_numbers(one[0]))
        return each or [(name.rstrip("*_- "), [])]

    def _beginning_with(self, begin: str) -> Iterator[str]:
        start = bisect_left(self._sorted, begin)
        return takewhile(lambda one: one.startswith(begin), islice(self._sorted, start, None))

    def _find_alike(self, name: str) -> list[str]:
        path = _path(name)
        if _folded(path.parent.name) in self._folders:
            return []
        return self._alike.get(_alike(_without_extension(path).name) or " ", [])

    def _find(self, name: str) -> list[str]:
        path = _path(name)
        if not path.name:
            return []
        is_here = _folded(path.parent.name) in self._folders
        for tried in (*_endings(path), *_endings(_without_extension(path))):
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
    name = path.stem if is_file else _without_extension(path).name
    return f"{path.parent.name}-{name}" if name in RESERVED and path.parent.name else name


def is_master(path: Path) -> bool:
    """Return whether a file may be one, by its name and that of its folder."""
    return path.suffix.lower() in IMAGES and path.parent.name != PREVIEW


def _path(name: str) -> PurePosixPath:
    return PurePosixPath(name.strip().replace("\\", "/").lstrip("/"))


def _without_extension(path: PurePosixPath) -> PurePosixPath:
    return path.with_suffix("") if path.suffix.lower() in _EXTENSIONS else path


def _endings(path: PurePosixPath) -> list[str]:
    """Return a path, and what is left of it without its first folders, to its name."""
    return ["/".join(path.parts[start:]) for start in range(len(path.parts))]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _alike(name: str) -> str:
    """Return a name with one sign between its words, and its numbers without zeros in front."""
    return _ZEROS.sub("", _SEPARATORS.sub("-", _folded(name)).strip("-"))


def _goes_on(begin: str, name: str) -> bool:
    """Return whether a name that begins so has a whole word or number there."""
    last, rest = begin[-1], name[len(begin) :]
    if last.isdigit() and re.match(r"[.,-]?\d", rest):
        return False
    return not (last.isalpha() and rest[:1].isalpha())


def _in_order_of_numbers(name: str) -> list[tuple[int, str]]:
    pieces = re.split(r"(\d+)", _folded(name))
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in pieces]
