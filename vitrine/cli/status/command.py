"""`vitrine status`: the service at a glance, or one image."""

from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.bootstrap.deployment import Deployment
from vitrine.bootstrap.environments import LOCAL
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.cli.console.record_words import describe_code, local_time
from vitrine.cli.status import health as status_health
from vitrine.cli.status.health import is_unwell
from vitrine.cli.status.pages.images import Thumbnails
from vitrine.cli.status.pages.page import Status, status_page
from vitrine.cli.status.pages.serve import NEWEST, PORT, StatusPages, StatusServer
from vitrine.cli.status.report import UNKNOWN, UNPUBLISHED, image_report, overview
from vitrine.cli.status.work import work_lines
from vitrine.local.emulator import NAME as EMULATOR
from vitrine.store.clock import now
from vitrine.store.omissions import PARTS

SHOWN = 10
"""Images and reasons that the overview shows; --json has all."""

Identifier = Annotated[
    str | None,
    typer.Argument(
        help="An identifier, or a master's key.", metavar="ID", show_default="the whole service"
    ),
]
Html = Annotated[
    Path | None,
    typer.Option(
        help="Write the overview to this file, as a page that needs no network.", dir_okay=False
    ),
]
Serve = Annotated[
    bool,
    typer.Option(
        "--serve",
        help="Serve that page to a browser on this machine until Ctrl-C; it refreshes itself.",
    ),
]
Port = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=65_535,
        help="Port of --serve on 127.0.0.1; 0 takes any free one.",
        show_default=str(PORT),
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("status")(status)


