"""The part of a status page about masters that were not published: why, and what to do."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from vitrine.cli.status_pages.words import advice_about, can_be_typed, command, told

SHOWN = 100
"""How many masters of one reason the page shows; `vitrine status --json` has more."""
Outcomes = Sequence[Mapping[str, Any]]


def reasons(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield HTML of failures, of messages that no worker could use, and of rejections.

    `report` is that of `vitrine.cli.status_report.overview`.
    """
    yield from _failed(report)
    yield from _dead_letters(report)
    yield from _rejected(report)


def _failed(report: Mapping[str, Any]) -> Iterator[str]:
    if not report["counts"]["failed"]:
        return
    yield '<section id="failed"><h2>Failed, for reasons that are not the master&#8217;s</h2>'
    yield "<p>Step 3 of docs/howto/when-an-ingest-fails.md says what to look at first. Then try"
    yield "one, and then all of that reason:</p>"
    where = report["environment"]
    for code, outcomes in _by_code(report, "failed"):
        yield from _reason(report, "failed", code, outcomes)
        tried = next((o["master_key"] for o in outcomes if can_be_typed(o["master_key"])), None)
        lines = [command(where, "failures redrive", tried)] if tried else []
        if can_be_typed(code):
            lines.append(command(where, "failures redrive", "--reason", code))
        yield f"<pre>{escape(chr(10).join(lines))}</pre>" if lines else ""
        yield from _masters(outcomes)
    yield "</section>"


def _dead_letters(report: Mapping[str, Any]) -> Iterator[str]:
    if not report["dead_letters"]:
        return
    yield '<section id="dead-letters"><h2>Messages that a worker could not use</h2>'
    yield f"<p>{report['dead_letters']:,}, kept for fourteen days. List them; a master among them"
    yield "can be redriven as above, steps 3 and 6 of docs/howto/when-an-ingest-fails.md"
    yield "explain the others.</p>"
    yield f"<pre>{escape(command(report['environment'], 'failures list'))}</pre>\n</section>"


def _rejected(report: Mapping[str, Any]) -> Iterator[str]:
    if not report["counts"]["rejected"]:
        return
    yield '<section id="rejected"><h2>Rejected</h2>'
    yield "<p>An image that was live before stays live. Mend the file and upload it under the same"
    yield "key; that is all.</p>"
    for code, outcomes in _by_code(report, "rejected"):
        yield from _reason(report, "rejected", code, outcomes)
        advice = advice_about(code)
        yield f'<p class="advice">{escape(advice)}</p>' if advice else ""
        yield from _masters(outcomes)
    yield "</section>"


def _by_code(report: Mapping[str, Any], state: str) -> list[tuple[str, Outcomes]]:
    """Return (code, outcomes): the most frequent code first, within one the newest first."""
    listed = [outcome for outcome in report["not_published"] if outcome["state"] == state]
    ordered = sorted(listed, key=lambda outcome: str(outcome["code"]))  # stable
    groups = [(code, list(group)) for code, group in groupby(ordered, lambda o: str(o["code"]))]
    return sorted(groups, key=lambda group: len(group[1]), reverse=True)


def _reason(report: Mapping[str, Any], state: str, code: str, outcomes: Outcomes) -> Iterator[str]:
    listed = sum(outcome["state"] == state for outcome in report["not_published"])
    more = "+" if report["counts"][state] > listed else ""
    yield f"<h3><b>{len(outcomes):,}{more}</b> <code>{told(code)}</code></h3>"
    yield f"<p>{told(outcomes[0]['sentence'])}</p>"


def _masters(outcomes: Outcomes) -> Iterator[str]:
    sentence = outcomes[0]["sentence"]
    yield '<table>\n<thead><tr><th>Master</th><th>Seen</th><th class="when">When (UTC)</th>'
    yield "</tr></thead>\n<tbody>"
    for outcome in outcomes[:SHOWN]:
        own = f"{told(outcome['sentence'])} " if outcome["sentence"] != sentence else ""
        seen = f"<code>{told(outcome['value'])}</code>" if outcome["value"] else ""
        when = str(outcome["changed_at"])[:19].replace("T", " ")
        yield (
            f"<tr><td>{told(outcome['master_key'])}</td><td>{own}{seen}</td>"
            f'<td class="when">{told(when)}</td></tr>'
        )
    yield "</tbody>\n</table>"
    if len(outcomes) > SHOWN:
        yield f"<p>and {len(outcomes) - SHOWN:,} more: see <code>vitrine status --json</code>.</p>"
