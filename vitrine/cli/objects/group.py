"""`vitrine object`: what manifests say, and everything they ever said."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from vitrine.bootstrap.curation import objects_of
from vitrine.bootstrap.deployed_services import deployed_publisher
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.changes import unknown_object
from vitrine.catalogue.objects import ChangeResult
from vitrine.catalogue.rebuild import rebuild_publications
from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    Renamed,
    TakenDown,
    rule_of,
)
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, print_message, show_count
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, new_group, stop
from vitrine.cli.objects.file import read_items
from vitrine.cli.objects.ocr import ocr, unread_lines
from vitrine.errors import ObjectRefused, RevisionChanged
from vitrine.identify.identifier import parse_identifier
from vitrine.iiif.presentation.addresses import DOCUMENTS, NEWEST, document_path
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.store.omissions import FAULTS, RUNBOOK, describe_fault
from vitrine.store.publications import Published, Waiting, Withdrawn

Id = Annotated[str, typer.Argument(help="The identifier of an object.", metavar="ID")]
Files = Annotated[
    list[Path],
    typer.Argument(
        help="Records of objects and collections: JSON, or JSON Lines with one on each line.",
        metavar="FILE...",
        exists=True,
        dir_okay=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Publish, rename, withdraw or look up an object.")
    for command in (put, show, history, rename, withdraw, rebuild, ocr):
        group.command(command.__name__)(command)
    group.command("list")(list_objects)
    app.add_typer(group, name="object")


def put(
    files: Files,
    revision: Annotated[
        int | None,
        typer.Option(
            help="Publish only over this revision, 0 for a new object: so that nobody's change is "
            "overwritten unseen.",
            min=0,
        ),
    ] = None,
    replace_withdrawn: Annotated[
        bool, typer.Option("--replace-withdrawn", help="Show what was withdrawn again.")
    ] = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Publish objects and collections: each gets a manifest, or a collection, in both versions.

    `docs/reference/objects.md` says what a record holds. What is up to date is not written again.
    What breaks a rule is named, and the rest is published.

    Exit code 0: all are published. 1: some are not. 2: a file is not readable, or the service is
    not running.
    """
    refused, done = 0, []
    with connected(environment) as service:
        objects = objects_of(environment)
        for place, item in read_items(files):
            try:
                if isinstance(item, str):
                    raise ObjectRefused("record-invalid", f"{place}: {item}")
                result = objects.put(item, over=revision, replace_withdrawn=replace_withdrawn)
            except (ObjectRefused, RevisionChanged) as error:
                refused += 1
                _print_refusal(error)
                continue
            except FAULTS as error:
                refused += 1
                print_message(f"{place}: it was not published: {describe_fault(error)}")
                continue
            done.append(_as_json(service, result))
            if not as_json:
                print_lines(_describe_result(service, result))
    if as_json:
        print_json(done)
    if refused:
        raise typer.Exit(UNSUCCESSFUL)


