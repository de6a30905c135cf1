"""Upload one master and follow its outcome."""

import mimetypes
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from vitrine.bootstrap.deployment import Deployment
from vitrine.ingest.progress import ingest_progress
from vitrine.ingest.start.start_ingest import IDENTIFIER_METADATA
from vitrine.ports import ObjectInfo
from vitrine.records import Outcome
from vitrine.store.layout import master_key

SECONDS_BETWEEN_LOOKS = 0.25


@dataclass(frozen=True, kw_only=True)
class Followed:
    """The result for one file. `seconds` count from the start of its upload."""

    file: str
    identifier: str
    state: str
    """published, rejected, failed, superseded (a newer upload took over) or unfinished."""
    info_url: str
    seconds: float
    code: str = ""
    sentence: str = ""
    value: str = ""
    notes: tuple[str, ...] = ()
    """Sentences about what was assumed or left out of a published image."""

    def as_json(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        return asdict(self) | {"seconds": round(self.seconds, 2)}


def info_url(edge_url: str, identifier: str) -> str:
    """Return the address of the image's info.json."""
    return f"{edge_url}/iiif/3/{quote(identifier, safe='')}/info.json"


def upload_and_follow(
    service: Deployment,
    file: Path,
    identifier: str | None,
    timeout: int,
    on_progress: Callable[[int], None] | None = None,
    on_stage: Callable[[str], None] = lambda stage: None,
    stop: Event | None = None,
    permission: Mapping[str, str] = MappingProxyType({}),
    key: str = "",
) -> Followed:
    """Upload `file` under its own name, or under `key`, and wait for its outcome.

    The waiting ends after `timeout` seconds, or when `stop` is set. `permission` is metadata of
    `Curation.permit_upload`.
    """
    begun, key = time.monotonic(), key or master_key(file.name)
    previous = service.outcomes.get(key)
    uploaded = service.masters.upload(
        file,
        key,
        content_type=mimetypes.guess_type(file.name)[0] or "application/octet-stream",
        metadata=dict(permission) | ({IDENTIFIER_METADATA: identifier} if identifier else {}),
        on_progress=on_progress,
    )
    outcome, state = await_outcome(service, uploaded, begun + timeout, on_stage, stop)
    followed = _followed(service, file, outcome, state, time.monotonic() - begun)
    if state == "published" and previous and previous.state == "published":
        followed = replace(followed, notes=(*followed.notes, _REPLACED))
    return followed


def await_outcome(
    service: Deployment,
    uploaded: ObjectInfo,
    deadline: float,
    on_stage: Callable[[str], None] = lambda stage: None,
    stop: Event | None = None,
) -> tuple[Outcome | None, str]:
    """Wait for and return the outcome of this version of a master, and its state.

    The states are those of `Followed.state`.

    `deadline` is a moment of `time.monotonic`; `stop`, once set, ends the waiting as well.
    """
    on_stage("waiting")
    stop = stop or Event()
    outcome: Outcome | None = None
    state = "unfinished"
    while state == "unfinished" and time.monotonic() < deadline and not stop.is_set():
        outcome = service.outcomes.get(uploaded.key)
        state = ingest_progress(outcome, uploaded)
        if outcome and outcome.state == "running":
            on_stage("converting")
        if state == "unfinished":
            stop.wait(SECONDS_BETWEEN_LOOKS)
    on_stage(state)
    return outcome, state


_REPLACED = (
    "It replaces a published image: new viewers see it within a minute or so; browsers may show the"
    " previous one for five more minutes."
)
"""The edge is invalidated (docs/adr/0010); browsers keep theirs for browser_max_age_seconds."""

_SENTENCES = {
    "superseded": "A newer upload of the same file took over.",
    "unfinished": "It did not end in time; `vitrine status` says whether all is well (a full disk "
    "stops every ingest), and shows the outcome when there is one.",
}


def _followed(
    service: Deployment, file: Path, outcome: Outcome | None, state: str, seconds: float
) -> Followed:
    ended = outcome if state in ("published", "rejected", "failed") else None
    identifier = outcome.identifier if outcome else file.stem
    return Followed(
        file=str(file),
        identifier=identifier,
        state=state,
        info_url=info_url(service.edge_url, identifier) if state == "published" else "",
        seconds=seconds,
        code=ended.code if ended else "",
        sentence=ended.sentence if ended else _SENTENCES[state],
        value=ended.value if ended else "",
        notes=ended.notes if ended else (),
    )
