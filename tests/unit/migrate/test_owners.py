"""Whatever collections, uploads, redirects and imports come: only its owner changes what it has."""

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.migrate.museum import Museum
from vitrine.adapters.memory.catalogue_table import MemoryCatalogueTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.catalogue.compose import Presentation
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import Described, ObjectRecord, objects_journal
from vitrine.catalogue.statements import Catalogue
from vitrine.errors import IdentifierRefused, ObjectRefused
from vitrine.export.read_back import ReadBack, restore_objects, restore_rules
from vitrine.identify.effective_rule import as_shown, has_own_rule
from vitrine.identify.owners import note_owner, owner_of_master
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.redirects.bulk_import import ImportOptions, plan_import, write_import
from vitrine.identify.redirects.csv_file import RedirectRow
from vitrine.identify.redirects.import_plan import open_import_plan
from vitrine.identify.redirects.redirects import Redirects
from vitrine.iiif.presentation.model import Canvas, ObjectCollection, PublishedObject
from vitrine.iiif.size import Limits
from vitrine.ingest.publish.curation import Curation
from vitrine.ingest.publish.identifier_claim import permit_replacement
from vitrine.ingest.publish.table_rules import TableRules, set_rules
from vitrine.ingest.start.start_ingest import start_ingest
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.prepare import Collection, prepare_plan
from vitrine.migrate.source_import import import_source
from vitrine.records import Gone, Live, Record, Redirect, Removed, state
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.owned_names import OwnedNames
from vitrine.sources.updates.publish_objects import publish_objects
from vitrine.store.clock import now
from vitrine.store.layout import owned_key

COLLECTIONS = ("prints", "maps", "scans")
NAMES = ("001", "maps-001")
NUMBERS = ("1847-1", "1847-2")
FOLDERS = ("", "scans/")
EVERYONE = "everyone"
FIRST = ("publish", "prints", {"1847-1": ("", "001", b"1")}, "", True)
RULES = ("", "closed", "small:100")