def show(identifier: Id, environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Show the record of an object, as `vitrine object put` takes it.

    With `--json`, with its state and revision.

    Exit code 0: an object or collection. 1: anything else. 2: the service is not running.
    """
    with connected(environment):
        name = parse_identifier(identifier)
        record = deployed_publisher(environment).journal.latest(name)
    if as_json:
        print_json(msgspec.to_builtins(record) if record else {})
    elif isinstance(record, Described):
        print_json(msgspec.to_builtins(record.item))
    else:
        print_message(_describe(record) if record else str(unknown_object(name)))
    if not isinstance(record, Described):
        raise typer.Exit(UNSUCCESSFUL)


def history(identifier: Id, environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Show everything an object has been, oldest first.

    Exit code 0: shown. 1: there never was such an object. 2: the service is not running.
    """
    with connected(environment):
        name = parse_identifier(identifier)
        records = list(deployed_publisher(environment).journal.history(name))
    if as_json:
        print_json([msgspec.to_builtins(record) for record in records])
    else:
        print_lines(
            f"{record.changed_at}  {record.revision:>3}  {_describe(record)}" for record in records
        )
    if not records:
        print_message(str(unknown_object(name)))
        raise typer.Exit(UNSUCCESSFUL)


def rebuild(environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Publish every object and collection again from its record, with its pages.

    It writes the pages of images as well. Run it after a loss of their bucket, or a change of the
    site's theme. What is up to date is not written. It may be stopped and run again at any time.

    Exit code 0: done. 2: the service is not running.
    """
    with connected(environment), show_count("objects compared") as count:
        counts = rebuild_publications(
            deployed_publisher(environment), on_progress=count, with_pages=True
        )
    if as_json:
        print_json(counts)
        return
    print_lines(
        [
            f"{counts['objects']:>12,} objects and collections have records",
            f"{counts['written']:>12,} were published again",
            f"{counts['left_out']:>12,} are left out: {RUNBOOK}",
        ][: 3 if counts["left_out"] else 2]
    )


def list_objects(environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """List the identifiers of all objects and collections that there ever were.

    Exit code 0: listed. 2: the service is not running.
    """
    with connected(environment):
        names = deployed_publisher(environment).journal.identifiers()
        if as_json:
            print_json(list(names))
        else:
            print_lines(names)


def rename(
    old: Annotated[str, typer.Argument(help="The object's current identifier.", metavar="OLD")],
    new: Annotated[str, typer.Argument(help="Its new identifier.", metavar="NEW")],
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Give an object another identifier; the addresses of OLD then redirect to NEW.

    The images of the object keep theirs.

    Exit code 0: done. 1: refused. 2: the service is not running.
    """
    with connected(environment) as service, _refusals():
        _print_result(service, objects_of(environment).rename(old, new), as_json)


def withdraw(
    identifier: Id,
    reason: Annotated[
        str,
        typer.Option(
            help="Why the object is withdrawn. Everyone who asks for it can read this.",
            metavar="TEXT",
        ),
    ],
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Take an object off the web: its addresses answer 410, and its images stay.

    `vitrine image withdraw` takes an image off the web, and out of every manifest.

    Exit code 0: done. 1: refused. 2: the service is not running.
    """
    if not reason.strip():
        stop("--reason is empty: give the reason that people who ask for the object can read.")
    with connected(environment) as service, _refusals():
        result = objects_of(environment).withdraw(identifier, reason.strip())
        _print_result(service, result, as_json)


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except ObjectRefused as error:
        _print_refusal(error)
        raise typer.Exit(UNSUCCESSFUL) from None


def _print_refusal(error: ObjectRefused | RevisionChanged) -> None:
    for sentence in (str(error), *getattr(error, "faults", ())):
        print_message(sentence)


def _print_result(service: Deployment, result: ChangeResult, as_json: bool) -> None:
    if as_json:
        print_json(_as_json(service, result))
    else:
        print_lines(_describe_result(service, result))


def _as_json(service: Deployment, result: ChangeResult) -> dict[str, Any]:
    return {
        "identifier": result.record.identifier,
        "revision": result.record.revision,
        "changed": result.changed,
        "published": result.publishing.made,
        "address": _address(service, result),
        "missing_images": list(result.publishing.missing),
        "unsearched": result.publishing.unsearched,
        "unread": vars(result.publishing.unread),
    }


def _describe_result(service: Deployment, result: ChangeResult) -> list[str]:
    record, publishing = result.record, result.publishing
    made = "published" if publishing.made else "was up to date"
    if isinstance(publishing.publication, Waiting):
        line = (
            "waits until one of its images is published"
            if publishing.missing
            else "is shown to nobody, since its images are closed"
        )
    elif isinstance(record, Described) and isinstance(publishing.publication, Withdrawn):
        line = f"answers 410, since its images are withdrawn: {publishing.publication.reason}"
    elif address := _address(service, result):
        line = f"{made}, {address}"
    else:
        line = _describe(record)
    missing = [f"  left out until it is published: the image {one}" for one in publishing.missing]
    if publishing.unsearched:
        missing.append(f"  published without a search: {publishing.unsearched}")
    missing += unread_lines(publishing.unread)
    return [f"{record.identifier}: {line}", *missing]


def _address(service: Deployment, result: ChangeResult) -> str:
    """Return the address of the newest version of its document; empty for other answers."""
    publication = result.publishing.publication
    if not isinstance(publication, Published):
        return ""
    document = DOCUMENTS[publication.kind]
    return service.edge_url + document_path(NEWEST, result.record.identifier, document)


def _describe(record: ObjectRecord) -> str:
    match record:
        case Described(item=item):
            label: Any = next((values[0] for values in item.label.values() if values), "")
            rule = rule_of(record) if isinstance(item, ObjectCollection) else ""
            return f"shows “{label}”" + (f", access {rule}" if rule else "")
        case Renamed(target=target):
            return f"redirects to {target}"
        case TakenDown(reason=reason):
            return f"withdrawn: {reason}"
