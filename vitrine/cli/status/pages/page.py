"""The service at a glance, as one HTML page that loads nothing: light, dark and on paper.

Keys, identifiers and reasons come from outside: all of it is escaped, what cannot be seen is
spelled out, and a command with a key in it is quoted for the shell that it is pasted into.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from vitrine.cli.pages.kit import render
from vitrine.cli.status.pages.plots import draw_plots
from vitrine.cli.status.pages.reasons import failed_groups, rejected_groups
from vitrine.cli.status.pages.style import HERE, POLICY, SCRIPT, STYLE
from vitrine.cli.status.pages.words import command, show_text
from vitrine.cli.status.work import describe

COUNTS = ("queued", "running", "published", "rejected", "failed", "withdrawn", "dead letters")
TROUBLES = ("rejected", "failed", "dead letters")
LABELS = {"withdrawn": "deleted", "dead letters": "unusable messages"}
"""Labels of counts on the page whose names would mislead."""


@dataclass(frozen=True, kw_only=True)
class Status:
    """The state of a service at a moment."""

    report: Mapping[str, Any]
    """As of `vitrine.cli.report.overview`."""
    made_at: str
    """RFC 3339 UTC."""
    thumbnails: Mapping[str, bytes] = field(default_factory=dict)
    """JPEG files by identifier."""
    trouble: str = ""
    """Why the report is not newer; empty where nothing is wrong."""

    def as_json(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary: the report, when it was made, why it is not newer."""
        return {**self.report, "made_at": self.made_at, "trouble": self.trouble}


def status_page(status: Status, refresh_seconds: int = 0) -> str:
    """Return the page as HTML; it refreshes itself every `refresh_seconds`, unless that is 0."""
    report = status.report
    environment = report["environment"]
    return render(
        HERE / "status.html",
        title=f"{_verdict(status)} · {environment} · Vitrine",
        style=STYLE,
        script=SCRIPT,
        policy=POLICY,
        show=show_text,
        refresh_seconds=refresh_seconds,
        environment=environment,
        trouble=status.trouble,
        made_at=status.made_at,
        made=_minute(status.made_at, 19),
        viewer=f"{report['edge_url']}/",
        counts=[
            (
                LABELS.get(name, name),
                name.replace(" ", "-") + (" none" if count == 0 else ""),
                _number(report, name),
            )
            for name, count in _counts(report).items()
        ],
        images=[
            (name, f"{count:,}{'+' if count >= report['counted_at_most'] else ''}")
            for name, count in report["images"].items()
        ],
        unwell=[part for part in report["health"] if part["problem"]],
        well=[part for part in report["health"] if not part["problem"]],
        running=[
            master | {"when": _minute(master["since"], 16)}
            for master in report["running"]
            if master["stalled"]
        ],
        verdict=_verdict(status),
        work=[describe(item) for item in report["work"]["programs"]],
        plots=draw_plots(report["work"]["minutes"]),
        failed=failed_groups(report),
        dead_letters=f"{report['dead_letters']:,}" if report["dead_letters"] else "",
        list_command=command(environment, "failures list"),
        rejected=rejected_groups(report),
        newest=list(_newest(status)),
        ingest_command=command(environment, "ingest", "FILE"),
    )


def _counts(report: Mapping[str, Any]) -> dict[str, int]:
    extra = {"queued": report["queued"], "dead letters": report["dead_letters"]}
    return {name: extra[name] if name in extra else report["counts"][name] for name in COUNTS}


def _number(report: Mapping[str, Any], name: str) -> str:
    """Return the count, with a + behind it if counting ended early."""
    cut = report["counts"].get(name, 0) >= report["counted_at_most"]
    return f"{_counts(report)[name]:,}{'+' if cut else ''}"


def _verdict(status: Status) -> str:
    if status.trouble:
        return "No answer"
    counts = _counts(status.report)
    unwell = [part["name"] for part in status.report["health"] if part["problem"]]
    if unwell:
        return f"Not well: {', '.join(unwell)}"
    faults = [
        f"{_number(status.report, name)} {LABELS.get(name, name)}"
        for name in TROUBLES
        if counts[name]
    ]
    working = counts["queued"] + counts["running"]
    if faults:
        return f"Needs attention: {', '.join(faults)}"
    return "Working; no trouble" if working else "All is done; no trouble"


def _newest(status: Status) -> Iterator[dict[str, str]]:
    for image in status.report["newest"]:
        identifier = image["identifier"]
        yield {
            "identifier": identifier,
            "viewer": f"{status.report['edge_url']}/objects/{quote(identifier, safe='')}",
            "thumbnail": b64encode(status.thumbnails.get(identifier, b"")).decode(),
            "width": f"{image['width']:,}",
            "height": f"{image['height']:,}",
            "when": _minute(image["published_at"], 16),
        }


def _minute(timestamp: object, length: int) -> str:
    return str(timestamp)[:length].replace("T", " ")
