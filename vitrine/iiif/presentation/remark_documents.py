"""The annotations of a canvas that are not its text, as documents.

Presentation API 3.0, section 5.5 (an AnnotationPage), and 2.1, section 5.6 (an AnnotationList).
They are documents of their own, which manifests lead to, next to those with texts.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from vitrine.iiif.presentation import version2, version3
from vitrine.iiif.presentation.addresses import Addresses
from vitrine.iiif.presentation.canvas_annotations import LABEL
from vitrine.iiif.presentation.remarks import (
    TEXTUAL,
    AnnotationBody,
    CanvasPlace,
    Remark,
    motivation_2,
    remark_name,
    targets_of,
)
from vitrine.iiif.presentation.version3 import Json

T = TypeVar("T")
_ADDRESSES = ("http://", "https://")


def build_remark_page(
    identifier: str, number: int, remarks: Mapping[str, Remark], base: str
) -> Json:
    """Return the annotations of a canvas, counted from 1, by their names there, for version 3."""
    to = Addresses(base, 3)
    canvas = to.part(identifier, "canvas", number)
    items = []
    for name, remark in remarks.items():
        item: Json = {
            "id": to.part(identifier, "annotation", remark_name(number, name)),
            "type": "Annotation",
            "motivation": _one_or_list(remark.motivations),
            "body": _one_or_list([_body_3(body) for body in remark.bodies]),
            "target": _one_or_list([_target_3(canvas, one) for one in remark.places]),
            "creator": _creator_3(remark.creator),
            "created": remark.created,
            "modified": remark.modified,
        }
        items.append({key: value for key, value in item.items() if value})
    return {
        "@context": version3.CONTEXT,
        "id": to.remark_page(identifier, number),
        "type": "AnnotationPage",
        "label": {"en": [LABEL]},
        "items": items,
    }


def build_remark_list(
    identifier: str, number: int, remarks: Mapping[str, Remark], base: str
) -> Json:
    """Return the annotations of a canvas, counted from 1, by their names there, for version 2.

    Outlines are rectangles there, as Open Annotation has no place for both.
    """
    to = Addresses(base, 2)
    canvas = to.part(identifier, "canvas", number)
    resources = []
    for name, remark in remarks.items():
        item: Json = {
            "@id": to.part(identifier, "annotation", remark_name(number, name)),
            "@type": "oa:Annotation",
            "motivation": _one_or_list([motivation_2(one) for one in remark.motivations]),
            "resource": _one_or_list([_body_2(remark, body) for body in remark.bodies]),
            "on": _one_or_list(list(targets_of(canvas, remark.boxes))),
        }
        resources.append({key: value for key, value in item.items() if value})
    return {
        "@context": version2.CONTEXT,
        "@id": to.remark_page(identifier, number),
        "@type": "sc:AnnotationList",
        "label": LABEL,
        "resources": resources,
    }


def _body_3(body: AnnotationBody) -> Json:
    if body.type != TEXTUAL:
        written = {"id": body.value, "type": body.type, "format": body.format}
    else:
        written = {"type": TEXTUAL, "value": body.value, "format": body.format}
    written |= {"language": body.language, "purpose": body.purpose}
    return {name: value for name, value in written.items() if value}


def _creator_3(creator: str) -> Json | str:
    """Return who wrote an annotation: an address identifies them, a text alone would be one."""
    return {"name": creator} if creator and not creator.startswith(_ADDRESSES) else creator


def _body_2(remark: Remark, body: AnnotationBody) -> Json:
    if body.type != TEXTUAL:
        return {"@id": body.value, **({"format": body.format} if body.format else {})}
    is_tag = "tagging" in (body.purpose, *remark.motivations)
    written = {
        "@type": ["oa:Tag", "cnt:ContentAsText"] if is_tag else "cnt:ContentAsText",
        "format": body.format,
        "chars": body.value,
    }
    return written | ({"language": body.language} if body.language else {})


def _target_3(canvas: str, place: CanvasPlace) -> Json | str:
    if place.shape:
        selector: Json = {"type": "SvgSelector", "value": place.shape}
    elif place.box and place.is_point:
        selector = {"type": "PointSelector", "x": place.box[0], "y": place.box[1]}
    else:
        return next(targets_of(canvas, [place.box] if place.box else []))
    source = {"id": canvas, "type": "Canvas"}
    return {"type": "SpecificResource", "source": source, "selector": selector}


def _one_or_list(values: Sequence[T]) -> T | Sequence[T]:
    return values[0] if len(values) == 1 else values
