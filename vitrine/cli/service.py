"""`vitrine up` and `vitrine down`: the whole service on this machine."""

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlsplit

import typer

from vitrine.bootstrap.deployed_services import api_door
from vitrine.bootstrap.deployment import Deployment, deployment
from vitrine.bootstrap.environments import LOCAL
from vitrine.bootstrap.local_service import LocalService, local_directory
from vitrine.cli.access.rights import warn_without_services
from vitrine.cli.collection.file import usable
from vitrine.cli.collection.publish import publish_table
from vitrine.cli.console.printing import print_error_lines, print_lines, print_message
from vitrine.cli.console.program import UNSUCCESSFUL, UNUSABLE, stop
from vitrine.cli.ingest import ingest
from vitrine.local.deploy import DeployFailed
from vitrine.local.masters import group_by_name, list_files, list_side_files, select_new
from vitrine.local.process import ProcessDied
from vitrine.local.progress import Progress
from vitrine.local.sample.drawn_picture import draw_test_picture
from vitrine.local.sample.unfinished import is_unfinished, note_unfinished
from vitrine.local.sample.wallpapers import PACKAGE, gather_wallpapers
from vitrine.local.synth import SynthFailed
from vitrine.local.up import NotReady, Ports
from vitrine.local.up import down as stop_service
from vitrine.local.up import up as start_service
from vitrine.store.side_files import describe_skipped
from vitrine.store.site_layout import HOME_PAGE, collection_page_key, page_path

INGEST_SECONDS = 900
FIRST_PAGE_SECONDS = 30

Masters = Annotated[
    Path | None,
    typer.Option(
        help="A folder with your master images, or one image.",
        show_default="a sample collection, if nothing was ever published",
    ),
]


def _port(server: str) -> Any:
    return typer.Option(min=1, max=65535, help=f"Port of {server} on 127.0.0.1.")


EdgePort = Annotated[int, _port("the edge, where viewers look,")]
OriginPort = Annotated[int, _port("the image service behind the edge,")]
EmulatorPort = Annotated[int, _port("the AWS emulator behind both,")]
Flavour = Annotated[
    str,
    typer.Option(
        help="A flavour to start the service in, such as serverless; they are in "
        "stacks/flavours.py.",
        show_default="image tasks, as dev comes",
    ),
]
Photos = Annotated[
    bool,
    typer.Option(
        "--photos", help="Open the photo door, which takes photographs at /photos of the edge."
    ),
]
Access = Annotated[
    bool,
    typer.Option(
        "--access", help="Open the services at /auth that let people see restricted images."
    ),
]

Ocr = Annotated[
    str,
    typer.Option(
        help="Read pages without a text by Tesseract, in these languages, such as deu+eng.",
        metavar="NAMES",
        show_default="pages are not read",
    ),
]

