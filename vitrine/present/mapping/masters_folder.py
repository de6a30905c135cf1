"""The files of images that a table names, found in a folder."""

import unicodedata
from collections import defaultdict
from pathlib import Path, PurePosixPath

IMAGES = frozenset(
    {".tif", ".tiff", ".jpg", ".jpeg", ".png", ".jp2", ".jpx", ".j2k", ".webp", ".psd", ".psb"}
    | {".gif", ".bmp", ".avif", ".heic", ".ptif", ".btf"}
)

PREVIEW = "collection-preview"
"""The folder of a preview's pictures, which are no masters."""


class MastersFolder:
    """The image files below a folder, by path, by name and by name without extension."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._found: dict[str, list[Path]] = defaultdict(list)
        files = sorted(folder.rglob("*")) if folder.is_dir() else []
        for path in files:
            if is_master(path) and path.is_file():
                inside = PurePosixPath(path.relative_to(folder))
                for name in {str(inside), inside.name, inside.stem}:
                    self._found[_folded(name)].append(path)

    def find(self, name: str) -> list[Path]:
        """Return the files that a cell means: none, one, or those between which it is unclear.

        Case does not count, nor the folders of a path or an address that are not here.
        """
        text = name.strip().replace("\\", "/").lstrip("/")
        for tried in (text, PurePosixPath(text).name, PurePosixPath(text).stem):
            if found := self._found.get(_folded(tried)):
                return found
        return []


def is_master(path: Path) -> bool:
    """Return whether a file may be one, by its name and that of its folder."""
    return path.suffix.lower() in IMAGES and path.parent.name != PREVIEW


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
