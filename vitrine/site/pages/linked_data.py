"""What an object's page says to search engines: schema.org, as JSON-LD."""

from typing import Any

from vitrine.iiif.presentation.model import PublishedObject
from vitrine.site.pages.frame import Site
from vitrine.site.pages.object_view import CanvasView, Wordings, manifest_address

MAX_IMAGES = 10
"""Images of a book that are described, the first ones."""


def describe_object(
    item: PublishedObject, words: Wordings, views: list[CanvasView], site: Site, path: str
) -> dict[str, Any]:
    """Return a VisualArtwork with its images and their licence (schema.org).

    Search engines show the licence of an image that has `license` and `acquireLicensePage`
    (developers.google.com/search/docs/appearance/structured-data/image-license-metadata).
    """
    shown = (view for view in views if view.picture and not view.picture.is_hidden)
    images = [_describe_image(view, words, site) for view in shown]
    providers = [
        {"@type": "Organization", "name": name.plain, "url": address}
        for name, address in words.providers
    ]
    document = {
        "@context": "https://schema.org",
        "@type": "VisualArtwork",
        "@id": site.base + path,
        "url": site.base + path,
        "identifier": item.identifier,
        "name": words.title.plain,
        "description": words.summary.plain,
        "license": words.rights.uri if words.rights else "",
        "creditText": words.required[1].plain if words.required else "",
        "provider": providers,
        "image": images[:MAX_IMAGES],
        "encoding": {
            "@type": "MediaObject",
            "encodingFormat": "application/ld+json",
            "contentUrl": manifest_address(item, site.base),
        },
    }
    return {name: value for name, value in document.items() if value}


def _describe_image(view: CanvasView, words: Wordings, site: Site) -> dict[str, Any]:
    assert view.picture, "another server's images are not described"
    width, height = view.picture.largest
    document = {
        "@type": "ImageObject",
        "contentUrl": site.base + view.picture.path(view.picture.largest),
        "thumbnailUrl": site.base + view.picture.card().source,
        "width": width,
        "height": height,
        "caption": view.alt,
        "license": words.rights.uri if words.rights else "",
        "acquireLicensePage": site.theme.licence_page,
        "creditText": words.required[1].plain if words.required else "",
        "copyrightNotice": words.required[1].plain if words.required else "",
    }
    return {name: value for name, value in document.items() if value}
