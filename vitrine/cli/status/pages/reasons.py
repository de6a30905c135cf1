"""The part of a status page about masters that were not published: why, and what to do."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from vitrine.cli.status.pages.words import can_be_typed, command
from vitrine.ingest.rejection_advice import advice_about

SHOWN = 100
"""Masters of one reason that the page shows; `vitrine status --json` has more."""
Outcomes = Sequence[Mapping[str, Any]]
Group = dict[str, Any]
"""Masters of one reason, as status.html shows them."""


def failed_groups(report: Mapping[str, Any]) -> list[Group]:
    """Return failures by reason, each with the commands that redrive one master and then all.

    `report` is that of `vitrine.cli.status.report.overview`.
    """
    return [
        _group(report, "failed", code, outcomes)
        | {"commands": "\n".join(_redrive(report["environment"], code, outcomes))}
        for code, outcomes in _by_code(report, "failed")
    ]


def rejected_groups(report: Mapping[str, Any]) -> list[Group]:
    """Return rejections by reason, each with advice for the curator."""
    return [
        _group(report, "rejected", code, outcomes) | {"advice": advice_about(code)}
        for code, outcomes in _by_code(report, "rejected")
    ]


def _redrive(environment: str, code: str, outcomes: Outcomes) -> list[str]:
    keys = (outcome["master_key"] for outcome in outcomes)
    key = next(filter(can_be_typed, keys), None)
    lines = [command(environment, "failures redrive", key)] if key else []
    if can_be_typed(code):
        lines.append(command(environment, "failures redrive", "--reason", code))
    return lines


def _by_code(report: Mapping[str, Any], state: str) -> list[tuple[str, Outcomes]]:
    """Return (code, outcomes): the most frequent code first, within one the newest first."""
    listed = [outcome for outcome in report["not_published"] if outcome["state"] == state]
    ordered = sorted(listed, key=lambda outcome: str(outcome["code"]))  # stable
    groups = [(code, list(group)) for code, group in groupby(ordered, lambda o: str(o["code"]))]
    return sorted(groups, key=lambda group: len(group[1]), reverse=True)


def _group(report: Mapping[str, Any], state: str, code: str, outcomes: Outcomes) -> Group:
    listed = sum(outcome["state"] == state for outcome in report["not_published"])
    sentences = {outcome["sentence"] for outcome in outcomes}
    sentence = outcomes[0]["sentence"] if len(sentences) == 1 else ""
    hidden = len(outcomes) - SHOWN
    return {
        "count": f"{len(outcomes):,}{'+' if report['counts'][state] > listed else ''}",
        "code": code,
        "sentence": sentence,
        "masters": [
            {
                "master": outcome["master_key"],
                "sentence": outcome["sentence"] if outcome["sentence"] != sentence else "",
                "value": outcome["value"],
                "when": str(outcome["changed_at"])[:19].replace("T", " "),
            }
            for outcome in outcomes[:SHOWN]
        ],
        "more": f"{hidden:,}" if hidden > 0 else "",
    }
