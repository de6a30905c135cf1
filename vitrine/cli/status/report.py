"""The report behind `vitrine status`: plain dictionaries, whose keys are stable."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, get_args

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.status import health as status_health
from vitrine.cli.status.running import running_masters
from vitrine.cli.status.work import read_work
from vitrine.cli.upload.follow import info_url
from vitrine.ports import MessageQueue
from vitrine.records import (
    Gone,
    Live,
    Outcome,
    Record,
    Redirect,
    Removed,
    State,
    outcome_as_json,
)
from vitrine.store.omissions import RUNBOOK, read_omissions

STATES: tuple[str, ...] = get_args(State)
UNKNOWN = "unknown"
SHOWN = 1_000
"""Outcomes of one state that are read."""
COUNTED = 10_000
"""Counting ends here: every thousand is one more query."""
UNPUBLISHED = ("rejected", "failed")
NEWEST = 100
NAMED = 3
"""Objects that are left out and that the first lines name."""
IMAGES = {"live": "live", "withdrawn": "gone", "redirected": "redirect"}
"""Names of images here, with the states of their identifiers."""


def overview(service: Deployment, listed: int = SHOWN, newest: int = NEWEST) -> dict[str, Any]:
    """Return health, addresses, counts of images and of masters, and the newest of them.

    `images` counts what identifiers answer with, `counts` what became of uploaded masters.

    At most `listed` rejected and as many failed outcomes, and `newest` images, are read.
    """
    running = service.outcomes.by_state("running", listed)
    ended = {"running": running}
    ended |= {state: service.outcomes.by_state(state, listed) for state in UNPUBLISHED}
    unpublished = [outcome for state in UNPUBLISHED for outcome in ended[state]]
    unpublished.sort(key=lambda outcome: outcome.changed_at, reverse=True)
    left_out = [{"part": part, **asdict(one)} for part, one in read_omissions(service.site)]
    return {
        "environment": service.environment,
        "health": [*_health(service), *_health_of_objects(left_out)],
        "work": read_work(service.environment),
        "edge_url": service.edge_url,
        "origin_url": service.origin_url,
        "images": {
            name: service.identifiers.count(state, COUNTED) for name, state in IMAGES.items()
        },
        "queued": service.uploads.length(),
        "counts": {state: _count(service, state, ended.get(state), listed) for state in STATES},
        "counted_at_most": COUNTED,
        "dead_letters": sum(queue.length() for queue in _dead_letters(service)),
        "running": running_masters(service, running),
        "newest": [_image(service, image) for image in service.identifiers.newest(newest)],
        "not_published": [outcome_as_json(outcome) for outcome in unpublished],
        "left_out": left_out,
    }


def _health(service: Deployment) -> list[dict[str, str]]:
    parts = status_health.check_health(service.environment, service.edge_url)
    return [asdict(part) for part in parts]


def _health_of_objects(left_out: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Return a part that is not well if any part of the service leaves objects out."""
    names = list(dict.fromkeys(one["identifier"] for one in left_out))
    if not names:
        return []
    named = ", ".join(f'"{name}"' for name in names[:NAMED])
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    problem = f"{len(names):,} left out, all others are served: {named}{more}; see {RUNBOOK}."
    return [{"name": "objects", "problem": problem, "detail": ""}]


def _count(service: Deployment, state: str, outcomes: Sequence[Outcome] | None, listed: int) -> int:
    """Return how many are in a state; no query is made if all of them have been listed."""
    if outcomes is not None and len(outcomes) < listed:
        return len(outcomes)
    return service.outcomes.count(state, COUNTED)


def _dead_letters(service: Deployment) -> list[MessageQueue]:
    return [service.dead_letters, *(worker.dead_letters for worker in service.workers)]


def image_report(service: Deployment, name: str) -> dict[str, Any]:
    """Return what is known about one image, by its identifier or its master's key.

    `state` is live, redirect or gone; before there is an image, the outcome's: running, rejected
    or failed; or unknown.
    """
    record, outcome = _find(service, name)
    return {
        "identifier": _identifier(name, record, outcome),
        "state": _state(record, outcome),
        "image": _image(service, record) if isinstance(record, Live) else None,
        "target": record.target if isinstance(record, Redirect) else "",
        "reason": record.reason if isinstance(record, Gone) else "",
        "outcome": outcome_as_json(outcome) if outcome else None,
    }


def _find(service: Deployment, name: str) -> tuple[Record | None, Outcome | None]:
    record = service.identifiers.get(name)
    if isinstance(record, Live):
        return record, service.outcomes.get(record.master_key)
    outcome = service.outcomes.get(name)
    if record is None and outcome:
        return _record_of(service, outcome), outcome
    return record, outcome or _outcome_for(service, name)


def _record_of(service: Deployment, outcome: Outcome) -> Record | None:
    """Return the record of the master's identifier, unless that is another master's image."""
    record = service.identifiers.get(outcome.identifier)
    if isinstance(record, Live) and record.master_key != outcome.master_key:
        return None
    return record


def _outcome_for(service: Deployment, identifier: str) -> Outcome | None:
    for state in ("running", "rejected", "failed"):
        for outcome in service.outcomes.by_state(state, SHOWN):
            if outcome.identifier == identifier:
                return outcome
    return None


def _identifier(name: str, record: Record | None, outcome: Outcome | None) -> str:
    if record:
        return record.identifier
    return outcome.identifier if outcome else name


def _state(record: Record | None, outcome: Outcome | None) -> str:
    match record:
        case Live():
            return "live"
        case Redirect():
            return "redirect"
        case Gone():
            return "gone"
        case Removed() | None:
            return outcome.state if outcome else UNKNOWN


def _image(service: Deployment, image: Live) -> dict[str, Any]:
    return asdict(image) | {"info_url": info_url(service.edge_url, image.identifier)}
