"""An object as its page shows it: its texts in one language, its images in the sizes we hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from vitrine.access.rules import OPEN, read_rule
from vitrine.iiif.presentation.addresses import NEWEST, PDF, Addresses, document_path
from vitrine.iiif.presentation.model import (
    Description,
    PublishedObject,
    Range,
    Statement,
    Texts,
)
from vitrine.iiif.presentation.rights import rights_name
from vitrine.iiif.presentation.whole_object import estimate_page_bytes, offer_documents
from vitrine.records import Live
from vitrine.site.pages.facet_values import pair_with_lists
from vitrine.site.pages.frame import Site
from vitrine.site.pages.pictures import PictureSources, PublishedPicture, Size
from vitrine.site.pages.strings import strings
from vitrine.site.pages.wording import Wording, choose_wording
from vitrine.store.site_layout import NOT_DIGITISED, collection_page_key, page_path

ALONE = ("facing-pages", "non-paged")
"""Behaviours of what shows no page, or two (Presentation API 3.0, section 3.4)."""
MAX_VIEWS = 500
"""Images on one page: of a longer book, the manifest has the others."""
Pairs = Sequence[tuple[Wording, Wording]]


@dataclass(frozen=True, kw_only=True)
class CanvasView:
    """One canvas. Without a `picture`, another server shows its image."""

    number: int
    label: Wording
    alt: str
    description: Wording
    metadata: Pairs
    picture: PublishedPicture | None
    offer: PictureSources | None
    canvas: str
    """URI of its canvas in the manifest."""
    anchor: str
    """Anchor of links to this image; empty for an image that is in the object before."""
    downloads: Sequence[tuple[str, str, Size]]
    has_text: bool = False
    """True if what is written on it can be read and searched."""
    elsewhere: str = ""
    """Address of its image on another server."""
    width_mm: float = 0.0
    """Width of what is seen, if it was measured."""
    alone: str = ""
    """Why it is no page of an opening: `non-paged` or `facing-pages`."""

    @property
    def resolution(self) -> float:
        """Pixels of the image per millimetre; 0 if that is not known."""
        return self.picture.image.width / self.width_mm if self.picture and self.width_mm else 0.0

    @property
    def is_to_come(self) -> bool:
        """True if it stands for the images of an object that is not digitised yet."""
        return self.elsewhere.endswith(NOT_DIGITISED)

    @property
    def host(self) -> str:
        """The other server's name."""
        return urlsplit(self.elsewhere).netloc


@dataclass(frozen=True)
class Chapter:
    """A line of the table of contents; `number` is that of its first view, 0 if it has none."""

    label: Wording
    number: int
    parts: Sequence["Chapter"]


@dataclass(frozen=True)
class RightsStatement:
    """A licence or rights statement."""

    uri: str
    name: str

    @property
    def address(self) -> str:
        """Where people read it."""
        return self.uri.replace("http://", "https://", 1)


@dataclass(frozen=True)
class WholeFile:
    """All pages of an object as one file; `megabytes` are estimated, of a PDF only."""

    path: str
    is_pdf: bool
    has_text: bool
    pages: int
    megabytes: int


@dataclass(frozen=True, kw_only=True)
class Wordings:
    """What objects and collections say of themselves, in one language."""

    title: Wording
    summary: Wording
    metadata: Pairs
    required: tuple[Wording, Wording] | None
    rights: RightsStatement | None
    providers: Sequence[tuple[Wording, str]]
    """Name and address of each."""
    links: Sequence[tuple[str, str]]
    """Text and address of each."""
    collections: Sequence[tuple[Wording, str]]
    """Title and path of each that it is in."""


def word(item: Description, language: str, site: Site) -> Wordings:
    """Return the texts of an object or collection in the language of a page."""
    required = item.required_statement
    links = [*item.homepage, *item.rendering, *item.see_also]
    return Wordings(
        title=choose_title(item, language),
        summary=choose_wording(item.summary, language),
        metadata=pair_with_lists(item.metadata, language, site.suffix(language)),
        required=_pairs([required], language)[0] if required else None,
        rights=RightsStatement(item.rights, rights_name(item.rights)) if item.rights else None,
        providers=[
            (
                choose_wording(one.label, language),
                one.homepage.address if one.homepage else one.address,
            )
            for one in item.provider
        ],
        links=[
            (choose_wording(one.label, language).plain or one.address, one.address) for one in links
        ],
        collections=[
            (
                choose_wording(site.titles(name), language) or Wording((name,), is_literal=True),
                page_path(collection_page_key(name, language=site.suffix(language))),
            )
            for name in item.part_of
        ],
    )


