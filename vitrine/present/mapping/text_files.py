"""The files with the texts of pages that a table names, or that have the names of images."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from vitrine.present.mapping.mapping_file import MappingFile
from vitrine.present.mapping.masters_folder import Masters
from vitrine.present.text.file_names import SUFFIXES


def pair_texts(named: Sequence[str], images: int) -> tuple[list[str], str]:
    """Return the text of each of so many images, and what is wrong if that is unclear.

    One text for several images has the pages of all of them.
    """
    if len(named) == images:
        return list(named), ""
    if len(named) == 1:
        return list(named) * images, ""
    sentence = f"it has {len(named):,} texts for {images:,} images: they are left out"
    return [""] * images, sentence if named else ""


class TextFiles:
    """Finds the files of texts below a folder, as images are found."""

    def __init__(self, mapping: MappingFile) -> None:
        """Raises OSError."""
        self._is_by_rule = "text" in mapping.texts or bool(mapping.page and mapping.page.text)
        self._files = _list_files(mapping.texts_folder) if mapping.has_texts else None

    def find_all(
        self, named: Sequence[str], images: Sequence[str]
    ) -> tuple[tuple[str, ...], list[str]]:
        """Return the file of each image, and sentences about those that are not there.

        Without a rule, each image has the file of its name, if there is one. `images` are names of
        files: an image whose name is reserved has another one.
        """
        if self._files is None:
            return (), []
        if not self._is_by_rule:
            found = [self._files.find(image) for image in images]
            texts = tuple(files[0] if len(files) == 1 else "" for files in found)
            unclear = [
                _say(image, files, self._files)
                for image, files in zip(images, found, strict=True)
                if len(files) > 1
            ]
            return (texts if any(texts) else ()), unclear
        by_name = {name: self._files.find(name) for name in named if name}
        texts = tuple(
            by_name[name][0] if name and len(by_name[name]) == 1 else "" for name in named
        )
        missing = [
            _say(name, files, self._files) for name, files in by_name.items() if len(files) != 1
        ]
        return (texts if any(texts) else ()), missing


def _list_files(folder: Path) -> Masters:
    files = sorted(folder.rglob("*")) if folder.is_dir() else []
    return Masters(
        str(folder.absolute()),
        (
            (PurePosixPath(path.relative_to(folder)), str(path.absolute()))
            for path in files
            if path.suffix.lower() in SUFFIXES and path.is_file()
        ),
    )


def _say(name: str, files: Sequence[str], searched: Masters) -> str:
    if not files:
        return f"there is no text {name!r} in {searched.place}"
    several = " and ".join(file.removeprefix(f"{searched.place}/") for file in files)
    return f"the text {name!r} may be {several}: it is left out"
