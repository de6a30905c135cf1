"""Manifests and collections of Presentation 1.0, 2.0 and 2.1, written as version 3.0 has them.

Only what we read is carried over (https://iiif.io/api/presentation/3.0/change-log/).
"""

from collections.abc import Iterator
from typing import Any

from vitrine.sources.iiif.properties import (
    Json,
    as_list,
    as_objects,
    as_text,
    identifier_of,
)
from vitrine.sources.iiif.upgrade_ranges import upgrade_ranges

_RENAMED = frozenset(
    {
        *("@context", "@id", "@type", "id", "type", "label", "description", "metadata", "within"),
        *("attribution", "license", "related", "seeAlso", "rendering", "viewingHint", "behavior"),
        *("sequences", "structures", "images", "otherContent", "canvases", "ranges", "members"),
        *("manifests", "collections", "items", "annotations", "startCanvas"),
    }
)
"""Properties of version 2 that have another form or name in version 3; others are as they were."""
_OF_LINKS = ("@id", "@type", "id", "type", "label")
_MERGED = ("metadata", "seeAlso", "rendering", "related")
"""Lists that a sequence, which version 3 has not, leaves to its manifest."""


def upgrade(document: Json) -> Json:
    """Return a document as version 3.0 has it; one that is so already is returned as it is.

    What a sequence says is the manifest's, unless that says something else: then it has the name
    `sequence.NAME`.
    """
    kind = _kind(document)
    if not kind or "@type" not in document:
        return document
    upgraded: Json = {"id": identifier_of(document), "type": kind}
    if kind == "Manifest":
        sequences = as_objects(document.get("sequences"))
        first = sequences[0] if sequences else {}
        merged, others = _merge(document, first)
        upgraded |= _describe(merged) | others
        upgraded["items"] = [_canvas(one) for one in as_objects(first.get("canvases"))]
        upgraded["structures"] = upgrade_ranges(as_objects(document.get("structures")), _describe)
        upgraded["sequences"] = len(sequences)
    else:
        upgraded |= _describe(document)
        upgraded["items"] = list(_members(document))
    return {name: value for name, value in upgraded.items() if value not in (None, "", [], {})}


def _merge(document: Json, sequence: Json) -> tuple[Json, Json]:
    """Return a manifest with what its sequence says, and what it says otherwise."""
    merged, others = dict(document), {}
    for name, value in sequence.items():
        if name in ("@context", "@id", "@type", "id", "type", "canvases"):
            continue
        if name in _MERGED:
            merged[name] = [*as_list(document.get(name)), *as_list(value)]
        elif name != "label" and not document.get(name):
            merged[name] = value
        elif document.get(name) != value:
            others[f"sequence.{name}"] = value
    return merged, others


def _kind(document: Json) -> str:
    for kind in as_list(document.get("@type") or document.get("type")):
        name = as_text(kind).rpartition(":")[2]
        if name in ("Manifest", "Collection"):
            return name
    return ""


def _describe(document: Json) -> Json:
    attribution = texts(document.get("attribution"))
    described = {
        "label": texts(document.get("label")),
        "summary": texts(document.get("description")),
        "metadata": [
            {"label": texts(pair.get("label")), "value": texts(pair.get("value"))}
            for pair in as_objects(document.get("metadata"))
        ],
        "requiredStatement": (
            {"label": {"en": ["Attribution"]}, "value": attribution} if attribution else None
        ),
        "rights": document.get("license"),
        "homepage": _links(document.get("related")),
        "seeAlso": _links(document.get("seeAlso")),
        "rendering": _links(document.get("rendering")),
        "behavior": [*as_list(document.get("viewingHint")), *as_list(document.get("behavior"))],
        "start": document.get("startCanvas"),
        "partOf": document.get("within"),
    }
    others = {name: value for name, value in document.items() if name not in _RENAMED}
    return others | {name: value for name, value in described.items() if value}


def _canvas(canvas: Json) -> Json:
    annotations = [
        {
            **{name: value for name, value in one.items() if name not in ("resource", "on")},
            "motivation": "painting",
            "body": _body(one.get("resource")),
            "target": one.get("on"),
        }
        for one in as_objects(canvas.get("images"))
    ]
    return {
        "id": identifier_of(canvas),
        "type": "Canvas",
        **_describe(canvas),
        "items": [{"items": annotations}],
        "annotations": as_list(canvas.get("otherContent")),
    }


def _body(resource: Any) -> Json:
    """Return what an annotation paints: an image, a choice of them, or a part of one."""
    if not isinstance(resource, dict):
        return {"id": as_text(resource), "type": "Image"}
    kinds = {as_text(kind).rpartition(":")[2] for kind in as_list(resource.get("@type"))}
    if "Choice" in kinds:
        offered = [resource.get("default"), *as_list(resource.get("item"))]
        return {"type": "Choice", "items": [_body(one) for one in offered if isinstance(one, dict)]}
    if "SpecificResource" in kinds and "full" in resource:
        return {
            "type": "SpecificResource",
            "source": _body(resource["full"]),
            "selector": resource.get("selector"),
            "style": resource.get("styleClass") or resource.get("style"),
        }
    kind = "Image" if kinds & {"Image", "StillImage"} else min(kinds, default="")
    return {**resource, "id": identifier_of(resource), "type": kind}


def _members(document: Json) -> Iterator[Json]:
    """Yield manifests and collections, in the order in which the document lists them."""
    for name in ("members", "collections", "manifests"):
        for one in as_list(document.get(name)):
            member = one if isinstance(one, dict) else {"@id": as_text(one)}
            default = {"collections": "Collection", "manifests": "Manifest"}.get(name, "")
            yield {
                "id": identifier_of(member),
                "type": _kind(member) or default,
                "label": texts(member.get("label")),
            }


def _links(value: Any) -> list[Json]:
    """Return links with texts that have languages; a homepage has to have a type."""
    links = []
    for one in as_list(value):
        described = one if isinstance(one, dict) else {}
        kind = as_text(described.get("@type")).rpartition(":")[2]
        links.append(
            {
                **{name: value for name, value in described.items() if name not in _OF_LINKS},
                "id": identifier_of(one),
                "type": kind or "Text",
                "label": texts(described.get("label")),
            }
        )
    return links


def texts(value: Any) -> dict[str, list[Any]]:
    """Return texts by language of one text or several, with or without languages (2.1, 4.3)."""
    found: dict[str, list[Any]] = {}
    for one in as_list(value):
        if isinstance(one, dict) and "@value" in one:
            language = as_text(one.get("@language")) or "none"
            found.setdefault(language, []).extend(as_list(one.get("@value")))
        else:
            found.setdefault("none", []).append(one)
    return {language: values for language, values in found.items() if values}
