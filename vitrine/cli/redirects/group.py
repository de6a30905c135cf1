"""`vitrine redirects`: previous identifiers and the images that they redirect to."""

import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from vitrine.bootstrap.curation import redirects_of
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, show_count
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, new_group
from vitrine.cli.redirects.read_list import import_redirects
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.redirects.audit import ADVICE, RedirectFinding, audit_redirects
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.redirects.csv_file import write_rows
from vitrine.identify.redirects.redirects import Redirects
from vitrine.records import Redirect

SHOWN = 20
"""Findings of each code that are printed; --json has LISTED."""
LISTED = 10_000

Old = Annotated[str, typer.Argument(help="The previous identifier.", metavar="OLD")]
New = Annotated[str, typer.Argument(help="The identifier it redirects to.", metavar="NEW")]
Target = Annotated[
    str | None, typer.Option("--to", help="List only the redirects to ID.", metavar="ID")
]
ReplaceWithdrawn = Annotated[
    bool,
    typer.Option(
        "--replace-withdrawn",
        help="Take OLD even if an image was withdrawn under it. That image can then no longer be "
        "restored.",
    ),
]
Mend = Annotated[bool, typer.Option("--mend", help="Shorten each chain to one step.")]
File = Annotated[
    Path | None,
    typer.Argument(help="The CSV file to write.", metavar="FILE", show_default="standard output"),
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Redirect previous identifiers.")
    group.command("add")(add)
    group.command("remove")(remove)
    group.command("list")(list_redirects)
    group.command("import")(import_redirects)
    group.command("export")(export)
    group.command("check")(check)
    app.add_typer(group, name="redirects")


def add(
    old: Old,
    new: New,
    note: Annotated[
        str, typer.Option(help="Why it redirects: a remark that only this program shows.")
    ] = "",
    replace_live: Annotated[
        bool, typer.Option("--replace-live", help="Take OLD even if it is a live image.")
    ] = False,
    replace_withdrawn: ReplaceWithdrawn = False,
    allow_dangling: Annotated[
        bool, typer.Option("--allow-dangling", help="Allow NEW to be an image that is yet to come.")
    ] = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Redirect OLD to NEW, or to where NEW redirects; what redirects to OLD follows it.

    Exit code 0: done. 1: refused, with the reason. 2: the service is not running.
    """
    with connected(environment) as service:
        added = redirects_of(service).add(
            old,
            new,
            note=note,
            replace_live=replace_live,
            replace_withdrawn=replace_withdrawn,
            allow_dangling=allow_dangling,
        )
    if as_json:
        result = {"old": parse_identifier(old), "target": added.target, "made": added.change.made}
        print_json(result | {"collapsed": added.collapsed})
        return
    verb = "redirects" if added.change.made else "redirected already"
    lines = [f"{parse_identifier(old)} {verb} to {added.target}"]
    if added.target != parse_identifier(new):
        lines.append(f"  because {parse_identifier(new)} redirects there itself")
    if added.collapsed:
        lines.append(
            f"  also retargeted: {added.collapsed:,} that redirected to {parse_identifier(old)}"
        )
    print_lines(lines)


def remove(old: Old, environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Remove a redirect: from now on OLD answers 404, as if it had never been used.

    If it replaced a withdrawn image, OLD answers 410 again, as before.

    Exit code 0: done. 1: OLD is not a redirect. 2: the service is not running.
    """
    with connected(environment) as service:
        change = redirects_of(service).remove(old)
    assert isinstance(change.replaced, Redirect)
    if as_json:
        print_json({"old": change.replaced.identifier, "target": change.replaced.target})
    else:
        print_lines(
            [f"{change.replaced.identifier} no longer redirects to {change.replaced.target}"]
        )


def list_redirects(
    target: Target = None, environment: Environment = DEFAULT, as_json: AsJson = False
) -> None:
    """List redirects, in no particular order.

    Exit code 0: listed. 2: the service is not running.
    """
    with connected(environment) as service:
        table = service.identifiers
        found = (
            table.redirects() if target is None else table.redirects_to(parse_identifier(target))
        )
        if as_json:
            print_json([_as_json(item) for item in found])
            return
        lines = map(_line, found)
        print_lines([next(lines, "There is no redirect.")])
        print_lines(lines)


def export(file: File = None, environment: Environment = DEFAULT) -> None:
    """Write all redirects as CSV, which `vitrine redirects import` reads.

    Exit code 0: written. 2: the service is not running.
    """
    with connected(environment) as service:
        found = service.identifiers.redirects()
        if file is None:
            write_rows(sys.stdout, found)
            return
        with file.open("w", encoding="utf-8", newline="") as target:
            count = write_rows(target, found)
    print_lines([f"{count:,} redirects written to {file}"])


def check(mend: Mend = False, environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Check that every redirect leads to an image or a tombstone, in one step.

    Exit code 0: all do. 1: some do not; each is listed with what to do. 2: the service is not
    running.
    """
    counts: Counter[str] = Counter(redirects=0, loop=0, chain=0, dangling=0, mended=0)
    listed: dict[str, list[RedirectFinding]] = {code: [] for code in ADVICE}
    with connected(environment) as service, show_count("redirects checked") as count:
        reader, writer = Redirects(service.register), redirects_of(service) if mend else None

        def progress(done: int) -> None:
            counts["redirects"] = done
            count(done)

        with Workers() as workers:
            for finding in audit_redirects(reader, workers, progress):
                if writer and finding.code == "chain":
                    counts["mended"] += writer.collapse(finding.redirect)
                    continue
                counts[finding.code] += 1
                if len(listed[finding.code]) < LISTED:
                    listed[finding.code].append(finding)
    if as_json:
        findings = {code: [_finding(item) for item in items] for code, items in listed.items()}
        print_json({"counts": counts, "findings": findings})
    else:
        print_lines(_check_lines(counts, listed))
    if any(counts[code] for code in ADVICE):
        raise typer.Exit(UNSUCCESSFUL)


def _check_lines(counts: Counter[str], listed: dict[str, list[RedirectFinding]]) -> list[str]:
    lines = [f"{counts['redirects']:>12,} redirects"]
    if counts["mended"]:
        lines.append(f"{counts['mended']:>12,} chains were shortened")
    for code, advice in ADVICE.items():
        if counts[code]:
            lines.append(f"{counts[code]:>12,} {code}: {advice}")
            for item in islice(listed[code], SHOWN):
                end = f" (leads to {item.end})" if code == "chain" else ""
                lines.append(f"{'':14}{item.redirect.identifier} -> {item.redirect.target}{end}")
            if counts[code] > SHOWN:
                lines.append(f"{'':14}and {counts[code] - SHOWN:,} more: see --json")
    return lines


def _finding(item: RedirectFinding) -> dict[str, str]:
    return _as_json(item.redirect) | {"end": item.end}


def _line(item: Redirect) -> str:
    note = f"  ({item.note})" if item.note else ""
    return f"{item.identifier}  ->  {item.target}{note}"


def _as_json(item: Redirect) -> dict[str, str]:
    return {
        "old": item.identifier,
        "target": item.target,
        "note": item.note,
        "changed_at": item.changed_at,
    }
