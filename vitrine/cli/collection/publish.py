"""`vitrine collection publish`: the images of a table, its objects, and their collection."""

from collections.abc import Collection as AnyCollection
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import filterfalse, islice
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.api.table_client import TableClient
from vitrine.bootstrap.curation import own_curation, table_client
from vitrine.bootstrap.deployed_services import deployed_publisher
from vitrine.bootstrap.deployment import Deployment
from vitrine.bootstrap.environments import LOCAL
from vitrine.catalogue.objects import Objects
from vitrine.cli.collection.display import (
    note_lines,
    published_lines,
    show_progress,
    text_lines,
    undo_line,
    unread_lines,
)
from vitrine.cli.collection.dump import dump_lines, write_dumps
from vitrine.cli.collection.file import Rules, open_rules, usable
from vitrine.cli.collection.index import IndexUpdate, index_lines, update_index
from vitrine.cli.collection.table_images import write_images
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.cli.masters.migrate import migrate_collection
from vitrine.cli.masters.migration_display import report_lines
from vitrine.identify.owners import note_owner
from vitrine.iiif.presentation.addresses import MANIFEST, NEWEST, document_path
from vitrine.ingest.publish.table_rules import RulesSet, set_rules
from vitrine.migrate.prepare import Collection
from vitrine.migrate.tolerance import Tolerance
from vitrine.site.dumps.update import DumpUpdate
from vitrine.sources.mapping.handed_back import hand_back
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.masters_folder import MasterFiles
from vitrine.sources.mapping.spreadsheet import Spreadsheet
from vitrine.sources.mapping.to_objects import MappedObject, RowNote
from vitrine.sources.updates.open_mapper import AnyMapper, open_mapper
from vitrine.sources.updates.owned_names import OwnedNames
from vitrine.sources.updates.publish_objects import (
    TableReport,
    publish_objects,
    restrict_collection,
)
from vitrine.sources.updates.read_annotations import AnnotationReader
from vitrine.sources.updates.read_texts import TextReader, TextReport
from vitrine.store.clock import now


def publish(
    rules: Rules,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Count what would be sent, with hours and dollars, but send nothing."
        ),
    ] = False,
    replace_withdrawn: Annotated[
        list[str] | None,
        typer.Option(
            help="Show an object again that was withdrawn; once for each of them.", metavar="ID"
        ),
    ] = None,
    take_over: Annotated[
        list[str] | None,
        typer.Option(
            help="Take an object or image over that another collection has, or that was published "
            "by itself; once for each of them.",
            metavar="ID",
        ),
    ] = None,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Publish the images of a table, an object for each row or book, and their collection.

    What another collection published first stays as it is: its objects are refused here, and an
    image whose identifier it has gets this collection's in front.

    It may be stopped at any moment: the same command continues, and writes nothing that is up to
    date. Rows with faults are named, and the rest is published. Next to FILE it leaves the list
    of images and, for a spreadsheet, the table with the address of each manifest.

    Exit code 0: all is published. 1: some of it is not. 2: the file or the table is not usable, or
    the service is not running.
    """
    with usable(), connected(environment) as service:
        if dry_run:
            _foresee(rules, service, environment, as_json=as_json)
            return
        done = publish_table(
            rules,
            service,
            environment,
            replace_withdrawn or (),
            take_over or (),
            quiet=as_json,
        )
    if as_json:
        print_json(done.as_json())
    else:
        print_lines(done.lines(service.edge_url))
    if not done.is_complete:
        raise typer.Exit(UNSUCCESSFUL)


@dataclass(frozen=True, kw_only=True)
class PublishedTable:
    """What became of a table's images, objects and collection."""

    begun: str
    """Before the first object was published, RFC 3339 UTC."""
    collection: str
    report: TableReport
    notes: list[RowNote]
    renamed: dict[str, str]
    """Identifiers of images that have the collection's own in front, by what the table says."""
    images: dict[str, Any]
    """Summary of their migration."""
    restricted: RulesSet
    """Images whose rule of access was changed."""
    is_kept_closed: bool
    """True if the collection is closed and stays so, though the table says otherwise."""
    addresses: dict[int, str]
    """Addresses of the manifests, by row."""
    dumps: DumpUpdate | None
    search: IndexUpdate | None
    """None if the service itself brings these two up to date, some minutes later: on AWS."""
    handed_back: Path | None
    texts: dict[str, TextReport]
    """Reports of `texts` and of `annotations`."""

    @property
    def is_complete(self) -> bool:
        """False if some of the table is not published."""
        return not (
            self.report.refused
            or self.report.waiting
            or self.report.unsearched
            or any(report.refused for report in self.texts.values())
            or any(one.is_fault for one in self.notes)
        )

    def counts(self) -> dict[str, int]:
        """Return how many objects became what."""
        return self.report.counts(sum(note.is_fault for note in self.notes))

    def as_json(self) -> dict[str, Any]:
        """Return a document for machines."""
        report = self.report
        return {
            "made": report.made,
            "unchanged": report.unchanged,
            "waiting": report.waiting,
            "refused": [{"row": row, "sentence": sentence} for row, sentence in report.refused],
            "unsearched": [
                {"identifier": name, "sentence": sentence} for name, sentence in report.unsearched
            ],
            "unread": {name: vars(unread) for name, unread in report.unread},
            "gone": report.gone,
            "images": self.images.get("counts", {}),
            "rules_changed": self.restricted.changed,
            "images_renamed": self.renamed,
            "rules_left_to_others": list(self.restricted.of_others),
            "kept_closed": list(self.restricted.kept_closed),
            "collection_kept_closed": self.is_kept_closed,
            "notes": [vars(note) for note in self.notes],
            "addresses": self.addresses,
            **{name: vars(report) for name, report in self.texts.items()},
            "dumps": vars(self.dumps) if self.dumps else None,
            "search": self.search.as_json() if self.search else None,
        }

    def lines(self, edge_url: str) -> Iterator[str]:
        """Yield lines for people."""
        if self.is_kept_closed:
            yield (
                f"The collection {self.collection} is closed and stays so, though the table says "
                f"otherwise. `vitrine access collection {self.collection} open` opens it; then the "
                "table decides again."
            )
        yield from _name_lines(self.renamed)
        yield from _rule_lines(self.restricted)
        yield from published_lines(edge_url, self.report, self.notes, self.images, self.handed_back)
        for name, report in self.texts.items():
            yield from text_lines(name.capitalize(), report)
        yield from unread_lines(self.report.unread)
        if self.dumps:
            yield from dump_lines(edge_url, self.dumps)
        if self.search:
            yield from index_lines(edge_url, self.search)
        else:
            yield "The search and the dumps of the site follow some minutes later."
        if self.report.made:
            yield undo_line(self.collection, self.begun)


