"""The files with texts and annotations of pages: a table names them, or they have images' names."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from vitrine.sources.mapping.mapped_text import map_values
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.masters_folder import MasterFiles
from vitrine.sources.mapping.object_rows import ObjectRows
from vitrine.sources.mapping.template import Row
from vitrine.sources.mapping.text_rules import PAGE_FILES
from vitrine.text.transcription.file_names import SUFFIXES

SUFFIXES_OF = {"text": SUFFIXES, "annotations": (".json",)}
"""Suffixes of files, by their rules."""


def pair_files(
    mapping: MappingFile, row: Row, images: int
) -> tuple[list[dict[str, str]], list[tuple[str, str]]]:
    """Return what a row names as the files of each of its images, by their rules.

    Also sentences about what is unclear, with the rule. One file for several images has what there
    is of all of them.
    """
    paired: list[dict[str, str]] = [{} for _ in range(images)]
    sentences = []
    for rule, plural in PAGE_FILES.items():
        named = map_values(mapping.texts.get(rule, ()), row)
        if len(named) == 1:
            named *= images
        if named and len(named) != images:
            sentence = f"it has {len(named):,} {plural} for {images:,} images: they are left out"
            sentences.append((rule, sentence))
        elif named:
            for files, name in zip(paired, named, strict=True):
                files[rule] = name
    return paired, sentences


class PageFiles:
    """Finds the files of all rules."""

    def __init__(self, mapping: MappingFile) -> None:
        """Raises OSError."""
        self._rules = {rule: _FilesOfRule(mapping, rule) for rule in PAGE_FILES}

    def find_all(self, pages: ObjectRows) -> tuple[list[tuple[str, ...]], list[tuple[str, str]]]:
        """Return the files of an object's images, of each of PAGE_FILES, and what is not there."""
        found, sentences = [], []
        for rule, files in self._rules.items():
            named = [one.get(rule, "") for one in pages.named]
            paths, said = files.find_all(named, pages.file_names())
            found.append(paths)
            sentences += [(rule, sentence) for sentence in said]
        return found, sentences


class _FilesOfRule:
    """Finds the files of texts, or of annotations, below a folder, as images are found."""

    def __init__(self, mapping: MappingFile, rule: str) -> None:
        self._noun = "text" if rule == "text" else "file of annotations"
        of_pages = getattr(mapping.page, rule) if mapping.page else ()
        self._is_by_rule = rule in mapping.texts or bool(of_pages)
        folder = mapping.folders.get(rule, mapping.folder)
        self._files = _list_files(folder, SUFFIXES_OF[rule]) if mapping.has_files(rule) else None

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
                _say(self._noun, image, files, self._files)
                for image, files in zip(images, found, strict=True)
                if len(files) > 1
            ]
            return (texts if any(texts) else ()), unclear
        by_name = {name: self._files.find(name) for name in named if name}
        texts = tuple(
            by_name[name][0] if name and len(by_name[name]) == 1 else "" for name in named
        )
        missing = [
            _say(self._noun, name, files, self._files)
            for name, files in by_name.items()
            if len(files) != 1
        ]
        return (texts if any(texts) else ()), missing


def _list_files(folder: Path, suffixes: Sequence[str]) -> MasterFiles:
    files = sorted(folder.rglob("*")) if folder.is_dir() else []
    return MasterFiles(
        str(folder.absolute()),
        (
            (PurePosixPath(path.relative_to(folder)), str(path.absolute()))
            for path in files
            if path.suffix.lower() in suffixes and path.is_file()
        ),
    )


def _say(noun: str, name: str, files: Sequence[str], searched: MasterFiles) -> str:
    if not files:
        return f"there is no {noun} {name!r} in {searched.place}"
    several = " and ".join(file.removeprefix(f"{searched.place}/") for file in files)
    return f"the {noun} {name!r} may be {several}: it is left out"
