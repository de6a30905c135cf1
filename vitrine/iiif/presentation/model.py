"""The records of objects and collections: what a manifest says that no image can know.

Names are those of the Presentation API 3.0 (https://iiif.io/api/presentation/3.0/, section 3); its
`items` are the canvases of an object and the members of a collection. Nothing here is an address of
ours, so that a record outlives domains and versions of the API.
"""

from typing import Literal

from msgspec import Struct

Texts = dict[str, tuple[str, ...]]
"""Texts by language (BCP 47), `none` for those without; several are several values."""

ViewingDirection = Literal["left-to-right", "right-to-left", "top-to-bottom", "bottom-to-top"]
Behaviour = Literal[
    "individuals", "continuous", "paged", "facing-pages", "non-paged", "unordered", "multi-part"
]


class Statement(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A pair of label and value, both for people."""

    label: Texts
    value: Texts
    facet: bool = False
    """True if the site lists objects by its values."""


class Link(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An address elsewhere: a homepage, data about the object, a file to download."""

    address: str
    label: Texts = {}
    """Text that people read in place of the address."""
    format: str = ""
    """Media type."""
    type: str = "Text"
    """Type of the resource: Text, Dataset, Image, Sound, Video, Model."""
    profile: str = ""
    """URI of the data's schema."""
    language: str = ""


class Agent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A person or organisation that provides the object."""

    address: str
    """URI that identifies it, such as that of its homepage."""
    label: Texts
    """Its name."""
    homepage: Link | None = None
    logo: str = ""
    """Address of an image."""


class DescriptiveProperties(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What objects, collections, views and parts may say of themselves."""

    metadata: tuple[Statement, ...] = ()
    """Pairs of label and value that viewers list next to it, such as date and material."""
    rights: str = ""
    """URI of a licence (Creative Commons) or rights statement (RightsStatements.org)."""
    required_statement: Statement | None = None
    """To be shown wherever it is, such as the attribution."""
    provider: tuple[Agent, ...] = ()
    """Institutions that show it, such as the museum."""
    homepage: tuple[Link, ...] = ()
    """Pages about it."""
    see_also: tuple[Link, ...] = ()
    """Data about it for machines."""
    rendering: tuple[Link, ...] = ()
    """Other forms of it, such as a PDF."""
    nav_date: str = ""
    """Date on a timeline, RFC 3339."""
    behaviour: tuple[Behaviour, ...] = ()
    """Hints for viewers how to show it, such as `paged` for a book, `non-paged` for a plate."""


class ImageElsewhere(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An image that another server shows."""

    address: str
    """Address of a picture of the whole image."""
    width: int
    """In pixels, of the whole image."""
    height: int
    service: str = ""
    """Address of its image service."""
    version: int = 0
    """Version of the service's Image API: 1, 2 or 3."""
    profile: str = ""
    """Level of the service, such as `level2`."""
    thumbnail: str = ""
    """Address of a small picture of it; empty: its service makes one, if it can."""


class Canvas(DescriptiveProperties, frozen=True, kw_only=True, omit_defaults=True):
    """One view of an object: a published image, or one that another server shows."""

    image: str = ""
    """Identifier of the published image."""
    elsewhere: ImageElsewhere | None = None
    """In place of `image`."""
    label: Texts = {}
    """Such as the number of the page; without one, its place is."""
    alt_text: Texts = {}
    """Description for people who do not see the image: a sentence or two."""
    description: Texts = {}
    """A long description of what there is to be seen."""
    placeholder: ImageElsewhere | None = None
    """Image that viewers show until the canvas's own is there."""
    text: str = ""
    """Name of the stored text that is to be read on the image."""
    annotations: str = ""
    """Name of the stored annotations that are not that text: comments, tags and others."""
    width_mm: float = 0.0
    """Width of what the image shows, edge to edge, as it was measured; 0: not known."""


class CanvasPart(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rectangle of a canvas, in fractions of its width and height."""

    canvas: int
    """Place of the canvas in the object, from 0."""
    left: float
    """Position of the left edge, from 0 to 1."""
    top: float
    """Position of the upper edge, from 0 to 1."""
    width: float
    """Width of the rectangle, up to 1."""
    height: float
    """Height of the rectangle, up to 1."""


class Range(DescriptiveProperties, frozen=True, kw_only=True, omit_defaults=True):
    """A part of an object: a line of its table of contents."""

    label: Texts
    """Its heading."""
    summary: Texts = {}
    """A few sentences."""
    canvases: tuple[int, ...] = ()
    """Places of canvases in the object, from 0."""
    parts: tuple[CanvasPart, ...] = ()
    """Rectangles of canvases that do not belong to the range as a whole."""
    ranges: tuple["Range", ...] = ()
    """Parts of this part."""


class Description(DescriptiveProperties, frozen=True, kw_only=True, omit_defaults=True):
    """What objects and collections have in common."""

    identifier: str
    """The name in its addresses, as those of images; it may be that of one of its images."""
    label: Texts
    """Its title."""
    summary: Texts = {}
    """A few sentences."""
    part_of: tuple[str, ...] = ()
    """Identifiers of the collections that it belongs to."""
    thumbnail: str = ""
    """Identifier of the image to show in lists; empty: the first."""


class Place(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A point on the Earth (WGS 84)."""

    latitude: float
    """Degrees, north of the equator if positive."""
    longitude: float
    """Degrees, east of Greenwich if positive."""
    label: Texts = {}
    """Its name."""


class PublishedObject(
    Description, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="object"
):
    """An object: a painting, a book, a letter, of one image or many."""

    canvases: tuple[Canvas, ...]
    """Its views, in order."""
    nav_place: Place | None = None
    """Place on a map."""
    viewing_direction: ViewingDirection = "left-to-right"
    """In which the views follow each other."""
    ranges: tuple[Range, ...] = ()
    """Its table of contents."""
    start: int = 0
    """Place of the canvas that viewers open first, from 0."""
    thumbnail_elsewhere: str = ""
    """Address of a small picture of it, if another server shows its images."""
    page_before_images: bool = False
    """True if it has a page before its first image is published, which says that it is not
    digitised yet."""
    ocr: str = ""
    """Languages in which OCR reads the views without a text, as Tesseract names them, such as
    deu+frk; empty: they are not read."""


class Member(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An object or collection in a collection, with what a list shows of it."""

    identifier: str
    label: Texts
    """Text of the list about it."""
    is_collection: bool = False
    image: str = ""
    """Identifier of the image to show; empty: none."""
    line: str = ""
    """Words of pages about it under that text, such as maker and date."""


class ObjectCollection(
    Description, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="collection"
):
    """Objects and collections that belong together, in their order."""

    members: tuple[Member, ...] = ()
    """In the order of the list, in which those are that can be opened: not what waits for its
    images, or is withdrawn."""
    access: str = ""
    """Rule of access of its members' images, unless one is set for an image; empty: as before."""


def object_of_image(image: str, rights: str) -> PublishedObject:
    """Return the object that a published image is by itself, when nothing else is said of it."""
    return PublishedObject(
        identifier=image,
        label={"none": (image,)},
        rights=rights,
        canvases=(Canvas(image=image),),
    )