def publish_table(
    rules: Path,
    service: Deployment,
    environment: str,
    replace_withdrawn: Container[str] = (),
    take_over: AnyCollection[str] = (),
    *,
    quiet: bool,
) -> PublishedTable:
    """Publish what the table of a file of rules has, and write back where it is.

    `take_over` names objects and images of other owners that become this collection's. Raises
    MappingUnusable, MigrationUnusable, TransientError, OSError: the same again goes on.
    """
    mapping, masters = open_rules(rules, environment)
    notes, mapper = list[RowNote](), open_mapper(mapping, masters)
    client = _find_client(environment, mapping.identifier, replace_withdrawn, take_over)
    objects = Objects(deployed_publisher(environment))
    if client:
        client.begin(mapping)
    else:
        restrict_collection(objects, mapping, replace_withdrawn, take_over)
    names = _take_names(service, mapping, take_over)
    table = write_images(
        rules, mapping, mapper, notes, names, objects.publisher, announces=client is None
    )
    if client:
        client.announce(_objects(mapping, masters, names), table.access.images)
    # Before an image is uploaded, so that none is public for a moment.
    rules_of = client or own_curation(service)
    restricted = set_rules(rules_of, table.access, service.rules, table.has_rule_of_now)
    images = _migrate_images(
        table.manifest, mapping, environment, starts=client is None, quiet=quiet
    )
    begun = now()
    texts = TextReader(objects.publisher, mapping.identifier)
    annotations = AnnotationReader(objects.publisher, mapping.identifier)
    # Read again, so that no table is too long for the memory.
    again = map(annotations.attach, map(texts.attach, _digitised(mapping, masters, names)))
    ours = partial(
        publish_objects, objects, replace_withdrawn=replace_withdrawn, take_over=take_over
    )
    publish = client.publish if client else ours
    with show_progress("objects", table.objects, quiet=quiet) as on_progress:
        report = publish(mapping, again, on_progress, nesting=mapper.nesting)
    addresses = _addresses(service.edge_url, report)
    kept = report.is_kept_closed(mapping.access) if report.collection else table.is_kept_closed
    return PublishedTable(
        begun=begun,
        collection=mapping.identifier,
        report=report,
        notes=notes,
        renamed=names.renamed,
        images=images,
        restricted=restricted,
        is_kept_closed=kept,
        addresses=addresses,
        dumps=write_dumps(service, quiet=quiet) if environment == LOCAL else None,
        search=update_index(service, quiet=quiet) if environment == LOCAL else None,
        handed_back=_hand_back(mapping, mapper, addresses),
        texts={"texts": texts.report, "annotations": annotations.report},
    )


