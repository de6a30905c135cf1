"""The export as a whole: find out, say how much, write what is missing, seal the bag."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from vitrine.errors import VitrineError
from vitrine.export.bag import break_seal, seal
from vitrine.export.ledger import ExportLedger, Unit, WrittenFile
from vitrine.export.scan import Scan
from vitrine.export.services import ExportOptions, ExportServices
from vitrine.export.write import LeftOut, NotExported, UnitWriter

SCRATCH = "export.parts"
"""The folder of what is half written, in that of the export."""
THREADS = 4
"""Units that are written at a time; of each, one master or tile is in memory or on its way."""


class DiskUnfit(VitrineError):
    """The export does not fit onto this disk; the message is a sentence with the reason."""


@dataclass
class Export:
    """What an export holds and what it did."""

    counts: Counter[str]
    """Records by their kind."""
    waiting: dict[str, int]
    """The number of `units` to write, and about how many `bytes`, before it began."""
    written: int = 0
    """Units that this run wrote."""
    removed: int = 0
    """Units that are no longer published, and whose files were removed."""
    faults: list[str] = field(default_factory=list)
    """Sentences about what could not be written: the bag is open until another run writes it."""
    left_out: list[str] = field(default_factory=list)
    """Sentences about what has no place in the sealed bag, or an older one, since its own data are
    damaged."""
    total: dict[str, int] = field(default_factory=dict)
    """Number of `files` and `bytes` of the sealed bag; empty if it was not sealed."""


@dataclass(frozen=True)
class ExportProgress:
    """Functions that are called while it works."""

    found: Callable[[int], None] = lambda records: None
    predicted: Callable[[Export], None] = lambda export: None
    written: Callable[[int], None] = lambda units: None


def export(
    services: ExportServices,
    options: ExportOptions,
    folder: Path,
    *,
    only_predict: bool = False,
    progress: ExportProgress | None = None,
) -> Export:
    """Bring `folder` up to date with everything that is published.

    What an earlier run wrote, and nothing changed since, is left as it is; with `only_predict`,
    all is. Raises DiskUnfit before anything is written, ExportBusy, TransientError, and OSError;
    the same call again continues.
    """
    progress = progress or ExportProgress()
    folder.mkdir(parents=True, exist_ok=True)
    with ExportLedger(folder) as ledger, _scratch_folder(folder) as scratch:
        scan = Scan(services, options, ledger, scratch)
        counts = scan.run(progress.found)
        ledger.check_files()
        result = Export(counts, ledger.waiting(), left_out=scan.left_out)
        progress.predicted(result)
        _check_disk(folder, result.waiting["bytes"])
        _check_names(scratch, ledger)
        if only_predict:
            return result
        break_seal(folder)
        scan.adopt_lists(folder)
        result.removed = ledger.forget_others()
        writer = UnitWriter(services, options, folder, scratch)
        for done, (unit, outcome) in enumerate(_write_all(writer, ledger), start=1):
            if isinstance(outcome, LeftOut):
                result.left_out.append(str(outcome))
            elif isinstance(outcome, NotExported):
                result.faults.append(str(outcome))
            else:
                ledger.finish(unit, outcome)
                result.written += 1
            progress.written(done)
        if not result.faults:
            result.total = seal(folder, ledger.files(), services.presentation.base)
    return result


def _write_all(
    writer: UnitWriter, ledger: ExportLedger
) -> Iterator[tuple[Unit, list[WrittenFile] | NotExported]]:
    """Yield every unit that was not done with its files, or with why it has none."""

    def write(unit: Unit) -> list[WrittenFile] | NotExported:
        try:
            return writer.write(unit)
        except NotExported as error:
            return error

    units = ledger.next_units()
    with ThreadPoolExecutor(THREADS, thread_name_prefix="export") as threads:
        under_way = {threads.submit(write, unit): unit for unit in islice(units, THREADS)}
        while under_way:
            # Each as soon as it is done, so that as little as possible is lost by a kill.
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                yield under_way.pop(future), future.result()
            under_way |= {threads.submit(write, unit): unit for unit in islice(units, len(done))}


@contextmanager
def _scratch_folder(folder: Path) -> Iterator[Path]:
    scratch = folder / SCRATCH
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _check_names(scratch: Path, ledger: ExportLedger) -> None:
    """Raise DiskUnfit where two files would be one."""
    if ignores_case(scratch) and (pair := ledger.equal_but_for_case()):
        first, second = (key.partition("/")[2] for key in pair)
        raise DiskUnfit(
            f'"{first}" and "{second}" differ only by case, and this disk takes the one for the '
            "other, so one would be lost: choose a disk that tells them apart."
        )


def ignores_case(folder: Path) -> bool:
    """Return True if the file system takes `A` for `a`, as those of macOS and Windows do."""
    with tempfile.NamedTemporaryFile(prefix="Case-", dir=folder) as file:
        path = Path(file.name)
        return path.with_name(path.name.swapcase()).exists()


def _check_disk(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise DiskUnfit(
            f"The export takes about {needed:,} bytes more, and {folder} has {free:,} left: choose "
            "another disk, or `--pictures none`."
        )
