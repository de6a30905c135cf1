"""`vitrine masters seal`: give old access masters checksums, and no pixel another value."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from vitrine.bootstrap.deployed_services import deployed_reconcile_services
from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.cli.printing import print_json, print_lines, print_message
from vitrine.cli.program import UNSUCCESSFUL, AsJson
from vitrine.costs.prices import price
from vitrine.ingest.repair.seal_access_masters import Sealing

PRICED_REGION = "us-east-1"
BYTES_PER_SECOND = 50e6
"""Assumed of S3 and a machine in its region; each access master is moved three times."""
_TIMES_MOVED = 3
_PART_BYTES = 8 << 20
SENTENCES = {
    "sealed": "access masters have checksums (second edition)",
    "unsealed": "access masters had none (first edition, or made elsewhere)",
    "made": "of these now have a sealed copy, which their images are served from",
    "unreadable": "of these cannot be sealed, and are served as before",
    "changed": "of these were replaced by a new version meanwhile",
}
"""What each count means."""


def seal(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count them and name the price, but write nothing.")
    ] = False,
    scratch: Annotated[
        Path | None,
        typer.Option(
            help="Folder for twice the largest access master.", exists=True, file_okay=False
        ),
    ] = None,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Give every access master without checksums a copy that has them. No pixel is touched.

    Images stay on the web, and their addresses keep their meaning. It may be stopped at any time:
    run again, it does what is left. Run it on a machine in the region of the buckets, since all
    bytes pass through it.

    Exit code 0: done. 1: some cannot be sealed; they are named. 2: the service is not running.
    """
    with connected(environment), TemporaryDirectory(dir=scratch) as folder:
        services = deployed_reconcile_services(environment).starter.ingest
        sealing = Sealing(services, Path(folder), dry_run=dry_run)
        sealing.walk()
    usd, hours = _price(sealing)
    if as_json:
        estimate = {"bytes": sealing.unsealed_bytes, "usd": usd, "hours": hours}
        print_json({**sealing.counts, **estimate, "reasons": sealing.reasons})
    else:
        print_lines(f"{sealing.counts[name]:>12,} {text}" for name, text in SENTENCES.items())
        if dry_run and sealing.counts["unsealed"]:
            print_lines([_name_price(sealing, usd, hours)])
    for key, reason in sealing.reasons.items():
        print_message(f"{key}: {reason}")
    if sealing.reasons:
        raise typer.Exit(UNSUCCESSFUL)


def _price(sealing: Sealing) -> tuple[float, float]:
    """Return USD for the requests to S3, and hours, to seal what has no seal."""
    unsealed = sealing.counts["unsealed"]
    reads = sealing.counts["sealed"] + unsealed + 2 * unsealed
    writes = 2 * unsealed + sealing.unsealed_bytes // _PART_BYTES
    usd = (
        reads * price("S3, thousand GET", PRICED_REGION).usd
        + writes * price("S3, thousand PUT", PRICED_REGION).usd
    ) / 1000
    return usd, _TIMES_MOVED * sealing.unsealed_bytes / BYTES_PER_SECOND / 3600


def _name_price(sealing: Sealing, usd: float, hours: float) -> str:
    return (
        f"To seal {sealing.counts['unsealed']:,} of {sealing.unsealed_bytes / 1e9:,.1f} GB costs "
        f"about ${usd:,.2f} of requests ({PRICED_REGION}) and takes {hours:,.1f} hours at "
        f"{BYTES_PER_SECOND / 1e6:.0f} MB/s; until the old ones expire, both are stored. Outside "
        "of the region, AWS charges for the transfer too."
    )
