"""METS: the pages of an object in the order of its structure, with their labels and its parts.

Read from a record without namespaces: the physical structMap names the files of each page by
FILEID, the logical one the parts, whose pages are named by structLink, or by FILEID as well. So do
the profiles of the DFG Viewer (METS application profile 2.4) and of the Library of Congress.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from vitrine.iiif.presentation.model import Range
from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.masters_folder import IMAGES

PREFERRED = (
    *("max", "local", "master", "image/master", "original", "archive", "ocr-d-img", "objects"),
    *("default", "presentation", "reference", "reference image", "service", "image"),
)
"""USE of the group whose images are taken if no rule names one, the best first."""
_SMALL = ("thumb", "min", "teaser", "icon")
_UNNUMBERED = {"", "-", "uncounted"}
_UNNAMED = "…"
MAX_REFERENCES = 1_000_000
"""Pages of all parts together, each counted in every part that has it."""
_LAST = 1 << 30


@dataclass(frozen=True)
class MetsStructure:
    """What METS says of an object's images in addition to their addresses."""

    images: Sequence[str]
    """Addresses of the best image of each page, in the order of the pages."""
    pages: Mapping[str, int]
    """Number of the page, from 0, of the address of each file."""
    labels: Sequence[str]
    """Labels of the pages; empty: it has none."""
    parts: Sequence["Division"]

    def label(self, address: str) -> str:
        """Return the label of a file's page, "" without one."""
        return self.labels[self.pages[address]] if address in self.pages else ""

    def ranges(self, canvases: Mapping[int, Sequence[int]], language: str) -> tuple[Range, ...]:
        """Return the parts that have canvases, by the places of each page's canvases."""
        return tuple(_ranges(self.parts, canvases, language))


@dataclass(frozen=True)
class Division:
    """A division of the logical structure; `pages` without those of its own parts."""

    label: str
    pages: Sequence[int]
    parts: Sequence["Division"]
    all_pages: Set[int]
    """Pages of the division and of its parts."""


def read_structure(document: Any) -> MetsStructure | None:
    """Return the structure of a record in METS, None of another; put its files in order of pages.

    Paths then find the files of each group as the pages follow each other. Raises MappingUnusable.
    """
    root = document.getroot()
    mets = root if root.tag == "mets" else next(root.iter("mets"), None)
    return None if mets is None else _MetsReader(mets).read()


