"""What `vitrine masters seal` shows: bars while it works, then counts and the price."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from vitrine.costs.sealing import SealingWork, charges, transfers

BYTES_PER_SECOND = 50e6
"""Assumed of S3 and a machine in its region; each access master is moved three times."""
_TIMES_MOVED = 3
SENTENCES = {
    "sealed": (
        "access master has checksums (second edition)",
        "access masters have checksums (second edition)",
    ),
    "unsealed": (
        "access master had none (first edition, or made elsewhere)",
        "access masters had none (first edition, or made elsewhere)",
    ),
    "made": (
        "of these has a sealed copy now, which its image is served from",
        "of these have a sealed copy now, which their images are served from",
    ),
    "unreadable": (
        "cannot be sealed, and is served as before",
        "cannot be sealed, and are served as before",
    ),
    "changed": (
        "of these was replaced by a new version meanwhile",
        "of these were replaced by a new version meanwhile",
    ),
}
"""What each count means, of one and of any other number."""


@contextmanager
def show_bytes(what: str, total: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that moves a bar of bytes, with rate and rest, on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    # The rate, and so the time left, of the last five minutes.
    with Progress(
        *columns, console=Console(stderr=True), transient=True, speed_estimate_period=300.0
    ) as bars:
        task = bars.add_task(what, total=total)
        yield lambda done: bars.update(task, completed=done)


def count_lines(counts: Mapping[str, int]) -> Iterator[str]:
    """Yield each count with what it means."""
    for name, (one, several) in SENTENCES.items():
        yield f"{counts[name]:>12,} {one if counts[name] == 1 else several}"


def price_of(work: SealingWork, region: str) -> dict[str, float]:
    """Return what `--json` says of the price: USD and hours, at most."""
    elsewhere = {charge.what: charge.usd(region) for charge in transfers(work)}
    return {
        "usd": sum(charge.usd(region) for charge in charges(work)),
        "usd_more_in_another_region": elsewhere["in another region of AWS"],
        "usd_more_outside_of_aws": elsewhere["outside of AWS"],
        "hours": _TIMES_MOVED * work.unsealed_bytes / BYTES_PER_SECOND / 3600,
    }


def price_lines(work: SealingWork, region: str) -> Iterator[str]:
    """Yield what sealing costs, line by line."""
    total = price_of(work, region)
    yield (
        f"To seal {work.unsealed:,} of {work.unsealed_bytes / 1e9:,.1f} GB costs at most "
        f"${total['usd']:,.2f} ({region}), and takes about {total['hours']:,.1f} hours at "
        f"{BYTES_PER_SECOND / 1e6:.0f} MB/s:"
    )
    for charge in charges(work):
        yield f"{charge.usd(region):>12,.2f} {charge.price.partition(',')[0]}: {charge.what}"
    yield "If the command runs elsewhere, AWS charges for what leaves the region, in addition:"
    for charge in transfers(work):
        yield f"{charge.usd(region):>12,.2f} {charge.quantity:,.1f} GB, {charge.what}"
