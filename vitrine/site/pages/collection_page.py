"""The pages of a collection for people: a hundred members on each."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from vitrine.identify.public_image import visible_image
from vitrine.iiif.presentation.addresses import Addresses
from vitrine.iiif.presentation.model import Member, ObjectCollection
from vitrine.records import Live
from vitrine.site.pages.facet_values import PART_OF
from vitrine.site.pages.frame import Sharing, Site
from vitrine.site.pages.object_view import word
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.pictures import PictureSources, PublishedPicture
from vitrine.site.pages.rendering import render
from vitrine.site.pages.strings import strings, write_number
from vitrine.site.pages.wording import Wording, choose_wording
from vitrine.store.site_layout import collection_page_key, object_page_key, page_path
from vitrine.text.plain_texts import shorten
from vitrine.text.slugs import make_slug

MEMBERS = 100
"""Members on one page. Those of the documents for machines have a multiple of it."""
DESCRIPTION = 300


@dataclass(frozen=True)
class ListEntry:
    """A line of a list: an object or a collection."""

    path: str
    title: Wording
    offer: PictureSources | None
    note: str = ""


def count_html_pages(members: int) -> int:
    """Return the number of pages of a collection by its number of members, at least 1."""
    return max(1, -(-members // MEMBERS))


def write_collection_pages(
    collection: ObjectCollection,
    images: Mapping[str, Live],
    site: Site,
    numbers: Collection[int],
    absent: Collection[str] = (),
) -> list[PageFile]:
    """Return these pages of a collection in each language, without the members that are `absent`.

    `images` has those of the members on them, and the collection's own, by the names that it has.
    """
    return [
        _write(collection, images, site, language, number, absent)
        for number in numbers
        for language in site.theme.languages
    ]


def make_entry(member: Member, images: Mapping[str, Live], site: Site, language: str) -> ListEntry:
    """Return a member as lists show it."""
    key = (
        collection_page_key(member.identifier, language=site.suffix(language))
        if member.is_collection
        else object_page_key(member.identifier, site.suffix(language))
    )
    image = _public(images, member.image)
    kind = strings(language)["collection"] if member.is_collection else ""
    return ListEntry(
        page_path(key),
        choose_wording(member.label, language),
        site.picture(image).card() if image else None,
        " · ".join(filter(None, [kind, member.line])),
    )


def _write(
    collection: ObjectCollection,
    images: Mapping[str, Live],
    site: Site,
    language: str,
    number: int,
    absent: Collection[str],
) -> PageFile:
    pages, t = count_html_pages(len(collection.members)), strings(language)

    def path(page: int, of: str = language) -> str:
        return page_path(collection_page_key(collection.identifier, page, site.suffix(of)))

    members = [
        one
        for one in collection.members[(number - 1) * MEMBERS : number * MEMBERS]
        if one.identifier not in absent
    ]
    entries = [make_entry(one, images, site, language) for one in members]
    words, total = word(collection, language, site), len(collection.members)
    key = collection_page_key(collection.identifier, number, site.suffix(language))
    return PageFile(
        key,
        render(
            "collection.html",
            theme=site.theme,
            language=language,
            base=site.base,
            path=path(number),
            others={one: path(number, one) for one in site.theme.languages},
            words=words,
            entries=entries,
            first=(number - 1) * MEMBERS + 1,
            page_number=number,
            # Later pages name no total: one member more would change them all.
            count=t["object_one"]
            if total == 1
            else t["object_many"].format(count=write_number(total, language)),
            previous=path(number - 1) if number > 1 else "",
            next=path(number + 1) if number < pages else "",
            within=f"?in={PART_OF}:{make_slug(collection.identifier)}",
            picture=_picture(collection, members, images, site) if number == 1 else None,
            manifest=Addresses(site.base, 3).collection(collection.identifier),
            sharing=_share(collection, members, images, site, language),
        ),
    )


def _share(
    collection: ObjectCollection,
    members: Collection[Member],
    images: Mapping[str, Live],
    site: Site,
    language: str,
) -> Sharing:
    title = choose_wording(collection.label, language).plain
    summary = choose_wording(collection.summary, language).plain
    shown = ", ".join(choose_wording(one.label, language).plain for one in members)
    about = shorten(summary or shown, DESCRIPTION)
    picture = _picture(collection, members, images, site)
    if picture is None:
        return Sharing(title=title, description=about)
    width, height = size = picture.shared()
    address = site.base + picture.path(size)
    return Sharing(
        title=title, description=about, image=address, width=width, height=height, alt=title
    )


def _picture(
    collection: ObjectCollection,
    members: Collection[Member],
    images: Mapping[str, Live],
    site: Site,
) -> PublishedPicture | None:
    """Return the picture of a collection, or that of the first of its members that has one."""
    names = [collection.thumbnail, *(one.image for one in members)]
    image = next((one for name in names if (one := _public(images, name))), None)
    return site.picture(image) if image else None


def _public(images: Mapping[str, Live], name: str) -> Live | None:
    """Return an image, as everybody may see it."""
    return visible_image(images[name]) if name in images else None