def status(
    identifier: Identifier = None,
    html: Html = None,
    serve: Serve = False,
    port: Port = None,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Show how the service is, or all about one image.

    Exit code 0: it is well; with ID: shown. 1: a part of it is not well; with ID: it is unknown, or
    its last master was rejected or failed. 2: wrong usage, or the service is not running.
    """
    if sum((identifier is not None, html is not None, serve)) > 1 or (serve and as_json):
        stop("Give only one of ID, --html FILE and --serve; --json goes with the first two.")
    if port is not None and not serve:
        stop("--port is the port of --serve: give both.")
    if serve:
        _serve(environment, PORT if port is None else port)
        return
    with connected(environment, first=partial(_check_reachable, as_json)) as service:
        report = overview(service) if identifier is None else image_report(service, identifier)
        if html is not None:
            _write(html, service, report)
    if as_json:
        print_json(report)
    elif html is None:
        lines = _overview_lines(report) if identifier is None else _image_lines(report)
        print_lines(lines)
    if is_unwell(report["health"]) if identifier is None else _unsuccessful(report):
        raise typer.Exit(UNSUCCESSFUL)


def _check_reachable(as_json: bool, environment: str) -> None:
    """End with the health of this machine's service if what plays AWS does not answer."""
    if environment != LOCAL:
        return
    health = [asdict(part) for part in status_health.check_health(environment)]
    if not any(part["name"] == EMULATOR and part["problem"] for part in health):
        return
    if as_json:
        print_json({"environment": environment, "health": health})
    else:
        print_lines(status_health.health_lines(health))
    stop("Without the emulator nothing else is known. Start what is missing with `make up`.")


def _write(path: Path, service: Deployment, report: dict[str, Any]) -> None:
    shown = report | {"newest": report["newest"][:NEWEST]}
    thumbnails = Thumbnails().of(service.edge_url, shown["newest"])
    page = status_page(Status(report=shown, made_at=now(), thumbnails=thumbnails))
    try:
        path.write_bytes(page.encode("utf-8", "backslashreplace"))
    except OSError as error:
        stop(f"{path} cannot be written: {error.strerror}.")
    print_message(f"{path} is written; open it in a browser.")


def _serve(environment: str, port: int) -> None:
    with connected(environment) as service:
        pages = StatusPages(service)
    try:
        server = StatusServer(pages, port)
    except OSError as error:
        stop(f"Port {port} cannot be used ({error.strerror}); choose another with --port.")
    with server:
        print_lines([f"{server.url} shows the environment {environment}; Ctrl-C ends it."])
        with suppress(KeyboardInterrupt):
            server.serve_forever()
        print_lines([""])  # the next prompt does not stand behind ^C


def _unsuccessful(report: dict[str, Any]) -> bool:
    outcome = report["outcome"]
    return report["state"] == UNKNOWN or bool(outcome and outcome["state"] in UNPUBLISHED)


def _overview_lines(report: dict[str, Any]) -> list[str]:
    health = status_health.health_lines(report["health"])
    lines = [*health, *work_lines(report["work"]), "", f"Viewer   {report['edge_url']}/"]
    if report["origin_url"]:
        lines.append(f"Origin   {report['origin_url']}/")
    lines.append(f"Images   {_counts(report, report['images'])}")
    uploads = {"queued": report["queued"]} | report["counts"]
    uploads["deleted"] = uploads.pop("withdrawn")
    lines.append(f"Uploads  {_counts(report, uploads)}")
    if report["counts"]["failed"] or report["dead_letters"]:
        lines.append("Failed   see `vitrine failures list`")
    if report["left_out"]:
        lines += ["", "Left out"]
        for one in report["left_out"][:SHOWN]:
            since = local_time(one["since"])
            lines.append(f"  {one['identifier']}: of {PARTS[one['part']]}, since {since}")
            lines.append(f"    {one['reason']}")
        lines += _hidden(report["left_out"])
    if report["running"]:
        lines += ["", "Running", *map(_running_line, report["running"][:SHOWN])]
        lines += _hidden(report["running"])
    if report["newest"]:
        lines += ["", "Newest images"]
        for image in report["newest"][:SHOWN]:
            lines.append(f"  {image['identifier']}  {_size(image)}")
            lines.append(f"    {image['info_url']}")
    if report["not_published"]:
        lines += ["", "Not published"]
        for outcome in report["not_published"][:SHOWN]:
            lines += [f"  {line}" for line in _outcome_lines(outcome)]
        lines += _hidden(report["not_published"])
        lines += ["  `vitrine masters dismiss KEY` takes a rejection off this list."]
    return lines


def _running_line(master: dict[str, Any]) -> str:
    line = f"  {master['master_key']} since {local_time(master['since'])}"
    if master["stalled"]:
        line += ": no execution works on it; the reconciler starts it again"
    return line


def _hidden(items: list[Any]) -> list[str]:
    hidden = len(items) - SHOWN
    return [f"  and {hidden:,} more: see `vitrine status --json`"] if hidden > 0 else []


def _image_lines(report: dict[str, Any]) -> list[str]:
    state = "withdrawn" if report["state"] == "gone" else report["state"]
    lines = [f"{report['identifier']}: {state}"]
    if state == UNKNOWN:
        lines.append(
            "  Neither an identifier nor a master has this name; see `vitrine image list`."
        )
    if report["image"]:
        image = report["image"]
        lines.append(f"  {_size(image)}, {len(image['levels'])} levels")
        lines.append(f"  {image['info_url']}")
        published = local_time(image["published_at"])
        lines.append(f"  from {image['master_key']}, published {published}")
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
    changed = local_time(outcome["changed_at"])
    state = "dismissed, " if outcome["dismissed"] else ""
    lines = [f"{outcome['master_key']}: {state}{outcome['state']} {changed}"]
    if outcome["sentence"]:
        lines.append(f"  {outcome['sentence']}")
        lines.append(f"  {describe_code(outcome['code'], outcome['value'])}")
    return lines


def _counts(report: dict[str, Any], counts: dict[str, int]) -> str:
    at_most = report["counted_at_most"]
    return ", ".join(
        f"{count:,}{'+' if count >= at_most else ''} {name}" for name, count in counts.items()
    )


def _size(image: dict[str, Any]) -> str:
    return f"{image['width']:,} x {image['height']:,} px"
