"""What stands where the page of an object or collection was: why it is not there, or where it is.

Nothing that was once an address may answer as if it had never been one; no role of ours deletes
files.
"""

from vitrine.present.pages.frame import Site
from vitrine.present.pages.page_files import JSON, PageFile
from vitrine.present.pages.rendering import render
from vitrine.store.layout import (
    collection_page_key,
    embed_page_key,
    object_page_key,
    oembed_key,
    page_path,
)
from vitrine.store.publications import Kind, Moved, Waiting, Withdrawn


def write_absent_pages(
    identifier: str, kind: Kind, publication: Moved | Withdrawn | Waiting, site: Site
) -> list[PageFile]:
    """Return what replaces the pages of what was an object or a collection."""
    files = [
        _write(_key(identifier, kind, site, language), kind, publication, site, language)
        for language in site.theme.languages
    ]
    if kind == "collection":
        return files
    embed = _write(embed_page_key(identifier), "embed", publication, site, site.theme.language)
    return [*files, embed, PageFile(oembed_key(identifier), b"{}", JSON)]


def write_emptied_page(identifier: str, number: int, site: Site) -> list[PageFile]:
    """Return what replaces a page that a collection, grown shorter, has no more."""
    return [
        _redirect(
            collection_page_key(identifier, number, site.suffix(language)),
            page_path(collection_page_key(identifier, language=site.suffix(language))),
            site,
            language,
        )
        for language in site.theme.languages
    ]


def write_leading_page(identifier: str, path: str, site: Site) -> PageFile:
    """Return the page of an image that an object shows: it leads there."""
    return _redirect(object_page_key(identifier), path, site, site.theme.language)


def _key(identifier: str, kind: str, site: Site, language: str) -> str:
    if kind == "collection":
        return collection_page_key(identifier, language=site.suffix(language))
    if kind == "embed":
        return embed_page_key(identifier)
    return object_page_key(identifier, site.suffix(language))


def _write(
    key: str,
    kind: str,
    publication: Moved | Withdrawn | Waiting,
    site: Site,
    language: str,
) -> PageFile:
    if isinstance(publication, Moved):
        path = page_path(_key(publication.target, kind, site, language))
        return _redirect(key, path, site, language)
    reason = publication.reason if isinstance(publication, Withdrawn) else ""
    return PageFile(
        key,
        render(
            "absent.html",
            theme=site.theme,
            language=language,
            base=site.base,
            state="gone" if isinstance(publication, Withdrawn) else "waiting",
            reason=reason,
            target="",
        ),
    )


def _redirect(key: str, path: str, site: Site, language: str) -> PageFile:
    page = render(
        "absent.html",
        theme=site.theme,
        language=language,
        base=site.base,
        state="moved",
        reason="",
        target=path,
    )
    return PageFile(key, page)
