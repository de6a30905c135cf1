"""What a record of an object has to keep beyond its form, each broken rule as a sentence."""

import re
from collections.abc import Iterator
from datetime import datetime

from vitrine.access.rules import parse_rule
from vitrine.catalogue.records import Item
from vitrine.errors import IdentifierRefused
from vitrine.identify.identifier import parse_identifier
from vitrine.iiif.presentation import version3
from vitrine.iiif.presentation.image_resource import ImageResource
from vitrine.iiif.presentation.model import (
    Agent,
    Canvas,
    DescriptiveProperties,
    ImageElsewhere,
    Link,
    ObjectCollection,
    PublishedObject,
    Range,
    Statement,
    Texts,
)
from vitrine.iiif.presentation.rights import rights_uri
from vitrine.iiif.presentation.schema import find_schema_faults
from vitrine.iiif.presentation.version3 import Json
from vitrine.text.ocr_results.languages import find_fault
from vitrine.text.transcription.page_text import MAX_SIDE

MIN_WIDTH_MM, MAX_WIDTH_MM = 0.001, 1_000_000
"""From a pollen grain to a panorama."""
MAX_CANVASES = 20_000
_EDGE = 1 + 1e-9
"""Right or lower edge of a canvas, which sums of fractions may miss by a little."""
_LANGUAGE = re.compile(r"none|[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_TEXT = re.compile(r"[0-9a-f]{32}")
_ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]+")


def find_faults(item: Item) -> Iterator[str]:
    """Yield a sentence for each rule that an object or collection breaks.

    Of one that breaks none: for each place where its document breaks the schema.
    """
    broken = False
    for fault in _find_broken_rules(item):
        broken = True
        yield fault
    if not broken:
        yield from find_schema_faults(_draft_document(item))


def _draft_document(item: Item) -> Json:
    """Return the document of an item, its images yet unknown."""
    match item:
        case PublishedObject():
            return version3.build_manifest(item, _UnknownImages(), "https://images.example.org")
        case ObjectCollection():
            return version3.build_collection(item, _UnknownImages(), "https://images.example.org")


class _UnknownImages(dict[str, ImageResource]):
    """Has every image, in a size that none has."""

    def __missing__(self, identifier: str) -> ImageResource:
        return ImageResource(identifier, 1, 1, (1, 1), (1, 1))


def _find_broken_rules(item: Item) -> Iterator[str]:
    yield from _check_identifier("identifier", item.identifier)
    yield from _check_texts("label", item.label, needed=True)
    yield from _check_texts("summary", item.summary)
    yield from _check_properties("", item)
    for number, identifier in enumerate(item.part_of):
        yield from _check_identifier(f"part_of[{number}]", identifier)
    yield from _check_picture("thumbnail", item.thumbnail)
    match item:
        case PublishedObject():
            yield from _check_object(item)
        case ObjectCollection():
            yield from _check_collection(item)


def _check_properties(place: str, item: DescriptiveProperties) -> Iterator[str]:
    """Yield what is wrong with what any resource may say; `place` ends with a point, if any."""
    yield from _check_statements(f"{place}metadata", item.metadata)
    if item.required_statement:
        yield from _check_statements(f"{place}required_statement", (item.required_statement,))
    yield from _check_rights(f"{place}rights", item.rights)
    for number, agent in enumerate(item.provider):
        yield from _check_agent(f"{place}provider[{number}]", agent)
    for name in ("homepage", "see_also", "rendering"):
        for number, link in enumerate(getattr(item, name)):
            yield from _check_link(f"{place}{name}[{number}]", link)
    if item.nav_date and not _is_moment(item.nav_date):
        yield f'{place}nav_date: "{item.nav_date}" is not like 1642-01-01T00:00:00Z.'


def _check_object(item: PublishedObject) -> Iterator[str]:
    if not item.canvases:
        yield "canvases: an object has at least one image."
    if len(item.canvases) > MAX_CANVASES:
        yield (
            f"canvases: {len(item.canvases):,} are more than the {MAX_CANVASES:,} that a viewer "
            "can open; divide the object, and make a collection of its parts."
        )
        return
    place = item.nav_place
    if place and not (abs(place.latitude) <= 90 and abs(place.longitude) <= 180):
        yield f"nav_place: {place.latitude}, {place.longitude} is no place on the Earth."
    yield from _check_texts("nav_place.label", place.label if place else {})
    for number, canvas in enumerate(item.canvases):
        yield from _check_canvas(f"canvases[{number}]", canvas)
    for number, one in enumerate(item.ranges):
        yield from _check_range(f"ranges[{number}]", one, len(item.canvases))
    if item.start and not 0 <= item.start < len(item.canvases):
        yield f"start: there is no canvas {item.start}; the first is 0."
    if item.thumbnail_elsewhere:
        yield from _check_address("thumbnail_elsewhere", item.thumbnail_elsewhere)
    if item.ocr and (fault := find_fault(item.ocr)):
        yield f"ocr: {fault}"


def find_rule_faults(collection: ObjectCollection) -> Iterator[str]:
    """Yield a sentence if a collection's rule of access cannot be read."""
    if collection.access:
        try:
            if (rule := parse_rule(collection.access)) != collection.access:
                yield f'access: "{collection.access}" is written "{rule}".'
        except IdentifierRefused as error:
            yield f"access: {error}"


