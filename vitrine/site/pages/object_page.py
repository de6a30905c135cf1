"""The pages of an object: its own in each language, the one that others frame, and oEmbed's."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from vitrine.iiif.presentation.addresses import NEWEST, inside_path
from vitrine.iiif.presentation.model import PublishedObject
from vitrine.records import Live
from vitrine.site.pages.citation import cite_object
from vitrine.site.pages.frame import Sharing, Site
from vitrine.site.pages.linked_data import describe_object
from vitrine.site.pages.object_view import (
    CanvasView,
    WholeFile,
    Wordings,
    list_chapters,
    list_files,
    list_views,
    manifest_address,
    word,
)
from vitrine.site.pages.page_files import JSON, PageFile
from vitrine.site.pages.rendering import render
from vitrine.site.pages.wording import join_plain
from vitrine.store.site_layout import embed_page_key, object_page_key, oembed_key, page_path
from vitrine.text.plain_texts import shorten

FRAME = (800, 600)
"""Width and height in pixels of what others embed, unless they say otherwise."""
DESCRIPTION = 300
"""Characters of what search engines and other sites show of an object."""


def write_object_pages(
    item: PublishedObject, images: Mapping[str, Live], site: Site, *, is_searched: bool
) -> list[PageFile]:
    """Return all files of an object that is to be seen.

    `images` has all that it names, by their present identifiers. `is_searched` if the texts of its
    pages are in an index.
    """
    theme = site.theme
    keys = {
        language: object_page_key(item.identifier, site.suffix(language))
        for language in theme.languages
    }
    whole = list_files(item, images, site, is_searched=is_searched)
    searched_at = _search_path(item) if is_searched else ""
    seen = {
        language: _Seen(
            word(item, language, site), list_views(item, images, site, language), whole, searched_at
        )
        for language in theme.languages
    }
    files = [
        PageFile(keys[language], _write_page(item, seen[language], site, language, keys))
        for language in theme.languages
    ]
    first = seen[theme.language]
    embed = PageFile(embed_page_key(item.identifier), _write_embed(item, first, site))
    oembed = PageFile(
        oembed_key(item.identifier), _write_oembed(item, first, site), content_type=JSON
    )
    return [*files, embed, oembed]


class _Seen(NamedTuple):
    """What people see of an object in one language."""

    words: Wordings
    views: list[CanvasView]
    files: list[WholeFile]
    searched_at: str
    """Path of what searches in the texts of its pages; empty if nothing does."""


def _write_page(
    item: PublishedObject,
    seen: _Seen,
    site: Site,
    language: str,
    keys: Mapping[str, str],
) -> bytes:
    words, views = seen.words, seen.views
    paths = {one: page_path(key) for one, key in keys.items()}
    return render(
        "object.html",
        theme=site.theme,
        language=language,
        base=site.base,
        path=paths[language],
        others=paths,
        item=item,
        words=words,
        views=views,
        more=len(item.canvases) - len(views),
        chapters=list_chapters(item.ranges, language),
        citation=cite_object(item, words, site, paths[language]),
        files=seen.files,
        is_listed=any(any(value.paths) for _, value in words.metadata),
        suffix=f"/{site.suffix(language)}" if site.suffix(language) else "",
        manifest=manifest_address(item, site.base),
        searched_at=seen.searched_at,
        sharing=_share(words, views, site),
        linked_data=describe_object(item, words, views, site, paths[language]),
        oembed_address=site.base + page_path(oembed_key(item.identifier)),
        frame_code=frame_code(site.base + page_path(embed_page_key(item.identifier)), words),
    )


def _search_path(item: PublishedObject) -> str:
    """Return the path of what searches in the texts of an object's pages; "" if it has none."""
    if not any(canvas.text for canvas in item.canvases):
        return ""
    return inside_path(NEWEST, item.identifier, "search-2")


def _write_embed(item: PublishedObject, seen: _Seen, site: Site) -> bytes:
    return render(
        "embed.html",
        theme=site.theme,
        language=site.theme.language,
        base=site.base,
        path=page_path(embed_page_key(item.identifier)),
        item=item,
        words=seen.words,
        views=seen.views,
        manifest=manifest_address(item, site.base),
        searched_at=seen.searched_at,
        page=page_path(object_page_key(item.identifier)),
    )


def _write_oembed(item: PublishedObject, seen: _Seen, site: Site) -> bytes:
    """Return what consumers of oEmbed read (https://oembed.com, section 2.3, type `rich`)."""
    width, height = FRAME
    sharing = _share(seen.words, seen.views, site)
    document = {
        "version": "1.0",
        "type": "rich",
        "title": seen.words.title.plain,
        "provider_name": site.theme.name,
        "provider_url": f"{site.base}/",
        "html": frame_code(site.base + page_path(embed_page_key(item.identifier)), seen.words),
        "width": width,
        "height": height,
    }
    if sharing.image:
        document |= {
            "thumbnail_url": sharing.image,
            "thumbnail_width": sharing.width,
            "thumbnail_height": sharing.height,
        }
    return json.dumps(document, ensure_ascii=False).encode()


def frame_code(address: str, wordings: Wordings) -> str:
    """Return the HTML that shows an object on a page of others."""
    width, height = FRAME
    title = wordings.title.plain.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return (
        f'<iframe src="{address}" title="{title}" width="{width}" height="{height}" '
        'style="border:0;max-width:100%" allow="fullscreen" loading="lazy"></iframe>'
    )


def _share(wordings: Wordings, views: list[CanvasView], site: Site) -> Sharing:
    described = wordings.summary.plain or join_plain(value for _, value in wordings.metadata)
    shown = next((view for view in views if view.picture and not view.picture.is_hidden), None)
    title, about = wordings.title.plain, shorten(described, DESCRIPTION)
    if shown is None or shown.picture is None:
        return Sharing(title=title, description=about)
    width, height = size = shown.picture.shared()
    return Sharing(
        title=title,
        description=about,
        image=site.base + shown.picture.path(size),
        width=width,
        height=height,
        alt=shown.alt,
    )
