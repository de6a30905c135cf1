"""`vitrine object ocr`: what became of pages that the environment reads."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from vitrine.bootstrap.deployed_services import deployed_publisher
from vitrine.catalogue.changes import unknown_object
from vitrine.catalogue.compose import ocr_pages
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.reading_again import ReadingRequest, read_again, read_all_again
from vitrine.cli.collection.display import show_progress
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.identify.identifier import parse_identifier
from vitrine.text.ocr_results.pages import Unread
from vitrine.text.ocr_results.stored import list_readings, load_readings


@dataclass(frozen=True)
class _OcrPages:
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
        typer.Option("--again", help="Read pages of the object again that have no text."),
    ] = False,
    everything: Annotated[
        bool,
        typer.Option("--all", help="With --again, instead of ID: the pages of all objects."),
    ] = False,
    with_texts: Annotated[
        bool,
        typer.Option(
            "--with-texts",
            help="With --again: also pages that have a text, such as after a corrected width.",
        ),
    ] = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Show which pages the environment has read by OCR, and why it could not read others.

    A page that could not be read is not tried again until its image is replaced, or --again.

    Exit code 0: no page failed. 1: some did, or there is no such object, or the environment does
    not read its languages, or its pages are being read at the moment. 2: the service is not
    running.
    """
    _check_options(identifier, again, everything, with_texts)
    with connected(environment):
        publisher = deployed_publisher(environment)
        name = parse_identifier(identifier) if identifier else ""
        if name and publisher.journal.latest(name) is None:
            print_message(str(unknown_object(name)))
            raise typer.Exit(UNSUCCESSFUL)
        if everything:
            requested = _read_all_again(publisher, with_texts=with_texts, quiet=as_json)
        else:
            requested = [read_again(publisher, name, with_texts=with_texts)] if again else []
        names = [name] if name else [] if again else list_readings(publisher.records)
        found = [_load(publisher, one) for one in names]
    if as_json:
        print_json({"pages": [vars(one) for one in found], "requested": [*map(_json, requested)]})
    else:
        print_lines(line for one in found for line in one.lines())
        print_lines(_requested_lines(requested, with_names=everything))
    if any(one.failed for one in found) or any(
        one.is_busy or one.unread.reason for one in requested
    ):
        raise typer.Exit(UNSUCCESSFUL)


def _check_options(identifier: str, again: bool, everything: bool, with_texts: bool) -> None:
    """End the program, with a sentence, for options that do not go together."""
    if again and not identifier and not everything:
        stop(
            "--again needs the identifier of an object, or --all: vitrine object ocr --again --all"
        )
    if everything and (identifier or not again):
        stop("--all is for --again and without an identifier: vitrine object ocr --again --all")
    if with_texts and not again:
        stop("--with-texts is for --again: vitrine object ocr ID --again --with-texts")


def _read_all_again(publisher: Publisher, *, with_texts: bool, quiet: bool) -> list[ReadingRequest]:
    """Return the objects of which pages are to be read now, or cannot be; with progress."""
    requested = []
    with show_progress("objects", None, quiet=quiet) as on_progress:
        for number, one in enumerate(read_all_again(publisher, with_texts=with_texts), 1):
            on_progress(number)
            if one.is_busy or one.unread.pages:
                requested.append(one)
    return requested


def _json(one: ReadingRequest) -> dict[str, object]:
    return {"identifier": one.identifier, "is_busy": one.is_busy, **vars(one.unread)}


def _requested_lines(requested: Sequence[ReadingRequest], *, with_names: bool) -> Iterator[str]:
    """Yield what is read again, and which objects are not."""
    for one in requested:
        if with_names and (one.is_busy or one.unread.reason):
            yield f"{one.identifier}:"
        if one.is_busy:
            yield "  its pages are being read at this moment: try again when they are"
        elif not with_names or one.unread.reason:
            yield from unread_lines(one.unread)
    if with_names:
        numbers = [one.unread.pages for one in requested if one.unread.is_requested]
        yield f"{sum(numbers):,} pages of {len(numbers):,} objects are being read"


def unread_lines(unread: Unread) -> Iterator[str]:
    """Yield what has yet to be read."""
    if unread.pages:
        rest = f"are not read: {unread.reason}" if unread.reason else "are being read"
        yield f"  {unread.pages:,} pages {rest}"


def _load(publisher: Publisher, name: str) -> _OcrPages:
    known = load_readings(publisher.records, name)[0].pages
    pages = {one.name for one in ocr_pages(publisher.journal.latest(name), publisher.shown)}
    ended = [known[one] for one in pages if one in known and not known[one].is_unread]
    counts = Counter[str](one.state for one in ended)
    counts["unread"] = len(pages) - len(ended)
    failed = {one.image: one.reason for one in ended if one.state == "failed"}
    return _OcrPages(name, counts, dict(sorted(failed.items())))
