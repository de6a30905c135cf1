"""A document of pages, each a picture with its text, and what is said of the whole of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from xml.sax.saxutils import escape

from vitrine.deliver.pdf.objects import (
    PdfObjects,
    dictionary,
    number,
    reference,
    references,
    text_string,
)
from vitrine.deliver.pdf.text_layer import PlacedWord, TextLayer

PRODUCER = "Vitrine"
MIN_SIDE, MAX_SIDE = 3, 14_400
"""Points of a page: readers need not show one that is smaller or larger (ISO 32000-1, annex C)."""
_COLOURS = {1: "/DeviceGray", 3: "/DeviceRGB"}
_PROFILE_COLOURS = {1: b"GRAY", 3: b"RGB "}
_COLOURS_AT = 16
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PICTURE = "I"
"""Name of the picture in the resources of a page."""
_XMP = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"\
 xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/">
{properties}
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>"""


@dataclass(frozen=True, kw_only=True)
class DocumentDescription:
    """What is known of a document as a whole, in plain text; empty: not known."""

    title: str
    author: str = ""
    rights: str = ""
    """A sentence about its use."""
    licence: str = ""
    """Address of a licence or rights statement."""
    source: str = ""
    """Address of the object."""
    language: str = ""
    """A tag of BCP 47."""
    is_right_to_left: bool = False
    """True if its pages follow each other so."""


@dataclass(frozen=True)
class Picture:
    """A JPEG; sides in pixels."""

    jpeg: bytes
    width: int
    height: int
    channels: int
    icc: bytes = b""
    """Profile of its pixels: readers look for none in a JPEG."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page; sides in points."""

    width: float
    height: float
    label: str
    picture: Picture
    """It fills the page."""
    words: Iterable[PlacedWord] = ()


@dataclass(frozen=True)
class Bookmark:
    """A line of the table of contents."""

    title: str
    page: int | None
    """Place of its page among those that were added, from 0; None: it has none."""
    parts: Sequence["Bookmark"] = ()


