"""`vitrine masters seal`: give old access masters checksums, and no pixel another value."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from vitrine.bootstrap.deployed_services import migration_services
from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.cli.printing import print_json, print_lines, print_message, show_count
from vitrine.cli.program import UNSUCCESSFUL, AsJson
from vitrine.cli.seal_display import count_lines, price_lines, price_of, show_bytes
from vitrine.costs.sealing import SealingWork, known_region
from vitrine.identify.redirects.bulk import Workers
from vitrine.ingest.repair.seal_access_masters import Sealing

AT_ONCE = 4


def seal(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count them and name the price, but write nothing.")
    ] = False,
    at_once: Annotated[
        int, typer.Option(min=1, max=32, help="How many access masters to work on at once.")
    ] = AT_ONCE,
    scratch: Annotated[
        Path | None,
        typer.Option(
            help="Folder for twice as many of the largest access masters as are worked on at once.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Give every access master without checksums a copy that has them. No pixel is touched.

    Images stay on the web, and no answer changes. It may be stopped or killed at any time: run
    again, it does what is left. Run it on a machine in the region of the buckets, since all bytes
    pass through it.

    Exit code 0: done. 1: some cannot be sealed; they are named. 2: the service is not running.
    """
    with (
        connected(environment),
        TemporaryDirectory(prefix="vitrine-seal-", dir=scratch) as folder,
        Workers(at_once) as workers,
    ):
        services = migration_services(environment)
        sealing = Sealing(services.ingest, Path(folder), workers)
        with show_count("access masters looked at") as looked_at:
            sealing.find(looked_at)
        if not dry_run:
            with show_bytes("sealing", sealing.unsealed_bytes, quiet=as_json) as sealed:
                sealing.seal(sealed)
    counts, region = sealing.counts, known_region(services.region)
    work = SealingWork(
        looked_at=counts["sealed"] + counts["unsealed"],
        unsealed=counts["unsealed"],
        unsealed_bytes=sealing.unsealed_bytes,
        listings=sealing.listings,
    )
    if as_json:
        price = {"bytes": work.unsealed_bytes, "region": region, **price_of(work, region)}
        print_json({**counts, **price, "reasons": sealing.reasons})
    else:
        print_lines(count_lines(counts))
        if dry_run and work.unsealed:
            print_lines(price_lines(work, region))
    for key, reason in sealing.reasons.items():
        print_message(f"{key}: {reason}")
    if sealing.reasons:
        raise typer.Exit(UNSUCCESSFUL)