def list_views(
    item: PublishedObject, images: Mapping[str, Live], site: Site, language: str
) -> list[CanvasView]:
    """Return the first views of an object. `images` has all that it names, by present names."""
    shown = [canvas.image for canvas in item.canvases[:MAX_VIEWS]]
    first = {image: number for number, image in reversed([*enumerate(shown, start=1)])}
    return [
        _view(
            number,
            item,
            images,
            site,
            language,
            anchor=image_anchor(image) if first[image] == number else "",
        )
        for number, image in enumerate(shown, start=1)
    ]


def choose_title(item: Description, language: str) -> Wording:
    """Return what an object is called; its identifier, where it is called by that, is no HTML."""
    if item.label == {"none": (item.identifier,)}:
        return Wording((item.identifier,), is_literal=True)
    return choose_wording(item.label, language)


def image_anchor(image: str) -> str:
    """Return the name of an image within pages that show it, a fragment as addresses have it."""
    return f"image-{quote(image, safe='')}" if image else ""


def list_chapters(ranges: Sequence[Range], language: str) -> list[Chapter]:
    """Return the table of contents."""
    return [
        Chapter(
            choose_wording(one.label, language),
            one.canvases[0] + 1 if one.canvases and one.canvases[0] < MAX_VIEWS else 0,
            list_chapters(one.ranges, language),
        )
        for one in ranges
    ]


def list_files(
    item: PublishedObject, images: Mapping[str, Live], site: Site, *, is_searched: bool
) -> list[WholeFile]:
    """Return the files that have all pages of an object. `images` has all that it names.

    `is_searched` if the texts of its pages are in an index.
    """
    if not site.downloads:
        return []
    shown = [images[canvas.image] for canvas in item.canvases if canvas.image]
    pages = [image for image in shown if read_rule(image.access) == OPEN]
    has_text = is_searched and any(one.text and one.image for one in item.canvases)
    size = sum(map(estimate_page_bytes, pages))
    return [
        WholeFile(
            document_path(NEWEST, item.identifier, one),
            is_pdf=one == PDF,
            has_text=has_text,
            pages=len(pages),
            megabytes=max(1, round(size / 1e6)),
        )
        for one in offer_documents(len(item.canvases), len(pages), has_text=has_text)
    ]


def manifest_address(item: PublishedObject, base: str) -> str:
    """Return the address of an object's manifest."""
    return Addresses(base, 3).manifest(item.identifier)


def _view(
    number: int,
    item: PublishedObject,
    images: Mapping[str, Live],
    site: Site,
    language: str,
    *,
    anchor: str,
) -> CanvasView:
    canvas, title = item.canvases[number - 1], choose_title(item, language).plain
    picture = site.picture(images[canvas.image]) if canvas.image else None
    name = strings(language)["view"].format(number=number)
    label = choose_wording(canvas.label, language) or Wording((name,))
    alt = choose_wording(canvas.alt_text, language).plain
    return CanvasView(
        number=number,
        label=label,
        alt=alt or (title if len(item.canvases) == 1 else f"{title}, {label.plain}"),
        description=choose_wording(canvas.description, language),
        metadata=_pairs(canvas.metadata, language),
        picture=picture,
        offer=picture.page() if picture else None,
        canvas=Addresses(site.base, 3).part(item.identifier, "canvas", number),
        anchor=anchor,
        downloads=picture.named_sizes() if picture and not picture.is_hidden else (),
        has_text=bool(canvas.text),
        elsewhere=canvas.elsewhere.address if canvas.elsewhere else "",
        width_mm=canvas.width_mm,
        alone=next((one for one in ALONE if one in canvas.behaviour), ""),
    )


def _pairs(statements: Sequence[Statement], language: str) -> list[tuple[Wording, Wording]]:
    return [(_word(one.label, language), _word(one.value, language)) for one in statements]


def _word(texts: Texts, language: str) -> Wording:
    return choose_wording(texts, language)
