"""`vitrine status`: the service at a glance, or one image."""

import json
from typing import Annotated, Any

import typer
from rich.console import Console

from vitrine.cli.environment import DEFAULT, UNSUCCESSFUL, AsJson, Environment, connected
from vitrine.cli.report import UNKNOWN, image_report, overview

UNPUBLISHED = ("rejected", "failed")
SHOWN = 10
"""Images and reasons that the overview shows; --json has all."""

Identifier = Annotated[
    str | None, typer.Argument(help="An identifier, or a master's key.", metavar="ID")
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("status")(status)


def status(
    identifier: Identifier = None, environment: Environment = DEFAULT, as_json: AsJson = False
) -> None:
    """Show the service with its newest images and rejections, or what is known of one image.

    Exit code 0: found. 1: nothing is known of ID, or its last master was rejected or failed.
    2: the service is not running.
    """
    with connected(environment) as service:
        report = overview(service) if identifier is None else image_report(service, identifier)
    if as_json:
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        lines = _overview_lines(report) if identifier is None else _image_lines(report)
        Console(soft_wrap=True).print("\n".join(lines), markup=False, highlight=False)
    if identifier is not None and _unsuccessful(report):
        raise typer.Exit(UNSUCCESSFUL)


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
