"""`vitrine object ocr`: what became of pages that the environment reads."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

import typer

from vitrine.bootstrap.deployed_services import deployed_publisher
from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.cli.printing import print_json, print_lines, print_message
from vitrine.cli.program import UNSUCCESSFUL, AsJson, stop
from vitrine.errors import PreconditionFailed
from vitrine.identify.identifier import parse_identifier
from vitrine.ports import VersionedStore
from vitrine.present.objects.changes import unknown_object
from vitrine.present.objects.publisher import Publisher
from vitrine.present.objects.taken_readings import ocr_pages
from vitrine.present.readings.pages import ALL_READ, Unread
from vitrine.present.readings.stored import Readings, list_readings, load_readings, save_readings


@dataclass(frozen=True)
class _Pages:
    """What became of the pages that an object has now."""

    identifier: str
    counts: Counter[str]
    failed: dict[str, str]
    """Reasons by image."""

    def lines(self) -> Iterator[str]:
        """Yield lines for people."""
        counts = self.counts
        yield (
            f"{self.identifier}: {counts['read']:,} pages read, {counts['empty']:,} without a "
            f"word, {counts['failed']:,} could not be read, {counts['unread']:,} not yet read"
        )
        yield from (f"  {image}: {reason}" for image, reason in self.failed.items())


def ocr(
    identifier: Annotated[
        str,
        typer.Argument(
            help="The identifier of an object.", metavar="[ID]", show_default="all objects"
        ),
    ] = "",
    again: Annotated[
        bool,
        typer.Option("--again", help="Have pages of the object read again that have no text."),
    ] = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Show which pages the environment has read by OCR, and why it could not read others.

    A page that could not be read is not tried again before its image is replaced, or --again.

    Exit code 0: no page failed. 1: some did, or there is no such object, or the environment does
    not read its languages. 2: the service is not running.
    """
    if again and not identifier:
        stop("--again needs the identifier of an object: vitrine object ocr ID --again")
    with connected(environment):
        publisher = deployed_publisher(environment)
        records, unread = publisher.records, ALL_READ
        names = [parse_identifier(identifier)] if identifier else [*list_readings(records)]
        if again:
            _forget(records, names[0])
            publishing = publisher.publish(names[0])
            if publishing is None:
                print_message(str(unknown_object(names[0])))
                raise typer.Exit(UNSUCCESSFUL)
            unread = publishing.unread
        elif identifier and publisher.journal.latest(names[0]) is None:
            print_message(str(unknown_object(names[0])))
            raise typer.Exit(UNSUCCESSFUL)
        found = [_load(publisher, name) for name in names]
    if as_json:
        print_json({"pages": [vars(one) for one in found], "unread": vars(unread)})
    else:
        print_lines(line for one in found for line in one.lines())
        print_lines(unread_lines(unread))
    if unread.reason or any(one.failed for one in found):
        raise typer.Exit(UNSUCCESSFUL)


def unread_lines(unread: Unread) -> Iterator[str]:
    """Yield what has yet to be read."""
    if unread.pages:
        rest = f"are not read: {unread.reason}" if unread.reason else "are being read"
        yield f"  {unread.pages:,} pages {rest}"


def _load(publisher: Publisher, name: str) -> _Pages:
    known = load_readings(publisher.records, name)[0].pages
    pages = {one.name for one in ocr_pages(publisher.journal.latest(name), publisher.identifiers)}
    ended = [known[one] for one in pages if one in known and known[one].state != "begun"]
    counts = Counter[str](one.state for one in ended)
    counts["unread"] = len(pages) - len(ended)
    failed = {one.image: one.reason for one in ended if one.state == "failed"}
    return _Pages(name, counts, dict(sorted(failed.items())))


def _forget(records: VersionedStore, name: str) -> None:
    """Forget pages without a text. Ends the program if they are being read at this moment."""
    readings, etag = load_readings(records, name)
    kept = {key: one for key, one in readings.pages.items() if one.state == "read"}
    if kept == readings.pages:
        return
    try:
        if readings.is_claimed(datetime.now(UTC)):
            raise PreconditionFailed(name)
        save_readings(records, name, Readings(kept), etag)
    except PreconditionFailed:
        stop(f"The pages of {name} are being read at this moment: try again when they are.")
