"""The page of an image under its own identifier: by itself, or leading to what shows it.

It follows from the image's record and from the objects' journal alone. Both are read again after
the page was written, until they are what it was written from: so the last to write has seen the
last change.

A page that was not there before leads to the object that creates it, without a look at others: all
of them write the page after they have changed, so the last one of them finds it and looks. Only the
image itself is looked at again: it may have been closed before there was a page to be replaced.
"""

from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from vitrine.catalogue.records import Described, Item, ObjectRecord, painted_images
from vitrine.catalogue.statements import Catalogue
from vitrine.identify.public_image import described_image
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.iiif.presentation.model import PublishedObject, object_of_image
from vitrine.records import Gone, Live, Record, Redirect, Removed
from vitrine.site.pages.page_writer import PageWriter
from vitrine.store.layout import image_subject
from vitrine.store.publications import Kind, Moved, Waiting, Withdrawn
from vitrine.store.revisions import Revisions

THREADS = 16
MAX_USERS = 1_000
"""Objects that are looked at; more show one image only if it stands for missing ones."""


@dataclass(frozen=True)
class ImageState:
    """What the page of an image depends on."""

    image: Record | None = None
    """Record of a published image as far as pages may use it; for an image that needs a right they
    show the way in."""
    is_closed: bool = False
    """True if that is nothing."""
    is_object: bool = False
    """True if an object has the same identifier, and so the page."""
    is_collection: bool = False
    shown_by: str = ""
    """The object that the page leads to: the first of those that show it, or else once did."""
    is_shown: bool = False
    """True if that object shows it now."""


@dataclass(frozen=True, kw_only=True)
class ImagePages:
    """Brings the pages of images up to date."""

    writer: PageWriter
    catalogue: Catalogue
    identifiers: ShownIdentifiers
    rights: str
    """URI of the rights of what names none."""

    @property
    def journal(self) -> Revisions[ObjectRecord]:
        """The journal of objects."""
        return self.catalogue.journal

    def update(self, image: str, known: ObjectRecord | None = None) -> tuple[int, ImageState]:
        """Write what differs; return how many files that were, and the state that they show.

        `known` is the newest record of an object, if that was just read. Raises TransientError.
        """
        total, state = 0, self._read_state(image, known)
        while written := self._write(image, state):
            total += written
            read = self._read_state(image, known)
            if read == state:
                break
            state = read
        return total, state

    def create_leading(
        self, record: ObjectRecord, images: Mapping[str, Live], names: Collection[str]
    ) -> set[str]:
        """Have those of the names that are images without a page lead to a record showing them.

        `images` are those that the record names, as they were after it was read. Return the names
        whose page is complete by that. Raises TransientError.
        """
        shown = {images[name].identifier for name in painted_images(record) & images.keys()}
        leading = sorted(shown.intersection(names))
        if not leading:
            return set()

        def create(image: str) -> bool:
            return self.writer.create_leading(image, record.identifier)

        with ThreadPoolExecutor(THREADS, thread_name_prefix="leading") as threads:
            made = zip(leading, threads.map(create, leading), strict=True)
            created = [image for image, is_created in made if is_created]
        found = self.identifiers.get_many(created, consistent=True) if created else {}
        return {
            name for name, one in found.items() if isinstance(one, Live) and described_image(one)
        }

    def _write(self, image: str, state: ImageState) -> int:
        if state.is_object:
            return 0
        absent: Moved | Withdrawn | Waiting
        match state.image:
            case Live(revision=revision) if state.is_closed:
                absent = Waiting(revision=revision)
            case Live() if state.shown_by:
                return self.writer.write_leading(image, state.shown_by, is_shown=state.is_shown)
            case Live() as live:
                return self.writer.write_object(object_of_image(image, self.rights), [live])
            case _ if state.is_collection:
                return self.writer.write_other_kind(image, "manifest")
            case Gone(reason=reason, changed_at=since, revision=revision):
                absent = Withdrawn(revision=revision, reason=reason, since=since)
            case Redirect(target=target, revision=revision):
                absent = Moved(revision=revision, target=target)
            case Removed(changed_at=since, revision=revision):
                absent = Withdrawn(revision=revision, reason="", since=since)
            case _:
                return 0
        return self.writer.write_absent(image, "manifest", absent, is_replacement=True)

    def _read_state(self, image: str, known: ObjectRecord | None) -> ImageState:
        kind = kind_of(last_item(self.journal, image))
        if kind == "manifest":
            return ImageState(is_object=True)
        record = self.identifiers.get(image)
        is_collection = kind == "collection"
        if not isinstance(record, Live):
            return ImageState(record, is_collection=is_collection)
        described = described_image(record)
        if described is None:
            return ImageState(record, is_closed=True, is_collection=is_collection)
        shown_by, is_shown = self._find_object(image, known)
        return ImageState(
            described, is_collection=is_collection, shown_by=shown_by, is_shown=is_shown
        )

    def _find_object(self, image: str, known: ObjectRecord | None) -> tuple[str, bool]:
        """Return the object whose page shows an image, and whether it does so now."""
        names = {image, *(one.identifier for one in self.identifiers.redirects_to(image))}
        once = ""
        for user in self._list_users(names):
            is_known = known is not None and known.identifier == user
            match known if is_known else self.journal.latest(user):
                case Described(item=PublishedObject() as item):
                    if any(canvas.image in names for canvas in item.canvases):
                        return user, True
                case Described() | None:
                    continue
                case _ if not isinstance(last_item(self.journal, user), PublishedObject):
                    continue
            # A collection that had this identifier may have had the image for a picture.
            if not once and any(names & painted_images(one) for one in self.journal.history(user)):
                once = user
        return once, False

    def _list_users(self, names: Collection[str]) -> list[str]:
        """Return what shows one of these images, or once did, by the time since when."""
        since = [
            (moment, user)
            for name in names
            for user, moment in self.catalogue.said_since(image_subject(name)).items()
        ]
        return list(islice(dict.fromkeys(user for _, user in sorted(since)), MAX_USERS))


def last_item(journal: Revisions[ObjectRecord], identifier: str) -> Item | None:
    """Return what an identifier showed last; None if it never showed anything."""
    newest = journal.newest_first(identifier)
    return next((one.item for one in newest if isinstance(one, Described)), None)


def kind_of(item: Item | None) -> Kind | None:
    """Return which kind of page an item has."""
    if item is None:
        return None
    return "manifest" if isinstance(item, PublishedObject) else "collection"
