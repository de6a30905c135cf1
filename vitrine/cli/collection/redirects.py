"""`vitrine collection redirects`: where addresses of an earlier server lead."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.collection.file import Rules, usable
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.migrate.old_addresses.address_rules import read_rules, resolve

SHOWN = 10


def redirects(
    rules: Rules,
    addresses: Annotated[
        Path | None,
        typer.Argument(
            help="Addresses of the earlier server, one a line, such as from its log.",
            metavar="[ADDRESSES]",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            help="Write what answers at the earlier server's host to FOLDER.",
            metavar="FOLDER",
            file_okay=False,
        ),
    ] = None,
    base: Annotated[
        str, typer.Option(help="Scheme and host of this service; --into needs it.", metavar="URL")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Say where the section [redirects] of FILE leads old addresses, and write what does it.

    With --into, three files: for a CloudFront Function, and for nginx a module and a server.

    Exit code 0: every address leads somewhere. 1: some lead nowhere. 2: wrong usage, or FILE is
    not usable.
    """
    from vitrine.migrate.old_addresses.write_forwarding import write_forwarding

    if into and not base.startswith(("https://", "http://")):
        stop("Say by --base where this service is, such as https://images.museum.example.")
    with usable():
        found = read_rules(rules)
        lines = addresses.read_text(encoding="utf-8").splitlines() if addresses else []
        requested = dict.fromkeys(line.strip() for line in lines if line.strip())
        led = {address: resolve(found, address) for address in requested}
        written = write_forwarding(found, base.rstrip("/"), into) if into else []
    lost = [address for address, path in led.items() if path is None]
    if as_json:
        print_json({"redirects": led, "files": [str(path) for path in written]})
    else:
        if addresses:
            print_lines(_lines(led, lost, base.rstrip("/")))
        print_lines(str(path) for path in written)
    if lost:
        raise typer.Exit(UNSUCCESSFUL)


def _lines(led: dict[str, str | None], lost: list[str], base: str) -> Iterator[str]:
    found = [(address, path) for address, path in led.items() if path is not None]
    yield f"{len(found):,} of {len(led):,} addresses lead to a path of this service"
    for address, path in found[:SHOWN]:
        yield f"  {address} -> {base}{path}"
    if lost:
        yield f"{len(lost):,} lead nowhere: write a rule for them"
        yield from (f"  {address}" for address in lost[:SHOWN])
        if len(lost) > SHOWN:
            yield f"  and {len(lost) - SHOWN:,} more: --json has all"
