"""One bad object stops no part of the service: the others are served, and it is named and why."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import brotli
import msgspec
import pytest

from tests.unit.catalogue.object_bench import BASE, ObjectBench, book
from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.catalogue.outdated_pages import publish_changed_images, try_updating_outdated
from vitrine.catalogue.rebuild import rebuild_publications
from vitrine.errors import (
    ObjectMissing,
    RecordDamaged,
    ServiceRefused,
    TransientError,
    VitrineError,
)
from vitrine.events import PagesOutdated
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection
from vitrine.search.full_text.update import update_full_text
from vitrine.search.titles.update import update_search
from vitrine.site.dumps.update import update_dumps
from vitrine.site.gallery import update_gallery
from vitrine.slices import WHOLE
from vitrine.store.clock import now
from vitrine.store.layout import OBJECTS, journal_key, publication_key, text_index_key
from vitrine.store.omissions import (
    DUMPS,
    FAULTS,
    FIRST_PAGE,
    IMAGE_PAGES,
    MAX_OMISSIONS,
    MAX_REASON_LENGTH,
    PARTS,
    PUBLISHER,
    RULES,
    SEARCH,
    TEXT_SEARCH,
    Omissions,
    describe_fault,
    read_omissions,
)
from vitrine.store.publications import Published, decode_publication, encode_publication
from vitrine.store.site_layout import OMISSIONS

NAMES = ("left", "middle", "right")
BAD = "middle"


class Bench(ObjectBench):
    """A closed collection of three objects, of an image each."""

    def __init__(self) -> None:
        super().__init__(*(f"image-of-{name}" for name in NAMES))
        for name in NAMES:
            self.objects.put(self.item(name))
        members = tuple(Member(identifier=name, label={"en": (name,)}) for name in NAMES)
        shelf = ObjectCollection(identifier="shelf", label={"en": ("Shelf",)}, members=members)
        self.objects.put(msgspec.structs.replace(shelf, access="closed"))
        self.sound = self.site.get(publication_key(BAD))[0]

    def item(self, name: str, title: str = "A book") -> Any:
        canvases = (Canvas(image=f"image-of-{name}"),)
        return book(name, title, canvases=canvases, part_of=("shelf",))

    def publication(self, **changes: Any) -> None:
        """Replace what is published of the bad object."""
        publication = msgspec.structs.replace(decode_publication(self.sound), **changes)
        self.site.put(publication_key(BAD), encode_publication(publication), content_type="x/y")

    def left_out(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for part, omission in read_omissions(self.site):
            assert omission.reason, part
            found.setdefault(part, set()).add(omission.identifier)
        return found


def damage_publication(bench: Bench) -> None:
    bench.site.put(publication_key(BAD), b"\xc1damaged", content_type="x/y")


def lose_text_index(bench: Bench) -> None:
    bench.publication(text_index="lost")


def damage_text_index(bench: Bench) -> None:
    bench.publication(text_index="bad")
    bench.site.put(text_index_key(BAD, "bad"), b"no index", content_type="x/y")


def name_impossible_thumbnail(bench: Bench) -> None:
    """As a manifest of another server may have it: no library takes this address apart."""
    publication = decode_publication(bench.sound)
    assert isinstance(publication, Published)
    document = json.loads(brotli.decompress(publication.documents[3]))
    document["thumbnail"][0]["id"] = "https://[images/full/2,2/0/default.jpg"
    body = brotli.compress(json.dumps(document).encode())
    bench.publication(documents={**publication.documents, 3: body})


def damage_record(bench: Bench) -> None:
    key = journal_key(BAD, bench.publisher.journal.find_newest([BAD])[BAD], OBJECTS)
    bench.records.put(key, b'{"item": 1', content_type="application/json")
    bench.begin_process()


def damage_item(bench: Bench) -> None:
    """Damage what the table of identifiers has of the image."""
    bench.identifiers.damage(f"image-of-{BAD}")


def images() -> set[str]:
    return {f"image-of-{name}" for name in NAMES}


def change_images(bench: Bench) -> None:
    for name in images():
        found = bench.identifiers.get_many([name])
        if not isinstance(found[name], RecordDamaged):
            bench.write(live(name, 1200, 900, revision=2))


def publish_images(bench: Bench) -> None:
    change_images(bench)
    publish_changed_images(bench.publisher, images())


def rebuild_all(bench: Bench) -> None:
    change_images(bench)
    rebuild_publications(bench.publisher)


def give_rules(bench: Bench) -> None:
    for name in images():
        bench.write(live(name, 800, 600, revision=2))
    record = bench.publisher.journal.latest("shelf")
    assert record
    bench.publisher.memberships.prepare(None, record)


def rename_shelf(bench: Bench) -> None:
    outdated = PagesOutdated(identifier="shelf", revision=1, since=0, pages="members")
    try_updating_outdated(bench.publisher, outdated, WHOLE)


def list_newest(bench: Bench) -> None:
    services = bench.gallery(3)
    update_gallery(services, NAMES)


def is_shown(bench: Bench, name: str) -> bool:
    listing = json.loads(bench.site.get("gallery.json")[0])
    return name in {one["identifier"] for one in listing["objects"]}


def is_new_size(bench: Bench, name: str) -> bool:
    canvas = bench.document(name)["items"][0]
    return bool(canvas["width"] == 1200)


def is_closed(bench: Bench, name: str) -> bool:
    record = bench.publisher.shown.get(f"image-of-{name}")
    return record is not None and record.access == "closed"


Work = Callable[[Bench], object]
TABLE: list[tuple[str, Work, Work, Callable[[Bench, str], bool] | None]] = [
    (SEARCH, damage_publication, lambda bench: update_search(bench.site, BASE), None),
    (DUMPS, damage_publication, lambda bench: update_dumps(bench.site, BASE), None),
    (TEXT_SEARCH, damage_publication, lambda bench: update_full_text(bench.site), None),
    (TEXT_SEARCH, lose_text_index, lambda bench: update_full_text(bench.site), None),
    (TEXT_SEARCH, damage_text_index, lambda bench: update_full_text(bench.site), None),
    (FIRST_PAGE, damage_publication, list_newest, is_shown),
    (FIRST_PAGE, name_impossible_thumbnail, list_newest, is_shown),
    (PUBLISHER, damage_record, publish_images, is_new_size),
    (IMAGE_PAGES, damage_record, publish_images, is_new_size),
    (PUBLISHER, damage_record, rename_shelf, None),
    (
        PUBLISHER,
        damage_record,
        rebuild_all,
        is_new_size,
    ),
    (PUBLISHER, damage_item, publish_images, is_new_size),
    (PUBLISHER, damage_item, rebuild_all, is_new_size),
    (IMAGE_PAGES, damage_item, publish_images, is_new_size),
    (RULES, damage_record, give_rules, is_closed),
]
"""Part, what is done to the bad object, what the part does, and whether it has done it for one."""


@pytest.mark.slow
def test_a_bad_object_stops_no_part_and_is_named_until_it_is_sound() -> None:
    faults: list[str] = []
    for part, spoil, work, is_served in TABLE:
        bench, name = Bench(), f"{part}, {spoil.__name__}"
        sound = {one.key: bench.records.get(one.key)[0] for one in _entries(bench.records)}
        spoil(bench)
        try:
            work(bench)
        except (VitrineError, *FAULTS) as error:
            faults.append(f"{name}: {error!r} stops the others")
            continue
        expected = f"image-of-{BAD}" if part == IMAGE_PAGES else BAD
        left_out = bench.left_out()
        if left_out.get(part) != {expected}:
            faults.append(f"{name}: {left_out} are left out")
        if is_served and not (is_served(bench, "left") and is_served(bench, "right")):
            faults.append(f"{name}: others are not served")
        # Repaired, and processed again.
        for key, body in sound.items():
            if OBJECTS in key:
                bench.records.put(key, body, content_type="x/y")
        image = f"image-of-{BAD}"
        damaged = bench.identifiers.get_many([image])[image]
        bench.identifiers.write(live(image), damaged)
        bench.site.put(publication_key(BAD), bench.sound, content_type="x/y")
        bench.publisher = type(bench.publisher)(
            **{one: getattr(bench.publisher, one) for one in bench.publisher.__dataclass_fields__}
        )
        with suppress(ObjectMissing):
            work(bench)
        if part in bench.left_out():
            faults.append(f"{name}: {bench.left_out()} are left out although sound")
    assert faults == []


def _entries(store: MemoryObjectStore) -> Iterator[Any]:
    yield from store.list_keys().entries


@pytest.mark.parametrize("error", [TransientError("busy"), ServiceRefused("no"), OSError("disk")])
def test_a_fault_of_the_service_is_raised_and_nothing_is_recorded(error: Exception) -> None:
    bench = Bench()
    get = bench.site.get

    def fail(key: str) -> Any:
        if key == publication_key(BAD):
            raise error
        return get(key)

    works: list[Work] = [
        lambda bench: update_search(bench.site, BASE),
        lambda bench: update_dumps(bench.site, BASE),
        list_newest,
        publish_images,
    ]
    for work in works:
        with patch.object(bench.site, "get", fail), pytest.raises(type(error)):
            work(bench)
    assert bench.left_out() == {}


def test_what_two_processes_leave_out_is_recorded_together() -> None:
    site = MemoryObjectStore()
    one, other = Omissions(site, SEARCH), Omissions(site, SEARCH)
    one.leave_out("a", ValueError("x" * 2 * MAX_REASON_LENGTH))
    other.leave_out("b", KeyError("label"))
    one.store()
    other.store()
    found = {omission.identifier: omission for _, omission in read_omissions(site)}
    assert len(found["a"].reason) == MAX_REASON_LENGTH
    assert found["b"].reason == "KeyError: 'label'"
    assert found["b"].since <= now()
    other.note_processed("b")
    other.store()
    assert [omission.identifier for _, omission in read_omissions(site)] == ["a"]


def test_the_record_has_a_limit_and_damage_of_it_is_replaced() -> None:
    site = MemoryObjectStore()
    site.put(f"{OMISSIONS}{DUMPS}.json", b"[{", content_type="x/y")
    assert list(read_omissions(site)) == []
    with Omissions(site, DUMPS) as omissions:
        for number in range(MAX_OMISSIONS + 5):
            omissions.leave_out(str(number), ValueError("bad"))
    assert len(list(read_omissions(site))) == MAX_OMISSIONS


def test_nothing_is_written_if_nothing_is_left_out() -> None:
    bench = Bench()
    for work in (list_newest, publish_images):
        work(bench)
    update_search(bench.site, BASE)
    update_dumps(bench.site, BASE)
    update_full_text(bench.site)
    keys = [one.key for one in _entries(bench.site)]
    assert not [key for key in keys if key.startswith(OMISSIONS)]


def test_every_part_has_words() -> None:
    assert {TEXT_SEARCH, FIRST_PAGE, PUBLISHER, IMAGE_PAGES, RULES} <= set(PARTS)


def test_a_reason_names_a_file_without_its_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        (tmp_path / "Ödland 100%" / "scratch.tif").read_bytes()
    assert describe_fault(raised.value) == (
        "FileNotFoundError: No such file or directory: scratch.tif"
    )
