"""`vitrine discovery`: streams of changes, our own and those of others."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from vitrine.catalogue.records import objects_journal
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, new_group, stop
from vitrine.site.discovery.published_now import published_now
from vitrine.site.discovery.stream import Stream
from vitrine.sources.harvest.check_stream import StreamReport, check_stream
from vitrine.sources.harvest.guarded_http import GuardedHttp, NotHarvested

SHOWN = 20
"""Findings that the terminal shows; `--json` has all."""


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Check or refresh a stream of changes.")
    group.command("check")(check)
    group.command("refresh")(refresh)
    app.add_typer(group, name="discovery")


def check(
    address: Annotated[
        str, typer.Argument(help="The address of the stream's collection.", metavar="URL")
    ],
    pages: Annotated[
        int, typer.Option(help="How many pages to read at most, from the last one on.", min=1)
    ] = 1_000,
    follow: Annotated[
        int, typer.Option(help="How many of the objects that changed last to request.", min=0)
    ] = 0,
    private_too: Annotated[
        bool,
        typer.Option(
            "--private-too", help="Allow a server on a private network or on this machine."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check a stream of changes, on any server, against the Change Discovery API 1.0.

    It is read as a harvester reads it, from the last page to the first; each finding names the
    section of the specification.

    Exit code 0: it does all that the specification says it MUST. 1: it does not. 2: there is no
    stream.
    """
    if not address.startswith(("http://", "https://")):
        stop(f"{address!r} is no address: it begins with https:// or http://.")
    try:
        fetch = GuardedHttp(private_too=private_too).get
        report = check_stream(address, fetch, most_pages=pages, follow=follow)
    except NotHarvested as error:
        stop(f"{str(error).rstrip('.')}.")
    if as_json:
        print_json(_as_json(report))
    else:
        print_lines(_lines(report))
    if report.errors:
        raise typer.Exit(UNSUCCESSFUL)


def refresh(environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """List everything that is published once more in our stream of changes.

    Run it if objects are older than the stream, after a loss of its bucket, or if harvesters are
    out of step: after a Refresh they keep only what it lists. All later changes join the stream by
    themselves.

    Exit code 0: done. 2: the service is not running.
    """
    with connected(environment) as service:
        stream = Stream(site=service.site, base=service.edge_url)
        names = objects_journal(service.records).identifiers()
        named = stream.refresh(list(published_now(service.site, names))) - 1
    if as_json:
        print_json({"named": named, "stream": stream.address})
    else:
        print_lines(
            [f"Objects and collections named again: {named:,}", f"Stream: {stream.address}"]
        )


def _lines(report: StreamReport) -> Iterator[str]:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(report.types.items()))
    seen = "all of it" if report.is_whole else "its end"
    yield f"{report.pages:,} pages, {seen}; {report.activities:,} activities: {kinds or 'none'}"
    yield f"Level {report.level}: {_LEVELS[report.level]}"
    if report.followed:
        yield f"{report.followed:,} objects were requested"
    for one in report.findings[:SHOWN]:
        word = "MUST" if one.is_error else "SHOULD"
        yield f"{word} ({one.section}) {one.place}: {one.sentence}"
    if (more := len(report.findings) - SHOWN) > 0:
        yield f"and {more:,} more: --json has all"
    errors = len(report.errors)
    warnings = len(report.findings) - errors
    yield f"Errors: {errors:,}, warnings: {warnings:,}"


_LEVELS = (
    "a list of what there is, without times",
    "changes in their order",
    "changes, and what was made, moved and deleted",
)


def _as_json(report: StreamReport) -> dict[str, Any]:
    return {
        "address": report.address,
        "level": report.level,
        "pages": report.pages,
        "whole": report.is_whole,
        "activities": report.activities,
        "types": report.types,
        "followed": report.followed,
        "findings": [vars(one) for one in report.findings],
    }
