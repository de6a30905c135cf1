"""`vitrine up` and `vitrine down`: the whole service on this machine."""

from pathlib import Path
from typing import Annotated
from urllib.parse import quote, urlsplit

import typer

from vitrine.bootstrap.deployment import deployment
from vitrine.bootstrap.environments import LOCAL
from vitrine.bootstrap.local_service import LocalService, local_directory
from vitrine.cli.environment import UNUSABLE, stop
from vitrine.cli.ingest import ingest
from vitrine.local.deploy import DeployFailed
from vitrine.local.masters import files_in, not_yet_in, of_one_name
from vitrine.local.process import ProcessDied
from vitrine.local.progress import Progress
from vitrine.local.sample import sample_master
from vitrine.local.synth import SynthFailed
from vitrine.local.up import NotReady, Ports
from vitrine.local.up import down as stop_service
from vitrine.local.up import up as start_service

INGEST_SECONDS = 900

Masters = Annotated[
    Path | None,
    typer.Option(help="Folder with your master images, or one image; default: a sample."),
]
Port = Annotated[int, typer.Option(min=1, max=65535, help="Where it listens, on 127.0.0.1.")]


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command("up")(up)
    app.command("down")(down)


def up(
    masters: Masters = None,
    edge_port: Port = Ports.edge,
    origin_port: Port = Ports.origin,
    emulator_port: Port = Ports.emulator,
) -> None:
    """Start the service on this machine, put masters in, and say where to look.

    Exit code 0: it runs and all masters are published. 1: it runs, some are not. 2: it does not.
    """
    files = _checked(masters) if masters else []
    progress = Progress()
    ports = Ports(edge=edge_port, origin=origin_port, emulator=emulator_port)
    try:
        service, started = start_service(local_directory(), ports, progress)
    except NotReady as error:
        for problem in error.args:
            typer.echo(f"vitrine: {problem}", err=True)
        raise typer.Exit(UNUSABLE) from None
    except (SynthFailed, DeployFailed, ProcessDied, OSError) as error:
        stop(str(error))
    if not started:
        progress.say(_already(service, ports))
    try:
        _put_in(files, progress)
    finally:
        _show(service)


def down() -> None:
    """Stop the service on this machine; what was published stays for the next start."""
    try:
        if not stop_service(local_directory(), Progress()):
            typer.echo("Nothing was running.")
    except OSError as error:
        stop(str(error))


def _checked(masters: Path) -> list[Path]:
    """The files to upload. Exits when there are none, or when one would replace another."""
    if not masters.exists():
        stop(f"{masters} does not exist.")
    files = files_in(masters)
    if not files:
        stop(f"There are no files in {masters}.")
    for paths in of_one_name(files):
        stop(
            f"{' and '.join(map(str, paths))} have one name, and a master is known by its "
            "name: rename all but one."
        )
    return files


def _already(service: LocalService, ports: Ports) -> str:
    there = Ports(
        edge=urlsplit(service.edge_url).port or 0,
        origin=urlsplit(service.origin_url).port or 0,
        emulator=urlsplit(service.emulator_url).port or 0,
    )
    if there == ports:
        return "The service is running already."
    return (
        f"The service is running already, on other ports: edge {there.edge}, origin "
        f"{there.origin}, emulator {there.emulator}. To change them, `make down` first."
    )


def _put_in(files: list[Path], progress: Progress) -> None:
    """Upload what is new, through S3 and the pipeline. Exits with 1 when some is not published."""
    store = deployment(LOCAL)
    if files:
        new = not_yet_in(store.masters, files)
        progress.say(f"{len(new)} of {len(files)} files are new")
    else:
        new = [] if store.identifiers.newest(1) else [sample_master(progress.say)]
    if new:
        ingest(new, timeout=INGEST_SECONDS)


def _show(service: LocalService) -> None:
    lines = ["", f"Viewer   {service.edge_url}/"]
    for image in deployment(LOCAL).identifiers.newest(1):
        base = f"{service.edge_url}/iiif/3/{quote(image.identifier, safe='')}"
        lines += [
            f"Try      {base}/info.json",
            f"         {base}/full/!1024,1024/0/default.jpg",
            f"         {base}/pct:40,40,20,20/max/0/default.jpg",
        ]
    lines += [f"Logs     {service.logs}", "Stop     make down"]
    typer.echo("\n".join(lines))
