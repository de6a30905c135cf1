"""A manuscript of somebody else, as its manifest of version 2.1 describes it."""

import json
from typing import Any

from vitrine.catalogue.cleaning import clean_item
from vitrine.catalogue.rules import find_faults
from vitrine.sources.iiif.read_manifest import ReadManifest, parse_document, read_manifest

SERVICE = "https://a.example/iiif/2/ms1%2F001r.jp2"


def read(document: dict[str, Any]) -> ReadManifest:
    found = read_manifest(parse_document(json.dumps(document).encode()))
    assert list(find_faults(clean_item(found.item))) == []
    return found


def version2(**more: Any) -> dict[str, Any]:
    """A manuscript of two pages as version 2.1 has it."""
    return {
        "@context": "http://iiif.io/api/presentation/2/context.json",
        "@id": "https://a.example/iiif/ms1/manifest.json",
        "@type": "sc:Manifest",
        "label": [
            {"@value": "Psalter", "@language": "en"},
            {"@value": "Zaltár", "@language": "cs"},
        ],
        "sequences": [{"canvases": [canvas2("001r"), canvas2("001v")]}],
        **more,
    }


def canvas2(name: str, **resource: Any) -> dict[str, Any]:
    service = SERVICE.replace("001r", name)
    image = {
        "@id": f"{service}/full/full/0/default.jpg",
        "@type": "dctypes:Image",
        "service": image_service(service),
    }
    canvas = f"https://a.example/canvas/{name}"
    images = [{"motivation": "sc:painting", "on": canvas, "resource": resource or image}]
    return {"@id": canvas, "@type": "sc:Canvas", "label": name, "images": images}


def image_service(address: str) -> dict[str, str]:
    return {
        "@context": "http://iiif.io/api/image/2/context.json",
        "@id": address,
        "profile": "http://iiif.io/api/image/2/level2.json",
    }