def _check_collection(item: ObjectCollection) -> Iterator[str]:
    yield from find_rule_faults(item)
    for number, member in enumerate(item.members):
        place = f"members[{number}]"
        yield from _check_identifier(f"{place}.identifier", member.identifier)
        yield from _check_texts(f"{place}.label", member.label, needed=True)
        yield from _check_picture(f"{place}.image", member.image)
        if member.is_collection and member.identifier == item.identifier:
            yield f"{place}: a collection is not a member of itself."


def _check_canvas(place: str, canvas: Canvas) -> Iterator[str]:
    if canvas.elsewhere is None:
        yield from _check_identifier(f"{place}.image", canvas.image)
    else:
        if canvas.image:
            yield f"{place}: it has an image of its own and one elsewhere: leave one of them out."
        yield from _check_elsewhere(f"{place}.elsewhere", canvas.elsewhere)
    yield from _check_texts(f"{place}.label", canvas.label)
    yield from _check_texts(f"{place}.alt_text", canvas.alt_text)
    yield from _check_texts(f"{place}.description", canvas.description)
    yield from _check_properties(f"{place}.", canvas)
    if canvas.placeholder:
        yield from _check_elsewhere(f"{place}.placeholder", canvas.placeholder)
    if canvas.text and not _TEXT.fullmatch(canvas.text):
        yield f"{place}.text: it is the name of a stored text, 32 digits of 0 to 9 and a to f."
    if canvas.annotations and not _TEXT.fullmatch(canvas.annotations):
        yield f"{place}.annotations: it is the name of stored ones, 32 digits of 0 to 9 and a to f."
    if canvas.width_mm and not MIN_WIDTH_MM <= canvas.width_mm <= MAX_WIDTH_MM:
        yield f"{place}.width_mm: it is between {MIN_WIDTH_MM} and {MAX_WIDTH_MM:,} millimetres."


def _check_elsewhere(place: str, image: ImageElsewhere) -> Iterator[str]:
    yield from _check_address(f"{place}.address", image.address)
    if image.service:
        yield from _check_address(f"{place}.service", image.service)
        if image.version not in (1, 2, 3) or not image.profile:
            yield f"{place}: a service has a version (1, 2 or 3) and a profile."
    if image.thumbnail:
        yield from _check_address(f"{place}.thumbnail", image.thumbnail)
    if min(image.width, image.height) < 1:
        yield f"{place}: width and height are pixels, and at least 1."
    if max(image.width, image.height) > MAX_SIDE:
        yield f"{place}: width and height are at most {MAX_SIDE:,} pixels."


def _check_range(place: str, one: Range, canvases: int) -> Iterator[str]:
    yield from _check_texts(f"{place}.label", one.label, needed=True)
    for canvas in one.canvases:
        if not 0 <= canvas < canvases:
            yield f"{place}.canvases: there is no canvas {canvas}; the first is 0."
    yield from _check_texts(f"{place}.summary", one.summary)
    yield from _check_properties(f"{place}.", one)
    for number, part in enumerate(one.parts):
        if part.canvas not in one.canvases:
            yield f"{place}.parts[{number}]: {part.canvas} is not among its canvases."
        right, bottom = part.left + part.width, part.top + part.height
        if (
            min(part.left, part.top) < 0
            or min(part.width, part.height) <= 0
            or max(right, bottom) > _EDGE
        ):
            yield f"{place}.parts[{number}]: it is not within its canvas, whose sides are 1."
    for number, inner in enumerate(one.ranges):
        yield from _check_range(f"{place}.ranges[{number}]", inner, canvases)


def _check_agent(place: str, agent: Agent) -> Iterator[str]:
    yield from _check_address(f"{place}.address", agent.address)
    yield from _check_texts(f"{place}.label", agent.label, needed=True)
    if agent.homepage:
        yield from _check_link(f"{place}.homepage", agent.homepage)
    if agent.logo:
        yield from _check_address(f"{place}.logo", agent.logo)


def _check_link(place: str, link: Link) -> Iterator[str]:
    yield from _check_address(f"{place}.address", link.address)
    yield from _check_texts(f"{place}.label", link.label)


def _check_rights(place: str, uri: str) -> Iterator[str]:
    if uri and rights_uri(uri) != uri:
        yield (
            f'{place}: "{uri}" is no licence of Creative Commons and no statement of '
            "RightsStatements.org, such as http://creativecommons.org/licenses/by/4.0/ or "
            "http://rightsstatements.org/vocab/InC/1.0/."
        )


def _check_statements(place: str, pairs: tuple[Statement, ...]) -> Iterator[str]:
    for number, pair in enumerate(pairs):
        yield from _check_texts(f"{place}[{number}].label", pair.label, needed=True)
        yield from _check_texts(f"{place}[{number}].value", pair.value, needed=True)


def _check_texts(place: str, texts: Texts, *, needed: bool = False) -> Iterator[str]:
    if needed and not any(any(values) for values in texts.values()):
        yield f"{place}: there is no text."
    for language in texts:
        if not _LANGUAGE.fullmatch(language):
            yield f'{place}: "{language}" is no language, such as en, pt-BR or none.'


def _check_address(place: str, address: str) -> Iterator[str]:
    if not _ADDRESS.fullmatch(address):
        yield f'{place}: "{address}" is not the http or https address of anything.'


def _check_identifier(place: str, identifier: str) -> Iterator[str]:
    try:
        if parse_identifier(identifier) != identifier:
            yield f'{place}: "{identifier}" is not in Unicode NFC.'
    except IdentifierRefused as error:
        yield f"{place}: {error}"


def _check_picture(place: str, image: str) -> Iterator[str]:
    if image:
        yield from _check_identifier(place, image)


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
