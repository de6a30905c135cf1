"""The page docs/reference/events.md."""

import json
from dataclasses import fields
from typing import Any

from vitrine.events import EVENTS, SOURCE

EXAMPLES: dict[str, dict[str, Any]] = {
    "ImagePublished": {
        "identifier": "SK-C-5",
        "master_key": "2026/SK-C-5.tif",
        "version": "5e2b0c7a91d4f386",
        "width": 14168,
        "height": 11528,
        "published_at": "2026-11-21T07:30:00.000Z",
    },
    "ImageRejected": {
        "identifier": "SK-C-6",
        "master_key": "2026/SK-C-6.tif",
        "master_version": "3sL4kqtJlcpXroDTDmJ",
        "code": "not-an-image",
        "sentence": "The file is not an image in a format that is accepted.",
        "value": "Dear colleague",
        "rejected_at": "2026-11-21T07:30:00.000Z",
    },
    "ImageWithdrawn": {
        "identifier": "SK-C-7",
        "master_key": "2026/SK-C-7.tif",
        "reason": "The master was deleted.",
        "withdrawn_at": "2026-11-21T07:30:00.000Z",
    },
    "ImageChanged": {
        "identifier": "SK-C-5",
        "state": "live",
        "revision": 2,
        "changed_at": "2026-11-21T07:30:00.000Z",
        "was": "live",
    },
    "CollectionUpdated": {
        "identifier": "psalters",
        "begun_at": "2026-11-21T07:30:00.000Z",
        "ended_at": "2026-11-21T07:31:12.000Z",
        "result": "complete",
        "said": "",
        "made": 3,
        "waiting": 0,
        "refused": 0,
    },
    "ObjectChanged": {
        "identifier": "letter-1642",
        "revision": 2,
        "published_at": "2026-11-21T07:30:00.000Z",
        "change": "moved",
        "kind": "manifest",
        "target": "letters-7",
    },
    "PagesOutdated": {
        "identifier": "letters",
        "pages": "members",
        "revision": 3,
        "since": 2,
        "after": "letter-1642",
    },
    "TextsRequested": {"identifier": "letter-1642"},
    "TextsRead": {"identifier": "letter-1642"},
    "RulesChanged": {"identifier": "letters", "version": 12, "everything": False},
}

_HEAD = f"""\
# Events for others

What happens to images is announced on EventBridge, on the bus that `event_bus` in
`environments.toml` names, with source `{SOURCE}`. Match the events with a rule such as

```json
{{"source": ["{SOURCE}"], "detail-type": ["ImagePublished"]}}
```

Like all events on EventBridge they arrive at least once and in no particular order: compare times,
or request `info.json`. Fields are added, never renamed or removed, so let your schema allow
additional ones. Every rejection is also mailed to the environment's `rejection_address`.

`make docs` generates this page from `vitrine/events.py`.
"""
_TYPES = {str: "string", int: "integer", bool: "boolean"}


def events_page() -> str:
    """Return the page as Markdown."""
    return _HEAD + "".join(_section(event) for event in EVENTS)


def schema(event: type[Any]) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of the event's detail."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": event.name(),
        "description": event.__doc__,
        "type": "object",
        "properties": {
            item.name: {"type": _TYPES[item.type], "description": item.metadata["doc"]}  # type: ignore[index]
            for item in fields(event)
        },
        "required": [item.name for item in fields(event)],
    }


def _section(event: type[Any]) -> str:
    return f"""
## {event.name()}

{event.__doc__}

```json
{json.dumps(EXAMPLES[event.name()], indent=2)}
```

Schema of the detail:

```json
{json.dumps(schema(event), indent=2)}
```
"""