class _MetsReader:
    def __init__(self, mets: Any) -> None:
        self._mets = mets
        self._files = {one.get("ID", ""): one for one in mets.iterfind("fileSec//file")}
        self._pages: list[Any] = []
        self._page_of_file: dict[str, int] = {}
        self._pages_of: dict[str, Sequence[int]] = {}
        """By ID of a physical division."""
        self._references = 0

    def read(self) -> MetsStructure:
        physical, logical = self._structure_maps()
        if physical is not None:
            for division in physical.iterchildren("div"):
                self._walk(division, is_top=True)
        self._is_page = set(self._pages)
        self._sort_files()
        files = [
            (one, self._page(one), _address(one)) for one in self._mets.iterfind("fileSec//file")
        ]
        images = [found for found in files if _is_image(found[0], found[2])]
        ranks = {id(one): _rank(one) for one, _, _ in images}
        best: dict[int, int] = {}
        for one, page, _ in images:
            best[page] = min(best.get(page, _LAST), ranks[id(one)])
        chosen = [
            (page, address)
            for one, page, address in images
            if ranks[id(one)] == best[page] and (page < _LAST or not self._pages)
        ]
        chosen.sort(key=lambda found: found[0])
        pages = {address: page for _, page, address in files if page < _LAST}
        addresses = {PurePosixPath(address).name for address in pages}
        return MetsStructure(
            images=[address for _, address in chosen],
            pages=pages,
            labels=[_page_label(one, addresses) for one in self._pages],
            parts=self._read_parts(logical) if logical is not None else (),
        )

    def _structure_maps(self) -> tuple[Any, Any]:
        """Return the physical structMap and the logical one; one may be both."""
        maps = {"physical": None, "logical": None, "": None}
        for one in self._mets.iterchildren("structMap"):
            kind = one.get("TYPE", "").lower()
            kind = kind if kind in maps else ""
            has_files = one.find(".//*[@FILEID]") is not None
            if maps[kind] is None and (has_files or kind == "logical"):
                maps[kind] = one
        pages = [maps[kind] for kind in ("physical", "", "logical") if maps[kind] is not None]
        parts = [maps[kind] for kind in ("logical", "") if maps[kind] is not None]
        return (pages[0] if pages else None), (parts[0] if parts else None)

    def _walk(self, division: Any, *, is_top: bool = False) -> Sequence[int]:
        """Note the pages of a division and return their numbers."""
        inner = _divisions(division)
        if _is_page(division, inner, is_top=is_top):
            found: Sequence[int] = [len(self._pages)]
            self._pages.append(division)
            for one in division.iterfind(".//*[@FILEID]"):
                self._page_of_file.setdefault(one.get("FILEID"), found[0])
            for one in division.iter("div"):
                self._pages_of[one.get("ID", "")] = found
        else:
            found = [page for one in inner for page in self._walk(one)]
            self._pages_of[division.get("ID", "")] = found
        return found

    def _page(self, file: Any) -> int:
        return self._page_of_file.get(file.get("ID", ""), _LAST)

    def _sort_files(self) -> None:
        """Put the files of each group, and then the groups, in the order of the pages."""
        for group in self._mets.iter("fileGrp"):
            for one in sorted(group.findall("file"), key=self._page):
                group.append(one)
        for section in self._mets.iter("fileSec", "fileGrp"):
            firsts = {
                one: min(map(self._page, one.iter("file")), default=_LAST)
                for one in section.findall("fileGrp")
            }
            for one in sorted(firsts, key=firsts.__getitem__):
                section.append(one)

    def _read_parts(self, logical: Any) -> Sequence[Division]:
        linked: dict[str, list[Sequence[int]]] = {}
        for one in self._mets.iterfind("structLink//smLink"):
            pages = self._pages_of.get(one.get("to", ""), ())
            linked.setdefault(one.get("from", ""), []).append(pages)
        parts = [self._part(one, linked) for one in logical.iterchildren("div")]
        # The object itself is no part of it, nor is what it is a volume or an issue of.
        while len(parts) == 1 and parts[0].parts:
            parts = list(parts[0].parts)
        return parts if len(parts) > 1 or any(one.parts for one in parts) else ()

    def _part(self, division: Any, linked: Mapping[str, Sequence[Sequence[int]]]) -> Division:
        found = linked.get(division.get("ID", ""), ())
        self._references += sum(map(len, found))
        if self._references > MAX_REFERENCES:
            raise MappingUnusable(f"names more than {MAX_REFERENCES:,} pages in its parts")
        pages = [page for several in found for page in several]
        parts = []
        for one in division.iterchildren("fptr", "div"):
            if one.tag == "fptr" or one in self._is_page:
                pointers = one.iterfind(".//*[@FILEID]") if one.get("FILEID") is None else [one]
                files = (each.get("FILEID") for each in pointers)
                pages += [self._page_of_file[name] for name in files if name in self._page_of_file]
            else:
                parts.append(self._part(one, linked))
        inside = {page for part in parts for page in part.all_pages}
        label = division.get("LABEL", "").strip() or division.get("ORDERLABEL", "").strip()
        return Division(
            label or division.get("TYPE", "").replace("_", " ").strip() or _UNNAMED,
            sorted(set(pages) - inside),
            parts,
            inside | set(pages),
        )


def _divisions(division: Any) -> list[Any]:
    """Return the divisions of a division by ORDER, if each has a number, else as they stand."""
    found = division.findall("div")
    orders = [one.get("ORDER", "").strip() for one in found]
    if not all(order.isdecimal() for order in orders):
        return list(found)
    return sorted(found, key=lambda one: int(one.get("ORDER")))


def _is_page(division: Any, inner: Sequence[Any], *, is_top: bool) -> bool:
    kind = division.get("TYPE", "").lower().rpartition(":")[2]
    has_files = division.find("fptr") is not None
    if is_top and inner:
        return False  # Its files, such as a PDF, are those of the whole object.
    if kind.endswith("page"):
        return division.find(".//*[@FILEID]") is not None
    return has_files and not any(one.get("TYPE", "").lower().endswith("page") for one in inner)


def _page_label(division: Any, names: set[str]) -> str:
    """Return what a page is called; not the name of its file."""
    for name in ("ORDERLABEL", "LABEL"):
        label: str = " ".join(division.get(name, "").split())
        if label.lower() not in _UNNUMBERED and label not in names:
            return label
    return ""


def _address(file: Any) -> str:
    location = file.find("FLocat")
    return "" if location is None else str(location.get("href", "")).strip()


def _is_image(file: Any, address: str) -> bool:
    """Return whether a file may be an image, by its media type or else by its name."""
    if kind := file.get("MIMETYPE", "").lower():
        return bool(address) and kind.startswith("image/")
    return bool(address) and PurePosixPath(address).suffix.lower() in {*IMAGES, ""}


def _rank(file: Any) -> int:
    groups = (one.get("USE") for one in (file, *file.iterancestors("fileGrp")))
    use = next(filter(None, groups), "").lower()
    if use in PREFERRED:
        return PREFERRED.index(use)
    return len(PREFERRED) + any(small in use for small in _SMALL)


def _ranges(
    parts: Sequence[Division], canvases: Mapping[int, Sequence[int]], language: str
) -> Iterator[Range]:
    for part in parts:
        inner = tuple(_ranges(part.parts, canvases, language))
        own = tuple(place for page in part.pages for place in canvases.get(page, ()))
        if own or inner:
            yield Range(label={language: (part.label,)}, canvases=own, ranges=inner)
