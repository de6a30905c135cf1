"""The service at a glance, as one HTML page that loads nothing: light, dark and on paper.

Keys, identifiers and reasons come from outside: all of it is escaped, what cannot be seen is
spelled out, and a command with a key in it is quoted for the shell that it is pasted into.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import quote

from vitrine.cli.status_pages.reasons import reasons
from vitrine.cli.status_pages.style import POLICY, SCRIPT, STYLE
from vitrine.cli.status_pages.words import command, told

COUNTS = ("queued", "running", "published", "rejected", "failed", "withdrawn", "dead letters")
TROUBLES = ("rejected", "failed", "dead letters")


@dataclass(frozen=True, kw_only=True)
class Status:
    """What a page tells."""

    report: Mapping[str, Any]
    """As of `vitrine.cli.report.overview`."""
    made_at: str
    """RFC 3339 UTC."""
    thumbnails: Mapping[str, bytes] = field(default_factory=dict)
    """JPEG files by identifier."""
    trouble: str = ""
    """Why the report is not newer; empty where nothing is wrong."""

    def as_json(self) -> dict[str, Any]:
        """A JSON-ready dictionary: the report, when it was made, and why it is not newer."""
        return {**self.report, "made_at": self.made_at, "trouble": self.trouble}


def status_page(status: Status, refresh_seconds: int = 0) -> str:
    """The page as HTML; it asks for itself anew every `refresh_seconds`, unless that is 0."""
    return "\n".join(_page(status, refresh_seconds)) + "\n"


def _page(status: Status, refresh_seconds: int) -> Iterator[str]:
    title = f"{_verdict(status)} · {status.report['environment']} · Vitrine"
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="robots" content="noindex">'
    if refresh_seconds:
        again = f'<meta http-equiv="refresh" content="{refresh_seconds}">'
        yield f"<noscript>{again}</noscript>"
    yield f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>"
    yield "<body>"
    if refresh_seconds:
        yield '<p class="trouble" id="unanswered" role="status" hidden>This page is no longer made'
        yield "anew: nothing answers where it came from. It goes on by itself once"
        yield "<code>vitrine status --serve</code> runs again.</p>"
    yield f'<main data-seconds="{refresh_seconds}">'
    yield from _head(status)
    yield from reasons(status.report)
    yield from _newest(status)
    yield "</main>"
    if refresh_seconds:
        yield f"<script>{SCRIPT}</script>"
    yield "</body>\n</html>"


def _head(status: Status) -> Iterator[str]:
    report = status.report
    made = status.made_at[:19].replace("T", " ")
    address = escape(f"{report['edge_url']}/")
    yield f"<h1>Vitrine <small>{told(report['environment'])}</small></h1>"
    if status.trouble:
        yield f'<p class="trouble" role="status">{told(status.trouble)} What stands here is as of'
        yield f"{made} UTC; this page goes on by itself once it answers.</p>"
    yield '<ul class="counts">'
    for name, count in _counts(report).items():
        kind = name.replace(" ", "-") + (" none" if count == 0 else "")
        yield f'<li class="{kind}"><b>{_number(report, name)}</b> {name}</li>'
    yield "</ul>"
    yield f'<p class="verdict">{escape(_verdict(status))}</p>'
    yield f'<p class="about">Made <time datetime="{escape(status.made_at)}">{escape(made)} UTC'
    yield f'</time> · viewer <a href="{address}">{address}</a></p>'


def _counts(report: Mapping[str, Any]) -> dict[str, int]:
    extra = {"queued": report["queued"], "dead letters": report["dead_letters"]}
    return {name: extra[name] if name in extra else report["counts"][name] for name in COUNTS}


def _number(report: Mapping[str, Any], name: str) -> str:
    """With a + where counting ended early."""
    counted = report["counts"].get(name, 0) >= report["counted_at_most"]
    return f"{_counts(report)[name]:,}{'+' if counted else ''}"


def _verdict(status: Status) -> str:
    if status.trouble:
        return "No answer"
    counts = _counts(status.report)
    troubles = [f"{_number(status.report, name)} {name}" for name in TROUBLES if counts[name]]
    working = counts["queued"] + counts["running"]
    if troubles:
        return f"To be looked at: {', '.join(troubles)}"
    return "Working; no trouble" if working else "All is done; no trouble"


def _newest(status: Status) -> Iterator[str]:
    report = status.report
    yield '<section id="newest"><h2>Newest images</h2>'
    if not report["newest"]:
        line = command(report["environment"], "ingest", "FILE")
        yield f"<p>None yet.</p>\n<pre>{escape(line)}</pre>"
    yield '<ul class="images">'
    for image in report["newest"]:
        name = told(image["identifier"])
        viewer = escape(f"{report['edge_url']}/#{quote(image['identifier'], safe='')}")
        body = status.thumbnails.get(image["identifier"])
        shown = "<i>no thumbnail</i>"
        if body:
            data = b64encode(body).decode()
            shown = f'<img src="data:image/jpeg;base64,{data}" alt="">'
        when = str(image["published_at"])[:16].replace("T", " ")
        yield f'<li><a href="{viewer}"><span class="mat">{shown}</span>{name}</a>'
        size = f"{image['width']:,} &times; {image['height']:,} px"
        yield f"<small>{size}<br>{told(when)}</small></li>"
    yield "</ul></section>"
