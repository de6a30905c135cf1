"""How far the ingest of one version of a master is, as its uploader asks."""

from typing import Literal

from vitrine.ports import ObjectInfo
from vitrine.records import Outcome

Progress = Literal["unfinished", "published", "rejected", "failed", "withdrawn", "superseded"]


def ingest_progress(outcome: Outcome | None, uploaded: ObjectInfo) -> Progress:
    """Return the state of the ingest of this version of a master.

    `superseded`: a newer upload of the same file took over.
    """
    if outcome is None or outcome.master_modified < uploaded.modified:
        return "unfinished"
    if outcome.master_version != uploaded.version:
        newer = outcome.master_modified > uploaded.modified
        return "superseded" if newer else "unfinished"
    return "unfinished" if outcome.state == "running" else outcome.state
