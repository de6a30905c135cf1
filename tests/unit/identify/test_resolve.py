"""What an identifier answers."""

import pytest

from tests.rigs.records import live
from vitrine.identify.resolve import (
    MovedTo,
    Resolution,
    Serve,
    Unknown,
    WithdrawnIdentifier,
    resolve,
)
from vitrine.records import Gone, Record, Redirect

LIVE = live("new")
GONE = Gone(identifier="new", reason="rights", changed_at="2026-11-21T07:00:00.000Z")
OLD = Redirect(identifier="old", target="new", changed_at="2026-11-21T07:00:00.000Z")


@pytest.mark.parametrize(
    ("record", "target", "resolution"),
    [
        (None, None, Unknown()),
        (LIVE, None, Serve(LIVE)),
        (GONE, None, WithdrawnIdentifier("rights", GONE.changed_at)),
        (OLD, LIVE, MovedTo("new")),
        (OLD, GONE, WithdrawnIdentifier("rights", GONE.changed_at)),
        (OLD, None, Unknown()),
    ],
)
def test_every_state_has_one_answer(
    record: Record | None, target: Record | None, resolution: Resolution
) -> None:
    assert resolve(record, target) == resolution
