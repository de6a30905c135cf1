"""`vitrine ingest`: upload masters and follow them until they are published or rejected."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from shlex import quote
from threading import Event
from typing import Annotated

import typer

from vitrine.bootstrap.curation import own_curation
from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_message
from vitrine.cli.console.program import INTERRUPTED, UNSUCCESSFUL, AsJson, stop
from vitrine.cli.upload.display import Bars, print_result
from vitrine.cli.upload.follow import Followed, upload_and_follow
from vitrine.errors import IdentifierRefused
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.owners import note_owner
from vitrine.store.layout import master_key, owned_key

PARALLEL = 4
"""Masters in flight at once: an emulator starts a process for each."""

Files = Annotated[list[Path], typer.Argument(help="The master images.", metavar="FILE")]
Identifier = Annotated[
    str | None,
    typer.Option(
        help="The image's identifier, if there is only one FILE.",
        show_default="the one that this file name had before, else the name without extension",
    ),
]
Owner = Annotated[
    str | None,
    typer.Option(
        "--collection",
        help="Identifier of the collection that the masters belong to: their keys begin with it.",
        metavar="ID",
    ),
]
ReplaceWithdrawn = Annotated[
    bool,
    typer.Option(
        "--replace-withdrawn",
        help="With --identifier: take it even if its image was withdrawn, for good.",
    ),
]
ReplaceRedirect = Annotated[
    bool,
    typer.Option(
        "--replace-redirect",
        help="With --identifier: take it even if it redirects to another image.",
    ),
]
Timeout = Annotated[int, typer.Option(help="How long to wait for each master, in seconds.", min=1)]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ingest")(ingest)


def ingest(
    files: Files,
    identifier: Identifier = None,
    owner: Owner = None,
    replace_withdrawn: ReplaceWithdrawn = False,
    replace_redirect: ReplaceRedirect = False,
    environment: Environment = DEFAULT,
    timeout: Timeout = 900,
    as_json: AsJson = False,
) -> None:
    """Upload master images, and wait until they are published.

    Each result is printed when it is known. Ctrl-C ends the waiting; what was uploaded is ingested
    all the same.

    Exit code 0: all are published. 1: some were rejected or failed. 2: wrong usage, or the service
    is not running: nothing was uploaded. 130: ended by Ctrl-C.
    """
    _check(files, identifier, replace_withdrawn or replace_redirect)
    collection = _parse_collection(owner)
    followed: dict[Path, Followed] = {}
    with connected(environment) as service, Bars(quiet=as_json) as bars:
        permission = {}
        if collection:
            note_owner(service.records, collection)
        if identifier and (replace_withdrawn or replace_redirect):
            permission = own_curation(service).permit_upload(
                owned_key(collection, master_key(files[0].name)),
                parse_identifier(identifier),
                replace_withdrawn=replace_withdrawn,
                replace_redirect=replace_redirect,
            )
        uploads = Uploads(service, bars, collection, identifier, timeout, permission)
        try:
            for file, result in uploads.run(files):
                followed[file] = result
                if not as_json:
                    print_result(result)
        except KeyboardInterrupt:
            uploads.stop()
            _print_interrupted(files, followed, uploads.sent)
    if as_json:
        print_json([followed[file].as_json() for file in files if file in followed])
    if uploads.stopped:
        raise typer.Exit(INTERRUPTED)
    if any(result.state != "published" for result in followed.values()):
        raise typer.Exit(UNSUCCESSFUL)


class Uploads:
    """Some files that are uploaded and followed at once."""

    def __init__(
        self,
        service: Deployment,
        bars: Bars,
        collection: str,
        identifier: str | None,
        timeout: int,
        permission: Mapping[str, str],
    ) -> None:
        self._service = service
        self._bars = bars
        self._collection = collection
        self._identifier = identifier
        self._timeout = timeout
        self._permission = permission
        self._stop = Event()
        self._pool = ThreadPoolExecutor(PARALLEL)
        self.sent: set[Path] = set()
        """Files that the service has."""

    @property
    def stopped(self) -> bool:
        """True once `stop` was called."""
        return self._stop.is_set()

    def run(self, files: Sequence[Path]) -> Iterator[tuple[Path, Followed]]:
        """Yield each file with its result, as soon as there is one."""
        try:
            futures = {self._pool.submit(self._follow, file): file for file in files}
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Wait for no outcome any more, and begin no other upload."""
        self._stop.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _follow(self, file: Path) -> Followed:
        progress = self._bars.begin(file.name, file.stat().st_size)

        def show_stage(name: str) -> None:
            self.sent.add(file)  # its first stage begins behind the upload
            progress.show_stage(name)

        try:
            return upload_and_follow(
                self._service,
                file,
                self._identifier,
                self._timeout,
                progress.show_bytes,
                show_stage,
                self._stop,
                self._permission,
                key=owned_key(self._collection, master_key(file.name)),
            )
        finally:
            progress.end()


def _print_interrupted(
    files: Sequence[Path], followed: dict[Path, Followed], sent: set[Path]
) -> None:
    states = Counter(result.state for result in followed.values())
    counts = [f"{states.pop('published', 0):,} published"]
    counts += [f"{count:,} {state}" for state, count in states.items()]
    under_way = len([file for file in files if file in sent and file not in followed])
    unsent = len([file for file in files if file not in sent])
    print_message(
        f"Interrupted: {', '.join(counts)} so far. {under_way:,} that were uploaded go on; see "
        f"`vitrine status`. {unsent:,} were not uploaded."
    )


def _parse_collection(owner: str | None) -> str:
    try:
        return parse_identifier(owner) if owner is not None else ""
    except IdentifierRefused as error:
        stop(f"--collection: {error}")


def _check(files: list[Path], identifier: str | None, replacing: bool) -> None:
    for file in files:
        if file.is_dir():
            command = f"vitrine masters migrate {quote(str(file))}"
            stop(f"{file} is a folder: ingest all of it with `{command}`.")
        if not file.is_file():
            stop(f"{file} is not a file.")
    if identifier is not None and len(files) > 1:
        stop("--identifier is for one image: give one FILE with it.")
    if replacing and identifier is None:
        stop("--replace-withdrawn and --replace-redirect replace one image: add --identifier.")
    if identifier == "":
        stop("--identifier is empty.")
    if identifier:
        try:
            parse_identifier(identifier)
        except IdentifierRefused as error:
            stop(str(error))
    counted = Counter(master_key(file.name) for file in files)
    repeated = [name for name, count in counted.items() if count > 1]
    if repeated:
        stop(f"Two files are called {repeated[0]}, and one would replace the other: rename one.")
