"""What stands where the page of an object or collection was: why it is not there, or where it is.

Nothing that was once an address may answer as if it had never been one; no role of ours deletes
files.
"""

from collections.abc import Callable
from dataclasses import replace

from vitrine.site.pages.frame import Site
from vitrine.site.pages.object_view import image_anchor
from vitrine.site.pages.page_files import JSON, PageFile
from vitrine.site.pages.rendering import render
from vitrine.site.pages.theme import Theme
from vitrine.store.publications import Kind, Moved, Waiting, Withdrawn
from vitrine.store.site_layout import (
    collection_page_key,
    embed_page_key,
    object_page_key,
    oembed_key,
    page_path,
)

NOTHING_TO_FRAME = b'{"version": "1.0", "type": "link"}'
"""oEmbed of what cannot be embedded: a link to its page, no more (oembed.com, section 2.3.4.3)."""
OTHER_KIND: dict[Kind, Kind] = {"manifest": "collection", "collection": "manifest"}


def write_absent_pages(
    identifier: str, kind: Kind, publication: Moved | Withdrawn | Waiting, site: Site
) -> list[PageFile]:
    """Return what replaces the pages of what was an object or a collection."""

    def write(place: str, language: str) -> PageFile:
        key = _key(identifier, place, site.suffix(language))
        if isinstance(publication, Moved):
            target = page_path(_key(publication.target, place, site.suffix(language)))
            return _redirect(key, target, site, language, status=301)
        return _notice(key, kind, publication, site, language, is_framed=place == "embed")

    return _of_each_address(identifier, kind, site, write)


def write_leading_pages(
    image: str, object_: str, site: Site, *, is_shown: bool = True
) -> list[PageFile]:
    """Return the pages of an image that an object shows, or once did: they lead there.

    Only its first page is written where none was: programs lead people there.
    """

    def write(place: str, language: str) -> PageFile:
        return _lead(image, object_, site, place, language, is_shown=is_shown)

    first, *others = _of_each_address(image, "manifest", site, write)
    return [first, *as_replacements(others)]


def write_leading_page(image: str, object_: str, site: Site) -> PageFile:
    """Return the first of these pages."""
    return _lead(image, object_, site, "manifest", site.theme.language, is_shown=True)


def _lead(
    image: str, object_: str, site: Site, place: str, language: str, *, is_shown: bool
) -> PageFile:
    suffix = site.suffix(language)
    fragment = f"#{image_anchor(image)}" if is_shown else ""
    target = page_path(_key(object_, place, suffix)) + fragment
    return _redirect(_key(image, place, suffix), target, site, language)


def write_other_kind(identifier: str, kind: Kind, site: Site) -> list[PageFile]:
    """Return what replaces the pages of an object that became a collection, or the reverse.

    `kind` is what it was.
    """

    def write(place: str, language: str) -> PageFile:
        suffix = site.suffix(language)
        target = page_path(_key(identifier, OTHER_KIND[kind], suffix))
        return _redirect(
            _key(identifier, place, suffix), target, site, language, is_framed=place == "embed"
        )

    return as_replacements(_of_each_address(identifier, kind, site, write))


def write_emptied_pages(identifier: str, number: int, site: Site) -> list[PageFile]:
    """Return what replaces a page that a collection, grown shorter, no longer has."""
    files = [
        _redirect(
            collection_page_key(identifier, number, site.suffix(language)),
            page_path(collection_page_key(identifier, language=site.suffix(language))),
            site,
            language,
        )
        for language in site.theme.languages
    ] + write_dropped_languages(identifier, "collection", site, number)
    return as_replacements(files)


def write_dropped_languages(
    identifier: str, kind: Kind, site: Site, number: int = 1
) -> list[PageFile]:
    """Return what replaces pages in languages that the site once had: they lead to its first."""

    def key(suffix: str) -> str:
        if kind == "collection":
            return collection_page_key(identifier, number, suffix)
        return object_page_key(identifier, suffix)

    return write_dropped_pages(key, page_path(key("")), site.theme, site.base)


def write_dropped_pages(
    key: Callable[[str], str], path: str, theme: Theme, base: str
) -> list[PageFile]:
    """Return what replaces a page in languages that the site once had: it leads to a path."""
    files = [
        PageFile(
            key(suffix),
            _absent(theme, base, theme.language, state="moved", target=path),
            status=302,
            location=path,
        )
        for suffix in theme.dropped_suffixes
    ]
    return as_replacements(files)


def _of_each_address(
    identifier: str, kind: Kind, site: Site, write: Callable[[str, str], PageFile]
) -> list[PageFile]:
    """Return a file for each address; `write` gets the kind of page and the language."""
    files = [write(kind, language) for language in site.theme.languages]
    if kind == "manifest":
        files.append(write("embed", site.theme.language))
        files.append(PageFile(oembed_key(identifier), NOTHING_TO_FRAME, JSON))
    return files + write_dropped_languages(identifier, kind, site)


def as_replacements(files: list[PageFile]) -> list[PageFile]:
    """Return the files, each to be written only where there is something."""
    return [replace(file, is_replacement=True) for file in files]


def _key(identifier: str, place: str, suffix: str) -> str:
    if place == "collection":
        return collection_page_key(identifier, language=suffix)
    if place == "embed":
        return embed_page_key(identifier)
    return object_page_key(identifier, suffix)


def _notice(
    key: str,
    kind: Kind,
    publication: Withdrawn | Waiting,
    site: Site,
    language: str,
    *,
    is_framed: bool,
) -> PageFile:
    is_gone = isinstance(publication, Withdrawn)
    gone = "gone_collection" if kind == "collection" else "gone"
    page = _absent(
        site.theme,
        site.base,
        language,
        state=gone if is_gone else "waiting",
        reason=publication.reason if isinstance(publication, Withdrawn) else "",
        is_framed=is_framed,
    )
    # What waits has not been seen by anybody yet.
    return PageFile(key, page, status=410 if is_gone else 404)


def _redirect(
    key: str,
    target: str,
    site: Site,
    language: str,
    *,
    status: int = 302,
    is_framed: bool = False,
) -> PageFile:
    """Return a page that leads to a path at once; in a frame that may not show it, by a link."""
    page = _absent(
        site.theme, site.base, language, state="moved", target=target, is_framed=is_framed
    )
    if is_framed:
        return PageFile(key, page)
    return PageFile(key, page, status=status, location=target)


def _absent(
    theme: Theme,
    base: str,
    language: str,
    *,
    state: str,
    reason: str = "",
    target: str = "",
    is_framed: bool = False,
) -> bytes:
    return render(
        "absent.html",
        theme=theme,
        language=language,
        base=base,
        state=state,
        reason=reason,
        target=target,
        is_framed=is_framed,
    )