class Institution(Museum):
    """Collections that publish to one service, in whatever order."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.publisher = Publisher(
            site=type(self.masters)(),
            records=self.ingest.records,
            catalogue=Catalogue(MemoryCatalogueTable(), objects_journal(self.ingest.records)),
            identifiers=self.ingest.identifiers,
            events=self.ingest.events,
            presentation=Presentation(base="http://edge", limits=Limits(area=1_000_000)),
        )
        self.objects = Objects(self.publisher)
        self.curation = Curation(
            register=self.ingest.register, masters=self.masters, outcomes=self.ingest.outcomes
        )

    def publish(
        self, name: str, rows: Mapping[str, tuple[str, str, bytes]], rule: str, *, has_files: bool
    ) -> None:
        """Publish a table: of each object its folder, its image and what that shows.

        Without files it is harvested, or shows what others have.
        """
        note_owner(self.ingest.records, name)
        home = self.folder / name.replace("/", "-")
        mapped = []
        for row, (number, (folder, image, body)) in enumerate(rows.items()):
            files = {}
            if has_files:
                files[image] = str(self.file(f"{home.name}/{folder}{image}.tif", body))
            item = PublishedObject(
                identifier=number, label={"en": (name,)}, canvases=(Canvas(image=image),)
            )
            mapped.append(MappedObject(row, item, files))
        names = OwnedNames(
            identifiers=self.ingest.identifiers, collection=name, has_masters=has_files
        )
        chosen = [one for one in names.choose(mapped) if isinstance(one, MappedObject)]
        table = TableRules(owner=name, default=rule, decides=bool(rule))
        for one in chosen:
            table.add(one.item.canvases[0].image, rule)
        set_rules(self.curation, table, self.publisher.rules, lambda: True)
        files = {image: file for one in chosen for image, file in one.files.items()}
        if files:
            lines = [f"{file},{image}\n" for image, file in files.items()]
            manifest = self.manifest("source,identifier\n" + "".join(lines), f"{home.name}/i.csv")
            self.send(Collection(place=manifest, owner=name))
        mapping = MappingFile(
            folder=home, identifier=name, label={"en": name}, access=rule, table=home, masters=home
        )
        publish_objects(self.objects, mapping, [names.rename(one) for one in mapped])

    def send(self, collection: Collection) -> None:
        """Migrate files, as `vitrine masters migrate` does."""
        plan = MigrationPlan(":memory:")
        prepare_plan(plan, collection, "local", self.services)
        for row in plan.all_waiting():
            import_source(self.services, row)
            identifier = row.identifier if row.given else ""
            self.call(row.key, identifier)

    def drop(self, key: str, body: bytes, identifier: str) -> None:
        """Put a master into the bucket directly, with a permission that it gave itself."""
        forged = permit_replacement(self.ingest.identifiers.get(identifier))
        metadata = {"identifier": identifier, "replaces": forged, "owner": "prints"}
        self.put(key, body, **metadata)
        start_ingest(self.ingest, key)

    def redirect(self, old: str, new: str) -> None:
        with suppress(IdentifierRefused):
            Redirects(self.ingest.register).add(old, new, allow_dangling=True)

    def redirect_all(self, owner: str, old: str, new: str) -> None:
        """Import a list of redirects that replaces what it may."""
        options = ImportOptions(replace_live=True, replace_withdrawn=True, allow_dangling=True)
        redirects, row = Redirects(self.ingest.register), RedirectRow(1, old, new, owner=owner)
        with open_import_plan() as plan, Workers(1) as workers:
            plan_import(redirects, plan, [row] if old != new else [], options, workers)
            write_import(redirects, plan, options, workers)

    def read_back(self, owner: str, image: str, number: str, rule: str) -> None:
        """Import what another service exported of a collection."""
        result, lists = ReadBack(), _Lists(owner, image, number, rule)
        restore_rules(self.curation, lists, result, lambda done: None)  # type: ignore[arg-type]
        restore_objects(self.objects, lists, result, lambda done: None)  # type: ignore[arg-type]

    def withdraw(self, image: str, number: str, *, by_curator: bool) -> None:
        """Withdraw an image and an object, by their names, or the image since its master went."""
        with suppress(IdentifierRefused):
            if by_curator:
                self.curation.withdraw(image, "rights")
            else:
                self.ingest.register.change(image, _lose_master)
        with suppress(ObjectRefused):
            self.objects.withdraw(number, "rights")

    def owned(self) -> dict[tuple[str, str], tuple[str, Any]]:
        """Return what each owner has, by kind and identifier."""
        found: dict[tuple[str, str], tuple[str, Any]] = {}
        for name in {*NAMES, *(f"{one}-{name}" for one in COLLECTIONS for name in NAMES)}:
            record = self.ingest.identifiers.get(name)
            if record and record.owner:
                found["image", name] = record.owner, self._shown(record)
        for name in (*COLLECTIONS, *NUMBERS):
            described = self.publisher.journal.latest(name)
            if described and described.owner:
                found["object", name] = described.owner, described
        return found

    def _shown(self, record: Record) -> tuple[Any, ...]:
        # Lists of others are in its record; their rules are not its own.
        shown = as_shown(record, self.publisher.rules())
        what = (state(record), shown.access, has_own_rule(record))
        match record:
            case Live():
                return *what, record.master_key, record.version
            case Redirect(target=target):
                # One that leads to what others have is led on when they rename that.
                led = self.ingest.identifiers.get(target)
                return *what, target if led and led.owner == record.owner else ""
        return what


class _Lists:
    """The lists of an export with one image and one object."""

    def __init__(self, owner: str, image: str, number: str, rule: str) -> None:
        item = PublishedObject(
            identifier=number, label={"en": ("An import",)}, canvases=(Canvas(image=image),)
        )
        listed = ObjectCollection(identifier=owner, label={"en": ("Import",)}, access=rule)
        self._objects = [
            Described(identifier=one.identifier, changed_at="", item=one, owner=owner)
            for one in (item, listed)
        ]
        self._rule = Removed(identifier=image, changed_at="", owner=owner, access=rule or "closed")

    def objects(self) -> list[ObjectRecord]:
        return list(self._objects)

    def rules(self, *, of_redirects: bool) -> list[Removed]:
        return [] if of_redirects else [self._rule]


def _lose_master(current: Record | None) -> Record | None:
    if not isinstance(current, Live):
        return None
    return Gone(identifier=current.identifier, reason="deleted", changed_at=now(), by_curator=False)


def _is_named(step: Any, name: tuple[str, str], shown: Any) -> bool:
    """Return True for a previous identifier that a person redirects by its name."""
    return (
        step[0] == "redirect" and name == ("image", step[1]) and shown[0] in ("redirect", "removed")
    )


rows = st.dictionaries(
    st.sampled_from(NUMBERS),
    st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES), st.sampled_from((b"1", b"2"))),
    min_size=1,
)
owners, images = st.sampled_from(COLLECTIONS), st.sampled_from(NAMES)
steps = st.one_of(
    st.tuples(st.just("publish"), owners, rows, st.sampled_from(RULES), st.booleans()),
    st.tuples(st.just("folder"), st.sampled_from(FOLDERS), images),
    st.tuples(
        *(st.just("drop"), st.sampled_from(("", "scans/", "x/", "%70rints/"))),
        *(images, images),
    ),
    st.tuples(st.just("redirect"), images, images),
    st.tuples(st.just("list"), st.sampled_from(("", *COLLECTIONS)), images, images),
    st.tuples(st.just("withdraw"), images, st.sampled_from(NUMBERS), st.booleans()),
    st.tuples(
        *(st.just("import"), owners, images, st.sampled_from(NUMBERS)),
        st.sampled_from(RULES),
    ),
)


def take(museum: Institution, step: Any, number: int) -> str:
    """Take a step; return the collection on whose behalf it is, "" for none."""
    match step:
        case "publish", owner, found, rule, has_files:
            museum.publish(owner, found, rule, has_files=has_files)
            return str(owner)
        case "folder", folder, image:
            museum.file(f"loose-{number}/{folder}{image}.tif", b"loose")
            museum.send(Collection(place=museum.folder / f"loose-{number}"))
            return "scans" if folder else ""
        case "drop", folder, image, identifier:
            museum.drop(f"{folder}{image}.tif", b"dropped", identifier)
            return str(folder.removesuffix("/")) if folder == "scans/" else ""
        case "withdraw", image, object_, by_curator:
            museum.withdraw(image, object_, by_curator=by_curator)
            return EVERYONE
        case "redirect", old, new:
            museum.redirect(old, new)
            return ""
        case "list", owner, old, new:
            museum.redirect_all(owner, old, new)
            return str(owner)
        case _:
            _, owner, image, object_, rule = step
            museum.read_back(owner, image, object_, rule)
            return str(owner)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.lists(steps, min_size=1, max_size=4))
def test_only_its_owner_changes_what_is_published(taken: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        museum = Institution(Path(folder))
        for number, step in enumerate([FIRST, *taken]):
            before = museum.owned()
            actor = take(museum, step, number)
            after = museum.owned()
            others = {
                name: had
                for name, had in before.items()
                if had[0] != actor and not _is_named(step, name, had[1])
            }
            others = {} if actor == EVERYONE else others
            for name, (owner, _) in before.items():
                assert after[name][0] == owner, step
            assert {name: after.get(name) for name in others} == others, step


def test_a_master_belongs_to_the_collection_that_its_first_folder_names() -> None:
    records = MemoryObjectStore()
    for name in ("prints", "a/b", "photos"):
        note_owner(records, name)
    keys = {
        "prints/001.tif": "prints",
        "prints/x/001.tif": "prints",
        "a%2Fb/001.tif": "a/b",
        "%70hotos/001.tif": "photos",
        # Of the photo door, of no collection, and written otherwise than ours.
        **dict.fromkeys(("photos/1.jpg", "maps/001.tif", "prints", "/prints/1.tif"), ""),
        **dict.fromkeys(("a/b/001.tif", "a%2fb/001.tif", "%70rints/001.tif"), ""),
    }
    assert {key: owner_of_master(records, key) for key in keys} == keys
    for owner in ("prints", "a/b", "photos"):
        assert owner_of_master(records, owned_key(owner, "001.tif")) == owner


def test_what_a_person_published_is_not_replaced_by_a_table_and_keeps_its_owner(
    tmp_path: Path,
) -> None:
    museum = Institution(tmp_path)
    item = PublishedObject(
        identifier="1847-1", label={"en": ("A person",)}, canvases=(Canvas(image="001"),)
    )
    museum.objects.put(item)
    with pytest.raises(ObjectRefused, match=r'published by itself.*collection "prints"'):
        museum.objects.put(item, owner="prints")
    museum.objects.put(item, owner="prints", takes_over=True)
    museum.objects.put(msgspec.structs.replace(item, label={"en": ("Corrected",)}))
    museum.objects.rename("1847-1", "1847-2")
    journal = museum.publisher.journal
    newest = [journal.latest(name) for name in ("1847-1", "1847-2")]
    assert [record and record.owner for record in newest] == ["prints", "prints"]
    with pytest.raises(ObjectRefused, match='belongs to the collection "prints"'):
        museum.objects.put(msgspec.structs.replace(item, identifier="1847-2"), owner="maps")
