"""What became of a master: what a curator reads when asking "where is my image?"."""

from dataclasses import dataclass
from typing import Literal

State = Literal["running", "published", "rejected", "failed", "withdrawn"]


MASTER_DELETED = "master-deleted"
"""Code of a rejection for want of the master."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The latest outcome of one master. Times are RFC 3339 UTC."""

    master_key: str
    master_version: str
    master_modified: str
    identifier: str
    state: State
    changed_at: str
    code: str = ""
    """Stable reason code of a rejection, error name of a failure."""
    sentence: str = ""
    value: str = ""
    notes: tuple[str, ...] = ()
    """Sentences about a published master: what was assumed, left out or could not be read."""
    execution: str = ""
    redrives: str = ""
    """The failed execution that this one was started for, empty at the first try."""
    formers: tuple[str, ...] = ()
    """Other identifiers that this master had before."""

    @property
    def ended_in_absence(self) -> bool:
        """It ended so because the master was away: once it is back, all may begin again."""
        return self.state == "withdrawn" or self.code == MASTER_DELETED
