"""`vitrine status`: the service at a glance, or one image."""

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.environment import DEFAULT, UNSUCCESSFUL, AsJson, Environment, connected, stop
from vitrine.cli.report import UNKNOWN, UNPUBLISHED, image_report, overview
from vitrine.cli.status_pages.images import Thumbnails
from vitrine.cli.status_pages.page import Status, status_page
from vitrine.cli.status_pages.serve import NEWEST, PORT, StatusPages, StatusServer
from vitrine.store.clock import now

SHOWN = 10
"""Images and reasons that the overview shows; --json has all."""

Identifier = Annotated[
    str | None, typer.Argument(help="An identifier, or a master's key.", metavar="ID")
]
Html = Annotated[
    Path | None,
    typer.Option(help="Write the overview as one page that needs no network.", dir_okay=False),
]
Serve = Annotated[
    bool,
    typer.Option(
        "--serve", help="Show that page in your browser, always new, until Ctrl-C; only you see it."
    ),
]
Port = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=65_535,
        help="Where --serve listens, on 127.0.0.1; 0: any.",
        show_default=str(PORT),
    ),
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("status")(status)


def status(
    identifier: Identifier = None,
    html: Html = None,
    serve: Serve = False,
    port: Port = None,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Show the service with its newest images and rejections, or what is known of one image.

    Exit code 0: found. 1: nothing is known of ID, or its last master was rejected or failed.
    2: wrong usage, or the service is not running.
    """
    if sum((identifier is not None, html is not None, serve)) > 1 or (serve and as_json):
        stop("say one of ID, --html FILE and --serve; --json goes with the first two.")
    if port is not None and not serve:
        stop("--port says where --serve listens.")
    if serve:
        _serve(environment, PORT if port is None else port)
        return
    with connected(environment) as service:
        report = overview(service) if identifier is None else image_report(service, identifier)
        if html is not None:
            _write(html, service, report)
    if as_json:
        print(json.dumps(report, indent=2, ensure_ascii=False))
    elif html is None:
        lines = _overview_lines(report) if identifier is None else _image_lines(report)
        Console(soft_wrap=True).print("\n".join(lines), markup=False, highlight=False)
    if identifier is not None and _unsuccessful(report):
        raise typer.Exit(UNSUCCESSFUL)


def _write(path: Path, service: Deployment, report: dict[str, Any]) -> None:
    shown = report | {"newest": report["newest"][:NEWEST]}
    thumbnails = Thumbnails().of(service.edge_url, shown["newest"])
    page = status_page(Status(report=shown, made_at=now(), thumbnails=thumbnails))
    try:
        path.write_bytes(page.encode("utf-8", "backslashreplace"))
    except OSError as error:
        stop(f"{path} cannot be written: {error.strerror}.")
    print(f"vitrine: {path} is written; open it in a browser.", file=sys.stderr)


def _serve(environment: str, port: int) -> None:
    with connected(environment) as service:
        pages = StatusPages(service)
    try:
        server = StatusServer(pages, port)
    except OSError as error:
        stop(f"port {port} cannot be used ({error.strerror}); name another with --port.")
    with server:
        print(f"{server.url} shows {environment} until Ctrl-C.", flush=True)
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def _unsuccessful(report: dict[str, Any]) -> bool:
    outcome = report["outcome"]
    return report["state"] == UNKNOWN or bool(outcome and outcome["state"] in UNPUBLISHED)


def _overview_lines(report: dict[str, Any]) -> list[str]:
    lines = [f"Viewer   {report['edge_url']}/"]
    if report["origin_url"]:
        lines.append(f"Origin   {report['origin_url']}/")
    lines.append(f"Masters  {_counts(report)}")
    if report["counts"]["failed"] or report["dead_letters"]:
        lines.append("Failed   see `vitrine failures list`")
    if report["newest"]:
        lines += ["", "Newest images"]
        for image in report["newest"][:SHOWN]:
            lines.append(f"  {image['identifier']}  {_size(image)}")
            lines.append(f"    {image['info_url']}")
    if report["not_published"]:
        lines += ["", "Not published"]
        for outcome in report["not_published"][:SHOWN]:
            lines += [f"  {line}" for line in _outcome_lines(outcome)]
        hidden = len(report["not_published"]) - SHOWN
        if hidden > 0:
            lines.append(f"  and {hidden} more: see `vitrine status --json`")
    return lines


def _image_lines(report: dict[str, Any]) -> list[str]:
    lines = [f"{report['identifier']}: {report['state']}"]
    if report["image"]:
        image = report["image"]
        lines.append(f"  {_size(image)}, {len(image['levels'])} levels")
        lines.append(f"  {image['info_url']}")
        lines.append(f"  from {image['master_key']}, published {image['published_at']}")
    if report["target"]:
        lines.append(f"  redirects to {report['target']}")
    if report["reason"]:
        lines.append(f"  {report['reason']}")
    outcome = report["outcome"]
    if outcome and outcome["state"] != "published":
        lines += [f"  {line}" for line in _outcome_lines(outcome)]
    elif outcome:
        lines += [f"  note: {note}" for note in outcome["notes"]]
    return lines


def _outcome_lines(outcome: dict[str, Any]) -> list[str]:
    lines = [f"{outcome['master_key']}: {outcome['state']} {outcome['changed_at']}"]
    if outcome["sentence"]:
        lines.append(f"  {outcome['sentence']}")
        seen = f", seen: {outcome['value']}" if outcome["value"] else ""
        lines.append(f"  code {outcome['code']}{seen}")
    return lines


def _counts(report: dict[str, Any]) -> str:
    at_most = report["counted_at_most"]
    counts = report["counts"].items()
    told = [f"{count:,}{'+' if count >= at_most else ''} {state}" for state, count in counts]
    return ", ".join([f"{report['queued']:,} queued", *told])


def _size(image: dict[str, Any]) -> str:
    return f"{image['width']:,} x {image['height']:,} px"
