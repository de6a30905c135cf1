"""The first page: collections, the newest objects, and images that no object shows yet."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from vitrine.iiif.paths import image_path
from vitrine.iiif.presentation.model import Texts
from vitrine.iiif.version import V3
from vitrine.site.home_list import Entry, HomeLists
from vitrine.site.pages.absent_page import write_dropped_pages
from vitrine.site.pages.collection_page import ListEntry
from vitrine.site.pages.frame import Sharing
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.pictures import PictureSources, offer_held_sizes
from vitrine.site.pages.rendering import render
from vitrine.site.pages.theme import Theme
from vitrine.site.pages.wording import Wording, choose_wording
from vitrine.store.site_layout import collection_page_key, home_page_key, object_page_key, page_path

COLLECTIONS, OBJECTS, IMAGES = 24, 24, 48
"""Entries of the list that are shown."""
MIN_WIDTH = 200
"""Pixels of the smaller of two thumbnails: two stand next to each other on a phone."""
SIDES = (400, 800)
"""Bounds of the images' thumbnails, the same for everyone, so that the edge keeps few."""


def write_home_pages(
    shown: HomeLists, theme: Theme, base: str, chosen: Entry | None = None
) -> list[PageFile]:
    """Return the first page in each language. `base` is scheme and host.

    `chosen` is the object whose picture is shown large; without it, the newest one's is.
    """
    keys = {language: home_page_key(theme.suffix(language)) for language in theme.languages}
    paths = {
        language: "/" if language == theme.language else page_path(key)
        for language, key in keys.items()
    }
    pages = [
        PageFile(key, _write(shown, theme, base, language, paths, chosen))
        for language, key in keys.items()
    ]
    return pages + write_dropped_pages(home_page_key, "/", theme, base)


def _write(
    shown: HomeLists,
    theme: Theme,
    base: str,
    language: str,
    paths: Mapping[str, str],
    chosen: Entry | None,
) -> bytes:
    suffix = theme.suffix(language)
    objects = [
        _object(one, language, lambda name: object_page_key(name, suffix))
        for one in shown.objects[:OBJECTS]
    ]
    collections = [
        _object(one, language, lambda name: collection_page_key(name, language=suffix))
        for one in shown.collections[:COLLECTIONS]
    ]
    intro = theme.intro.get(language) or theme.intro.get(theme.language, "")
    candidates = [*([chosen] if chosen else []), *shown.objects[:1]]
    hero = next((one for one in candidates if _is_ours(one, base)), None)
    return render(
        "home.html",
        theme=theme,
        language=language,
        base=base,
        path=paths[language],
        others=paths,
        intro=intro,
        hero=_hero(hero, language, suffix) if hero else None,
        collections=collections,
        objects=objects,
        images=[_image(one, suffix) for one in shown.images[:IMAGES]],
        sharing=Sharing(title=theme.name, description=intro),
    )


def _is_ours(entry: Entry, base: str) -> bool:
    """Return True if the first picture of an object is an image of this service."""
    return bool(entry.get("picture", {"id": ""})["id"].startswith(f"{base}/"))


def _hero(entry: Entry, language: str, suffix: str) -> ListEntry:
    """Return an object with its first picture in the sizes that are held of it."""
    picture = entry["picture"]
    listed = _object(entry, language, lambda name: object_page_key(name, suffix))
    offer = offer_held_sizes(urlsplit(picture["id"]).path, picture["width"], picture["height"])
    return replace(listed, offer=offer)


def check_entry(entry: Mapping[str, Any]) -> None:
    """Raise what showing an object or a collection on the page would raise."""
    _object(entry, "en", lambda name: name)


def _object(entry: Mapping[str, Any], language: str, key: Callable[[str], str]) -> ListEntry:
    label: Texts = {code: tuple(values) for code, values in entry["label"].items()}
    thumbnail = entry.get("thumbnail")
    return ListEntry(
        page_path(key(entry["identifier"])),
        choose_wording(label, language),
        _offer(thumbnail) if thumbnail else None,
        entry.get("line", ""),
    )


def _offer(thumbnail: Mapping[str, Any]) -> PictureSources:
    """Return the thumbnail of a manifest, and the next smaller level of the image for phones."""
    path, size = urlsplit(thumbnail["id"]).path, (thumbnail["width"], thumbnail["height"])
    width, height = (-(-side // 2) for side in size)
    named, choices = f"/full/{size[0]},{size[1]}/", [(path, size[0])]
    if named in path and width >= MIN_WIDTH:
        choices.insert(0, (path.replace(named, f"/full/{width},{height}/"), width))
    return PictureSources(path, ", ".join(f"{one} {across}w" for one, across in choices), *size)


def _image(entry: Mapping[str, Any], suffix: str) -> ListEntry:
    identifier, width, height = entry["identifier"], entry["width"], entry["height"]
    service, longest = image_path(V3, identifier), max(width, height)
    choices = [
        (f"{service}/full/!{side},{side}/0/default.jpg", max(1, round(side * width / longest)))
        for side in SIDES
        if side < longest
    ] or [(f"{service}/full/max/0/default.jpg", width)]
    return ListEntry(
        page_path(object_page_key(identifier, suffix)),
        Wording((identifier,), is_literal=True),
        PictureSources(
            choices[0][0], ", ".join(f"{path} {across}w" for path, across in choices), width, height
        ),
    )