def _objects(
    mapping: MappingFile, masters: MasterFiles, names: OwnedNames
) -> Iterator[MappedObject]:
    """Yield the objects of a table, with the names that their images have."""
    found = open_mapper(mapping, masters).objects()
    return (names.rename(one) for one in found if isinstance(one, MappedObject))


def _digitised(
    mapping: MappingFile, masters: MasterFiles, names: OwnedNames
) -> Iterator[MappedObject]:
    return filterfalse(names.awaits, _objects(mapping, masters, names))


def _find_client(
    environment: str, collection: str, replaced: Container[str], taken: AnyCollection[str]
) -> TableClient | None:
    """Return what publishes through the API, if the caller does not write records themselves.

    Ends the command for a department that would take something over.
    """
    client = table_client(environment, collection, replaced, takes_over=bool(taken))
    if client and taken:
        stop(
            "--take-over changes what belongs to others, so it is an operator's act: see "
            "docs/howto/share-between-departments.md."
        )
    return client


def _hand_back(mapping: MappingFile, mapper: AnyMapper, addresses: dict[int, str]) -> Path | None:
    if not isinstance(mapper.table, Spreadsheet):
        return None
    path = mapping.table.with_name(f"{mapping.table.stem}-published.csv")
    hand_back(mapper.table, addresses, path)
    return path


def _addresses(edge_url: str, report: TableReport) -> dict[int, str]:
    """Return the addresses of the published manifests by row."""
    return {
        row: edge_url + document_path(NEWEST, identifier, MANIFEST)
        for row, identifier in report.rows.items()
    }


def _migrate_images(
    manifest: Path | None,
    mapping: MappingFile,
    environment: str,
    *,
    quiet: bool,
    starts: bool = True,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Publish the files that objects show, if there are any; return the migration's summary."""
    if manifest is None:
        return {}
    # What is rejected is named in the report, and left out of the manifests.
    everything = Tolerance(100)
    is_inside = mapping.masters.resolve().is_relative_to(mapping.folder.resolve())
    root = mapping.folder if is_inside else mapping.masters
    collection = Collection(place=manifest, owner=mapping.identifier, root=root)
    return migrate_collection(
        collection, environment, everything, dry_run=dry_run, starts=starts, quiet=quiet
    )


def _foresee(rules: Path, service: Deployment, environment: str, *, as_json: bool) -> None:
    """Print what publishing would do, and what it would take."""
    notes: list[RowNote] = []
    mapping, masters = open_rules(rules, environment)
    names = _owned_names(service, mapping)
    table = write_images(rules, mapping, open_mapper(mapping, masters), notes, names)
    images = (
        _migrate_images(table.manifest, mapping, environment, quiet=as_json, dry_run=True)
        if table.manifest
        else {}
    )
    if as_json:
        shown = [vars(note) for note in notes]
        print_json({"objects": table.objects, "images": images, "notes": shown})
        return
    print_lines([f"{table.objects:,} objects would be published", *note_lines(notes)])
    if images:
        print_lines(report_lines(images))


def _take_names(
    service: Deployment, mapping: MappingFile, take_over: AnyCollection[str]
) -> OwnedNames:
    """Make a collection the owner of what it takes over, and return the names of its images."""
    note_owner(service.records, mapping.identifier)
    own_curation(service).take_over(mapping.identifier, take_over)
    return _owned_names(service, mapping)


def _owned_names(service: Deployment, mapping: MappingFile) -> OwnedNames:
    return OwnedNames(
        identifiers=service.identifiers,
        collection=mapping.identifier,
        has_masters=mapping.names_masters,
    )


def _name_lines(renamed: Mapping[str, str]) -> Iterator[str]:
    if renamed:
        shown = ", ".join(f"{new} for {name}" for name, new in islice(renamed.items(), 10))
        more = " and others, which --json names" if len(renamed) > 10 else ""
        yield (
            f"Images with this collection's identifier in front, since another image has theirs: "
            f"{shown}{more}."
        )


def _rule_lines(rules: RulesSet) -> Iterator[str]:
    if rules.changed:
        yield f"Rules of access: {rules.changed:,} changed"
    if rules.of_others:
        names = ", ".join(rules.of_others[:10])
        more = " and others, which --json names" if len(rules.of_others) > 10 else ""
        yield f"Images of other collections keep their rules of access: {names}{more}."
    if rules.kept_closed:
        names = ", ".join(rules.kept_closed[:10])
        more = " and others, which --json names" if len(rules.kept_closed) > 10 else ""
        yield (
            f"These were closed and stay so, though the table says otherwise: {names}{more}. "
            "`vitrine access image ID open` opens one; then the table decides again."
        )