TextProposals = Annotated[
    str,
    typer.Option(
        help="Ask the program at this address for proposals of alternative texts.",
        metavar="ADDRESS",
        show_default="nobody is asked",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("up")(up)
    app.command("down")(down)


def up(
    masters: Masters = None,
    edge_port: EdgePort = Ports.edge,
    origin_port: OriginPort = Ports.origin,
    emulator_port: EmulatorPort = Ports.emulator,
    flavour: Flavour = "",
    photos: Photos = False,
    access: Access = False,
    ocr: Ocr = "",
    text_proposals: TextProposals = "",
) -> None:
    """Start the service on this machine.

    It ingests masters, and prints the address of the viewer.

    Exit code 0: it runs and all masters are published. 1: it runs, but some masters are not
    published, or it was started before without this --flavour, --photos, --access, --ocr or
    --text-proposals.
    2: it does not run.
    """
    files = _masters_to_upload(masters) if masters else []
    progress = Progress()
    ports = Ports(edge=edge_port, origin=origin_port, emulator=emulator_port)
    doors = [name for name, is_open in (("photos", photos), ("access", access)) if is_open]
    doors += [f"ocr={ocr}"] if ocr else []
    doors += [f"text_proposals={text_proposals}"] if text_proposals else []
    try:
        service, started = start_service(local_directory(), ports, progress, flavour, doors)
    except NotReady as error:
        for problem in error.args:
            print_message(problem)
        raise typer.Exit(UNUSABLE) from None
    except (SynthFailed, DeployFailed, ProcessDied, OSError) as error:
        print_error_lines(str(error))  # with the end of a log
        raise typer.Exit(UNUSABLE) from None
    if masters and (skipped := list_side_files(masters)):
        progress.say(describe_skipped(skipped))
    if not started:
        progress.say(_describe_running(service, ports))
        _require_as_started(service, [*_flavour_word(flavour), *doors])
    warn_without_services(deployment(LOCAL))
    try:
        upload_new(files, progress)
    finally:
        _print_addresses(service)


def down() -> None:
    """Stop it; what was published stays.

    Exit code 0: it does not run any more. 2: it could not be stopped.
    """
    try:
        stopped = stop_service(local_directory(), Progress())
    except OSError as error:
        stop(str(error))
    print_lines(
        ["Stopped; your images stay for the next start." if stopped else "Nothing was running."]
    )


def _masters_to_upload(masters: Path) -> list[Path]:
    """Return the files to upload; end with exit code 2 if that is nothing, or two share a name."""
    if not masters.exists():
        stop(f"{masters} does not exist.")
    files = list_files(masters)
    if not files:
        stop(f"There are no images in {masters}.")
    for paths in group_by_name(files):
        stop(
            f"{' and '.join(map(str, paths))} have the same name, and a master is known by its "
            "name: rename all but one."
        )
    return files


def _describe_running(service: LocalService, ports: Ports) -> str:
    current = Ports(
        edge=urlsplit(service.edge_url).port or 0,
        # A Lambda is reached through the emulator.
        origin=ports.origin if service.image_function else urlsplit(service.origin_url).port or 0,
        emulator=urlsplit(service.emulator_url).port or 0,
    )
    if current == ports:
        return "The service is running already."
    return (
        f"The service is running already, on other ports: edge {current.edge}, origin "
        f"{current.origin}, emulator {current.emulator}. To change them, run `make down` first."
    )


def _require_as_started(service: LocalService, requested: Sequence[str]) -> None:
    """End with exit code 1 if the running service was started without one of these options."""
    started = [*_flavour_word(service.flavour), *service.doors]
    missing = [option for option in requested if option not in started]
    if missing:
        print_message(
            f"It was started without {_words(missing)}, so nothing was done. Run `make down`, then "
            f"`make up {_words([*started, *requested])}`."
        )
        raise typer.Exit(UNSUCCESSFUL)


def _flavour_word(flavour: str) -> list[str]:
    return [f"flavour={flavour}"] if flavour else []


def _words(options: Sequence[str]) -> str:
    """Return the words of `make up` for these options; the last of a name counts."""
    values = dict(option.partition("=")[::2] for option in options)
    return " ".join(f"{name.upper()}={value or 'yes'}" for name, value in values.items())


def upload_new(files: list[Path], progress: Progress) -> None:
    """Upload what is new through S3; end with exit code 1 if some of it is not published."""
    store = deployment(LOCAL)
    if files:
        new = select_new(store.masters, files)
        progress.say(f"{len(new)} of {len(files)} files are new")
        if new:
            ingest(new, timeout=INGEST_SECONDS)
    elif holds_nothing(store) or is_unfinished(local_directory()):
        with note_unfinished(local_directory()):
            is_complete = _publish_sample(store, progress)
        if not is_complete:
            raise typer.Exit(UNSUCCESSFUL)


def _publish_sample(store: Deployment, progress: Progress) -> bool:
    """Publish a collection of photographs, or a drawn picture if they cannot be fetched.

    Returns False if some of it is not published. The same again goes on.
    """
    try:
        with progress.step(f"fetching photographs, from Debian's package {PACKAGE}"):
            rules = gather_wallpapers()
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        progress.say(f"no photographs, so a test picture is drawn: {str(error).splitlines()[0]}")
        ingest([draw_test_picture()], timeout=INGEST_SECONDS)
        return True
    progress.say(f"publishing them as the collection that {rules} describes …")
    begun = time.monotonic()
    with usable():
        done = publish_table(rules, store, LOCAL, quiet=False)
    if not done.is_complete:
        print_lines(done.lines(store.edge_url))
        return False
    seconds = time.monotonic() - begun
    progress.say(f"  {done.report.made} objects: {seconds:.1f} s")
    with progress.step("waiting until the first page shows them"):
        _await_first_page(store, page_path(collection_page_key(done.collection)))
    return True


def _await_first_page(store: Deployment, path: str) -> None:
    """Return when the first page leads to a collection, or else after a while."""
    patience = time.monotonic() + FIRST_PAGE_SECONDS
    while path.encode() not in store.site.get(HOME_PAGE)[0] and time.monotonic() < patience:
        time.sleep(0.5)


def holds_nothing(service: Deployment) -> bool:
    """Return True if no identifier was ever used: a withdrawn sample is not uploaded again."""
    identifiers = service.identifiers
    return not any(identifiers.count(state, 1) for state in ("live", "gone", "redirect"))


def _print_addresses(service: LocalService) -> None:
    lines = ["", f"Viewer   {service.edge_url}/", f"Desk     {service.edge_url}/desk/"]
    for image in deployment(LOCAL).identifiers.newest(1):
        base = f"{service.edge_url}/iiif/3/{quote(image.identifier, safe='')}"
        lines += [
            f"Try      {base}/info.json",
            f"         {base}/full/!1024,1024/0/default.jpg",
            f"         {base}/pct:40,40,20,20/max/0/default.jpg",
        ]
    lines += [f"API      {api_door().address}/objects", f"MCP      {service.edge_url}/mcp"]
    lines += [f"Logs     {service.logs}", "Stop     make down"]
    print_lines(lines)