class PdfDocument:
    """A PDF that grows page by page. Only numbers of its objects are kept, and its characters."""

    def __init__(self, description: DocumentDescription) -> None:
        self._description = description
        self._objects = PdfObjects()
        self._text = TextLayer(self._objects)
        self._tree = self._objects.reserve()
        self._pages: list[int] = []
        self._labels: list[str] = []
        self._profiles: dict[bytes, int] = {}

    def add_page(self, page: Page) -> bytes:
        """Return the bytes of a page."""
        objects = self._objects
        picture = self._write_picture(page.picture)
        width, height = number(page.width), number(page.height)
        text = self._text.draw(page.words)
        paint = f"q {width} 0 0 {height} 0 0 cm /{_PICTURE} Do Q\n"
        content = objects.write_stream((paint + text).encode("ascii"))
        pictures = {"XObject": dictionary({_PICTURE: reference(picture)})}
        fonts = self._text.resources if text else {}
        entries = {
            "Type": "/Page",
            "Parent": reference(self._tree),
            "MediaBox": f"[0 0 {width} {height}]",
            "Resources": dictionary({**pictures, **fonts}),
            "Contents": reference(content),
        }
        self._pages.append(objects.write(dictionary(entries)))
        self._labels.append(page.label)
        return objects.take()

    def end(self, bookmarks: Sequence[Bookmark] = (), remark: str = "") -> bytes:
        """Return the last bytes; `remark` is said of the document besides."""
        objects, about = self._objects, self._description
        self._text.end()
        kids = {"Type": "/Pages", "Kids": references(self._pages), "Count": str(len(self._pages))}
        objects.write(dictionary(kids), self._tree)
        metadata = objects.write_stored(
            [_write_xmp(about, remark).encode()], {"Type": "/Metadata", "Subtype": "/XML"}
        )
        direction = "/Direction /R2L" if about.is_right_to_left else ""
        outline = self._write_outline(bookmarks)
        catalogue = {
            "Type": "/Catalog",
            "Pages": reference(self._tree),
            "Metadata": reference(metadata),
            "Lang": text_string(about.language),
            "ViewerPreferences": f"<</DisplayDocTitle true {direction}>>",
            "PageLabels": self._list_labels(),
            "Outlines": reference(outline) if outline else "",
            "PageMode": "/UseOutlines" if outline else "",
        }
        information = {
            "Title": text_string(about.title),
            "Author": text_string(about.author),
            "Subject": text_string(remark),
            "Producer": text_string(PRODUCER),
        }
        root = objects.write(dictionary(catalogue))
        trailer = {
            "Root": reference(root),
            "Info": reference(objects.write(dictionary(information))),
        }
        return objects.end(trailer)

    def _write_picture(self, picture: Picture) -> int:
        entries = {
            "Type": "/XObject",
            "Subtype": "/Image",
            "Width": str(picture.width),
            "Height": str(picture.height),
            "BitsPerComponent": "8",
            "ColorSpace": self._write_colours(picture.channels, picture.icc),
            "Filter": "/DCTDecode",
        }
        return self._objects.write_stored([picture.jpeg], entries)

    def _write_colours(self, channels: int, icc: bytes) -> str:
        """Return a colour space: the profile's, which is written once, or that of the device."""
        if icc[_COLOURS_AT : _COLOURS_AT + 4] != _PROFILE_COLOURS[channels]:
            return _COLOURS[channels]
        digest = sha256(icc).digest()
        if digest not in self._profiles:
            entries = {"N": str(channels), "Alternate": _COLOURS[channels]}
            self._profiles[digest] = self._objects.write_stream(icc, entries)
        return f"[/ICCBased {reference(self._profiles[digest])}]"

    def _list_labels(self) -> str:
        """Return the labels of pages, which need not be numbers (12.4.2)."""
        labels = (
            f"{place} {dictionary({'P': text_string(label)})}"
            for place, label in enumerate(self._labels)
        )
        return f"<</Nums [{' '.join(labels)}]>>"

    def _write_outline(self, bookmarks: Sequence[Bookmark]) -> int:
        """Write the table of contents (12.3.3); return its number, 0 for none."""
        if not bookmarks:
            return 0
        root = self._objects.reserve()
        numbers = self._write_bookmarks(bookmarks, root)
        entries = {"Type": "/Outlines", **_ends(numbers), "Count": str(len(numbers))}
        return self._objects.write(dictionary(entries), root)

    def _write_bookmarks(self, bookmarks: Sequence[Bookmark], parent: int) -> list[int]:
        numbers = [self._objects.reserve() for _ in bookmarks]
        for place, one in enumerate(bookmarks):
            inner = self._write_bookmarks(one.parts, numbers[place])
            page = "" if one.page is None else reference(self._pages[one.page])
            entries = {
                "Title": text_string(one.title) or "()",
                "Parent": reference(parent),
                "Prev": reference(numbers[place - 1]) if place else "",
                "Next": reference(numbers[place + 1]) if place + 1 < len(numbers) else "",
                "Dest": page and f"[{page} /Fit]",
                **_ends(inner),
                # Closed: readers open what they look for.
                "Count": f"-{len(inner)}" if inner else "",
            }
            self._objects.write(dictionary(entries), numbers[place])
        return numbers


def _ends(numbers: Sequence[int]) -> Mapping[str, str]:
    return {"First": reference(numbers[0]), "Last": reference(numbers[-1])} if numbers else {}


def _write_xmp(about: DocumentDescription, remark: str) -> str:
    """Return the metadata as XMP (ISO 16684-1)."""
    properties = [
        _alternative("dc:title", about.title),
        _alternative("dc:rights", about.rights),
        _alternative("dc:description", remark),
        _listed("dc:creator", "Seq", about.author),
        _listed("dc:language", "Bag", about.language),
        _plain("dc:source", about.source),
        _plain("dc:format", "application/pdf"),
        _plain("xmpRights:WebStatement", about.licence),
        _plain("pdf:Producer", PRODUCER),
    ]
    return _XMP.format(properties="\n".join(filter(None, properties)))


def _plain(name: str, text: str) -> str:
    return f"<{name}>{_escape(text)}</{name}>" if text else ""


def _alternative(name: str, text: str) -> str:
    inner = f'<rdf:Alt><rdf:li xml:lang="x-default">{_escape(text)}</rdf:li></rdf:Alt>'
    return f"<{name}>{inner}</{name}>" if text else ""


def _listed(name: str, kind: str, text: str) -> str:
    inner = f"<rdf:{kind}><rdf:li>{_escape(text)}</rdf:li></rdf:{kind}>"
    return f"<{name}>{inner}</{name}>" if text else ""


def _escape(text: str) -> str:
    """Return a text as XML has it, without characters that XML does not have."""
    return escape(_NOT_IN_XML.sub("", text))
