"""Annotations as Presentation 2 and Open Annotation write them, in the words of W3C annotations.

https://iiif.io/api/presentation/2.1/#annotation-list, and
http://www.openannotation.org/spec/core/. What has no counterpart stays as it is: who reads it
afterwards names it.
"""

from typing import Any

Json = dict[str, Any]
_LIST, _ANNOTATION = "sc:AnnotationList", "oa:Annotation"
_KINDS = {"MovingImage": "Video"}
_SAME = ("format", "language")
_MOMENTS = {
    "created": ("created", "dcterms:created", "annotatedAt", "oa:annotatedAt"),
    "modified": ("modified", "dcterms:modified"),
}


def list_older(document: object) -> list[Any] | None:
    """Return the annotations of a list of Presentation 2, or the one that a file has, as they are.

    None for another document.
    """
    if not isinstance(document, dict):
        return None
    if _LIST in _types(document):
        resources = document.get("resources")
        return resources if isinstance(resources, list) else None
    return [document] if _ANNOTATION in _types(document) else None


def modernise(annotation: Json) -> Json:
    """Return an annotation in the words of W3C annotations; one of those as it is."""
    if _ANNOTATION not in _types(annotation):
        return annotation
    bodies = [_body(one) for body in _listed(annotation.get("resource")) for one in _choices(body)]
    motivations = _listed(annotation.get("motivation"))
    if "sc:painting" in motivations and bodies and all(map(_is_text, bodies)):
        # What is painted is a picture; a text is what stands on it.
        motivations = ["sc:supplementing"]
    found = {
        "id": annotation.get("@id"),
        "motivation": motivations,
        "body": bodies,
        "target": [_target(one) for one in _listed(annotation.get("on"))],
        "creator": _creator(annotation),
    }
    for name, spellings in _MOMENTS.items():
        found[name] = next((annotation[one] for one in spellings if one in annotation), None)
    return {name: value for name, value in found.items() if value not in (None, [])}


def _body(body: Any) -> Any:
    if isinstance(body, dict) and "oa:SpecificResource" in _types(body):
        body = body.get("full")
    if not isinstance(body, dict):
        return body
    types = _types(body)
    text = body.get("chars", body.get("cnt:chars"))
    same = {name: body[name] for name in _SAME if name in body}
    if text is not None:
        tag = {"purpose": "tagging"} if "oa:Tag" in types else {}
        return {"type": "TextualBody", "value": text, **same, **tag}
    kinds = [one.removeprefix("dctypes:") for one in types if one.startswith("dctypes:")]
    kind = {"type": _KINDS.get(kinds[0], kinds[0])} if kinds else {}
    return {"id": body.get("@id"), **kind, **same}


def _target(target: Any) -> Any:
    if not isinstance(target, dict):
        return target
    if "full" not in target:
        return {"id": target.get("@id")}
    full = target["full"]
    source = full.get("@id") if isinstance(full, dict) else full
    selectors = [
        _selector(one) for selector in _listed(target.get("selector")) for one in _choices(selector)
    ]
    return {"source": source, "selector": selectors}


def _selector(selector: Any) -> Any:
    if not isinstance(selector, dict):
        return selector
    kinds = [one.removeprefix("oa:") for one in _types(selector) if one.startswith("oa:")]
    value = selector.get("value", selector.get("chars"))
    return {"type": kinds[0] if kinds else None, "value": value}


def _choices(value: Any) -> list[Any]:
    """Return all that there is to choose from, the default first."""
    if isinstance(value, dict) and "oa:Choice" in _types(value):
        items = [*_listed(value.get("default")), *_listed(value.get("item"))]
        return [one for one in items if one != "rdf:nil"]
    return [value]


def _creator(annotation: Json) -> Any:
    creator = annotation.get("annotatedBy", annotation.get("oa:annotatedBy"))
    if isinstance(creator, dict):
        name = creator.get("name", creator.get("foaf:name"))
        return {"name": name} if name else {"id": creator.get("@id")}
    return creator


def _is_text(body: Any) -> bool:
    return isinstance(body, dict) and body.get("type") == "TextualBody"


def _types(value: Json) -> list[str]:
    return [one for one in _listed(value.get("@type")) if isinstance(one, str)]


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
